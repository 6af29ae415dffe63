//! The flag table: one row per option, grouped as the help shows them. Everything else about the command
//! line is derived from it.

mod access;
mod affinity;
mod area;
mod caching;
mod cluster;
mod distribution;
mod history;
mod integrity;
mod linux;
mod output;
mod profile;
mod replay;
mod ring;
mod shape;
mod threads;
mod time;
mod writing;

use super::flag::{Flag, Name};

/// Options that belong together, in the order of the help.
pub struct Group {
    /// Heading.
    pub title: &'static str,
    /// Its rows.
    pub flags: &'static [Flag],
}

/// All options.
pub const GROUPS: &[Group] = &[
    Group { title: "Target area and file", flags: area::FLAGS },
    Group { title: "Access pattern", flags: access::FLAGS },
    Group { title: "Writing", flags: writing::FLAGS },
    Group { title: "Shape of the work, in the Linux version", flags: shape::FLAGS },
    Group { title: "Threads and queue depth", flags: threads::FLAGS },
    Group { title: "Caching", flags: caching::FLAGS },
    Group { title: "Time and seed", flags: time::FLAGS },
    Group { title: "Output and statistics", flags: output::FLAGS },
    Group { title: "Profiles, events, help", flags: profile::FLAGS },
    Group { title: "Recorded I/Os", flags: replay::FLAGS },
    Group { title: "History", flags: history::FLAGS },
    Group { title: "Verification", flags: integrity::FLAGS },
    Group { title: "Many hosts", flags: cluster::FLAGS },
    Group { title: "Options of the Linux version", flags: linux::FLAGS },
];

/// All rows of the table.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    GROUPS.iter().flat_map(|group| group.flags)
}

/// The row whose name is accepted.
pub fn find(accepted: impl Fn(Name) -> bool) -> Option<&'static Flag> {
    all().find(|flag| accepted(flag.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flag::Scope;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_complete_and_named_once() {
        let mut names = HashSet::new();
        for flag in all() {
            let name = flag.name.with_dashes();
            assert!(names.insert(name.clone()), "{name} has two rows");
            assert!(!flag.forms.is_empty() && !flag.default.is_empty(), "{name}");
            for (syntax, help) in flag.forms {
                assert!(syntax.starts_with(&name) && !help.is_empty() && !help.ends_with('.'), "{syntax}");
            }
        }
    }

    #[test]
    fn every_row_names_tests_that_exist() {
        let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        for flag in all() {
            let name = flag.name.with_dashes();
            assert!(!flag.tested.is_empty(), "{name} names no test");
            for test in flag.tested {
                let found = [format!("{test}.rs"), format!("{test}/mod.rs"), format!("{test}/main.rs")];
                assert!(
                    found.iter().any(|file| tests.join(file).is_file()),
                    "{name}: there is no test {test}"
                );
            }
        }
    }

    /// Whatever is accepted does something, or the run says that it does not.
    #[test]
    fn no_row_calls_an_option_ignored() {
        assert!(!crate::cli::compatibility::table().to_lowercase().contains("ignored"));
    }

    /// DISKSPD 2.2 has these letters and no others, and 2.3 -u.
    #[test]
    fn every_letter_of_diskspd_has_a_row_and_no_other() {
        let mut letters: Vec<u8> = all()
            .filter_map(|flag| match flag.name {
                Name::Letter(letter) => Some(letter),
                Name::Long(_) => None,
            })
            .collect();
        letters.sort_unstable();
        assert_eq!(letters, b":?BCDFILNOPRSTWXZabcdefghijlnoprstuvwxyz");
    }

    #[test]
    fn what_stands_beside_an_xml_profile_does_not_concern_targets() {
        for flag in all().filter(|flag| flag.with_profile) {
            assert_ne!(flag.scope, Scope::Targets, "{}", flag.name.with_dashes());
        }
    }
}
