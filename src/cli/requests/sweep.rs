//! What a sweep runs, and what it writes.

use crate::cli::SweptLine;
use crate::lab::sweep::Settings;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepRequest {
    pub settings: Settings,
    pub folder: Option<PathBuf>,
    /// `--iops-only`: no latency is measured.
    pub iops_only: bool,
    /// `-L` was not given, and added.
    pub adds_latency: bool,
    /// `--between`: what the shell runs before each run.
    pub between: Option<String>,
    pub csv: Vec<PathBuf>,
    pub json: Vec<PathBuf>,
    pub html: Vec<PathBuf>,
    /// `--dry-run`: check, list and estimate alone.
    pub dry_run: bool,
    /// `--strict`: fail when any figures are not what they seem to be.
    pub strict: bool,
    /// `--quiet`: no progress, and only what is wrong.
    pub quiet: bool,
    /// The command line of the runs, with its axes.
    pub swept: SweptLine,
    /// The same as it was typed.
    pub arguments: Vec<OsString>,
    /// All that followed `sweep`, for the one who wants to do it again.
    pub given: Vec<OsString>,
}
