//! Requests for suites, and repetitions.

use super::AnswerOutput;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuiteRequest {
    pub action: SuiteAction,
    /// `--store`; `None` = the usual one.
    pub store: Option<PathBuf>,
    pub rounds: RoundsRequest,
    /// `--json`, `--html`, `--out`: pages, and everything.
    pub out: Vec<AnswerOutput>,
    /// `--dry-run`: check and list alone.
    pub dry_run: bool,
    /// Whether misleading figures are a failure (`--strict`).
    pub strict: bool,
    pub quiet: bool,
    pub given: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RoundsRequest {
    /// `--repeat`: rounds of every test; `None` = the suite's default.
    pub repeat: Option<u32>,
    /// `--until-sure`: until the answer is known.
    pub until_sure: bool,
    /// `--sessions`: repetitions of the whole, with a pause in between.
    pub sessions: u32,
    /// `--budget`: no round begins that would take longer, s.
    pub budget_s: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub enum SuiteAction {
    #[default]
    List,
    Show(OsString),
    Run {
        /// A file, the name of a suite or of a preset.
        source: OsString,
        targets: Vec<OsString>,
        options: Vec<OsString>,
    },
}
