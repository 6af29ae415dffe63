//! How an attempt ended.

use std::time::Duration;

/// How an attempt ended.
pub struct Ended {
    /// `None` = a signal killed it, or it was not over in time.
    pub code: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// What it said on standard error.
    pub said: String,
    /// How long it took.
    pub took: Duration,
}

impl Ended {
    /// Whether it failed, and said so.
    pub fn failed(&self) -> bool {
        self.code.is_some_and(|code| code != 0) && self.said.contains("ERROR")
    }

    /// The beginning of what it said, in one line.
    pub fn words(&self) -> String {
        self.said.lines().take(4).collect::<Vec<_>>().join(" | ")
    }
}
