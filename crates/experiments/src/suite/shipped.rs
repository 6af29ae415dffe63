//! Built-in suites for common measurements, each with its reasons.

use super::{Suite, read};

#[derive(Debug, Clone, Copy)]
pub struct ShippedSuite {
    pub name: &'static str,
    /// The file, with its reasons and sources.
    pub toml: &'static str,
}

impl ShippedSuite {
    /// Returns the parsed suite; `None` if invalid, which no built-in suite is.
    pub fn suite(&self) -> Option<Suite> {
        read(self.toml).ok()
    }
}

pub const SHIPPED: &[ShippedSuite] = &[
    ShippedSuite { name: "before-and-after", toml: include_str!("shipped/before-and-after.toml") },
    ShippedSuite { name: "ten-run-average", toml: include_str!("shipped/ten-run-average.toml") },
    ShippedSuite { name: "sql-server-four-files", toml: include_str!("shipped/sql-server-four-files.toml") },
    ShippedSuite { name: "cluster-volume", toml: include_str!("shipped/cluster-volume.toml") },
    ShippedSuite { name: "cloud-disk", toml: include_str!("shipped/cloud-disk.toml") },
];

pub fn shipped(name: &str) -> Option<&'static ShippedSuite> {
    SHIPPED.iter().find(|suite| suite.name == name)
}

/// All of them, a line each.
pub fn list() -> String {
    let width = SHIPPED.iter().map(|suite| suite.name.len()).max().unwrap_or(0);
    let line = |one: &ShippedSuite| {
        let suite = one.suite();
        let (about, tests) = suite.map(|suite| (suite.about, suite.tests.len())).unwrap_or_default();
        let tests = if tests == 1 { "1 test".to_owned() } else { format!("{tests} tests") };
        format!("{:<width$}  {about} ({tests})\n", one.name)
    };
    SHIPPED.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_suites_parse_and_describe_each_test() {
        for one in SHIPPED {
            let suite = read(one.toml).unwrap_or_else(|error| panic!("{}: {error}", one.name));
            assert_eq!(suite.name, one.name);
            assert!(!suite.about.is_empty() && !suite.about.contains('\n'), "{}", one.name);
            for test in &suite.tests {
                assert!(!test.about.is_empty(), "{} {}", one.name, test.name);
            }
            assert!(one.toml.contains("# Sources:"), "{}", one.name);
        }
    }
}
