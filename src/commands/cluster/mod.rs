//! One run on many hosts: this process is one of several ranks that a launcher of MPI started.
//!
//! ```text
//! rank 0                                       every rank
//! versions agree? what is to be run    ◀──▶    hello; fills in its paths, looks at its targets
//! refusals of all; who shares a target ◀──▶    makes the files that it is to make
//! nothing failed                       ◀──▶    starts the run: prepares, sets up its threads
//! clocks of all, an agreed start       ◀──▶    measures, and says nothing
//! the record of the whole, its report  ◀──▶    keeps its record, and sends it
//! ```

mod arguments;
mod course;
mod kept;
mod lead;
mod messages;
mod names;
mod setup;
mod targets;
mod verified;
mod whole;
mod work;
mod zoned;

use super::not_done::NotDone;
use crate::cli::{Exit, RunRequest};
use crate::clock::{self, Nanos, SECOND};
use crate::cluster::launcher::Launcher;
use crate::cluster::{self, Mpi, RankLink, WaitLimits};
use crate::finding::Finding;
use crate::run::Control;
use crate::sys::standard_error::say;
use crate::sys::{process, real_time};
use course::RankCourse;
pub use messages::is_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long ranks that are done wait for each other's last messages.
const LEAVING: Nanos = 10 * SECOND;
/// How long MPI itself may take to end when nothing is left to do: MPICH over UCX hangs there, also in
/// programs that do nothing but begin and end.
const ENDING: Nanos = 2 * SECOND;
/// After so long a rank that isn't the first says itself why it can't join: by then the launcher has ended it
/// if the first one met the same.
const FIRST_SPEAKS: Nanos = SECOND;
/// How long the last messages have where they don't.
const SHORTLY: Nanos = SECOND;
/// How long all ranks may take until MPI has begun. It waits for ever for one that has ended before.
const JOINING: Nanos = 120 * SECOND;

/// Who started this process as one of several ranks; `None` = it is on its own. `told`: the user says that
/// it is one of several (`--mpi`).
fn find_launcher(told: bool) -> Option<Launcher> {
    let found = Launcher::detect(|name| std::env::var(name).ok());
    if told {
        return Some(found.unwrap_or_else(Launcher::unknown));
    }
    found.filter(Launcher::started_several)
}

/// Waits so that rank 0 reports an error of the common command line first: the launcher ends this rank then.
/// A rank that alone has the wrong line reports it afterwards.
pub fn let_first_report() {
    if find_launcher(false).is_some_and(|launcher| !launcher.is_first()) {
        clock::Clock::Monotonic.sleep_until(clock::monotonic() + FIRST_SPEAKS);
    }
}

/// Refuses what several ranks can't do together.
///
/// # Errors
/// There are several.
pub fn refuse(what: &str) -> Result<(), NotDone> {
    match find_launcher(false) {
        Some(launcher) => {
            let_first_report();
            Err(NotDone::failed([format!(
                "{what} runs on one host, but {} started {} of it: start it without the launcher",
                launcher.name,
                launcher.size.map_or_else(|| "several".to_owned(), |size| size.to_string())
            )]))
        }
        None => Ok(()),
    }
}

/// Runs as one of several ranks, if it is one; `None` = it is on its own.
pub fn run(request: &RunRequest) -> Option<Result<Exit, NotDone>> {
    let launcher = find_launcher(request.mpi.is_some())?;
    match request.profile_only {
        false => Some(run_as_rank(request, &launcher)),
        // One of them prints it.
        true => (!launcher.is_first()).then_some(Ok(Exit::Success)),
    }
}

/// # Errors
/// The ranks can't be joined. What else goes wrong is told here.
fn run_as_rank(request: &RunRequest, launcher: &Launcher) -> Result<Exit, NotDone> {
    process::outlive_others();
    let library = request.mpi.as_ref().and_then(|library| library.as_deref());
    let joined = watch_joining(launcher.is_first());
    let mut mpi = cluster::join(launcher, library).map_err(|why| {
        // Mostly every rank meets the same, and one says it. One that is alone with it says it, too: the
        // others would wait for it without a word.
        if !launcher.is_first() {
            clock::Clock::Monotonic.sleep_until(clock::monotonic() + FIRST_SPEAKS);
        }
        NotDone::failed([why.to_string()])
    })?;
    joined.store(true, Ordering::Relaxed);
    let control = Arc::new(Control::default());
    let (exit, complete) = {
        let link = RankLink::new(&mut mpi, WaitLimits::default());
        let mut rank = RankCourse::new(link, Arc::clone(&control), request)?;
        // Other ranks hear from this thread while the workers work.
        let _precedence = real_time::take_precedence();
        let (exit, in_order) = rank.take_part();
        (exit, in_order && rank.is_complete())
    };
    leave_world(mpi, exit, complete, launcher.is_first());
    Ok(exit)
}

/// Ends this process if MPI has not begun in time; what is returned says that it has.
fn watch_joining(tells: bool) -> Arc<AtomicBool> {
    let joined = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&joined);
    let watch = std::thread::Builder::new().name("joining".into()).spawn(move || {
        clock::Clock::Monotonic.sleep_until(clock::monotonic() + JOINING);
        if !seen.load(Ordering::Relaxed) {
            if tells {
                let seconds = JOINING / SECOND;
                say(Finding::error(format!(
                    "MPI did not start within {seconds} s: a rank ended early, was never started, or is \
                     unreachable; nothing was measured"
                )));
            }
            process::end(Exit::RunFailed.code());
        }
    });
    drop(watch);
    joined
}

/// Leaves the world: in order when all ranks are there, else at once, because that would wait for them.
fn leave_world(mut mpi: Mpi, exit: Exit, complete: bool, leads: bool) {
    let until = clock::monotonic() + if complete { LEAVING } else { SHORTLY };
    mpi.flush(|| clock::monotonic() < until);
    let tells = leads && complete;
    let watch = std::thread::Builder::new().name("leaving".into()).spawn(move || {
        clock::Clock::Monotonic.sleep_until(clock::monotonic() + ENDING);
        if tells {
            let seconds = ENDING / SECOND;
            say(Finding::note(format!(
                "MPI did not end within {seconds} s, so this process exits without it; the run is complete, \
                 though the launcher may report a failure"
            )));
        }
        process::end(exit.code());
    });
    drop(watch);
    if !complete {
        // A rank that is stopped or cut off would hold the job: the launcher ends it.
        if leads {
            mpi.abort(exit.code());
        }
        process::end(exit.code());
    }
    if let Err(why) = mpi.leave() {
        say(format_args!("leaving MPI: {why}"));
    }
}
