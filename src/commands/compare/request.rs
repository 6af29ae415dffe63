//! Requests for comparisons.

use crate::cli::RunRequest;
use crate::experiments::compare::{AnswerForm, ComparisonQuery};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct CompareRequest {
    /// Files, folders or `@` names of each side, several with commas; empty with
    /// [`CompareRequest::interleaved`].
    pub sides: Vec<OsString>,
    /// Runs both sides instead of reading them.
    pub interleaved: Option<Interleaved>,
    /// `--dir`: one command line on two kernels, boot by boot.
    pub boots: Option<BootPlan>,
    pub question: ComparisonQuery,
    pub fail_if: Option<FailIf>,
    pub out: Vec<AnswerOutput>,
    pub store: Option<PathBuf>,
    /// `--quiet`: only errors and wrong figures of new runs are printed.
    pub quiet: bool,
    pub given: Vec<OsString>,
}

impl CompareRequest {
    /// Whether a side uses another program.
    pub fn has_programs(&self) -> bool {
        self.interleaved.as_ref().is_some_and(|both| both.programs != [None, None])
    }
}

/// Two command lines that run in pairs, in random order within each pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Interleaved {
    /// Runs of each side; `None` = until the answer is certain (`--until-sure`).
    pub repeat: Option<u32>,
    pub order_seed: Option<u32>,
    pub requests: [RunRequest; 2],
    pub typed: [String; 2],
    /// Programs of the sides (`--with-a`, `--with-b`); `None` = this one.
    pub programs: [Option<PathBuf>; 2],
    pub lines: [SideCommand; 2],
}

/// Command line for another program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SideCommand {
    pub options: Vec<OsString>,
    pub targets: Vec<OsString>,
    pub takes_seed: bool,
}

/// Command line that runs alternately on two kernels, several times per boot.
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
    /// File; `-` = standard output.
    pub path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailIf {
    /// B is worse, at least by this share as the best estimate.
    Worse(f64),
    Unsure,
    /// Exit codes of `git bisect run` in a search for a loss of this share.
    Bisect(f64),
}
