//! Suites: named lists of tests that run together, round by round, and are compared with earlier results.
//!
//! ```text
//! TOML ──read──▶ Suite        the tests in order, each with its command line and question
//! Suite ──order──▶ turns      round 1 of all tests, then round 2 backwards, ...
//! runs ──table──▶ SuiteRow    result of each test over its rounds
//! ```

mod command;
mod data;
mod order;
mod read;
mod shipped;
mod table;

pub use command::{UnclosedQuote, words};
pub use data::{SuiteReport, json};
pub use order::{SuiteTurn, turns};
pub use read::{MAX_BYTES, SuiteError, read};
pub use shipped::{SHIPPED, ShippedSuite, list, shipped};
pub use table::{SuiteRow, suite_text};

use super::compare::TestQuestion;

pub const DEFAULT_ROUNDS: u32 = 5;
pub const MAX_ROUNDS: u32 = 1000;
pub const MAX_TESTS: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// Name, which also identifies its runs in the history.
    pub name: String,
    pub about: String,
    /// Tests in order, at least one.
    pub tests: Vec<SuiteTest>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SuiteTest {
    pub name: String,
    pub about: String,
    /// Words of its command line without the program.
    pub command: Vec<String>,
    pub repeat: Option<u32>,
    pub question: TestQuestion,
}
