//! The end of an attempt.

use std::time::Duration;

pub struct Ended {
    /// Exit code; `None` = killed by a signal, or not finished in time.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub said: String,
    pub took: Duration,
}

impl Ended {
    pub fn failed(&self) -> bool {
        self.code.is_some_and(|code| code != 0) && self.said.contains("ERROR")
    }

    pub fn words(&self) -> String {
        self.said.lines().take(4).collect::<Vec<_>>().join(" | ")
    }
}
