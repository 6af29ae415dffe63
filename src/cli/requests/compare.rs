//! What is compared, and how.

use crate::cli::RunRequest;
use crate::lab::compare::{AnswerForm, Question};
use std::ffi::OsString;
use std::path::PathBuf;

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareRequest {
    /// Each side: files, folders, `@` names, several with commas. Empty with [`CompareRequest::interleaved`].
    pub sides: Vec<OsString>,
    /// Both are run, not read.
    pub interleaved: Option<Interleaved>,
    /// `--dir`: one command line is run on two kernels, boot by boot.
    pub boots: Option<AcrossBoots>,
    /// What is asked.
    pub question: Question,
    /// `--fail-if`
    pub fail_if: Option<FailIf>,
    /// `--json`, `--html`, `--out`: where the answer goes.
    pub out: Vec<AnswerOut>,
    /// `--store`
    pub store: Option<PathBuf>,
    /// `--quiet`: of runs that are made, tell only errors and those whose figures are wrong.
    pub quiet: bool,
    /// All that stands behind the word `compare`, as it was typed.
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
    /// How often each.
    pub repeat: u32,
    /// `--order-seed`; `None` draws a seed.
    pub order_seed: Option<u32>,
    /// What is run: A, B.
    pub requests: [RunRequest; 2],
    /// What was typed of each, without the targets.
    pub typed: [String; 2],
    /// The programs that run them (`--with-a`, `--with-b`); `None` = this one.
    pub programs: [Option<PathBuf>; 2],
    /// The command lines for other programs.
    pub lines: [SideWords; 2],
}

/// A command line for another program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SideWords {
    /// All options.
    pub options: Vec<OsString>,
    /// What stands behind them.
    pub targets: Vec<OsString>,
    /// Whether it takes a seed (`-z`).
    pub takes_seed: bool,
}

/// A command line that is run on two kernels in turn, some runs at each boot.
#[derive(Debug, Clone, PartialEq)]
pub struct AcrossBoots {
    /// Where it is kept what was run.
    pub folder: PathBuf,
    /// How often at each boot.
    pub repeat: u32,
    /// What is run.
    pub request: RunRequest,
    /// What was typed of it.
    pub typed: String,
}

/// A file that an answer goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOut {
    /// The option that names it.
    pub option: &'static str,
    /// Its form.
    pub form: AnswerForm,
    /// The file; `-` = standard output.
    pub path: PathBuf,
}

/// When the exit code says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailIf {
    /// B is worse, and by this share at least as the best estimate goes.
    Worse(f64),
    /// It can't be told.
    Unsure,
}
