//! The common reader of all commands, which parses arguments by a command's rows.

use super::{CommandLine, GivenOption, Operands, RunReaders};
use crate::cli::error::CliError;
use crate::cli::flag::long_name;
use crate::cli::option::{OptionRow, OptionValue, numbers};
use crate::cli::{flags, suggest};
use crate::profile::RawText;
use std::ffi::{OsStr, OsString};
use std::slice::Iter;

impl CommandLine {
    /// Reads the arguments after the command of that name, with these options.
    ///
    /// # Errors
    /// Fails if an option or word is unknown, or a value is missing, invalid or unexpected.
    pub(crate) fn read(
        name: &'static str,
        rows: &'static [OptionRow],
        takes: Operands,
        arguments: &[OsString],
        readers: RunReaders,
    ) -> Result<CommandLine, CliError> {
        let typed = arguments.to_vec();
        let mut read =
            CommandLine { name, rows, options: Vec::new(), words: Vec::new(), line: None, typed, readers };
        let behind = match takes {
            Operands::LineBehind | Operands::Program | Operands::LineWith { .. } => {
                arguments.iter().position(|word| word == "--")
            }
            _ => None,
        };
        let (own, line) = arguments.split_at(behind.unwrap_or(arguments.len()));
        read.line = line.get(1..).map(<[OsString]>::to_vec);
        match takes {
            Operands::Line | Operands::Rerun => read.take_line(&[], own)?,
            Operands::Fio => read.line = Some(own.to_vec()),
            Operands::FilesOrFio if own.len() > 1 && own[0] == "fio" => read.take_fio(&own[1..])?,
            Operands::LineWith { opened_by, of_run }
                if behind.is_none() && contains_option(opened_by, own) =>
            {
                read.take_line(of_run, own)?;
            }
            _ => read.take_words(takes, own)?,
        }
        Ok(read)
    }

    fn take_words(&mut self, takes: Operands, own: &[OsString]) -> Result<(), CliError> {
        let mut rest = own.iter();
        while let Some(argument) = rest.next() {
            let bytes = argument.as_encoded_bytes();
            if bytes.first() != Some(&b'-') || bytes == b"-" {
                self.words.push(argument.clone());
            } else if !self.take_argument(argument, &mut rest)? {
                return Err(self.unknown_argument(takes, bytes));
            }
        }
        match (takes, takes.words(self.readers.commands), self.words.first()) {
            (Operands::Nothing, _, Some(word)) => {
                Err(CliError::at(word.as_encoded_bytes(), 0, format!("{} takes no arguments", self.name)))
            }
            (_, Some(words), Some(word)) => one_of(&words, word).map_err(|nearest| {
                let hint = nearest.unwrap_or_else(|| format!("it can be: {}", words.join(" ")));
                let what = format!("{} is not an argument of {}", word.display(), self.name);
                CliError::at(word.as_encoded_bytes(), 0, what).hint(hint)
            }),
            _ => Ok(()),
        }
    }

    fn take_line(&mut self, of_run: &[&str], arguments: &[OsString]) -> Result<(), CliError> {
        let (mut line, mut rest) = (Vec::new(), arguments.iter());
        while let Some(argument) = rest.next() {
            if contains_option(of_run, std::slice::from_ref(argument))
                || !self.take_argument(argument, &mut rest)?
            {
                refuse_unknown(argument)?;
                line.push(argument.clone());
            }
        }
        self.line = Some(line);
        Ok(())
    }

    /// Reads fio's command line, with options of the command among its words.
    fn take_fio(&mut self, arguments: &[OsString]) -> Result<(), CliError> {
        let (mut line, mut rest) = (Vec::new(), arguments.iter());
        while let Some(argument) = rest.next() {
            if !self.take_argument(argument, &mut rest)? {
                line.push(argument.clone());
            }
        }
        self.line = Some(line);
        Ok(())
    }

    fn unknown_argument(&self, takes: Operands, argument: &[u8]) -> CliError {
        let names: Vec<&str> = self.rows.iter().map(|row| row.name).collect();
        let shown = String::from_utf8_lossy(argument);
        let hint = match takes {
            Operands::LineBehind if is_of_runs(argument) => {
                format!("options of a run belong after --: diskspd {} FILE -- {shown}", self.name)
            }
            Operands::Program => {
                format!("options of the command belong after --: diskspd {} -- COMMAND {shown}", self.name)
            }
            _ if names.is_empty() => format!("{} has no options", self.name),
            _ => format!("options of this command: {}", names.join(" ")),
        };
        let what = format!("{shown} is not an option of {}", self.name);
        CliError::at(argument, 0, what).hint(hint).unknown_option()
    }

    /// Keeps `argument` if it is an option of the command, with its value: attached to a letter (`-d60`),
    /// after the = of a word, or the next argument in `rest`. Returns whether it is one.
    fn take_argument(&mut self, argument: &OsString, rest: &mut Iter<OsString>) -> Result<bool, CliError> {
        let bytes = argument.as_encoded_bytes();
        let found = self.rows.iter().find_map(|row| Some((row, attached_value(row, bytes)?)));
        let Some((row, attached)) = found else { return Ok(false) };
        let given = |argument: &OsString, value: &[u8]| GivenOption {
            name: row.name,
            argument: argument.clone(),
            value: RawText::from(value.to_vec()).as_path().as_os_str().to_owned(),
        };
        let given = match (row.value, attached) {
            (OptionValue::Switch, Some(_)) => {
                return Err(CliError::at(bytes, row.name.len(), format!("{} takes no value", row.name)));
            }
            (OptionValue::Switch, None) => given(argument, b""),
            (_, Some(value)) => given(argument, value),
            (value, None) if value.is_optional() => given(argument, b""),
            (_, None) => rest.next().map(|next| given(next, next.as_encoded_bytes())).ok_or_else(|| {
                let what = format!("{}: the value is missing", row.name);
                let example =
                    row.as_example().map_or(String::new(), |example| format!(", such as {example}"));
                CliError::at(bytes, bytes.len(), what).hint(format!("write {}{example}", row.form()))
            })?,
        };
        check_given(row, &given)?;
        self.options.push(given);
        Ok(true)
    }
}

/// Whether one of these arguments is one of these options, with or without a value attached.
fn contains_option(names: &[&str], arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| {
        let name = argument.as_encoded_bytes().split(|byte| *byte == b'=').next().unwrap_or_default();
        names.iter().any(|known| known.as_bytes() == name)
    })
}

fn attached_value<'a>(row: &OptionRow, argument: &'a [u8]) -> Option<Option<&'a [u8]>> {
    let rest = argument.strip_prefix(row.name.as_bytes())?;
    match rest.first() {
        // The value of a letter is never apart from it.
        None if row.is_letter() && row.value != OptionValue::Switch => Some(Some(rest)),
        None => Some(None),
        Some(b'=') if !row.is_letter() => Some(Some(&rest[1..])),
        Some(_) if row.is_letter() => Some(Some(rest)),
        Some(_) => None,
    }
}

fn check_given(row: &OptionRow, given: &GivenOption) -> Result<(), CliError> {
    let text = given.value.to_string_lossy();
    match row.value {
        OptionValue::File | OptionValue::Folder if text.is_empty() => {
            Err(given.impossible_value("a name".into()))
        }
        OptionValue::Number { min, max, of } => {
            let possible = text.parse().is_ok_and(|number: u32| (min..=max).contains(&number));
            let attached = row.as_example().filter(|_| row.is_letter());
            let attached = attached.map_or(String::new(), |example| format!(", without a blank: {example}"));
            let expected = format!("a number of {of}, {}{attached}", numbers(min, max));
            possible.then_some(()).ok_or_else(|| given.impossible_value(expected))
        }
        OptionValue::OneOf(words) => one_of(words, &given.value).map_err(|nearest| {
            let error = given.impossible_value(format!("one of {}", words.join(", ")));
            CliError { hint: nearest, ..error }
        }),
        _ => Ok(()),
    }
}

fn one_of(words: &[&str], given: &OsStr) -> Result<(), Option<String>> {
    let given = given.as_encoded_bytes();
    let nearest = suggest::nearest(words, given).map(|word| format!("did you mean {word}?"));
    if words.iter().any(|word| word.as_bytes() == given) { Ok(()) } else { Err(nearest) }
}

/// Refuses a long option that is not an option of a run either.
fn refuse_unknown(argument: &OsStr) -> Result<(), CliError> {
    match argument.as_encoded_bytes() {
        bytes if is_of_runs(bytes) => Ok(()),
        bytes => Err(CliError::at(bytes, 2, "unknown option").unknown_option()),
    }
}

fn is_of_runs(argument: &[u8]) -> bool {
    match std::str::from_utf8(argument).ok().and_then(long_name) {
        None | Some("") => true,
        Some(name) => flags::all().any(|flag| flag.is_named(name)),
    }
}
