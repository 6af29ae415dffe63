//! What is done with suites, and how often.

use super::AnswerOut;
use std::ffi::OsString;
use std::path::PathBuf;

/// A suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuiteRequest {
    /// What is done.
    pub action: SuiteAction,
    /// `--store`; `None` = the usual one.
    pub store: Option<PathBuf>,
    /// How it is run.
    pub rounds: RoundsRequest,
    /// `--json`, `--html`, `--out`: pages, and everything.
    pub out: Vec<AnswerOut>,
    /// `--dry-run`: check and list alone.
    pub dry_run: bool,
    /// `--strict`: fail when any figures are not what they seem to be.
    pub strict: bool,
    /// `--quiet`
    pub quiet: bool,
    /// All that stands behind the word `suite`, as it was typed.
    pub given: Vec<OsString>,
}

/// How many rounds are run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RoundsRequest {
    /// `--repeat`: so many rounds of every test; `None` = as the suite says.
    pub repeat: Option<u32>,
    /// `--until-sure`: until the answer is known.
    pub until_sure: bool,
    /// `--sessions`: all of that so many times, with a pause in between.
    pub sessions: u32,
    /// `--budget`: no round begins that would take longer, s.
    pub budget_s: Option<f64>,
}

/// What is done with suites.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SuiteAction {
    /// List those of the program.
    #[default]
    List,
    /// Print one as TOML.
    Show(OsString),
    /// Run one.
    Run {
        /// A file, the name of a suite or of a preset.
        source: OsString,
        /// What is measured, unless a test says it.
        targets: Vec<OsString>,
        /// Options that all tests get.
        options: Vec<OsString>,
    },
}
