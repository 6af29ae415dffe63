//! Parsed arguments of a command: its options by their rows, words, and the line of a run. Created by
//! `reader`.

mod reader;

use super::error::{CliError, ValueError};
use super::line::given_again;
use super::option::OptionRow;
use super::{Invocation, OutRequest, StreamRequest};
use crate::profile::RawText;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

pub(super) type LineParser = fn(&[OsString]) -> Result<Invocation, CliError>;

#[derive(Clone, Copy)]
pub(super) struct RunReaders {
    /// A whole command line, the program's name first.
    pub line: LineParser,
    pub rerun: LineParser,
    pub fio: LineParser,
    pub commands: fn() -> Vec<&'static str>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Operands {
    Nothing,
    Files,
    /// Files, or `fio` and words of its command line, the command's own options anywhere among them.
    FilesOrFio,
    /// Words of fio's command line, with options of a run that go with `--fio` among them.
    Fio,
    /// Words; the first is one of these.
    OneOf(fn() -> Vec<&'static str>),
    /// A command's name, or one of these words.
    CommandOr(fn() -> Vec<&'static str>),
    /// Options and targets of a run; the command's own options can be anywhere among them.
    Line,
    Rerun,
    LineBehind,
    /// Files, then `--` and the command line of another program.
    Program,
    /// [`Operands::LineBehind`]; [`Operands::Line`] if one of these options is given.
    LineWith {
        opened_by: &'static [&'static str],
        of_run: &'static [&'static str],
    },
}

impl Operands {
    /// Returns the permitted first words; `commands`: names of all commands. `None` = any word.
    pub(super) fn words(self, commands: fn() -> Vec<&'static str>) -> Option<Vec<&'static str>> {
        match self {
            Operands::OneOf(words) => Some(words()),
            Operands::CommandOr(words) => Some([commands(), words()].concat()),
            _ => None,
        }
    }
}

pub(super) struct CommandLine {
    name: &'static str,
    rows: &'static [OptionRow],
    options: Vec<GivenOption>,
    pub words: Vec<OsString>,
    /// The line of a run, or the arguments after `--`; `None` if missing.
    pub line: Option<Vec<OsString>>,
    pub typed: Vec<OsString>,
    pub readers: RunReaders,
}

struct GivenOption {
    name: &'static str,
    argument: OsString,
    value: OsString,
}

impl GivenOption {
    fn impossible_value(&self, expected: String) -> CliError {
        let argument = self.argument.as_encoded_bytes();
        let problem = ValueError::new(0, "this value is not possible").with_expected(expected);
        CliError::in_value(argument, argument.len() - self.value.len(), self.name, problem)
    }
}

impl CommandLine {
    fn given_values(&self, row: &OptionRow) -> impl DoubleEndedIterator<Item = &GivenOption> {
        debug_assert!(self.rows.contains(row), "{} is in no list of options", row.name);
        self.options.iter().filter(|given| given.name == row.name)
    }

    fn values(&self, row: &OptionRow) -> impl DoubleEndedIterator<Item = &OsStr> {
        self.given_values(row).map(|given| given.value.as_os_str())
    }

    pub(super) fn has_option(&self, row: &OptionRow) -> bool {
        self.values(row).next().is_some()
    }

    pub(super) fn paths(&self, row: &OptionRow) -> Vec<PathBuf> {
        self.values(row).map(PathBuf::from).collect()
    }

    /// The file or folder of an option that takes one.
    ///
    /// # Errors
    /// Fails if several are given, because the last would silently replace the others.
    pub(super) fn path(&self, row: &OptionRow) -> Result<Option<PathBuf>, CliError> {
        match self.given_values(row).nth(1) {
            None => Ok(self.values(row).next().map(PathBuf::from)),
            Some(again) => Err(given_again(again.argument.as_encoded_bytes(), row.name)),
        }
    }

    /// Returns the last given word or text.
    pub(super) fn text(&self, row: &OptionRow) -> Option<String> {
        self.texts(row).pop()
    }

    pub(super) fn texts(&self, row: &OptionRow) -> Vec<String> {
        self.values(row).map(|value| value.to_string_lossy().into_owned()).collect()
    }

    /// Returns the last given number, already checked for its range.
    pub(super) fn number(&self, row: &OptionRow) -> Option<u32> {
        self.text(row)?.parse().ok()
    }

    /// Returns the last given value, parsed by `read`, which otherwise returns the expected syntax.
    ///
    /// # Errors
    /// Fails if one of the values is invalid.
    pub(super) fn read_value<T, E: Into<String>>(
        &self,
        row: &OptionRow,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, CliError> {
        Ok(self.read_values(row, read)?.pop())
    }

    /// As [`CommandLine::read_value`], for all values of an option.
    pub(super) fn read_values<T, E: Into<String>>(
        &self,
        row: &OptionRow,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, CliError> {
        let value = |given: &GivenOption| {
            read(&given.value.to_string_lossy()).map_err(|expected| given.impossible_value(expected.into()))
        };
        self.given_values(row).map(value).collect()
    }

    /// Returns the reports requested by an option, in order.
    ///
    /// # Errors
    /// Fails if a format has no file.
    pub(super) fn reports(&self, row: &OptionRow) -> Result<Vec<OutRequest>, CliError> {
        let read = |given: &GivenOption| {
            let missing = || given.impossible_value("the name of a file to write".into());
            OutRequest::read(given.value.as_encoded_bytes()).ok_or_else(missing)
        };
        self.given_values(row).map(read).collect()
    }

    pub(super) fn stream(&self, row: &OptionRow) -> Result<Option<StreamRequest>, CliError> {
        let read = |given: &GivenOption| {
            let impossible =
                |problem: ValueError| given.impossible_value(problem.expected.unwrap_or(problem.what));
            StreamRequest::read(given.value.as_encoded_bytes()).map_err(impossible)
        };
        self.given_values(row).map(read).next_back().transpose()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.words.iter().map(PathBuf::from).collect()
    }

    /// Returns the words as targets, unchanged byte by byte.
    pub(super) fn targets(&self) -> Vec<RawText> {
        self.words.iter().map(|word| RawText::from(word.as_encoded_bytes().to_vec())).collect()
    }

    pub(super) fn wrong(&self) -> CliError {
        match self.words.is_empty() {
            true => CliError::new(format!("the arguments of {} are missing", self.name)),
            false => CliError::new(format!("wrong arguments for the command {}", self.name)),
        }
    }

    /// Refuses two options of a group that exclude each other.
    pub(super) fn refuse_both(&self, exclusive: &[&[OptionRow]]) -> Result<(), CliError> {
        for group in exclusive {
            let given: Vec<&str> =
                group.iter().filter(|row| self.has_option(row)).map(|row| row.name).collect();
            if let [one, other, ..] = given[..] {
                return Err(CliError::new(format!("{one} and {other} exclude each other"))
                    .hint(format!("choose one; see diskspd {} --help", self.name)));
            }
        }
        Ok(())
    }

    /// Rejects options without an effect for this word after the command.
    ///
    /// # Errors
    /// Fails if there is one.
    pub(super) fn refuse_idle(&self, word: &str) -> Result<(), CliError> {
        let idle = |row: &&OptionRow| !row.only_with.is_empty() && !row.only_with.contains(&word);
        match self.rows.iter().filter(idle).find(|row| self.has_option(row)) {
            None => Ok(()),
            Some(row) => {
                let what = format!("{} has no effect with diskspd {} {word}", row.name, self.name);
                let hint = format!("leave it out; it belongs to {}", row.only_with.join(", "));
                Err(CliError::new(what).hint(hint))
            }
        }
    }

    /// The folder of the history, where one of these words names a run of it.
    ///
    /// # Errors
    /// Fails if the option has no effect.
    pub(super) fn store_of<'a>(
        &self,
        row: &OptionRow,
        mut words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Option<PathBuf>, CliError> {
        let folder = self.path(row)?;
        match folder.is_some() && !words.any(|word| word.starts_with(b"@")) {
            true => Err(CliError::new("--store has no effect without an @label or @id")
                .hint("name a run of that history, or leave out --store")),
            false => Ok(folder),
        }
    }
}
