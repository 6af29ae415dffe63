//! The table of fio's options: names, value formats, and conversions. Documentation, suggestions and
//! refusals come from these tables.

mod buffers;
mod command_line;
mod engines;
mod io;
mod option;
mod refused;
mod reporting;
mod targets;
mod time;

pub use engines::{ENGINES, EngineRule, engine};
pub use option::{FioForm, FioKind, FioOption};
use option::{approximate_option, near_unless, refused_option, same};

pub struct FioGroup {
    pub title: &'static str,
    pub rows: &'static [FioOption],
}

pub const GROUPS: &[FioGroup] = &[
    FioGroup { title: "Files and devices", rows: targets::ROWS },
    FioGroup { title: "Reads and writes", rows: io::ROWS },
    FioGroup { title: "Time, rate and threads", rows: time::ROWS },
    FioGroup { title: "Content and verification", rows: buffers::ROWS },
    FioGroup { title: "Reports and logs of fio's own", rows: reporting::ROWS },
    FioGroup { title: "Refused", rows: refused::ROWS },
];

/// Options that only exist on a command line.
pub const COMMAND_LINE: FioGroup = FioGroup { title: "fio's command line only", rows: command_line::ROWS };

/// Returns the row of an option by its name or an alias.
pub fn find(name: &str) -> Option<&'static FioOption> {
    all().find(|row| row.is_named(name))
}

/// Returns the row of an option that only exists on a command line.
pub fn find_of_command_line(name: &str) -> Option<&'static FioOption> {
    COMMAND_LINE.rows.iter().find(|row| row.is_named(name))
}

pub fn all() -> impl Iterator<Item = &'static FioOption> {
    GROUPS.iter().flat_map(|group| group.rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn option_names_are_unique_and_texts_are_sentences() {
        let mut names = HashSet::new();
        for row in all().chain(COMMAND_LINE.rows) {
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
