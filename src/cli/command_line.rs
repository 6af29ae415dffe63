//! What stands behind a command, read by its rows: the one reader of all commands.

use super::error::{CliError, Problem};
use super::flag::long_name;
use super::flags;
use super::option::{OptionRow, OptionValue, numbers};
use super::{Invocation, OutRequest, suggest};
use crate::profile::RawText;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::slice::Iter;

/// Reads a command line, or what follows a command.
pub type ReadLine = fn(&[OsString]) -> Result<Invocation, CliError>;

/// What reads runs within the line of a command.
#[derive(Clone, Copy)]
pub struct RunReaders {
    /// A whole command line, the program's name first.
    pub line: ReadLine,
    /// What is said of a run that is made again.
    pub rerun: ReadLine,
}

/// What a command takes beside its options.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// Words: files or targets.
    Files,
    /// Words, of which the first is one of these.
    OneOf(fn() -> Vec<&'static str>),
    /// Options of a run and its targets, the command's own anywhere among them.
    Line,
    /// Those options of a run that aren't kept with it, and a record.
    Rerun,
    /// Words, and options of runs behind `--`.
    LineBehind,
    /// The same, and [`Takes::Line`] where one of these options is given.
    LineWith {
        /// These.
        opened_by: &'static [&'static str],
        /// Own options that are those of the run then.
        of_run: &'static [&'static str],
    },
}

/// What stands behind a command.
pub struct CommandLine {
    /// The command.
    name: &'static str,
    /// Its options, in order.
    options: Vec<GivenOption>,
    /// What is no option, in order.
    pub words: Vec<OsString>,
    /// The line of a run, or what stands behind `--`; `None` = there is none.
    pub line: Option<Vec<OsString>>,
    /// All of it, as it was typed.
    pub typed: Vec<OsString>,
    /// What reads [`CommandLine::line`].
    pub readers: RunReaders,
}

/// An option that was given.
struct GivenOption {
    /// As its row calls it.
    name: &'static str,
    /// The argument that its value stands in, whole.
    argument: OsString,
    /// The value; empty where it has none.
    value: OsString,
}

impl GivenOption {
    /// Its value is not what its row, or its command, takes.
    fn impossible(&self, expected: String) -> CliError {
        let argument = self.argument.as_encoded_bytes();
        let problem = Problem::new(0, "this value is not possible").expected(expected);
        CliError::in_value(argument, argument.len() - self.value.len(), self.name, problem)
    }
}

impl CommandLine {
    /// Reads what stands behind the command of that name, which has these options.
    ///
    /// # Errors
    /// An option is unknown, its value is missing, is not possible, or stands where none is taken; a word is
    /// unknown.
    pub fn read(
        name: &'static str,
        rows: &[OptionRow],
        takes: Takes,
        arguments: &[OsString],
        readers: RunReaders,
    ) -> Result<CommandLine, CliError> {
        let typed = arguments.to_vec();
        let mut read =
            CommandLine { name, options: Vec::new(), words: Vec::new(), line: None, typed, readers };
        let behind = match takes {
            Takes::LineBehind | Takes::LineWith { .. } => arguments.iter().position(|word| word == "--"),
            _ => None,
        };
        let (own, line) = arguments.split_at(behind.unwrap_or(arguments.len()));
        read.line = line.get(1..).map(<[OsString]>::to_vec);
        match takes {
            Takes::Line | Takes::Rerun => read.take_line(rows, &[], own)?,
            Takes::LineWith { opened_by, of_run } if behind.is_none() && opens(opened_by, own) => {
                read.take_line(rows, of_run, own)?;
            }
            _ => read.take_words(rows, takes, own)?,
        }
        Ok(read)
    }

    /// Options and words.
    fn take_words(&mut self, rows: &[OptionRow], takes: Takes, own: &[OsString]) -> Result<(), CliError> {
        let mut rest = own.iter();
        while let Some(argument) = rest.next() {
            let bytes = argument.as_encoded_bytes();
            if bytes.first() != Some(&b'-') || bytes == b"-" {
                self.words.push(argument.clone());
            } else if !self.take(rows, argument, &mut rest)? {
                return Err(self.unknown(rows, takes, bytes));
            }
        }
        match (takes, self.words.first()) {
            (Takes::Nothing, Some(word)) => {
                Err(CliError::at(word.as_encoded_bytes(), 0, format!("{} takes no arguments", self.name)))
            }
            (Takes::OneOf(words), Some(word)) => one_of(&words(), word).map_err(|nearest| {
                let hint = nearest.unwrap_or_else(|| format!("it can be: {}", words().join(" ")));
                let what = format!("{} is no argument of {}", word.display(), self.name);
                CliError::at(word.as_encoded_bytes(), 0, what).hint(hint)
            }),
            _ => Ok(()),
        }
    }

    /// Options of a run and its targets, those of the command among them.
    fn take_line(
        &mut self,
        rows: &[OptionRow],
        of_run: &[&str],
        arguments: &[OsString],
    ) -> Result<(), CliError> {
        let (mut line, mut rest) = (Vec::new(), arguments.iter());
        while let Some(argument) = rest.next() {
            if opens(of_run, std::slice::from_ref(argument)) || !self.take(rows, argument, &mut rest)? {
                refuse_unknown(argument)?;
                line.push(argument.clone());
            }
        }
        self.line = Some(line);
        Ok(())
    }

    fn unknown(&self, rows: &[OptionRow], takes: Takes, argument: &[u8]) -> CliError {
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        let mut hint = match names[..] {
            [] => format!("{} has no options", self.name),
            _ => format!("options of this command: {}", names.join(" ")),
        };
        if matches!(takes, Takes::LineBehind) {
            hint.push_str("; those of runs belong after --");
        }
        let what = format!("{} is no option of {}", String::from_utf8_lossy(argument), self.name);
        CliError::at(argument, 0, what).hint(hint).unknown_option()
    }

    /// Keeps `argument` if it is an option of the command, with its value: attached to a letter (`-d60`),
    /// behind the = of a word, or behind that in `rest`. Returns whether it is one.
    fn take(
        &mut self,
        rows: &[OptionRow],
        argument: &OsString,
        rest: &mut Iter<OsString>,
    ) -> Result<bool, CliError> {
        let bytes = argument.as_encoded_bytes();
        let found = rows.iter().find_map(|row| Some((row, attached(row, bytes)?)));
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
            (_, None) => rest.next().map(|next| given(next, next.as_encoded_bytes())).ok_or_else(|| {
                let what = format!("{}: the value is missing", row.name);
                let example =
                    row.as_example().map_or(String::new(), |example| format!(", such as {example}"));
                CliError::at(bytes, bytes.len(), what).hint(format!("write {}{example}", row.form()))
            })?,
        };
        check(row, &given)?;
        self.options.push(given);
        Ok(true)
    }

    fn given(&self, row: &OptionRow) -> impl DoubleEndedIterator<Item = &GivenOption> {
        self.options.iter().filter(|given| given.name == row.name)
    }

    /// The values of an option, in order.
    fn values(&self, row: &OptionRow) -> impl DoubleEndedIterator<Item = &OsStr> {
        self.given(row).map(|given| given.value.as_os_str())
    }

    /// Whether an option was given.
    pub fn has(&self, row: &OptionRow) -> bool {
        self.values(row).next().is_some()
    }

    /// The files or folders of an option, in order.
    pub fn paths(&self, row: &OptionRow) -> Vec<PathBuf> {
        self.values(row).map(PathBuf::from).collect()
    }

    /// The file or folder that was given last.
    pub fn path(&self, row: &OptionRow) -> Option<PathBuf> {
        self.values(row).next_back().map(PathBuf::from)
    }

    /// The page that is written, of which there is one.
    ///
    /// # Errors
    /// There are several.
    pub fn page(&self, row: &OptionRow) -> Result<Option<PathBuf>, CliError> {
        match self.values(row).count() {
            0 | 1 => Ok(self.path(row)),
            _ => Err(CliError::new(format!("{} is given twice, but there is only one page", row.name))
                .hint("name one file")),
        }
    }

    /// The word or text that was given last.
    pub fn text(&self, row: &OptionRow) -> Option<String> {
        self.texts(row).pop()
    }

    /// All texts of an option.
    pub fn texts(&self, row: &OptionRow) -> Vec<String> {
        self.values(row).map(|value| value.to_string_lossy().into_owned()).collect()
    }

    /// The number that was given last; the reader has looked at its range.
    pub fn number(&self, row: &OptionRow) -> Option<u32> {
        self.text(row)?.parse().ok()
    }

    /// What was given last, understood by `read`, which else says what is expected.
    ///
    /// # Errors
    /// One of the values is not possible.
    pub fn read_value<T, E: Into<String>>(
        &self,
        row: &OptionRow,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, CliError> {
        Ok(self.read_values(row, read)?.pop())
    }

    /// The same of all values.
    ///
    /// # Errors
    /// One of them is not possible.
    pub fn read_values<T, E: Into<String>>(
        &self,
        row: &OptionRow,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, CliError> {
        let value = |given: &GivenOption| {
            read(&given.value.to_string_lossy()).map_err(|expected| given.impossible(expected.into()))
        };
        self.given(row).map(value).collect()
    }

    /// The reports that an option asks for, in order.
    ///
    /// # Errors
    /// One has a form but no file.
    pub fn reports(&self, row: &OptionRow) -> Result<Vec<OutRequest>, CliError> {
        let read = |given: &GivenOption| {
            let missing = || given.impossible("the name of a file to write".into());
            OutRequest::read(given.value.as_encoded_bytes()).ok_or_else(missing)
        };
        self.given(row).map(read).collect()
    }

    /// The words as paths.
    pub fn files(&self) -> Vec<PathBuf> {
        self.words.iter().map(PathBuf::from).collect()
    }

    /// The words as targets, byte by byte.
    pub fn targets(&self) -> Vec<RawText> {
        self.words.iter().map(|word| RawText::from(word.as_encoded_bytes().to_vec())).collect()
    }

    /// The command line makes no sense as a whole.
    pub fn wrong(&self) -> CliError {
        CliError::new(format!("wrong arguments for the command {}", self.name))
    }

    /// Refuses two options of a group.
    ///
    /// # Errors
    /// The two that exclude each other.
    pub fn refuse_both(&self, exclusive: &[&[OptionRow]]) -> Result<(), CliError> {
        for group in exclusive {
            let given: Vec<&str> = group.iter().filter(|row| self.has(row)).map(|row| row.name).collect();
            if let [one, other, ..] = given[..] {
                return Err(CliError::new(format!("{one} and {other} exclude each other"))
                    .hint(format!("choose one; see diskspd {} --help", self.name)));
            }
        }
        Ok(())
    }

    /// Refuses options that change nothing with this word behind the command.
    ///
    /// # Errors
    /// There is one.
    pub fn refuse_idle(&self, rows: &[OptionRow], word: &str) -> Result<(), CliError> {
        let idle = |row: &&OptionRow| !row.only_with.is_empty() && !row.only_with.contains(&word);
        match rows.iter().filter(idle).find(|row| self.has(row)) {
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
    /// It is given in vain.
    pub fn store_of<'a>(
        &self,
        row: &OptionRow,
        mut words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Option<PathBuf>, CliError> {
        match self.has(row) && !words.any(|word| word.starts_with(b"@")) {
            true => Err(CliError::new("--store has no effect without an @label or @id")
                .hint("name a run of that history, or leave out --store")),
            false => Ok(self.path(row)),
        }
    }
}

/// Whether one of these arguments is one of these options, with or without a value attached.
fn opens(names: &[&str], arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| {
        let name = argument.as_encoded_bytes().split(|byte| *byte == b'=').next().unwrap_or_default();
        names.iter().any(|known| known.as_bytes() == name)
    })
}

/// If an argument is this option, what is attached to it as its value.
fn attached<'a>(row: &OptionRow, argument: &'a [u8]) -> Option<Option<&'a [u8]>> {
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

/// What the table knows of values.
fn check(row: &OptionRow, given: &GivenOption) -> Result<(), CliError> {
    let text = given.value.to_string_lossy();
    match row.value {
        OptionValue::File | OptionValue::Folder if text.is_empty() => Err(given.impossible("a name".into())),
        OptionValue::Number { min, max, of } => {
            let possible = text.parse().is_ok_and(|number: u32| (min..=max).contains(&number));
            let attached = row.as_example().filter(|_| row.is_letter());
            let attached = attached.map_or(String::new(), |example| format!(", without a blank: {example}"));
            let expected = format!("a number of {of}, {}{attached}", numbers(min, max));
            possible.then_some(()).ok_or_else(|| given.impossible(expected))
        }
        OptionValue::OneOf(words) => one_of(words, &given.value).map_err(|nearest| {
            let error = given.impossible(format!("one of {}", words.join(", ")));
            CliError { hint: nearest, ..error }
        }),
        _ => Ok(()),
    }
}

/// Whether a word is one of these; else which of them was probably meant.
fn one_of(words: &[&str], given: &OsStr) -> Result<(), Option<String>> {
    let given = given.as_encoded_bytes();
    let nearest = suggest::nearest(words, given).map(|word| format!("did you mean {word}?"));
    if words.iter().any(|word| word.as_bytes() == given) { Ok(()) } else { Err(nearest) }
}

/// Refuses a long option that a run doesn't have either.
fn refuse_unknown(argument: &OsString) -> Result<(), CliError> {
    let bytes = argument.as_encoded_bytes();
    let Some(name) = argument.to_str().and_then(long_name) else {
        return Ok(());
    };
    if name.is_empty() || flags::all().any(|flag| flag.is_named(name)) {
        return Ok(());
    }
    Err(CliError::at(bytes, 2, "unknown option").unknown_option())
}
