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
mod io_features;
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

pub(super) struct OptionGroup {
    pub topic: &'static str,
    pub title: &'static str,
    tables: &'static [&'static [Flag]],
    /// Names, without dashes, of the forms that the short help explains; of other options it has the names.
    pub everyday: &'static [&'static str],
}

impl OptionGroup {
    pub(super) fn flags(&self) -> impl Iterator<Item = &'static Flag> {
        self.tables.iter().flat_map(|table| table.iter())
    }

    /// The options that the short help explains, each in the form that it has there, by number.
    pub(super) fn everyday_forms(&self) -> Vec<(&'static Flag, usize)> {
        let forms = |flag: &'static Flag| (0..flag.forms.len()).map(move |form| (flag, form));
        let named = |name: &&str| {
            let is_called = |(flag, form): &(&Flag, usize)| {
                let rest = flag.forms[*form].0.trim_start_matches('-').strip_prefix(*name);
                rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
            };
            self.flags().flat_map(forms).find(is_called)
        };
        self.everyday.iter().filter_map(named).collect()
    }
}

pub(super) const GROUPS: &[OptionGroup] = &[
    OptionGroup {
        topic: "area",
        title: "Target area and file",
        tables: &[area::FLAGS],
        everyday: &["b", "c", "f"],
    },
    OptionGroup { topic: "access", title: "Access pattern", tables: &[access::FLAGS], everyday: &["r", "s"] },
    OptionGroup { topic: "writing", title: "Writing", tables: &[writing::FLAGS], everyday: &["w", "Z"] },
    OptionGroup {
        topic: "shape",
        title: if cfg!(windows) {
            "Shape of the work, in this program"
        } else {
            "Shape of the work, in the Linux version"
        },
        tables: &[shape::FLAGS],
        everyday: &["mix"],
    },
    OptionGroup {
        topic: "threads",
        title: "Threads and queue depth",
        tables: &[threads::FLAGS],
        everyday: &["t", "o", "g"],
    },
    OptionGroup {
        topic: "caching",
        title: "Caching",
        tables: &[caching::FLAGS, io_features::FLAGS],
        everyday: &["Su", "Sw", "Sb"],
    },
    OptionGroup { topic: "time", title: "Time and seed", tables: &[time::FLAGS], everyday: &["d", "W"] },
    OptionGroup {
        topic: "output",
        title: "Output and statistics",
        tables: &[output::FLAGS],
        everyday: &["L", "D", "R", "v"],
    },
    OptionGroup {
        topic: "profiles",
        title: "Profiles, events, help",
        tables: &[profile::FLAGS],
        everyday: &["X", "fio"],
    },
    OptionGroup { topic: "replay", title: "Recorded I/Os", tables: &[replay::FLAGS], everyday: &["replay"] },
    OptionGroup { topic: "save", title: "History", tables: &[history::FLAGS], everyday: &["save"] },
    OptionGroup {
        topic: "verify",
        title: "Verification",
        tables: &[integrity::FLAGS],
        everyday: &["verify"],
    },
    OptionGroup { topic: "hosts", title: "Many hosts", tables: &[cluster::FLAGS], everyday: &[] },
    OptionGroup {
        topic: "linux",
        title: if cfg!(windows) { "Options of this program" } else { "Options of the Linux version" },
        tables: linux::FLAGS,
        everyday: &["engine", "preset", "out", "repeat", "until-steady", "dry-run", "quiet"],
    },
];

pub(super) fn all() -> impl Iterator<Item = &'static Flag> {
    GROUPS.iter().flat_map(OptionGroup::flags)
}

pub(super) fn find(accepted: impl Fn(Name) -> bool) -> Option<&'static Flag> {
    all().find(|flag| accepted(flag.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TypedLine;
    use crate::cli::flag::{CarriedByFile, Scope};
    use crate::cli::topics::TOPICS;
    use crate::presets::PRESETS;
    use std::collections::HashSet;
    use std::ffi::OsString;

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
    fn every_group_has_a_topic_and_everyday_options() {
        let of_groups: Vec<&str> = GROUPS.iter().map(|group| group.topic).collect();
        let others = ["all", "targets", "commands"];
        let of_help: Vec<&str> = TOPICS.iter().copied().filter(|topic| !others.contains(topic)).collect();
        assert_eq!(of_help, of_groups);
        assert_eq!(TOPICS.len(), of_groups.len() + others.len());
        for group in GROUPS {
            assert_eq!(group.everyday_forms().len(), group.everyday.len(), "{}", group.topic);
        }
    }

    #[test]
    fn every_row_names_tests_that_exist() {
        let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let entries = std::fs::read_dir(&tests).unwrap().flatten().map(|entry| entry.path());
        let folders: Vec<_> = entries.filter(|path| path.is_dir()).chain([tests.clone()]).collect();
        let there = |test: &str| {
            let files = [format!("{test}.rs"), format!("{test}/mod.rs"), format!("{test}/main.rs")];
            folders.iter().any(|folder| files.iter().any(|file| folder.join(file).is_file()))
        };
        for flag in all() {
            let name = flag.name.with_dashes();
            assert!(!flag.tested.is_empty(), "{name} names no test");
            flag.tested.iter().for_each(|test| assert!(there(test), "{name}: there is no test {test}"));
        }
    }

    #[test]
    fn option_rows_state_if_files_may_contain_them() {
        let carried = |wanted: CarriedByFile| {
            all().filter(move |flag| flag.carried == wanted).map(|flag| flag.name.with_dashes())
        };
        assert_eq!(carried(CarriedByFile::Undecided).next(), None);
        let mut refused: Vec<String> = carried(CarriedByFile::UserOnly).collect();
        refused.sort_unstable();
        let expected = "--destroy --dry-run --each --give-up --help --hosts --io-log --journal --mpi --out \
                        --quiet --recreate --repeat --save --shift-ranks --split --store --stream --strict \
                        --text-verdict --verify-after --version --with --xml-verdict -? -P -R -v -y";
        assert_eq!(refused.join(" "), expected);
    }

    #[test]
    fn presets_use_options_permitted_in_files() {
        for part in PRESETS.iter().flat_map(|preset| preset.parts) {
            let words: Vec<OsString> = part.options.split(' ').map(OsString::from).collect();
            assert_eq!(
                TypedLine::from_arguments(&words).and_then(|line| line.carried_by_file("")),
                Ok(()),
                "{words:?}"
            );
        }
    }

    /// A second file would silently replace the first one.
    #[test]
    fn long_options_that_name_a_file_refuse_a_second() {
        let mut refusing = Vec::new();
        for flag in all().filter(|flag| flag.long().is_some() && flag.takes_value()) {
            let name = flag.name.with_dashes();
            let words = ["a", "b"].map(|value| OsString::from(format!("{name}={value}")));
            match TypedLine::from_arguments(&words) {
                Ok(_) => assert!(!flag.names_one_file(), "{name}"),
                Err(error) => {
                    assert!(error.what.starts_with(&format!("{name} is given twice")), "{error}");
                    refusing.push(name);
                }
            }
        }
        refusing.sort_unstable();
        let expected = "--fio --io-log --journal --mpi --replay --store --stream --verify-after";
        assert_eq!(refusing.join(" "), expected);
    }

    #[test]
    fn no_option_is_documented_as_ignored() {
        assert!(!crate::cli::compatibility::table().to_lowercase().contains("ignored"));
    }

    #[test]
    fn option_rows_match_diskspd_letters() {
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
    fn options_with_xml_profile_are_not_per_target() {
        for flag in all().filter(|flag| flag.with_profile) {
            assert_ne!(flag.scope, Scope::Targets, "{}", flag.name.with_dashes());
        }
    }
}
