//! The job of this process. Each run of a command becomes a run of all ranks.
//!
//! The command runs in a separate thread, independent of ranks. The main thread, which alone calls
//! MPI, takes its orders and stays in touch with the other ranks between two of them.

use super::messages::ReadBackTask;
use super::plans::group_plans;
use crate::cli::VerifyAfterRequest;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job::job_limits::{self, is_by_rank};
use crate::commands::shared::job_command::{RankPlans, RankReply};
use crate::commands::shared::runs::runnable::{self, JobRunner, Runnable};
use crate::finding::Finding;
use crate::plan::PlanError;
use crate::profile::RawText;
use crate::ranks::part::{fill_in, of_rank, shifted};
use crate::run::{ExecutedRun, RunError, Session};
use crate::sys::mutex::LockUnpoisoned;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};

pub(super) enum JobRequest {
    Run(Box<Order>),
    ReadBack(ReadBackTask, Sender<Vec<RankReply>>),
    /// All ranks plan their parts of this run.
    Plan(Box<Runnable>, Sender<Vec<RankReply>>),
    /// The command has ended with this exit code.
    End(u8),
}

/// Run of all ranks together.
pub(super) struct Order {
    pub run: Runnable,
    pub session: Session,
    pub reply: Sender<Result<ExecutedRun, RunError>>,
}

struct JobLeader {
    hosts: Vec<String>,
    wishes: Mutex<Sender<JobRequest>>,
}

static LED: OnceLock<Arc<JobLeader>> = OnceLock::new();

/// Makes this process the leader of a job. Returns the requests of its command.
pub(super) fn start_leading(hosts: Vec<String>) -> Receiver<JobRequest> {
    let (wishes, wanted) = channel();
    let led = Arc::new(JobLeader { hosts, wishes: Mutex::new(wishes) });
    // There is one job in the life of a process.
    let _ = LED.set(Arc::clone(&led));
    runnable::run_by(Box::new(CoordinatedJob(led)));
    wanted
}

impl JobLeader {
    fn send(&self, wish: JobRequest) {
        let _ = self.wishes.lock_anyway().send(wish);
    }
}

pub(super) fn end(exit: u8) {
    if let Some(led) = LED.get() {
        led.send(JobRequest::End(exit));
    }
}

struct CoordinatedJob(Arc<JobLeader>);

impl JobRunner for CoordinatedJob {
    fn run(&self, run: &Runnable, session: Session) -> Result<ExecutedRun, RunError> {
        let (reply, done) = channel();
        self.0.send(JobRequest::Run(Box::new(Order { run: run.clone(), session, reply })));
        let left = || Err(RunError::Unfit(vec![PlanError::target("the job has ended")]));
        done.recv().unwrap_or_else(|_| left())
    }

    fn plan(&self, run: &Runnable) -> RankPlans {
        let (reply, done) = channel();
        self.0.send(JobRequest::Plan(Box::new(run.clone()), reply));
        group_plans(&done.recv().unwrap_or_default(), &self.0.hosts, run.split)
    }

    fn own_part(&self, run: &Runnable) -> Runnable {
        let hosts: Vec<&str> = self.0.hosts.iter().map(String::as_str).collect();
        part(run, 0, &hosts)
    }

    fn find_unfit(&self, run: &Runnable) -> Vec<Finding> {
        job_limits::find_unfit(run, self.0.hosts.len())
    }
}

/// Reads back on all ranks of the job that this process leads; `None` = it does not lead one.
///
/// # Errors
/// Fails if the work cannot be divided among the ranks.
pub(crate) fn read_back(request: &VerifyAfterRequest) -> Option<Result<Vec<RankReply>, CommandError>> {
    let led = LED.get()?;
    let task = ReadBackTask::from_request(request);
    if !is_by_rank(&task.journal) {
        return Some(Err(CommandError::usage_errors([
            "verify-after in a job: every rank reads a separate journal; put %r (the rank) or %h (the \
             host) into its path",
        ])));
    }
    let (reply, done) = channel();
    led.send(JobRequest::ReadBack(task, reply));
    Some(done.recv().map_err(|_| CommandError::failed(["the job has ended"])))
}

/// Returns a rank's part of a run: its paths and seeds.
pub(super) fn part(run: &Runnable, rank: usize, hosts: &[&str]) -> Runnable {
    let host = hosts.get(rank).copied().unwrap_or_default();
    let fill = |path: &RawText| fill_in(path, rank, host);
    let data = shifted(rank, run.shift_ranks, hosts.len());
    Runnable {
        profile: of_rank(&run.profile, rank, (data, hosts.get(data).copied().unwrap_or_default())),
        io_log: run.io_log.as_ref().map(fill),
        journal: run.journal.as_ref().map(fill),
        ..run.clone()
    }
}
