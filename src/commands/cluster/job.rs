//! The job that this process leads: each run of a command becomes a run of all ranks.
//!
//! The command runs in a thread of its own and knows nothing of ranks. The main thread, which alone calls
//! MPI, takes its orders and stays in touch with the other ranks between two of them.

use crate::cluster::part::{fill_in, of_rank};
use crate::commands::runnable::Runnable;
use crate::plan::PlanError;
use crate::run::{Executed, NotRun, Session};
use crate::sys::mutex::LockAnyway;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};

/// What the command of rank 0 wants next.
pub enum Wish {
    Run(Box<Order>),
    /// The command has ended with this exit code.
    End(u8),
}

/// A run that all ranks make together.
pub struct Order {
    pub run: Runnable,
    pub session: Session,
    pub reply: Sender<Result<Executed, NotRun>>,
}

struct Led {
    host: String,
    wishes: Mutex<Sender<Wish>>,
}

static LED: OnceLock<Led> = OnceLock::new();

/// This process leads a job from now on. Returns what its command wants.
pub fn lead(host: &str) -> Receiver<Wish> {
    let (wishes, wanted) = channel();
    // There is one job in the life of a process.
    let _ = LED.set(Led { host: host.to_owned(), wishes: Mutex::new(wishes) });
    wanted
}

pub fn is_led() -> bool {
    LED.get().is_some()
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

/// What this process runs of it: rank 0's part in a job, else all.
pub fn own_part(run: &Runnable) -> Runnable {
    LED.get().map_or_else(|| run.clone(), |led| part(run, 0, &led.host))
}

/// A rank's part of a run: its paths and seeds.
pub fn part(run: &Runnable, rank: usize, host: &str) -> Runnable {
    let fill = |path: &crate::profile::RawText| fill_in(path, rank, host);
    Runnable {
        profile: of_rank(&run.profile, rank, host),
        io_log: run.io_log.as_ref().map(fill),
        journal: run.journal.as_ref().map(fill),
        ..run.clone()
    }
}
