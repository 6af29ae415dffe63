//! What is done with baselines.

use super::{AnswerOut, FailIf, RoundsRequest};
use std::ffi::OsString;
use std::path::PathBuf;

/// What is done with baselines.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineRequest {
    /// What.
    pub action: BaselineAction,
    /// `--store`; `None` = the usual one.
    pub store: Option<PathBuf>,
    /// All that stands behind the word `baseline`, as it was typed.
    pub given: Vec<OsString>,
}

/// What is done.
#[derive(Debug, Clone, PartialEq)]
pub enum BaselineAction {
    /// List them.
    List,
    /// Print what one holds.
    Show {
        /// Its name.
        name: String,
    },
    /// Set one.
    Set {
        /// Its name.
        name: String,
        /// Files, folders, `@label` or `@id`; empty = the latest run of a suite.
        runs: Vec<OsString>,
    },
    /// Forget one; its runs stay.
    Remove {
        /// Its name.
        name: String,
    },
    /// Run its tests again, or take runs that are there, and compare.
    Check(Box<BaselineCheck>),
}

/// How a baseline is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCheck {
    /// Its name.
    pub name: String,
    /// What is measured, in place of what the baseline measured.
    pub targets: Vec<OsString>,
    /// `--against`: runs that are there, in place of new ones.
    pub against: Option<OsString>,
    /// How many rounds are run.
    pub rounds: RoundsRequest,
    /// `--fail-if`
    pub fail_if: Option<FailIf>,
    /// `--with`: the command that starts the DISKSPD which makes the runs; `None` = this program makes them.
    pub with: Option<String>,
    /// `--destroy`: permit writing to block devices that carry a signature.
    pub destroy: bool,
    /// `--json`, `--html`, `--out`
    pub out: Vec<AnswerOut>,
    /// `--quiet`
    pub quiet: bool,
}
