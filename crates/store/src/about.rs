//! User notes about a run, in a separate file; a record itself never changes.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunNotes {
    /// Label shared with other runs of the same kind; `None` = unlabelled.
    pub label: Option<String>,
    pub tags: Vec<String>,
    pub pinned: bool,
    /// Storage time in seconds since 1970-01-01 00:00 UTC.
    pub saved_at: i64,
    /// Position among the runs kept here: the time in ns since 1970, but always later than any earlier
    /// run's. `None` = an older program kept it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<i64>,
    /// Source file of an imported run; `None` = a run of this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
}

impl RunNotes {
    pub fn tag(&mut self, add: &[String], take: &[String]) {
        self.tags.extend(add.iter().cloned());
        self.tags.retain(|tag| !take.contains(tag));
        self.tags.sort();
        self.tags.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_a_set() {
        let mut about = RunNotes { tags: vec!["b".into()], ..RunNotes::default() };
        about.tag(&["c".into(), "a".into(), "b".into()], &["c".into()]);
        assert_eq!(about.tags, ["a", "b"]);
    }
}
