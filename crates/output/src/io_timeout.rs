//! Work on files that are not targets, by a thread that can be abandoned. The server or disk of a report
//! may hang, and the kernel then blocks the calling thread.

use crate::guard;
use crate::stop_signal::StopSignal;
use diskspd_base::finding::Finding;
use diskspd_base::platform::SYSTEM_LOG;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::cpu;
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_sys::process;
use diskspd_sys::standard_error::print_line;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Time limit for I/Os after the end of a time span, and for files of reports: longer than the 30 s after
/// which the kernel's drivers give up on a command.
pub const GRACE_TIME: Nanos = 35 * SECOND;
/// Returns [`GRACE_TIME`], or a sixth more than `--give-up`, so that the guard, which knows the call, acts
/// first.
pub fn grace() -> Nanos {
    guard::given_time().map_or(GRACE_TIME, |given| given.saturating_add(given / 6))
}

pub const SILENCE: Nanos = 2 * SECOND;

/// Step of the waiting time. A step's extra time does not count, because CPU contention delays the work as
/// well.
const TICK: Duration = Duration::from_millis(50);

/// Time limit for files that are not targets: the limit for targets, or less when the user wants the run
/// to end.
#[derive(Debug, Clone, Default)]
pub struct HangGuard {
    /// Request of the user to end; `None` = a signal ends the program.
    wish: Option<Arc<dyn StopSignal>>,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "its storage is not responding: gave up after {waited_s:.0} s; see {SYSTEM_LOG}, and check the server \
     or device"
)]
pub struct TimeoutError {
    pub waited_s: f64,
}

impl From<TimeoutError> for std::io::Error {
    fn from(unanswered: TimeoutError) -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::TimedOut, unanswered.to_string())
    }
}

impl HangGuard {
    pub fn of_run<W: StopSignal + 'static>(control: &Arc<W>) -> HangGuard {
        HangGuard { wish: Some(Arc::<W>::clone(control)) }
    }

    fn time_limit(&self) -> Duration {
        Duration::from_nanos(self.wish.as_ref().map_or_else(grace, |wish| wish.patience_ns()))
    }

    /// Does some work in a separate thread. `what` names the file, as in `--out run.json`.
    ///
    /// # Errors
    /// Fails if the work does not return in time; its thread is abandoned.
    pub fn attempt<T: Send + 'static>(
        &self,
        what: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TimeoutError> {
        let (tell, told) = channel();
        let thread = Arc::new(AtomicI32::new(0));
        let number = Arc::clone(&thread);
        let work = Arc::new(Mutex::new(Some(move || {
            number.store(cpu::thread_number(), Ordering::Relaxed);
            drop(tell.send(work()));
        })));
        let taken = Arc::clone(&work);
        let take = move || taken.lock_anyway().take();
        let spawned = std::thread::Builder::new().name("file".into()).spawn(move || {
            let _waited_for = guard::is_waited_for();
            if let Some(work) = take() {
                work();
            }
        });
        // Without a thread it is done here: hardly any storage hangs.
        if spawned.is_err()
            && let Some(work) = work.lock_anyway().take()
        {
            work();
        }
        // As long as it has no number it has had no CPU.
        let number = || thread.load(Ordering::Relaxed);
        self.wait(what, &told, || WorkState::read_state(number()))
    }

    /// `state` returns the state of the work. A lack of CPU time counts only after the user wants the
    /// command to end.
    fn wait<T>(
        &self,
        what: &str,
        told: &Receiver<T>,
        state: impl Fn() -> WorkState,
    ) -> Result<T, TimeoutError> {
        let (mut waited, mut starved) = (Duration::ZERO, Duration::ZERO);
        let mut limit = self.time_limit();
        let mut is_said = false;
        loop {
            match told.recv_timeout(TICK) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Timeout) if waited < limit => {
                    limit = self.time_limit();
                    let patient = limit.as_nanos() >= u128::from(grace());
                    match state() {
                        WorkState::Ready => {
                            starved += TICK;
                            waited += if patient { Duration::ZERO } else { TICK };
                        }
                        WorkState::Blocked => waited += TICK,
                        // The time of the call counts, which begins again when its device completes an I/O.
                        WorkState::InCall(call) if patient => {
                            limit = Duration::from_nanos(call.limit);
                            waited = Duration::from_nanos(call.hung);
                        }
                        WorkState::InCall(_) => waited += TICK,
                    }
                }
                Err(_) => {
                    process::abandon_thread();
                    return Err(TimeoutError { waited_s: waited.as_secs_f64() });
                }
            }
            if waited.max(starved) >= Duration::from_nanos(SILENCE) && !is_said {
                is_said = true;
                print_line(Finding::note(format!("{what}: {}; waiting", wait_reason(waited, starved))));
            }
        }
    }
}

#[derive(Debug)]
enum WorkState {
    /// Running, or waiting for a CPU.
    Ready,
    /// Waiting, but not in a call that the guard checks.
    Blocked,
    InCall(guard::WaitState),
}

impl WorkState {
    /// Returns the state of a thread. A thread without a number has not had a CPU yet.
    fn read_state(thread: i32) -> WorkState {
        if thread == 0 || cpu::is_ready(thread) {
            return WorkState::Ready;
        }
        guard::waiting(thread).map_or(WorkState::Blocked, WorkState::InCall)
    }
}

/// Returns the reason for the delay from the waits for storage and for a CPU.
fn wait_reason(waited: Duration, starved: Duration) -> &'static str {
    match starved {
        Duration::ZERO => "its storage is not responding yet",
        _ if starved >= waited => {
            "not done yet for want of CPU time: other programs or a CPU quota have it, not the storage"
        }
        _ => "not done yet; the cause is undetermined: slow storage or a lack of CPU time",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unanswered_call_is_abandoned_on_interrupt() {
        let patience = HangGuard::default();
        assert_eq!(patience.attempt("a file", || 7), Ok(7));
        assert_eq!(patience.time_limit(), Duration::from_nanos(GRACE_TIME), "as long as targets have");

        #[derive(Debug)]
        struct ShortWait;
        impl StopSignal for ShortWait {
            fn patience_ns(&self) -> Nanos {
                SECOND / 10
            }
        }
        let patience = HangGuard::of_run(&Arc::new(ShortWait));
        let hangs = patience.attempt("a file", || std::thread::sleep(Duration::from_secs(600)));
        let unanswered = hangs.unwrap_err();
        assert!(unanswered.to_string().contains("is not responding: gave up after 0 s"), "{unanswered}");
        assert!(process::has_left_behind());
    }

    #[test]
    fn lack_of_cpu_time_is_not_blamed_on_storage() {
        let (ms, told) = (Duration::from_millis, |waited, starved| wait_reason(waited, starved));
        assert!(told(ms(2000), ms(0)).contains("storage is not responding"));
        assert!(told(ms(0), ms(2000)).contains("for want of CPU time"));
        assert!(told(ms(2000), ms(50)).contains("is undetermined"));
        // Looked at once a tick, until it is done.
        #[derive(Debug)]
        struct LongWait;
        impl StopSignal for LongWait {
            fn patience_ns(&self) -> Nanos {
                GRACE_TIME
            }
        }
        let (tell, receiver) = channel();
        let looks = std::cell::Cell::new(0);
        let ready = || {
            looks.set(looks.get() + 1);
            if looks.get() == 3 {
                tell.send(7).unwrap();
            }
            WorkState::Ready
        };
        assert_eq!(HangGuard::of_run(&Arc::new(LongWait)).wait("a file", &receiver, ready), Ok(7));
        assert_eq!(looks.get(), 3);
    }
}
