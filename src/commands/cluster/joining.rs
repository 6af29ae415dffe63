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

/// How long all ranks may take until MPI has begun. It waits for ever for one that has ended before.
const MAX_JOIN_TIME: Nanos = 120 * SECOND;
/// Time until a message names the awaited event.
const MESSAGE_DELAY: Nanos = 10 * SECOND;
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of equal observations that count, because a launcher starts processes sequentially.
const MIN_EQUAL_OBSERVATIONS: u32 = 5;

/// Ends this process if MPI has not begun in time, or can't begin any more, until the returned value is
/// dropped.
pub(super) fn watch(launcher: &Launcher) -> Sender<()> {
    let (joined, wait) = channel::<()>();
    let (tells, group) = (launcher.is_first(), launcher.here);
    let (begun, root) = (clock::monotonic(), Root::live_system());
    let watch = std::thread::Builder::new().name("joining".into()).spawn(move || {
        let (mut told, mut fewer) = (false, 0);
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(POLL_INTERVAL) {
            let waited = clock::monotonic() - begun;
            let alive = group.and_then(|group| Some((running(&root, group.parents)?, group.size)));
            let too_few = alive.filter(|(alive, size)| alive < size);
            fewer = if too_few.is_some() { fewer + 1 } else { 0 };
            if let Some((alive, size)) = too_few.filter(|_| fewer >= MIN_EQUAL_OBSERVATIONS) {
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
