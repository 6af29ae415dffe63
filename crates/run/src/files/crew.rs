//! Concurrent writing of one file by several threads, with progress reports from the starting thread.

use diskspd_sys::failed_call::FailedCall;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

const PROGRESS: Duration = Duration::from_millis(100);

/// Does the same work in several threads with this name, and reports progress until all have ended. The
/// first error counts and sets `failed`, so that the other threads end.
pub(super) fn work<E: From<io::Error> + Send>(
    name: &str,
    threads: u64,
    failed: &AtomicBool,
    work: impl Fn() -> Result<(), E> + Sync,
    mut report: impl FnMut(),
) -> Result<(), E> {
    let work = &work;
    std::thread::scope(|scope| {
        let (ended, ends) = mpsc::channel();
        for started in 0..threads {
            let ended = ended.clone();
            let work = move || {
                let result = work();
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                let _ = ended.send(result);
            };
            match std::thread::Builder::new().name(name.into()).spawn_scoped(scope, work) {
                Ok(_) => {}
                // Those that there are do it all, in more time.
                Err(_) if started > 0 => break,
                Err(error) => {
                    let failed = FailedCall::starting_thread("to write files", &error);
                    return Err(io::Error::other(format!("{failed}; {}", failed.remedy())).into());
                }
            }
        }
        drop(ended);
        let mut first = Ok(());
        loop {
            match ends.recv_timeout(PROGRESS) {
                Ok(result) => first = first.and(result),
                Err(RecvTimeoutError::Timeout) => report(),
                Err(RecvTimeoutError::Disconnected) => return first,
            }
        }
    })
}
