//! A row of the flag table: syntax, help, compatibility, and the parsing function.

use super::draft::RunRequestBuilder;
use super::error::{SIZE, ValueError};
use super::quantity::Quantity;
use crate::experiments::sweep::{self, ValueForm};
use crate::profile::{RunOptions, Target, TimeSpan};
use crate::units;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// `-b`, with an attached value.
    Letter(u8),
    Long(&'static str),
}

impl Name {
    pub fn with_dashes(self) -> String {
        match self {
            Name::Letter(letter) => format!("-{}", char::from(letter)),
            Name::Long(name) => format!("--{name}"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The whole profile, or its execution.
    Profile,
    Invocation,
    TimeSpan,
    /// All targets of the command line.
    Targets,
}

impl Scope {
    pub fn name(self) -> &'static str {
        match self {
            Scope::Profile | Scope::Invocation => "run",
            Scope::TimeSpan => "time span",
            Scope::Targets => "targets",
        }
    }
}

/// Whether a command line in a file, which users may have received from others, can have an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedByFile {
    Undecided,
    Workload,
    /// It starts a program, gives a permission, writes a file, or selects output. It is permitted only in the
    /// user's own command line.
    UserOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compatibility {
    Same,
    Differs(&'static str),
    LinuxOnly,
}

/// Syntax of an option with its meaning: (`-r[<align>]`, `random I/O ...`).
pub(super) type Form = (&'static str, &'static str);

/// One option: a row of the table that parser, help, man page, completions and compatibility table come from.
pub struct Flag {
    pub name: Name,
    /// Spellings of the option with one line of help each. Never empty.
    pub forms: &'static [Form],
    pub default: &'static str,
    pub scope: Scope,
    /// Further explanation, for the man page; may be empty.
    pub notes: &'static str,
    /// Relation to DISKSPD 2.2.
    pub compatibility: Compatibility,
    pub carried: CarriedByFile,
    /// Whether a long option that names a file can be given several times.
    pub repeats: bool,
    /// Files or folders below `tests/` that test the option. Never empty.
    pub tested: &'static [&'static str],
    pub with_profile: bool,
    /// The values that completions offer (attached to a letter); may be empty.
    pub values: &'static [&'static str],
    /// Syntax of several values in a sweep; `None` = the same value in all points.
    pub swept: Option<ValueForm>,
    pub print: Print,
    /// Reads the value. Table and parser always agree: every row has a reader, and a reader without a row is
    /// dead code, which the compiler reports.
    pub read: Read,
}

/// Defaults of DISKSPD's letters: the same meaning, a place in XML profiles, and one value for all points
/// of a sweep.
pub(super) const DISKSPD: Flag = Flag {
    name: Name::Letter(0),
    forms: &[],
    default: "",
    scope: Scope::Targets,
    notes: "",
    compatibility: Compatibility::Same,
    carried: CarriedByFile::Undecided,
    repeats: false,
    tested: &[],
    with_profile: false,
    values: &[],
    swept: None,
    print: Print::Nothing,
    read: Read::Switch(|_| {}),
};

/// Defaults of long options: unknown to DISKSPD, for the whole run, permitted with an XML profile, and
/// off.
pub(super) const LINUX: Flag = Flag {
    name: Name::Long(""),
    forms: &[],
    default: "off",
    scope: Scope::Profile,
    notes: "",
    compatibility: Compatibility::LinuxOnly,
    carried: CarriedByFile::Undecided,
    repeats: false,
    tested: &[],
    with_profile: true,
    values: &[],
    swept: None,
    print: Print::Nothing,
    read: Read::Switch(|_| {}),
};

impl PartialEq for Flag {
    fn eq(&self, other: &Flag) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Flag {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name.with_dashes())
    }
}

/// Printed form of an option: the values of several words, each after the option's letter or `=`; an empty
/// value is the option alone.
pub enum Print {
    /// Never printed, because it is for one run only, or never in a printed command line.
    Nothing,
    RunOptions(fn(&RunOptions) -> Vec<String>),
    /// Reads a time span and its first target, which represents all targets.
    Work(fn(&TimeSpan, &Target) -> Vec<String>),
}

/// Parses an option's value into the [`RunRequestBuilder`].
pub enum Read {
    /// No value; attached text is ignored, as DISKSPD does.
    Switch(fn(&mut RunRequestBuilder)),
    /// Lenient integer; the bounds are inclusive.
    Integer {
        /// Whether a missing value is an error; otherwise it reads as 0. Text without digits always reads
        /// as 0.
        required: bool,
        min: i32,
        max: i32,
        quantity: Quantity,
        expected: &'static str,
        /// Stores the value, which is not negative if `min` is not.
        set: fn(&mut RunRequestBuilder, i32),
    },
    Size {
        /// Minimum in bytes.
        min: u64,
        set: fn(&mut RunRequestBuilder, u64),
    },
    /// A long option with an optional value (empty if missing), only accepted after `=`.
    Optional(fn(&mut RunRequestBuilder, &[u8]) -> Result<(), ValueError>),
    /// A long option with an optional value after `=`, or as the next argument if that is one of
    /// [`Flag::values`].
    Word(fn(&mut RunRequestBuilder, &[u8]) -> Result<(), ValueError>),
    Text(fn(&mut RunRequestBuilder, &[u8]) -> Result<(), ValueError>),
}

/// Returns the name in `--name` or `--name=value` without its dashes; `None` if it is not a long option.
pub(super) fn long_name(argument: &str) -> Option<&str> {
    argument.strip_prefix("--")?.split('=').next()
}

impl Flag {
    /// Reads the attached (or, for long options, following) `value` into `draft`.
    pub fn apply(&self, draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
        match self.read {
            Read::Switch(set) => set(draft),
            Read::Integer { required, min, max, quantity, expected, set } => {
                let number =
                    draft.lenient_integer((&self.name.with_dashes(), ""), value, quantity, expected)?;
                if number < min || number > max || (required && value.is_empty()) {
                    let what =
                        if value.is_empty() { "the value is missing" } else { "this value is not possible" };
                    return Err(ValueError::new(0, what).with_expected(expected));
                }
                set(draft, number);
            }
            Read::Size { min, set } => {
                let size = units::parse_size(value, draft.block_size())?;
                if size < min {
                    return Err(
                        ValueError::new(0, format!("this must be at least {min}")).with_expected(SIZE)
                    );
                }
                set(draft, size);
            }
            Read::Optional(read) | Read::Word(read) | Read::Text(read) => read(draft, value)?,
        }
        Ok(())
    }

    pub fn words(&self, values: Vec<String>) -> impl Iterator<Item = String> {
        let before = match self.name {
            Name::Long(_) if self.takes_value() => self.name.with_dashes() + "=",
            _ => self.name.with_dashes(),
        };
        values.into_iter().map(move |value| format!("{before}{value}"))
    }

    /// Whether a sweep can use the value as a range.
    pub fn takes_range(&self, value: &[u8]) -> bool {
        let value = std::str::from_utf8(value).unwrap_or_default();
        value.contains("..") && self.several_values(value).is_some()
    }

    /// Whether a value is a list of numbers that a sweep goes through, or one of engines.
    pub fn takes_list(&self, value: &str) -> bool {
        // `--rate-total 100,posson` is no list.
        let possible =
            |value: &String| self.is_named("engine") || value.starts_with(|c: char| c.is_ascii_digit());
        self.several_values(value).is_some_and(|values| values.len() > 1 && values.iter().all(possible))
    }

    fn several_values(&self, value: &str) -> Option<Vec<String>> {
        sweep::values(value, self.swept?).ok().flatten()
    }

    pub fn long(&self) -> Option<&'static str> {
        match self.name {
            Name::Long(name) => Some(name),
            Name::Letter(_) => None,
        }
    }

    pub fn is_named(&self, name: &str) -> bool {
        self.long() == Some(name)
    }

    /// Whether it is a long option that names a file, folder or pipe, of which there is only one.
    pub fn names_one_file(&self) -> bool {
        const FILES: [&str; 4] = ["<file>", "<folder>", "<journal>", "<library>"];
        let names_file = |(form, _): &Form| FILES.iter().any(|file| form.contains(file));
        self.long().is_some() && !self.repeats && self.forms.iter().any(names_file)
    }

    /// Whether the value of a long option may be the next argument.
    pub fn needs_value(&self) -> bool {
        !matches!(self.read, Read::Switch(_) | Read::Optional(_) | Read::Word(_))
    }

    pub fn takes_word(&self, next: &[u8]) -> bool {
        matches!(self.read, Read::Word(_)) && self.values.iter().any(|value| value.as_bytes() == next)
    }

    /// Whether every text is a value: a name of a file or of an event.
    pub fn takes_any_text(&self) -> bool {
        matches!(self.name, Name::Letter(b'X' | b'y'))
    }

    /// Whether a long option takes a value. (A letter's value is always attached.)
    pub fn takes_value(&self) -> bool {
        !matches!(self.read, Read::Switch(_))
    }

    /// Whether the option is read in the first pass. These are options permitted with an XML profile, `-X`
    /// itself, `-b` (the unit of other sizes), and `--compat`, which affects other options.
    pub fn is_first_pass(&self) -> bool {
        match self.name {
            Name::Letter(letter) => self.with_profile || letter == b'X' || letter == b'b',
            Name::Long(name) => matches!(name, "compat" | "fio"),
        }
    }
}
