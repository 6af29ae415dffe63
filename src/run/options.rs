//! How a profile is to be run.

use super::events::Events;
use super::prefill::Prefill;
use crate::engine::EngineKind;
use std::path::PathBuf;

/// How the user wants a profile to be run, beyond what the profile says.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--engine`; `None` = the program chooses.
    pub engine: Option<EngineKind>,
    /// `--poll`: completions are polled for.
    pub poll: bool,
    /// `--recreate`: files of `-c` are written anew even when they are complete.
    pub recreate: bool,
    /// `--destroy`: block devices that carry a signature may be written to.
    pub destroy: bool,
    /// `-ys`, `-yf`, `-yr`
    pub events: Events,
    /// `--until-steady`: the warm-up goes on until the run is steady, but no longer than this, s.
    pub until_steady: Option<u32>,
    /// `--io-log`: every single I/O is logged in this file.
    pub io_log: Option<PathBuf>,
    /// `--flush-after`: what is still in memory at the end is written, and that is timed.
    pub flush_after: bool,
    /// `--cpu-latency`: while it measures no processor may take longer than this to wake up, us.
    pub cpu_latency: Option<u32>,
    /// `--prefill`: what was never written is written before the run.
    pub prefill: Option<Prefill>,
}

impl Options {
    /// No file is opened, no device touched.
    pub fn simulated(&self) -> bool {
        self.engine.is_some_and(|kind| !kind.row().needs_files)
    }

    /// Time itself is simulated.
    pub(super) fn virtual_time(&self) -> bool {
        self.engine.is_some_and(|kind| kind.row().virtual_time)
    }
}
