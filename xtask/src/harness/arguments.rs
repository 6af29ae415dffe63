//! Options of the form `--name` and `--name VALUE`.

use super::failure::Failure;
use super::program;
use std::path::PathBuf;
use std::str::FromStr;

pub struct Arguments(Vec<String>);

impl Arguments {
    pub fn of_process() -> Arguments {
        Arguments(std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect())
    }

    /// Removes and returns the first word.
    pub fn command(&mut self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    /// Removes a flag; returns whether it was given.
    pub fn flag(&mut self, name: &str) -> bool {
        let place = self.0.iter().position(|argument| argument == name);
        place.map(|place| self.0.remove(place)).is_some()
    }

    /// Removes an option and returns its value.
    ///
    /// # Errors
    /// Fails if the value is missing.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let Some(place) = self.0.iter().position(|argument| argument == name) else { return Ok(None) };
        self.0.remove(place);
        if place < self.0.len() {
            Ok(Some(self.0.remove(place)))
        } else {
            Err(format!("{name} needs a value").into())
        }
    }

    /// Removes a number option and returns its value.
    ///
    /// # Errors
    /// Fails if it is not a number.
    pub fn number<T: FromStr>(&mut self, name: &str, default: T) -> Result<T, Failure> {
        match self.value(name)? {
            Some(text) => text.parse().map_err(|_| format!("{name} {text}: a number is expected").into()),
            None => Ok(default),
        }
    }

    /// Returns the program of `--ours`, or builds it.
    pub fn program(&mut self) -> Result<PathBuf, Failure> {
        program::path(self.value("--ours")?)
    }

    /// Returns the folder of `--directory` for files and images.
    pub fn directory(&mut self) -> Result<PathBuf, Failure> {
        Ok(self.value("--directory")?.unwrap_or_else(|| "/var/tmp".to_owned()).into())
    }

    /// Returns the parts selected by an option; without it, all.
    ///
    /// # Errors
    /// Fails if the name is unknown.
    pub fn parts<'a, T>(
        &mut self,
        option: &str,
        all: &'a [T],
        name: impl Fn(&T) -> &str,
    ) -> Result<Vec<&'a T>, Failure> {
        let Some(given) = self.value(option)? else { return Ok(all.iter().collect()) };
        match all.iter().find(|part| name(part) == given) {
            Some(part) => Ok(vec![part]),
            None => {
                let known = all.iter().map(name).collect::<Vec<_>>().join(", ");
                Err(format!("{option} {given}: one of {known} is expected").into())
            }
        }
    }

    /// Checks that no arguments are left.
    ///
    /// # Errors
    /// Fails with the remaining arguments.
    pub fn finish(&self) -> Result<(), Failure> {
        match self.0.first() {
            Some(first) => Err(format!("unknown argument {first}; cargo xtask help").into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_arguments_are_rejected() {
        let mut arguments = Arguments("--a 5 --b --c x".split(' ').map(str::to_owned).collect());
        assert_eq!(arguments.number("--a", 1).ok(), Some(5));
        assert_eq!(arguments.number("--a", 1).ok(), Some(1));
        assert!(arguments.number("--c", 1).is_err());
        assert!(arguments.flag("--b") && !arguments.flag("--b"));
        assert!(arguments.finish().is_ok());
        assert!(Arguments(vec!["--a".into()]).value("--a").is_err());
        assert!(Arguments(vec!["--a".into()]).finish().is_err());
    }

    #[test]
    fn parts_are_all_one_or_unknown() {
        let parts = |words: &[&str]| {
            let mut arguments = Arguments(words.iter().map(|word| (*word).to_owned()).collect());
            arguments.parts("--only", &["a", "b"], |part| part).ok().map(|parts| parts.len())
        };
        assert_eq!(parts(&[]), Some(2));
        assert_eq!(parts(&["--only", "b"]), Some(1));
        assert_eq!(parts(&["--only", "c"]), None);
        assert_eq!(parts(&["--only"]), None);
    }
}
