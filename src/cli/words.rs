//! Words and options behind a command that has a grammar of its own.

use super::Invocation;
use super::error::CliError;
use crate::profile::RawText;
use std::ffi::OsString;
use std::path::PathBuf;

/// What stands behind a command.
#[derive(Debug)]
pub struct Words<'a> {
    /// What is no option, in order.
    pub words: Vec<&'a OsString>,
    options: Vec<(&'static str, &'a [u8])>,
}

/// An option of a command, and whether it has a value, behind `=` or in the next argument.
pub type Known = (&'static str, bool);

/// Reads a command line, or what follows a command.
pub type ReadLine = fn(&[OsString]) -> Result<Invocation, CliError>;

/// Parts words from options, which may stand anywhere.
///
/// # Errors
/// An option is unknown, or its value is missing.
pub fn read<'a>(arguments: &'a [OsString], known: &[Known]) -> Result<Words<'a>, CliError> {
    let mut found = Words { words: Vec::new(), options: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = argument.as_encoded_bytes();
        if bytes.first() != Some(&b'-') || bytes == b"-" {
            found.words.push(argument);
            continue;
        }
        let equals = bytes.iter().position(|byte| *byte == b'=');
        let name = &bytes[..equals.unwrap_or(bytes.len())];
        let Some((name, valued)) = known.iter().copied().find(|(known, _)| known.as_bytes() == name) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            return Err(CliError::at(bytes, 0, "unknown option here")
                .hint(format!("options of this command: {}", names.join(" "))));
        };
        let value = match (equals, valued) {
            (Some(at), true) => &bytes[at + 1..],
            (None, false) => &[][..],
            (Some(at), false) => return Err(CliError::at(bytes, at, format!("{name} takes no value"))),
            (None, true) => rest
                .next()
                .map(|next| next.as_encoded_bytes())
                .ok_or_else(|| CliError::at(bytes, bytes.len(), format!("{name}: the value is missing")))?,
        };
        found.options.push((name, value));
    }
    Ok(found)
}

impl Words<'_> {
    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| *given == name)
    }

    /// The value of an option, the last if it was given several times.
    pub fn value(&self, name: &str) -> Option<String> {
        self.values(name).pop()
    }

    /// All values of an option.
    pub fn values(&self, name: &str) -> Vec<String> {
        let given = self.options.iter().filter(|(given, _)| *given == name);
        given.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect()
    }

    /// All values of an option, as they were given.
    pub fn raw(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.options.iter().filter(move |(given, _)| *given == name).map(|(_, value)| *value)
    }

    /// The value of an option as a path.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let given = self.options.iter().rfind(|(given, _)| *given == name);
        given.map(|(_, value)| RawText::from(value.to_vec()).as_path().to_owned())
    }

    /// The folder of `--store`, where runs of `names` are looked for.
    ///
    /// # Errors
    /// There is none to be looked for.
    pub fn store(&self, mut names: impl Iterator<Item = bool>) -> Result<Option<PathBuf>, CliError> {
        let store = self.path("--store");
        match store.is_some() && !names.any(|is_name| is_name) {
            true => Err(CliError::new("--store says where @label and @id are looked for, and none is named")
                .hint("name a run of that history, or leave --store out")),
            false => Ok(store),
        }
    }

    /// The value of an option, understood; an error says what is expected.
    ///
    /// # Errors
    /// It can't be understood.
    pub fn parsed<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, CliError> {
        let Some(text) = self.value(name) else { return Ok(None) };
        match read(&text) {
            Some(value) => Ok(Some(value)),
            None => {
                let error = CliError::at(text.as_bytes(), 0, format!("{name}: this value is not possible"));
                Err(CliError { expected: Some(expected.to_owned()), ..error })
            }
        }
    }

    /// The words as texts.
    pub fn texts(&self) -> Vec<String> {
        self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}

/// The file of `--html`.
///
/// # Errors
/// Two are named, and one page is written.
pub fn one_page(given: &Words) -> Result<Option<PathBuf>, CliError> {
    match given.values("--html").len() {
        0 | 1 => Ok(given.path("--html")),
        _ => Err(CliError::new("--html is given twice, and one page is written").hint("name one file")),
    }
}

/// What can be meant by a figure's name, for messages.
pub const FIGURES: &str = "iops, mib, mean, p50, p99 or p99.9";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_anywhere_and_values_behind_them() {
        let arguments: Vec<OsString> = ["a", "--x=1", "b", "--x", "2", "--y"].map(OsString::from).into();
        let read = read(&arguments, &[("--x", true), ("--y", false)]).unwrap();
        assert_eq!(
            (read.texts(), read.values("--x")),
            (vec!["a".into(), "b".into()], vec!["1".into(), "2".into()])
        );
        assert!(read.has("--y") && read.value("--x").as_deref() == Some("2"));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let fails = |arguments: &[&str]| {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            read(&arguments, &[("--x", true), ("--y", false)]).unwrap_err().what
        };
        assert_eq!(fails(&["--z"]), "unknown option here");
        assert_eq!(fails(&["--x"]), "--x: the value is missing");
        assert_eq!(fails(&["--y=1"]), "--y takes no value");
    }
}
