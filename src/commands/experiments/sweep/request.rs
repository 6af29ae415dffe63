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
    /// Whether the sweep added `-L`.
    pub adds_latency: bool,
    /// `--between`: shell command before each run.
    pub between: Option<String>,
    pub csv: Vec<PathBuf>,
    pub json: Vec<PathBuf>,
    pub html: Vec<PathBuf>,
    /// `--dry-run`: only checks, lists and estimates.
    pub dry_run: bool,
    /// `--strict`: misleading figures are a failure.
    pub strict: bool,
    /// `--quiet`: only problems are printed, without progress.
    pub quiet: bool,
    /// Command line of the runs with its axes.
    pub swept: SweepLine,
    pub arguments: Vec<OsString>,
    /// Arguments after `sweep`, to repeat it.
    pub given: Vec<OsString>,
}
