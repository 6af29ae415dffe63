//! Options that one command alone has: one table, which its grammar and its help read.

use super::Invocation;
use super::error::{CliError, Problem};
use super::flag::{Flag, long_name};
use super::flags;
use crate::profile::RawText;
use std::ffi::OsString;
use std::path::PathBuf;
use std::slice::Iter;

/// Reads a command line, or what follows a command.
pub type ReadLine = fn(&[OsString]) -> Result<Invocation, CliError>;

/// An option of a command, as help, man page and completions show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionRow {
    /// With its dashes.
    pub name: &'static str,
    /// What its value is; empty = it takes none.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What holds without it; empty = nothing that needs to be said.
    pub default: &'static str,
    /// Values that are words, for completions; empty = others.
    pub words: &'static [&'static str],
}

/// `--help`, which every command has.
pub const HELP: OptionRow = row("--help", "", "print this");

/// A row of which the rest goes without saying.
pub const fn row(name: &'static str, value: &'static str, help: &'static str) -> OptionRow {
    OptionRow { name, value, help, default: "", words: &[] }
}

impl OptionRow {
    /// That of an option of runs which a command takes as well.
    pub fn of(flag: &'static Flag) -> Option<OptionRow> {
        let ((form, help), name) = (flag.forms[0], flag.long()?);
        let (name, value) = form.split_at(name.len() + 2);
        let value = value.trim_start_matches(['=', ' ']);
        let default = if flag.default == "off" { "" } else { flag.default };
        Some(OptionRow { name, value, help, default, words: flag.values })
    }

    /// As it is written: `--repeat <n>`, `-d<seconds>`.
    pub fn form(&self) -> String {
        let blank = if self.value.is_empty() || self.value.starts_with('[') || self.name.len() == 2 {
            ""
        } else {
            " "
        };
        format!("{}{blank}{}", self.name, self.value)
    }

    /// What it does, and what holds without it.
    pub fn meaning(&self) -> String {
        match self.default {
            "" => self.help.to_owned(),
            default => format!("{} [{default}]", self.help),
        }
    }

    /// Whether its value is the name of a file or folder.
    pub fn takes_file(&self) -> bool {
        self.value.starts_with("<file>")
            || self.value.starts_with("<folder>")
            || self.value.starts_with("<page>")
    }
}

/// An option of a command that collects what was given in an `R`.
pub(super) struct OwnOption<R> {
    /// How it is shown.
    row: OptionRow,
    read: Takes<R>,
}

/// Takes a value; else says what is expected.
enum Takes<R> {
    /// What can be spoken.
    Text(fn(&mut R, &str) -> Result<(), String>),
    /// The name of a file or folder, byte by byte; an empty one is none.
    Path(fn(&mut R, PathBuf)),
}

/// An entry of the table.
pub(super) const fn own<R>(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    read: fn(&mut R, &str) -> Result<(), String>,
) -> OwnOption<R> {
    OwnOption { row: row(name, value, help), read: Takes::Text(read) }
}

/// An entry of the table whose value is the name of a file or folder.
pub(super) const fn own_path<R>(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    read: fn(&mut R, PathBuf),
) -> OwnOption<R> {
    OwnOption { row: row(name, value, help), read: Takes::Path(read) }
}

/// The options of a table as the help shows them.
pub(super) const fn rows<R, const N: usize>(table: &[OwnOption<R>; N]) -> [OptionRow; N] {
    let mut rows = [HELP; N];
    let mut at = 0;
    while at < N {
        rows[at] = table[at].row;
        at += 1;
    }
    rows
}

/// What stands behind a command besides the values of its options.
pub(super) struct WordsAndOptions<'a> {
    /// What is no option, in order.
    pub(super) words: Vec<&'a OsString>,
    /// The options, in order.
    names: Vec<&'static str>,
}

impl WordsAndOptions<'_> {
    /// Whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// The words as texts.
    pub(super) fn texts(&self) -> Vec<String> {
        self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}

/// Reads all that follows a command: its options, which may stand anywhere, and words.
///
/// # Errors
/// An option is unknown, or its value is missing, is not possible, or stands where none is taken.
pub(super) fn read_all<'a, R>(
    table: &[OwnOption<R>],
    request: &mut R,
    arguments: &'a [OsString],
) -> Result<WordsAndOptions<'a>, CliError> {
    let mut given = WordsAndOptions { words: Vec::new(), names: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = argument.as_encoded_bytes();
        if bytes.first() != Some(&b'-') || bytes == b"-" {
            given.words.push(argument);
            continue;
        }
        let Some(name) = take(table, request, argument, &mut rest)? else {
            let names: Vec<&str> = table.iter().map(|own| own.row.name).collect();
            let all = format!("options of this command: {}", names.join(" "));
            return Err(CliError::at(bytes, 0, "unknown option here").hint(all).unknown_option());
        };
        given.names.push(name);
    }
    Ok(given)
}

/// Reads `argument` if it is an option of the table, and its value: attached to a letter (`-d60`), behind the
/// = of a word, or behind that in `rest`. Returns its name; `None` = it is none of them.
///
/// # Errors
/// The value is missing, is not possible, or stands where none is taken.
pub(super) fn take<R>(
    table: &[OwnOption<R>],
    request: &mut R,
    argument: &OsString,
    rest: &mut Iter<OsString>,
) -> Result<Option<&'static str>, CliError> {
    let bytes = argument.as_encoded_bytes();
    let Some((own, attached)) = table.iter().find_map(|own| Some((own, own.attached(bytes)?))) else {
        return Ok(None);
    };
    let (name, whole) = (own.row.name, bytes);
    let value = match (own.row.value.is_empty(), attached) {
        (true, Some(_)) => {
            return Err(CliError::at(whole, name.len(), format!("{name} takes no value")));
        }
        (true, None) => &[][..],
        (false, Some(value)) => value,
        (false, None) => rest.next().map(|value| value.as_encoded_bytes()).ok_or_else(|| {
            CliError::at(whole, whole.len(), format!("{name}: the value is missing"))
                .hint(format!("write {name} {}", own.row.value))
        })?,
    };
    let taken = match own.read {
        Takes::Text(read) => read(request, &String::from_utf8_lossy(value)),
        Takes::Path(_) if value.is_empty() => Err("a name".into()),
        Takes::Path(read) => {
            read(request, RawText::from(value.to_vec()).as_path().to_owned());
            Ok(())
        }
    };
    taken.map_err(|expected| {
        let problem = Problem::new(0, "this value is not possible").expected(expected);
        CliError::in_value(value, 0, name, problem)
    })?;
    Ok(Some(name))
}

impl<R> OwnOption<R> {
    /// Says what holds without it.
    pub(super) const fn or(mut self, default: &'static str) -> OwnOption<R> {
        self.row.default = default;
        self
    }

    /// Says which words its value may be.
    pub(super) const fn words(mut self, words: &'static [&'static str]) -> OwnOption<R> {
        self.row.words = words;
        self
    }

    /// If an argument is this option, what is attached to it as its value.
    fn attached<'a>(&self, argument: &'a [u8]) -> Option<Option<&'a [u8]>> {
        let rest = argument.strip_prefix(self.row.name.as_bytes())?;
        let is_letter = self.row.name.len() == 2;
        match rest.first() {
            // The value of a letter is never apart from it.
            None if is_letter && !self.row.value.is_empty() => Some(Some(rest)),
            None => Some(None),
            Some(b'=') if !is_letter => Some(Some(&rest[1..])),
            Some(_) if is_letter => Some(Some(rest)),
            Some(_) => None,
        }
    }
}

/// Refuses a long option that a run doesn't have either.
///
/// # Errors
/// It is one.
pub(super) fn refuse_unknown(argument: &OsString) -> Result<(), CliError> {
    let bytes = argument.as_encoded_bytes();
    let Some(name) = argument.to_str().and_then(long_name) else {
        return Ok(());
    };
    if name.is_empty() || name == "preset" || flags::all().any(|flag| flag.is_named(name)) {
        return Ok(());
    }
    Err(CliError::at(bytes, 2, "unknown option").unknown_option())
}

/// The one value of an option that may be given once; `None` = it wasn't given.
///
/// # Errors
/// It was given several times.
pub(super) fn at_most_one<T>(name: &str, mut values: Vec<T>) -> Result<Option<T>, CliError> {
    match values.len() {
        0 | 1 => Ok(values.pop()),
        _ => {
            Err(CliError::new(format!("{name} is given twice, but there is only one page"))
                .hint("name one file"))
        }
    }
}

/// Refuses `--store` where no run of a history is named.
///
/// # Errors
/// There is none to be looked for.
pub(super) fn check_store(
    store: Option<&PathBuf>,
    mut names: impl Iterator<Item = bool>,
) -> Result<(), CliError> {
    match store.is_some() && !names.any(|is_name| is_name) {
        true => Err(CliError::new("--store has no effect without an @label or @id")
            .hint("name a run of that history, or leave out --store")),
        false => Ok(()),
    }
}

/// What can be meant by a figure's name, for messages.
pub(super) const FIGURES: &str = "iops, mib, mean, p50, p99 or p99.9";

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [OwnOption<Vec<String>>; 4] = [
        own("--x", "<n>", "", |seen, value| {
            seen.push(value.to_owned());
            if value == "bad" { Err("something good".into()) } else { Ok(()) }
        }),
        own("--y", "", "", |_, _| Ok(())),
        own("-d", "<n>", "", |seen, value| {
            seen.push(format!("d{value}"));
            Ok(())
        }),
        own_path("--out", "<file>", "", |seen, path| seen.push(path.display().to_string())),
    ];

    #[test]
    fn options_stand_anywhere_and_values_behind_them() {
        let line = ["a", "--x=1", "b", "--x", "2", "--y", "-d60", "--out", "-", "-", "--out=p=q"];
        let arguments: Vec<OsString> = line.map(OsString::from).into();
        let mut seen = Vec::new();
        let given = read_all(&TABLE, &mut seen, &arguments).unwrap();
        assert_eq!(given.texts(), ["a", "b", "-"]);
        assert_eq!(seen, ["1", "2", "d60", "-", "p=q"]);
        assert!(given.has("--y") && given.has("-d") && !given.has("--z"));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (line, what) in [
            (["--z"], "unknown option here"),
            (["--xy"], "unknown option here"),
            (["--x"], "--x: the value is missing"),
            (["--y=1"], "--y takes no value"),
            (["--x=bad"], "--x: this value is not possible"),
            (["--out="], "--out: this value is not possible"),
        ] {
            let arguments = line.map(OsString::from);
            let error = read_all(&TABLE, &mut Vec::new(), &arguments).err().unwrap();
            assert_eq!(error.what, what, "{line:?}");
        }
    }
}
