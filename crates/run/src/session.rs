//! Invocation-specific inputs and results of a run.

use super::events::Events;
use super::options::Options;
use super::peer_ranks::PeerRanks;
use diskspd_base::finding::Finding;
use diskspd_host::claims::ClaimOwner;
use diskspd_output::OwnFiles;
use diskspd_plan::{JobRank, PlanError};
use diskspd_profile::{Origin, RawText, RunOptions};
use diskspd_results::Record;
use diskspd_trace::replay::ReplayList;
use diskspd_worker::Control;
use diskspd_worker::listener::{NullObserver, RunObserver};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Settings of one run only: overwrite permissions, receivers of messages, events to wait for. They are
/// not stored.
pub struct Session {
    /// Whether it is one of several runs of this process, with a separate start time.
    pub one_of_several: bool,
    /// Whether files of `-c` are rewritten even if they are complete (`--recreate`).
    pub recreate: bool,
    /// Files of `-c` that exist for this run already: one rank created them for all.
    pub made: HashSet<RawText>,
    /// Whether block devices with a signature may be written to (`--destroy`).
    pub destroy: bool,
    pub origin: Origin,
    /// `--io-log`: every single I/O is logged in this file.
    pub io_log: Option<PathBuf>,
    /// `--journal`: new file for the record of durable data, which must not exist yet.
    pub journal: Option<PathBuf>,
    /// `-ys`, `-yf`, `-yr`
    pub events: Events,
    /// The other ranks of a run on several hosts; `None` = it runs alone.
    pub companions: Option<Arc<dyn PeerRanks>>,
    /// Claimant of the written block devices, which is this rank or another rank on its machine.
    pub claimant: ClaimOwner,
    /// The place of this process in its job.
    pub rank: JobRank,
    /// Files and folders of the command, which targets must not destroy.
    pub own: OwnFiles,
    pub listener: Arc<dyn RunObserver>,
    /// Ends the run from outside: [`Control::interrupt`]. One for each run.
    pub control: Arc<Control>,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            one_of_several: false,
            recreate: false,
            made: HashSet::new(),
            destroy: false,
            origin: Origin::default(),
            io_log: None,
            journal: None,
            events: Events::default(),
            companions: None,
            claimant: ClaimOwner::Alone,
            rank: JobRank::default(),
            own: OwnFiles::default(),
            listener: Arc::new(NullObserver),
            control: Arc::default(),
        }
    }
}

impl Session {
    /// Returns the options of a run in this session. `replay`: the recorded I/Os of `--replay`.
    pub(super) fn options(&self, run_options: &RunOptions, replay: Option<Arc<ReplayList>>) -> Options {
        Options {
            run_options: run_options.clone(),
            recreate: self.recreate,
            made: self.made.clone(),
            destroy: self.destroy,
            origin: self.origin.clone(),
            events: self.events.clone(),
            io_log: self.io_log.clone(),
            journal: self.journal.clone(),
            replay,
            companions: self.companions.clone(),
            claimant: self.claimant,
            rank: self.rank,
            own: self.own.clone(),
        }
    }
}

#[derive(Debug)]
pub struct ExecutedRun {
    pub record: Record,
    /// Causes of the failure as messages; empty = success. An interrupted run did not fail.
    pub failures: Vec<String>,
    /// Problems in addition to the valid figures: I/Os that never completed, an incomplete log, lost data.
    pub troubles: Vec<String>,
    /// Whether the run was rejected before anything changed, so that there is nothing to report.
    pub refused: bool,
    /// Whether threads of this process still wait for the kernel, so that only
    /// [`diskspd_sys::process::end`] can end it.
    pub left_behind: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{}", messages(.0.iter()))]
    Invalid(Vec<Finding>),
    /// The machine, or this version of the program, can't do it.
    #[error("{}", messages(.0.iter().map(|error| &*error.finding)))]
    Unfit(Vec<PlanError>),
}

fn messages<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    findings.map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("\n")
}
