//! The unparsed command line of a run: options of the table with their values, and targets. A point of a
//! sweep is such a line with other values.

use super::draft::RunRequestBuilder;
use super::error::CliError;
use super::flag::{CarriedByFile, Flag, Name, Read};
use super::shell_quote::quoted;
use super::{flags, suggest};
use crate::profile::RawText;
use std::ffi::OsString;
use std::iter::Peekable;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TypedLine {
    pub options: Vec<OptionOnLine>,
    pub targets: Vec<Vec<u8>>,
}

/// Joins arguments with single spaces, as a profile stores them.
pub(super) fn join_arguments(arguments: &[OsString]) -> RawText {
    let words: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_encoded_bytes()).collect();
    RawText::from(words.join(&b' '))
}

#[derive(Debug, Clone, PartialEq)]
pub struct OptionOnLine {
    pub argument: Vec<u8>,
    pub flag: Option<&'static Flag>,
    pub value: Vec<u8>,
    /// Offset of the value in the argument: after the letter or the `=`, otherwise at the end.
    pub offset: usize,
}

impl TypedLine {
    /// Returns the line of these arguments, without the program's name.
    ///
    /// # Errors
    /// Fails if an option follows a target, or lacks a required value.
    pub fn from_arguments(arguments: &[OsString]) -> Result<TypedLine, CliError> {
        TypedLine::split(arguments).map_err(|error| suggest::naming_foreign_dash(error, &[]))
    }

    /// Splits arguments into options, then targets. The calling parser adds foreign dashes to all errors.
    pub(super) fn split(arguments: &[OsString]) -> Result<TypedLine, CliError> {
        let mut line = TypedLine::default();
        let mut rest = arguments.iter().map(|argument| argument.as_encoded_bytes()).peekable();
        while let Some(argument) = rest.next() {
            if argument.first() != Some(&b'-') {
                if suggest::foreign_dash(argument).is_some_and(|dash| dash.position == 0) {
                    return Err(CliError::at(argument, 0, "this is not an option")
                        .hint("for a file of that name write ./ before it"));
                }
                line.targets.push(argument.to_vec());
                continue;
            }
            let given = OptionOnLine::new(argument, &mut rest)?;
            // A preset stands for a command line, and so anywhere.
            if let Some(target) = line.targets.first().filter(|_| !given.is_long("preset")) {
                return Err(option_after_target(argument, target, &line.options));
            }
            line.options.push(given);
        }
        line.names_files_once()?;
        Ok(line)
    }

    /// Refuses a second file for an option that takes one: the first would silently not be written or read.
    pub(super) fn names_files_once(&self) -> Result<(), CliError> {
        let mut seen: Vec<&Flag> = Vec::new();
        for given in &self.options {
            let Some(flag) = given.flag.filter(|flag| flag.names_one_file()) else { continue };
            if seen.contains(&flag) {
                return Err(given_again(&given.argument, &flag.name.with_dashes()));
            }
            seen.push(flag);
        }
        Ok(())
    }

    /// Refuses options that a file cannot carry. `place` is the start of a command line with them.
    pub fn carried_by_file(&self, place: &str) -> Result<(), CliError> {
        let refused =
            |given: &&OptionOnLine| given.flag.is_some_and(|flag| flag.carried != CarriedByFile::Workload);
        match self.options.iter().find(refused) {
            None => Ok(()),
            Some(given) => {
                let name = given.flag.map(|flag| flag.name.with_dashes()).unwrap_or_default();
                let what = format!("cannot use {name} in a file: only your own command line can have it");
                let hint =
                    format!("remove it from the file; if you want it, give it yourself: {place} {name}");
                Err(CliError::at(&given.argument, 0, what).hint(hint))
            }
        }
    }

    pub fn has_letter(&self, letter: u8) -> bool {
        self.options.iter().any(|given| given.is_letter(letter))
    }

    pub fn has_long(&self, name: &str) -> bool {
        self.options.iter().any(|given| given.is_long(name))
    }

    /// Returns the line with another option before all others, written with an attached value.
    pub fn with_leading_option(&self, argument: &str) -> TypedLine {
        let mut line = self.clone();
        // Its value is attached: nothing can be missing.
        let option = OptionOnLine::new(argument.as_bytes(), &mut std::iter::empty().peekable());
        line.options.splice(0..0, option);
        line
    }

    pub fn command_line(&self) -> RawText {
        let program = OsString::from("diskspd");
        join_arguments(&[vec![program], self.words()].concat())
    }

    pub fn to_typed_text(&self) -> String {
        format!("diskspd {}", quoted(&self.words()))
    }

    pub fn words(&self) -> Vec<OsString> {
        let options = self.options.iter().flat_map(OptionOnLine::words);
        let words = options.chain(self.targets.iter().cloned());
        words.map(|word| RawText::from(word).as_path().as_os_str().to_owned()).collect()
    }
}

/// Reports a file that would replace the file of the same option before it.
pub(super) fn given_again(argument: &[u8], option: &str) -> CliError {
    CliError::at(argument, 0, format!("{option} is given twice, but takes one file"))
        .hint("leave out one of them")
}

fn option_after_target(argument: &[u8], target: &[u8], options: &[OptionOnLine]) -> CliError {
    // `--slo p99=5ms -b4K`: what stands behind an unknown option was meant as its value.
    if let Some(unknown) = options.iter().find(|option| option.flag.is_none()) {
        return unknown.unknown_option_error();
    }
    let shown = String::from_utf8_lossy(target);
    let error = CliError::at(argument, 0, format!("an option follows the target '{shown}'"));
    match options.last().and_then(|option| option.with_value(&RunRequestBuilder::default(), target)) {
        Some(spelling) => error.hint(format!("if '{shown}' is a value, attach it: {spelling}")),
        None => error
            .hint("put all options before all targets; write ./-name for a target whose name begins with -"),
    }
}

impl OptionOnLine {
    /// Looks the argument up in the table; a long option may take its value from `rest`.
    pub(super) fn new<'a>(
        argument: &[u8],
        rest: &mut Peekable<impl Iterator<Item = &'a [u8]>>,
    ) -> Result<OptionOnLine, CliError> {
        let Some(long) = argument.strip_prefix(b"--") else {
            let offset = argument.len().min(2);
            let value = argument[offset..].to_vec();
            let given = OptionOnLine { argument: argument.to_vec(), flag: None, value, offset };
            // `-dry-run` would pass as `-d0`, `-help` as `-h`: too dangerous to read that way.
            if given.as_long_option().is_some() {
                return Ok(given);
            }
            let flag = argument.get(1).and_then(|letter| flags::find(|name| name == Name::Letter(*letter)));
            return Ok(OptionOnLine { flag, ..given });
        };
        let equals = long.iter().position(|b| *b == b'=');
        let name = &long[..equals.unwrap_or(long.len())];
        let flag = flags::find(|n| matches!(n, Name::Long(long) if long.as_bytes() == name));
        let (value, offset) = match (equals, flag) {
            (Some(at), Some(flag)) if !flag.takes_value() => {
                let what = format!("{} takes no value", flag.name.with_dashes());
                return Err(CliError::at(argument, at + 2, what));
            }
            (Some(at), _) => (&long[at + 1..], at + 3),
            (None, Some(flag)) if flag.needs_value() => match rest.next() {
                Some(value) => (value, argument.len()),
                None => {
                    let what = format!("{}: the value is missing", flag.name.with_dashes());
                    return Err(CliError::at(argument, argument.len(), what)
                        .hint(format!("write {}", flag.forms[0].0)));
                }
            },
            (None, Some(flag)) => match rest.next_if(|next| flag.takes_word(next)) {
                Some(value) => (value, argument.len()),
                None => (&long[long.len()..], argument.len()),
            },
            (None, None) => (&long[long.len()..], argument.len()),
        };
        Ok(OptionOnLine { argument: argument.to_vec(), flag, value: value.to_vec(), offset })
    }

    pub fn is_apart(&self) -> bool {
        self.offset == self.argument.len() && !self.value.is_empty()
    }

    fn words(&self) -> impl Iterator<Item = Vec<u8>> {
        [self.argument.clone()].into_iter().chain(self.is_apart().then(|| self.value.clone()))
    }

    /// Returns the option with another value.
    pub fn with(&self, value: &str) -> OptionOnLine {
        let value = value.as_bytes().to_vec();
        let argument = match self.is_apart() {
            true => self.argument.clone(),
            false => [&self.argument[..self.offset], &value].concat(),
        };
        OptionOnLine { argument, value, ..self.clone() }
    }

    pub fn attached(&self) -> String {
        let argument = String::from_utf8_lossy(&self.argument);
        match self.is_apart() {
            true => format!("{argument}={}", String::from_utf8_lossy(&self.value)),
            false => argument.into_owned(),
        }
    }

    pub fn is_letter(&self, letter: u8) -> bool {
        self.flag.is_some_and(|flag| flag.name == Name::Letter(letter))
    }

    pub fn is_long(&self, name: &str) -> bool {
        self.flag.is_some_and(|flag| matches!(flag.name, Name::Long(known) if known == name))
    }

    pub fn names_profile(&self) -> bool {
        self.is_letter(b'X') || self.is_long("fio")
    }

    pub fn is_compat(&self) -> bool {
        self.flag.is_some_and(|flag| flag.name == Name::Long("compat"))
    }

    pub fn goes_with_profile(&self) -> bool {
        let separation = self.is_letter(b'b') && self.value.first() == Some(&b's');
        separation || self.flag.is_some_and(|flag| flag.with_profile)
    }

    pub fn is_first_pass(&self) -> bool {
        self.flag.is_some_and(Flag::is_first_pass)
    }

    /// The right spelling, if this option has no value yet and `next`, a number or keyword, would make one.
    pub fn with_value(&self, draft: &RunRequestBuilder, next: &[u8]) -> Option<String> {
        if let Some(flag) = self.flag.filter(|flag| matches!(flag.read, Read::Optional(_))) {
            let number = !next.is_empty() && next.iter().all(u8::is_ascii_digit);
            let name = flag.name.with_dashes();
            return (number && self.value.is_empty())
                .then(|| format!("{name}={}", String::from_utf8_lossy(next)));
        }
        let flag =
            self.flag.filter(|flag| self.offset == 2 && self.value.is_empty() && flag.takes_value())?;
        let plausible = match flag.read {
            // Lenient integers would take any text.
            Read::Integer { .. } => next.iter().all(u8::is_ascii_digit),
            _ => {
                let keyword = flag.values.iter().any(|value| value.as_bytes() == next);
                let number = next.first().is_some_and(u8::is_ascii_digit);
                keyword || number || flag.apply(&mut draft.clone(), b"").is_err()
            }
        };
        let accepted = !next.is_empty() && plausible && flag.apply(&mut draft.clone(), next).is_ok();
        accepted.then(|| format!("{}{}", flag.name.with_dashes(), String::from_utf8_lossy(next)))
    }

    /// Returns the long option for `-version` with one dash.
    pub fn as_long_option(&self) -> Option<String> {
        let name = self.argument[1..].split(|b| *b == b'=').next()?;
        let flag = flags::find(|n| matches!(n, Name::Long(long) if long.as_bytes() == name))?;
        Some(flag.name.with_dashes())
    }
}
