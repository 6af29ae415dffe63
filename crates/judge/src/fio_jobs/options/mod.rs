//! fio's options, a row each: what each is called, how it is read, and what becomes of it here.
//! Documentation, suggestions and refusals come from these tables.

mod buffers;
mod engines;
mod io;
mod refused;
mod reporting;
mod targets;
mod time;

pub use engines::{ENGINES, EngineRule, engine};

/// An option of fio's.
#[derive(Debug, Clone, Copy)]
pub struct FioOption {
    /// Its name.
    pub name: &'static str,
    /// What else it is called.
    pub aliases: &'static [&'static str],
    /// How its value is read.
    pub form: FioForm,
    /// What becomes of it.
    pub kind: FioKind,
    /// Of one that is refused: the values that ask for nothing.
    pub harmless: &'static [&'static str],
}

/// What becomes of an option.
#[derive(Debug, Clone, Copy)]
pub enum FioKind {
    /// What is done is the same.
    Same,
    /// Something differs, which is told.
    Near(&'static str),
    /// It is refused.
    Refused {
        /// Why.
        reason: &'static str,
        /// What to do.
        remedy: &'static str,
    },
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FioForm {
    /// Nothing, or 0 or 1.
    Switch,
    /// A number.
    Number,
    /// A size.
    Size,
    /// A size for reads, writes and trims, or one for each.
    SizeEach,
    /// A time; a number without a unit is so many seconds.
    Seconds,
    /// A time; a number without a unit is so many microseconds.
    Micros,
    /// One of several words, or with a grammar of its own.
    Text,
}

impl FioForm {
    /// For the table.
    pub fn name(self) -> &'static str {
        match self {
            FioForm::Switch => "switch",
            FioForm::Number => "number",
            FioForm::Size => "size",
            FioForm::SizeEach => "size, or one each for reads, writes, trims",
            FioForm::Seconds => "time (seconds)",
            FioForm::Micros => "time (microseconds)",
            FioForm::Text => "text",
        }
    }
}

/// Options that belong together, as the documentation shows them.
pub struct FioGroup {
    /// Heading.
    pub title: &'static str,
    /// Its rows.
    pub rows: &'static [FioOption],
}

/// All options.
pub const GROUPS: &[FioGroup] = &[
    FioGroup { title: "Files and devices", rows: targets::ROWS },
    FioGroup { title: "What is read and written", rows: io::ROWS },
    FioGroup { title: "Time, rate and threads", rows: time::ROWS },
    FioGroup { title: "Content and verification", rows: buffers::ROWS },
    FioGroup { title: "Reports and logs of fio's own", rows: reporting::ROWS },
    FioGroup { title: "Refused", rows: refused::ROWS },
];

/// The row of an option, by its name or another one.
pub fn find(name: &str) -> Option<&'static FioOption> {
    all().find(|row| row.name == name || row.aliases.contains(&name))
}

/// All rows.
pub fn all() -> impl Iterator<Item = &'static FioOption> {
    GROUPS.iter().flat_map(|group| group.rows)
}

const fn same(name: &'static str, aliases: &'static [&'static str], form: FioForm) -> FioOption {
    FioOption { name, aliases, form, kind: FioKind::Same, harmless: &[] }
}

const fn near(
    name: &'static str,
    aliases: &'static [&'static str],
    form: FioForm,
    what: &'static str,
) -> FioOption {
    FioOption { name, aliases, form, kind: FioKind::Near(what), harmless: &[] }
}

const fn refused(
    name: &'static str,
    aliases: &'static [&'static str],
    harmless: &'static [&'static str],
    reason: &'static str,
    remedy: &'static str,
) -> FioOption {
    FioOption { name, aliases, form: FioForm::Text, kind: FioKind::Refused { reason, remedy }, harmless }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_there_once_and_every_text_is_a_sentence_without_its_stop() {
        let mut names = HashSet::new();
        for row in all() {
            for name in std::iter::once(&row.name).chain(row.aliases) {
                assert!(names.insert(*name), "{name} is there twice");
            }
            let texts = match row.kind {
                FioKind::Same => vec![],
                FioKind::Near(what) => vec![what],
                FioKind::Refused { reason, remedy } => vec![reason, remedy],
            };
            assert!(texts.iter().all(|text| !text.is_empty() && !text.ends_with('.')), "{}", row.name);
        }
    }
}
