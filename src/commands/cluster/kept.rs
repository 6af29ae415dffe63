//! A rank's record on its own disk, until rank 0 has received it.

use super::live::LiveOutbox;
use crate::clock;
use crate::finding::Finding;
use crate::formats::json;
use crate::merge::kept_record_of;
use crate::results::{IntervalFigures, Record};
use crate::run::{HangGuard, OutputError, OutputPolicy, Progress, RunObserver, Session, Subscriptions};
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::standard_error::print_line;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Kept record, which stays in its folder unless it is removed.
#[derive(Debug)]
pub(super) struct KeptRecord {
    path: PathBuf,
}

fn kept_folder() -> PathBuf {
    let folder = std::env::var_os("TMPDIR").filter(|folder| !folder.is_empty());
    folder.map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from)
}

/// Location of the records of a job's ranks on this rank's disk, as a shell pattern.
pub(super) fn of_all_ranks(job: &str) -> String {
    kept_folder().join(format!("diskspd-rank-*-of-*-{job}.json")).display().to_string()
}

/// Returns a name for a job, which separates its records from the records of earlier jobs.
pub(super) fn new_job() -> String {
    format!("{:x}", clock::seed_millis() ^ (u64::from(std::process::id()) << 44))
}

impl KeptRecord {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Keeps the record of a run of one rank, at its end and after each time span. A killed rank leaves the
/// completed time spans.
#[derive(Debug)]
pub(super) struct RankKeeper {
    rank: usize,
    size: usize,
    job: String,
    kept: Mutex<Option<KeptRecord>>,
}

impl RankKeeper {
    pub(super) fn new(rank: usize, size: usize, job: String) -> RankKeeper {
        RankKeeper { rank, size, job, kept: Mutex::default() }
    }

    /// Keeps it in `$TMPDIR`, else in /var/tmp, which is on a disk: `diskspd report` and the like read it.
    pub(super) fn keep(&self, record: &mut Record) {
        let host = record.host_mut();
        (host.rank, host.ranks) = (self.rank as u32, Some(self.size as u32));
        match self.keep_record(record) {
            Ok(kept) => *self.kept.lock_anyway() = Some(kept),
            Err(why) => print_line(Finding::warning(format!("rank {}: {why}", self.rank))),
        }
    }

    fn keep_record(&self, record: &Record) -> Result<KeptRecord, OutputError> {
        let name = kept_record_of(self.rank as u32);
        let path = kept_folder().join(format!("{name}-of-{}-{}.json", self.size, self.job));
        let permitted = OutputPolicy::permit_own("its record", &path)?;
        permitted.open(&HangGuard::default())?.put(json::bytes(record))?;
        Ok(KeptRecord { path })
    }

    pub(super) fn take(&self) -> Option<KeptRecord> {
        self.kept.lock_anyway().take()
    }

    /// The session, whose results so far this keeps. The outbox gets its progress and intervals, its
    /// listener all other events.
    pub(super) fn attach_keeper(
        keeper: &Arc<RankKeeper>,
        outbox: &Arc<LiveOutbox>,
        wants: Subscriptions,
        session: Session,
    ) -> Session {
        let (keeper, outbox) = (Arc::clone(keeper), Arc::clone(outbox));
        let inner = Arc::clone(&session.listener);
        Session { listener: Arc::new(RankListener { keeper, outbox, wants, inner }), ..session }
    }
}

struct RankListener {
    keeper: Arc<RankKeeper>,
    outbox: Arc<LiveOutbox>,
    wants: Subscriptions,
    inner: Arc<dyn RunObserver>,
}

impl RunObserver for RankListener {
    fn wants(&self) -> Subscriptions {
        Subscriptions { steps: self.inner.wants().steps, ..self.wants }
    }

    fn notice(&self, notice: &Finding) {
        self.inner.notice(notice);
    }

    fn step(&self, text: &str) {
        self.inner.step(text);
    }

    fn dots(&self, count: u32) {
        self.inner.dots(count);
    }

    fn time_span_begins(&self, number: usize) {
        self.outbox.begin_span(number);
        self.inner.time_span_begins(number);
    }

    fn progress(&self, progress: &Progress) {
        match progress {
            Progress::Preparing { .. } => self.inner.progress(progress),
            Progress::Running { .. } => self.outbox.note_progress(progress),
        }
    }

    fn marks(&self) -> u32 {
        self.inner.marks()
    }

    fn progress_ends(&self) {
        self.inner.progress_ends();
    }

    fn interval(&self, figures: &IntervalFigures) {
        self.outbox.note_interval(figures);
    }

    /// Reports are of all ranks, so the listener does not get the record of one rank. It gets the run's end
    /// from rank 0, once all ranks are done.
    fn time_span_ended(&self, so_far: &Record) {
        self.keeper.keep(&mut so_far.clone());
    }
}
