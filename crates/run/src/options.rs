//! Options of this execution of a profile.

use super::events::Events;
use super::peer_ranks::PeerRanks;
use diskspd_host::claims::ClaimOwner;
use diskspd_host::permission::Permission;
use diskspd_output::OwnFiles;
use diskspd_plan::JobRank;
use diskspd_profile::{Origin, RawText, RunOptions};
use diskspd_trace::replay::ReplayList;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Run options, and settings of this invocation only.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub run_options: RunOptions,
    /// Whether files of `-c` are rewritten even if they are complete (`--recreate`).
    pub recreate: bool,
    /// Files of `-c` that exist for this run already: one rank created them for all.
    pub made: HashSet<RawText>,
    /// Whether block devices with a signature may be written to (`--destroy`).
    pub destroy: bool,
    pub origin: Origin,
    /// `-ys`, `-yf`, `-yr`
    pub events: Events,
    /// `--io-log`: every single I/O is logged in this file.
    pub io_log: Option<PathBuf>,
    /// `--journal`: new file for the record of durable data, which must not exist yet.
    pub journal: Option<PathBuf>,
    /// The recorded I/Os of `--replay`; `None` without replay.
    pub replay: Option<Arc<ReplayList>>,
    /// The other ranks of a run on several hosts; `None` = it runs alone.
    pub companions: Option<Arc<dyn PeerRanks>>,
    /// Claimant of the written block devices, which is this rank or another rank on its machine.
    pub claimant: ClaimOwner,
    /// The place of this process in its job.
    pub rank: JobRank,
    /// Files and folders of the command, which targets must not destroy.
    pub own: OwnFiles,
}

impl Options {
    /// Permissions of the run for devices.
    pub fn permission(&self) -> Permission<'_> {
        Permission { destroy: self.destroy, named: self.origin.named.as_deref() }
    }
}

impl From<RunOptions> for Options {
    fn from(run_options: RunOptions) -> Options {
        Options { run_options, ..Options::default() }
    }
}
