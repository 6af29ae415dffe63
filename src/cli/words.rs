//! Words of options and their meanings, used for parsing and printing.

use super::error::ValueError;

/// Words with their meanings; the first word of a meaning is printed.
pub(super) struct Words<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    pub(super) fn read(&self, word: &[u8]) -> Option<T> {
        self.0.iter().find(|(known, _)| known.as_bytes() == word).map(|(_, meaning)| *meaning)
    }

    pub(super) fn print(&self, meaning: T) -> String {
        let found = self.0.iter().find(|(_, known)| *known == meaning);
        found.map_or("", |(word, _)| word).to_owned()
    }
}

pub(super) fn optional_word(value: Option<impl ToString>) -> Vec<String> {
    value.map(|value| value.to_string()).into_iter().collect()
}

/// Formats a value if `says` is true.
pub(super) fn when(says: bool, value: impl ToString) -> Vec<String> {
    optional_word(says.then_some(value))
}

pub(super) fn switch(is_given: bool) -> Vec<String> {
    when(is_given, "")
}

/// Formats a time for [`time_ms`].
pub(super) fn in_words(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{}s", ms / 1000) } else { format!("{ms}ms") }
}

/// Maximum of `--stuck`, `--give-up` and `--fail-on-outage`: a day, in ms.
const MAX_TIME_MS: u64 = 86_400_000;

pub(super) fn time_ms(value: &[u8], least: u64) -> Result<u64, ValueError> {
    const TIME: &str = "a time up to a day, as in 10s or 1500ms; --fail-on-outage takes 1s or more";
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected(TIME));
    }
    let text = std::str::from_utf8(value).unwrap_or_default();
    let (digits, factor) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1),
        None => (text.strip_suffix('s').unwrap_or(text), 1000),
    };
    let number = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let ms = number.and_then(|digits| digits.parse::<u64>().ok()).and_then(|time| time.checked_mul(factor));
    let possible = ms.filter(|ms| (least..=MAX_TIME_MS).contains(ms));
    possible.ok_or_else(|| ValueError::new(0, "no such time").with_expected(TIME))
}

/// Formats a size as typed: `64K`, or bytes if it is not a multiple of 1024.
pub(super) fn size(bytes: u64) -> String {
    let units = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    match units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit)) {
        Some((unit, letter)) => format!("{}{letter}", bytes / unit),
        None => bytes.to_string(),
    }
}
