//! The wait for MPI to begin, which needs all ranks.

use crate::cli::Exit;
use crate::clock::{self, Nanos, SECOND};
use crate::finding::Finding;
use crate::host::launched::running;
use crate::host::root::Root;
use crate::ranks::launcher::Launcher;
use crate::sys::process;
use crate::sys::standard_error::say;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long all ranks may take until MPI has begun. It waits for ever for one that has ended before.
const LONGEST: Nanos = 120 * SECOND;
/// Time until a message names the awaited event.
const SILENT: Nanos = 10 * SECOND;
const LOOK: Duration = Duration::from_secs(1);
/// Number of equal observations that count, because a launcher starts processes sequentially.
const SURE: u32 = 5;

/// Ends this process if MPI has not begun in time, or can't begin any more, until the returned value is
/// dropped.
pub(super) fn watch(launcher: &Launcher) -> Sender<()> {
    let (joined, wait) = channel::<()>();
    let (tells, group) = (launcher.is_first(), launcher.here);
    let (begun, root) = (clock::monotonic(), Root::live());
    let watch = std::thread::Builder::new().name("joining".into()).spawn(move || {
        let (mut told, mut fewer) = (false, 0);
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(LOOK) {
            let waited = clock::monotonic() - begun;
            let alive = group.and_then(|group| Some((running(&root, group.parents)?, group.size)));
            let too_few = alive.filter(|(alive, size)| alive < size);
            fewer = if too_few.is_some() { fewer + 1 } else { 0 };
            if let Some((alive, size)) = too_few.filter(|_| fewer >= SURE) {
                fail(format!(
                    "MPI cannot start: only {alive} of the {size} processes that the launcher started on \
                     this host are running; start only diskspd, as every rank"
                ));
            }
            if waited >= LONGEST {
                if tells {
                    fail(format!(
                        "MPI did not start within {} s: a rank ended early, is another program, was never \
                         started, or is unreachable",
                        LONGEST / SECOND
                    ));
                }
                process::end(Exit::RunFailed.code());
            }
            if tells && !told && waited >= SILENT {
                told = true;
                say(format_args!(
                    "waiting for all ranks to start MPI, for up to {} s: every rank must be diskspd",
                    LONGEST / SECOND
                ));
            }
        }
    });
    drop(watch);
    joined
}

fn fail(why: String) -> ! {
    say(Finding::error(why));
    process::end(Exit::RunFailed.code())
}
