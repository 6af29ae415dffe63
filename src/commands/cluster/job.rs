//! The job that this process leads: each run of a command becomes a run of all ranks.
//!
//! The command runs in a thread of its own and knows nothing of ranks. The main thread, which alone calls
//! MPI, takes its orders and stays in touch with the other ranks between two of them.

use super::messages::ReadBackTask;
use super::unfit::is_by_rank;
use crate::cli::{Exit, VerifyAfterRequest};
use crate::cluster::part::{fill_in, of_rank};
use crate::commands::not_done::NotDone;
use crate::commands::runnable::Runnable;
use crate::plan::PlanError;
use crate::profile::RawText;
use crate::run::{Executed, NotRun, Session};
use crate::sys::mutex::LockAnyway;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};

/// What the command of rank 0 wants next.
pub enum Wish {
    Run(Box<Order>),
    /// Every rank reads back what its journal says is durable.
    ReadBack(ReadBackTask, Sender<Vec<RankReadBack>>),
    /// The command has ended with this exit code.
    End(u8),
}

/// A run that all ranks make together.
pub struct Order {
    pub run: Runnable,
    pub session: Session,
    pub reply: Sender<Result<Executed, NotRun>>,
}

/// What a rank read back; `Err` = why not.
pub struct RankReadBack {
    /// The rank and its host, in words.
    pub name: String,
    pub read: Result<(String, Exit), String>,
}

struct Led {
    /// Names of the hosts, by rank.
    hosts: Vec<String>,
    wishes: Mutex<Sender<Wish>>,
}

static LED: OnceLock<Led> = OnceLock::new();

/// This process leads a job from now on. Returns what its command wants.
pub fn lead(hosts: Vec<String>) -> Receiver<Wish> {
    let (wishes, wanted) = channel();
    // There is one job in the life of a process.
    let _ = LED.set(Led { hosts, wishes: Mutex::new(wishes) });
    wanted
}

pub fn is_led() -> bool {
    LED.get().is_some()
}

/// Number of ranks of the job that this process leads.
pub fn size() -> usize {
    LED.get().map_or(1, |led| led.hosts.len())
}

fn send(wish: Wish) -> bool {
    LED.get().is_some_and(|led| led.wishes.lock_anyway().send(wish).is_ok())
}

pub fn end(exit: u8) {
    send(Wish::End(exit));
}

/// Runs it on all ranks of the job that this process leads, else returns the session.
///
/// # Errors
/// This process does not lead a job.
pub fn run(run: &Runnable, session: Session) -> Result<Result<Executed, NotRun>, Box<Session>> {
    if !is_led() {
        return Err(Box::new(session));
    }
    let (reply, done) = channel();
    send(Wish::Run(Box::new(Order { run: run.clone(), session, reply })));
    let left = || Err(NotRun::Unfit(vec![PlanError::target("the job has ended")]));
    Ok(done.recv().unwrap_or_else(|_| left()))
}

/// Reads back on all ranks of the job that this process leads; `None` = it does not lead one.
///
/// # Errors
/// The ranks can't share the work.
pub fn read_back(request: &VerifyAfterRequest) -> Option<Result<Vec<RankReadBack>, NotDone>> {
    if !is_led() {
        return None;
    }
    let task = ReadBackTask::of(request);
    if !is_by_rank(&task.journal) {
        return Some(Err(NotDone::misused([
            "verify-after in a job: every rank reads a journal of its own; put %r (the rank) or %h (the host) \
             into its path",
        ])));
    }
    let (reply, done) = channel();
    send(Wish::ReadBack(task, reply));
    Some(done.recv().map_err(|_| NotDone::failed(["the job has ended"])))
}

/// What this process runs of it: rank 0's part in a job, else all.
pub fn own_part(run: &Runnable) -> Runnable {
    LED.get().map_or_else(
        || run.clone(),
        |led| {
            let hosts: Vec<&str> = led.hosts.iter().map(String::as_str).collect();
            part(run, 0, &hosts)
        },
    )
}

/// The rank whose data a rank works on.
pub fn shifted(rank: usize, shift: u32, size: usize) -> usize {
    let size = size.max(1);
    (rank + size - shift as usize % size) % size
}

/// A rank's part of a run: its paths and seeds. Rank 0 alone knows only itself.
pub fn part(run: &Runnable, rank: usize, hosts: &[&str]) -> Runnable {
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
