//! Built-in suites for common measurements, each with its reasons.

use super::{Suite, read};
use diskspd_figures::units::table::{self, Cell, TableColumn};

#[derive(Debug, Clone, Copy)]
pub struct ShippedSuite {
    pub name: &'static str,
    /// File, with its reasons and sources.
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

/// Returns a table of the suites with at most `room` columns.
pub fn list(room: usize) -> String {
    const COLUMNS: &[TableColumn<ListedSuite>] = &[
        TableColumn::<ListedSuite>::words("suite", |one| Cell::Text(one.name.to_owned())).brief(),
        TableColumn::<ListedSuite>::number("tests", |one| Cell::Whole(one.suite.tests.len() as u64)).brief(),
        TableColumn::<ListedSuite>::words("purpose", |one| Cell::Text(one.suite.about.clone())).brief(),
    ];
    struct ListedSuite {
        name: &'static str,
        suite: Suite,
    }
    let listed = |one: &ShippedSuite| Some(ListedSuite { name: one.name, suite: one.suite()? });
    let rows: Vec<ListedSuite> = SHIPPED.iter().filter_map(listed).collect();
    table::text_within(COLUMNS, &rows, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_suites_fits_terminal() {
        let text = list(60);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(SHIPPED.iter().all(|one| text.contains(one.name)), "{text}");
    }

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
