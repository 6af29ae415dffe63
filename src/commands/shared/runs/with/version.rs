//! The version in DISKSPD's usage text.

use crate::profile::Compat;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolVersion {
    text: String,
    major: u32,
    minor: u32,
}

const VERSION_PREFIXES: [&str; 2] = ["version ", "DISKSPD "];

impl ToolVersion {
    /// Finds the version in the output of `-?`; `None` if missing.
    pub(crate) fn find(usage: &str) -> Option<ToolVersion> {
        let places = VERSION_PREFIXES
            .iter()
            .flat_map(|before| usage.match_indices(before).map(|(at, word)| at + word.len()));
        places.filter_map(|at| ToolVersion::read(&usage[at..])).next()
    }

    fn read(text: &str) -> Option<ToolVersion> {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len());
        let text = text[..end].trim_end_matches('.');
        let mut numbers = text.split('.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse::<u32>().ok()
        });
        let (major, minor) = (numbers.next()??, numbers.next()??);
        Some(ToolVersion { text: text.to_owned(), major, minor })
    }

    pub(crate) fn compat(&self) -> Compat {
        if (self.major, self.minor) >= (2, 3) { Compat::V2_3 } else { Compat::V2_2 }
    }
}

impl fmt::Display for ToolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DISKSPD {}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_version_is_found_in_its_usage() {
        for (usage, expected, compat) in [
            ("\nUsage: diskspd [options] target1\nversion 2.0.21a (2018/9/21)\n", "2.0.21a", Compat::V2_2),
            ("version 2.2.0 (2024/6/3)", "2.2.0", Compat::V2_2),
            ("a version of it\r\nversion 2.3.0 (2026/06/15)\r\n", "2.3.0", Compat::V2_3),
            ("DiskSpd for Linux 0.1.0, compatible with DISKSPD 2.2.0 (2024/6/3)", "2.2.0", Compat::V2_2),
            ("version 3.0", "3.0", Compat::V2_3),
        ] {
            let found = ToolVersion::find(usage).unwrap();
            assert_eq!(
                (found.to_string(), found.compat()),
                (format!("DISKSPD {expected}"), compat),
                "{usage}"
            );
        }
        for usage in ["", "version", "version x.y", "fio-3.33", "version 2"] {
            assert_eq!(ToolVersion::find(usage), None, "{usage}");
        }
    }
}
