//! Requests for sweeps: runs and outputs.

use crate::cli::SweepLine;
use crate::experiments::sweep::Settings;
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
    /// `--between`: shell command before each run.
    pub between: Option<String>,
    pub csv: Vec<PathBuf>,
    pub json: Vec<PathBuf>,
    pub html: Vec<PathBuf>,
    /// `--dry-run`: check, list and estimate alone.
    pub dry_run: bool,
    /// Whether misleading figures are a failure (`--strict`).
    pub strict: bool,
    /// Whether only problems are printed, without progress (`--quiet`).
    pub quiet: bool,
    /// The command line of the runs, with its axes.
    pub swept: SweepLine,
    pub arguments: Vec<OsString>,
    /// All arguments after `sweep`, to repeat it.
    pub given: Vec<OsString>,
}
