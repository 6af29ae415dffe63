//! Words of options and what they mean: rows read and print by the same ones.

/// Each word with its meaning; of several with the same meaning the first is printed.
pub struct Words<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    /// What a word means; `None` = it is none of them.
    pub fn read(&self, word: &[u8]) -> Option<T> {
        self.0.iter().find(|(known, _)| known.as_bytes() == word).map(|(_, meaning)| *meaning)
    }

    /// The word for it.
    pub fn print(&self, meaning: T) -> String {
        let found = self.0.iter().find(|(_, known)| *known == meaning);
        found.map_or("", |(word, _)| word).to_owned()
    }
}

/// A value that may not have been given.
pub fn given(value: Option<impl ToString>) -> Vec<String> {
    value.map(|value| value.to_string()).into_iter().collect()
}

/// A value that says something only then.
pub fn when(says: bool, value: impl ToString) -> Vec<String> {
    given(says.then_some(value))
}

/// An option that stands alone.
pub fn switch(is_given: bool) -> Vec<String> {
    when(is_given, "")
}

/// A size as it is typed: `64K`, and bytes where it is no multiple of 1024.
pub fn size(bytes: u64) -> String {
    let units = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    match units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit)) {
        Some((unit, letter)) => format!("{}{letter}", bytes / unit),
        None => bytes.to_string(),
    }
}
