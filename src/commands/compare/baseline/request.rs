//! Requests for baselines.

use super::{AnswerOutput, FailIf, RoundsRequest};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct BaselineRequest {
    pub action: BaselineAction,
    /// `--store`; `None` = the usual one.
    pub store: Option<PathBuf>,
    pub given: Vec<OsString>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BaselineAction {
    List,
    Show {
        name: String,
    },
    Set {
        name: String,
        /// Files, folders, `@label` or `@id`; empty = the latest run of a suite.
        runs: Vec<OsString>,
    },
    /// Forget one; its runs stay.
    Remove {
        name: String,
    },
    /// Run its tests again, or take runs that are there, and compare.
    Check(Box<BaselineCheck>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCheck {
    pub name: String,
    pub targets: Vec<OsString>,
    /// `--against`: runs that are there, in place of new ones.
    pub against: Option<OsString>,
    pub rounds: RoundsRequest,
    pub fail_if: Option<FailIf>,
    /// `--with`: the command that starts the DISKSPD which makes the runs; `None` = this program makes them.
    pub with: Option<String>,
    /// `--destroy`: permit writing to block devices that carry a signature.
    pub destroy: bool,
    /// `--json`, `--html`, `--out`
    pub out: Vec<AnswerOutput>,
    pub quiet: bool,
}

impl BaselineRequest {
    pub fn is_quiet(&self) -> bool {
        matches!(&self.action, BaselineAction::Check(check) if check.quiet)
    }
}
