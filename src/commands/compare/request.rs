//! Requests for comparisons.

use crate::cli::RunRequest;
use crate::experiments::compare::{AnswerForm, ComparisonQuery};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct CompareRequest {
    /// Each side: files, folders, `@` names, several with commas. Empty with [`CompareRequest::interleaved`].
    pub sides: Vec<OsString>,
    /// Both are run, not read.
    pub interleaved: Option<Interleaved>,
    /// `--dir`: one command line is run on two kernels, boot by boot.
    pub boots: Option<BootPlan>,
    pub question: ComparisonQuery,
    pub fail_if: Option<FailIf>,
    pub out: Vec<AnswerOutput>,
    pub store: Option<PathBuf>,
    /// Whether only errors and wrong figures of new runs are printed (`--quiet`).
    pub quiet: bool,
    pub given: Vec<OsString>,
}

impl CompareRequest {
    /// Whether other programs make the runs of a side.
    pub fn has_programs(&self) -> bool {
        self.interleaved.as_ref().is_some_and(|both| both.programs != [None, None])
    }
}

/// Two command lines that are run in pairs, in random order within each pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Interleaved {
    /// Runs of each side; `None` = until the answer is certain (`--until-sure`).
    pub repeat: Option<u32>,
    pub order_seed: Option<u32>,
    pub requests: [RunRequest; 2],
    pub typed: [String; 2],
    /// The programs that run them (`--with-a`, `--with-b`); `None` = this one.
    pub programs: [Option<PathBuf>; 2],
    pub lines: [SideCommand; 2],
}

/// A command line for another program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SideCommand {
    pub options: Vec<OsString>,
    pub targets: Vec<OsString>,
    pub takes_seed: bool,
}

/// A command line run alternately on two kernels, some runs at each boot.
#[derive(Debug, Clone, PartialEq)]
pub struct BootPlan {
    pub folder: PathBuf,
    pub repeat: u32,
    pub request: RunRequest,
    pub typed: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOutput {
    pub option: &'static str,
    pub form: AnswerForm,
    /// The file; `-` = standard output.
    pub path: PathBuf,
}

/// Condition of a failing exit code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailIf {
    /// B is worse, and by this share at least as the best estimate goes.
    Worse(f64),
    Unsure,
    /// Exit codes of `git bisect run`, which searches for a loss of this share.
    Bisect(f64),
}
