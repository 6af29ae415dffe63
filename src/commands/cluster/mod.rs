//! Runs on many hosts, by several ranks that a launcher of MPI started.
//!
//! ```text
//! rank 0                                       every rank
//! versions and arguments agree?        ◀──▶    hello
//! the next run of its command          ◀──▶    fills in its paths, looks at its targets
//! refusals of all; who shares a target ◀──▶    makes the files that it is to make
//! nothing failed                       ◀──▶    starts the run: prepares, sets up its threads
//! clocks of all, an agreed start       ◀──▶    measures, and says nothing
//! the record of the whole              ◀──▶    keeps its record, and sends it
//! ```
//!
//! The command itself (a run, a sweep, ..) runs on rank 0 alone and knows nothing of ranks ([`job`]).

mod arguments;
pub(crate) mod hosts;
mod job;
mod joining;
mod kept;
mod lead;
mod live;
mod merge_ranks;
mod messages;
mod names;
mod plans;
mod rank_protocol;
mod stop_controls;
mod targets;
mod verified;
mod work;
mod zoned;

use crate::cli::Exit;
use crate::clock::{self, Nanos, SECOND};
use crate::commands::shared::command_error::{CommandError, DEFECT, report_error};
use crate::commands::shared::job_command::JobCommand;
use crate::finding::Finding;
use crate::host::launched;
use crate::ranks;
use crate::ranks::launcher::{self, Launcher};
use crate::ranks::{JobGroup, RankLink, WaitLimits};
use crate::sys::standard_error::{self, print_line};
use crate::sys::terminal::{PassedTerminal, pass_to};
use crate::sys::{process, real_time};
pub(super) use job::read_back;
pub(super) use messages::{StartOrder, is_any, pack, unpack};
use rank_protocol::RankProtocol;
use std::ffi::OsString;

/// Maximum wait of finished ranks for the last messages.
const MAX_LAST_MESSAGES_WAIT: Nanos = 10 * SECOND;
/// Time limit of MPI's own shutdown. MPICH over UCX hangs there, even in programs that only begin and end.
const MAX_SHUTDOWN_TIME: Nanos = 2 * SECOND;
/// The same limit for a machine without CPU time for the ranks.
const MAX_STARVED_TIME: Nanos = 30 * SECOND;
/// Delay before a rank other than the first reports a failed join. If the first rank failed too, the
/// launcher has ended this rank by then.
const FIRST_RANK_TIMEOUT_NS: Nanos = SECOND;
const SHORT_WAIT: Nanos = SECOND;
/// Time of the other ranks for their end before rank 0 lets the launcher end the job.
const FAREWELL_TIME_NS: Nanos = SECOND / 5;
/// Memory for the stack of the command's thread, bytes: as much as a main thread has.
const STACK: usize = 8 << 20;

/// Returns the launcher that started this process as one of several ranks; `None` = it is alone. `told`:
/// the user requests `--mpi`.
fn find_launcher(told: bool) -> Option<Launcher> {
    let found = Launcher::detect(|name| std::env::var(name).ok());
    if told {
        return Some(found.unwrap_or_else(Launcher::unknown_launcher));
    }
    found.filter(Launcher::started_several)
}

/// Waits so that rank 0 reports an error of the common command line first: the launcher ends this rank then.
/// A rank that alone has the wrong line reports it afterwards.
pub(super) fn let_first_report() {
    if find_launcher(false).is_some_and(|launcher| !launcher.is_first()) {
        clock::Clock::Monotonic.sleep_until(clock::monotonic() + FIRST_RANK_TIMEOUT_NS);
    }
}

/// Rejects features that several ranks do not support together.
///
/// # Errors
/// Fails if there are several ranks.
pub(super) fn refuse(what: &str) -> Result<(), CommandError> {
    match find_launcher(false) {
        Some(launcher) => {
            let_first_report();
            Err(CommandError::failed([format!(
                "{what} runs on one host, but {} started {} of it: start it without the launcher",
                launcher.name,
                launcher.size.map_or_else(|| "several".to_owned(), |size| size.to_string())
            )]))
        }
        None => Ok(()),
    }
}

/// Runs a command: on its own, or as one of several ranks.
///
/// # Errors
/// Fails if the ranks cannot be joined, or the command fails.
pub(super) fn in_job(
    arguments: &[OsString],
    about: JobCommand<'_>,
    command: impl FnOnce() -> Result<Exit, CommandError> + Send,
) -> Result<Exit, CommandError> {
    let Some(launcher) = find_launcher(about.mpi.is_some()) else { return command() };
    process::outlive_others();
    let joined = joining::watch(&launcher);
    let mut mpi = ranks::join(&launcher, about.mpi.flatten()).map_err(|why| {
        // Mostly every rank meets the same, and one says it. One that is alone with it says it, too: the
        // others would wait for it without a word.
        if !launcher.is_first() {
            clock::Clock::Monotonic.sleep_until(clock::monotonic() + FIRST_RANK_TIMEOUT_NS);
        }
        CommandError::failed([why.to_string()])
    })?;
    drop(joined);
    let (exit, complete) = {
        let link = RankLink::new(&mut mpi, WaitLimits::default());
        let mut rank = RankProtocol::new(link, arguments::common(arguments), about.quiet)?;
        // Other ranks hear from this thread while the workers work.
        let _precedence = real_time::take_precedence();
        let (exit, in_order) = take_part(&mut rank, launcher.is_first(), command);
        (exit, in_order && rank.is_complete())
    };
    leave_world(mpi, exit, complete, launcher.is_first());
    Ok(exit)
}

/// Takes part in a job from start to end. Returns whether it ended in order.
fn take_part(
    course: &mut RankProtocol,
    leads: bool,
    command: impl FnOnce() -> Result<Exit, CommandError> + Send,
) -> (Exit, bool) {
    let ended = match course.meet_ranks() {
        Ok(Some(exit)) => Ok(exit),
        Ok(None) if !leads => course.serve(None),
        Ok(None) => {
            passed_terminal().into_iter().for_each(pass_to);
            let wishes = job::start_leading(course.hosts());
            std::thread::scope(|scope| {
                let work = move || job::end(finished(command).code());
                let thread = std::thread::Builder::new().name("command".into()).stack_size(STACK);
                match thread.spawn_scoped(scope, work) {
                    Ok(_) => {}
                    Err(why) => job::end(CommandError::failed([why.to_string()]).report().code()),
                }
                course.serve(Some(&wishes))
            })
        }
        Err(ended) => Err(ended),
    };
    match ended {
        Ok(exit) => (exit, true),
        Err(ended) => {
            print_line(Finding::error(format!("rank {}: {ended}", course.rank())));
            (Exit::RunFailed, false)
        }
    }
}

/// Returns the terminal to which the launcher passes this rank's display.
fn passed_terminal() -> Option<PassedTerminal> {
    if let Ok(size) = std::env::var(launcher::RELAYED_SCREEN) {
        let (columns, rows) = size.split_once('x')?;
        return Some(PassedTerminal::Elsewhere(columns.parse().ok()?, rows.parse().ok()?));
    }
    launched::terminal(launcher::PROCESSES, launcher::CHANGES_LINES).map(PassedTerminal::Here)
}

/// Runs rank 0's command, and prints its messages.
fn finished(command: impl FnOnce() -> Result<Exit, CommandError>) -> Exit {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(command));
    report_error(done.unwrap_or_else(|_| Err(CommandError::failed([DEFECT]))))
}

/// Runs the command on rank 0 only.
pub(super) fn first_alone(
    command: impl FnOnce() -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    let is_other = find_launcher(false).is_some_and(|launcher| !launcher.is_first());
    if is_other { Ok(Exit::Success) } else { command() }
}

/// Sleeps for a time in which this thread gets CPU time when it needs it, or for `most` in all.
fn sleep_with_cpu_time(time: Nanos, most: Nanos) {
    const STEP: Nanos = SECOND / 10;
    let (until, mut slept) = (clock::monotonic() + most, 0);
    while slept < time && clock::monotonic() < until {
        let began = clock::monotonic();
        clock::Clock::Monotonic.sleep_until(began + STEP);
        if clock::monotonic() - began < STEP / 10 * 11 {
            slept += STEP;
        }
    }
}

/// Leaves the world: in order if all ranks are present, otherwise at once, because an orderly exit would wait
/// for the missing ranks.
fn leave_world(mut mpi: JobGroup, exit: Exit, complete: bool, leads: bool) {
    let until = clock::monotonic() + if complete { MAX_LAST_MESSAGES_WAIT } else { SHORT_WAIT };
    mpi.flush(|| clock::monotonic() < until);
    let tells = leads && complete;
    let watch = std::thread::Builder::new().name("leaving".into()).spawn(move || {
        let began = clock::monotonic();
        sleep_with_cpu_time(MAX_SHUTDOWN_TIME, MAX_STARVED_TIME);
        if tells {
            let seconds = (clock::monotonic() - began) / SECOND;
            print_line(Finding::note(format!(
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
            // Launchers may lose what they have not read by then.
            standard_error::wait_until_read(SHORT_WAIT);
            // The others remove their records, which rank 0 has.
            clock::Clock::Monotonic.sleep_until(clock::monotonic() + FAREWELL_TIME_NS);
            mpi.abort(exit.code());
        }
        process::end(exit.code());
    }
    if let Err(why) = mpi.finalize() {
        print_line(format_args!("leaving MPI: {why}"));
    }
}
