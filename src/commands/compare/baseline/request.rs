//! Requests for baselines.

use super::{AnswerOutput, FailIf, RoundsRequest};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct BaselineRequest {
    pub action: BaselineAction,
    /// `--store`; `None` = default folder.
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
    /// Removes a baseline; its runs stay.
    Remove {
        name: String,
    },
    /// Compares new or existing runs of its tests.
    Check(Box<BaselineCheck>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCheck {
    pub name: String,
    pub targets: Vec<OsString>,
    /// `--against`: existing runs instead of new ones.
    pub against: Option<OsString>,
    pub rounds: RoundsRequest,
    pub fail_if: Option<FailIf>,
    /// `--with`: the command that starts the DISKSPD which makes the runs; `None` = this program makes them.
    pub with: Option<String>,
    /// `--destroy`: permission to overwrite block devices with a signature.
    pub destroy: bool,
    pub out: Vec<AnswerOutput>,
    pub quiet: bool,
}

impl BaselineRequest {
    pub fn is_quiet(&self) -> bool {
        matches!(&self.action, BaselineAction::Check(check) if check.quiet)
    }
}
