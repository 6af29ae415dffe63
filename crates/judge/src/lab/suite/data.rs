//! What a suite has come to, as data (`docs/suite.schema.json`).

use super::SuiteRow;
use serde::Serialize;

/// What a suite has come to.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ToldSuite<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// What its runs are called in the history.
    pub label: &'a str,
    /// A row for each test.
    #[serde(rename = "tests")]
    pub rows: &'a [SuiteRow],
}

/// What tells it from other JSON.
#[derive(Serialize)]
struct SuiteDocument<'a> {
    format: SuiteFormat,
    #[serde(flatten)]
    told: &'a ToldSuite<'a>,
}

#[derive(Serialize)]
struct SuiteFormat {
    name: &'static str,
    version: u32,
}

/// The whole suite as JSON: tests with all their runs.
pub fn json(told: &ToldSuite) -> String {
    let format = SuiteFormat { name: "diskspd-suite", version: 1 };
    // Can't fail: there are no maps in it, and memory takes everything.
    serde_json::to_string_pretty(&SuiteDocument { format, told }).unwrap_or_default() + "\n"
}
