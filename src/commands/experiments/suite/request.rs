//! Requests for suites, and repetitions.

use super::AnswerOutput;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuiteRequest {
    pub action: SuiteAction,
    /// `--store`; `None` = default folder.
    pub store: Option<PathBuf>,
    pub rounds: RoundsRequest,
    /// `--json`, `--html`, `--out`.
    pub out: Vec<AnswerOutput>,
    /// `--dry-run`: only checks and lists the tests.
    pub dry_run: bool,
    /// `--strict`: misleading figures are a failure.
    pub strict: bool,
    pub quiet: bool,
    pub given: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RoundsRequest {
    /// `--repeat`: rounds of every test; `None` = the suite's default.
    pub repeat: Option<u32>,
    /// `--until-sure`: rounds until the answer is certain.
    pub until_sure: bool,
    /// `--sessions`: repetitions of the suite with pauses.
    pub sessions: u32,
    /// `--budget`: no round starts that would exceed it, in s.
    pub budget_s: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub enum SuiteAction {
    #[default]
    List,
    Show(OsString),
    Run {
        /// File, or name of a suite or preset.
        source: OsString,
        targets: Vec<OsString>,
        options: Vec<OsString>,
    },
}
