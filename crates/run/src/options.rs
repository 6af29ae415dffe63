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

/// Run options, and settings of this invocation.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub run_options: RunOptions,
    /// `--recreate`: files of `-c` are rewritten even if complete.
    pub recreate: bool,
    /// Files of `-c` that one rank already created for all.
    pub made: HashSet<RawText>,
    /// `--destroy`: permission to overwrite block devices with a signature.
    pub destroy: bool,
    pub origin: Origin,
    pub events: Events,
    /// `--io-log`: file for the log of each I/O.
    pub io_log: Option<PathBuf>,
    /// `--journal`: new file for the record of durable data.
    pub journal: Option<PathBuf>,
    /// Recorded I/Os of `--replay`; `None` = no replay.
    pub replay: Option<Arc<ReplayList>>,
    /// Other ranks of a run on several hosts; `None` = single process.
    pub companions: Option<Arc<dyn PeerRanks>>,
    /// Claimant of the written block devices, which is this rank or another rank on its machine.
    pub claimant: ClaimOwner,
    /// Rank of this process in its job.
    pub rank: JobRank,
    /// Files and folders of the command, which the run must not overwrite.
    pub own: OwnFiles,
}

impl Options {
    pub fn permission(&self) -> Permission<'_> {
        Permission { destroy: self.destroy, named: self.origin.named.as_deref() }
    }
}

impl From<RunOptions> for Options {
    fn from(run_options: RunOptions) -> Options {
        Options { run_options, ..Options::default() }
    }
}
