//! The result of a suite as data (`docs/reference/suite.schema.json`).

use super::SuiteRow;
use serde::Serialize;

#[derive(Debug, Clone, Copy, Serialize)]
pub struct SuiteReport<'a> {
    pub name: &'a str,
    pub about: &'a str,
    pub label: &'a str,
    #[serde(rename = "tests")]
    pub rows: &'a [SuiteRow],
}

#[derive(Serialize)]
struct SuiteDocument<'a> {
    format: SuiteFormat,
    #[serde(flatten)]
    told: &'a SuiteReport<'a>,
}

#[derive(Serialize)]
struct SuiteFormat {
    name: &'static str,
    version: u32,
}

/// Returns the whole suite as JSON: tests with all their runs.
pub fn json(told: &SuiteReport) -> String {
    let format = SuiteFormat { name: "diskspd-suite", version: 1 };
    // Can't fail: there are no maps in it, and memory takes everything.
    serde_json::to_string_pretty(&SuiteDocument { format, told }).unwrap_or_default() + "\n"
}
