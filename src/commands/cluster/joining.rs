//! The wait for MPI to begin, which needs all ranks.

use crate::cli::Exit;
use crate::clock::{self, Nanos, SECOND};
use crate::finding::Finding;
use crate::host::launched::running;
use crate::host::root::Root;
use crate::ranks::launcher::Launcher;
use crate::sys::process;
use crate::sys::standard_error::print_line;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Time limit for MPI to begin on all ranks. MPI would wait forever for a rank that has ended before.
const MAX_JOIN_TIME: Nanos = 120 * SECOND;
/// Delay of the message that names the awaited event.
const MESSAGE_DELAY: Nanos = 10 * SECOND;
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// A longer interval between two observations indicates a lack of CPU time.
const MAX_POLL_TIME: Nanos = SECOND / 10 * 11;
/// Required number of equal observations, because a launcher starts processes sequentially.
const MIN_EQUAL_OBSERVATIONS: u32 = 5;

/// Consecutive equal numbers of processes under a launcher.
#[derive(Default)]
struct EqualObservations {
    running: usize,
    count: u32,
}

impl EqualObservations {
    /// Returns the number of processes if it will not grow any more; `None` = unknown, or there may be more.
    fn observe(&mut self, running: Option<usize>, size: usize) -> Option<usize> {
        self.count = match running.filter(|running| *running < size) {
            Some(running) if running == self.running => self.count + 1,
            Some(_) => 1,
            None => 0,
        };
        self.running = running.unwrap_or(0);
        (self.count >= MIN_EQUAL_OBSERVATIONS).then_some(self.running)
    }
}

/// Ends this process if MPI does not begin in time, or cannot begin any more, until the returned value is
/// dropped.
pub(super) fn watch(launcher: &Launcher) -> Sender<()> {
    let (joined, wait) = channel::<()>();
    let (tells, group) = (launcher.is_first(), launcher.here);
    let (begun, root) = (clock::monotonic(), Root::live_system());
    let watch = std::thread::Builder::new().name("joining".into()).spawn(move || {
        let (mut told, mut observed, mut last) = (false, EqualObservations::default(), begun);
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(POLL_INTERVAL) {
            let waited = clock::monotonic() - begun;
            // Without CPU time for this thread the launcher may have none, either.
            let is_starved = clock::monotonic() - last > MAX_POLL_TIME;
            let too_few = group.and_then(|group| {
                let seen = running(&root, group.parents).filter(|_| !is_starved);
                Some((observed.observe(seen, group.size)?, group.size))
            });
            last = clock::monotonic();
            if let Some((alive, size)) = too_few {
                fail(format!(
                    "MPI cannot start: only {alive} of the {size} processes that the launcher started on \
                     this host are running; start only diskspd, as every rank"
                ));
            }
            if waited >= MAX_JOIN_TIME {
                if tells {
                    fail(format!(
                        "MPI did not start within {} s: a rank ended early, is another program, was never \
                         started, or is unreachable",
                        MAX_JOIN_TIME / SECOND
                    ));
                }
                process::end(Exit::RunFailed.code());
            }
            if tells && !told && waited >= MESSAGE_DELAY {
                told = true;
                print_line(format_args!(
                    "waiting for all ranks to start MPI, for up to {} s: every rank must be diskspd",
                    MAX_JOIN_TIME / SECOND
                ));
            }
        }
    });
    drop(watch);
    joined
}

fn fail(why: String) -> ! {
    print_line(Finding::error(why));
    process::end(Exit::RunFailed.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_launcher_is_waited_for() {
        let mut observed = EqualObservations::default();
        for running in [1, 2, 3] {
            for _ in 1..MIN_EQUAL_OBSERVATIONS {
                assert_eq!(observed.observe(Some(running), 4), None);
            }
        }
        assert_eq!(observed.observe(None, 4), None, "no CPU time");
        for _ in 1..MIN_EQUAL_OBSERVATIONS {
            assert_eq!(observed.observe(Some(3), 4), None);
        }
        assert_eq!(observed.observe(Some(3), 4), Some(3));
        assert_eq!(observed.observe(Some(4), 4), None);
    }
}
