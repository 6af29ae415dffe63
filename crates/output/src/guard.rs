//! The guard of all calls on storage. Its thread checks the calls of this process, names the file of a call
//! that hangs, and ends the command when the time for that is over. It also ends the command by a signal.
//!
//! A call hangs if it has not returned for a while and the counters of its devices have not changed in that
//! time. So a long `fsync` or discard is slow, and does not hang. Without counters, only the time counts.

use crate::stop_signal::{INTERRUPTED, StopSignal};
use diskspd_base::finding::Finding;
use diskspd_host::blocked_calls::{BlockedCall, CallLocation, Progress, WaitCause, blocked_calls};
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_sys::parent_process::Parent;
use diskspd_sys::signals::FinalSignals;
use diskspd_sys::standard_error::print_line;
use diskspd_sys::{cpu, process};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, Weak};
use std::time::Duration;

/// The file of a call is named after this time, or a third of `--give-up` if that is less.
const NAMED_AFTER: Nanos = 10 * SECOND;
/// Default limit of a call.
const GIVE_UP: Nanos = 30 * SECOND;
/// Default limit of a call that writes data back.
const GIVE_UP_WRITING: Nanos = 120 * SECOND;
/// Maximum interval of checks.
const MAX_STEP_NS: Nanos = SECOND / 2;
/// Interval of checks of the parent process.
const PARENT_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Minimum number of checks before a file is named.
const MIN_CHECKS: u64 = 20;
/// Stack size of the guard's thread in bytes.
const STACK: usize = 256 << 10;
const FAILED: u8 = 1;

/// `--give-up` in nanoseconds; 0 without it. It is separate because a wish reads it while `GUARD` is locked.
static GIVE_UP_NS: AtomicU64 = AtomicU64::new(0);

static GUARD: LazyLock<Mutex<Guard>> = LazyLock::new(Mutex::default);

type EndDecision = Box<dyn Fn(&HangError) + Send>;

/// Call that did not return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HangError {
    pub message: String,
    pub remedy: &'static str,
}

#[derive(Default)]
struct Guard {
    /// Threads whose calls do not end the command.
    threads: HashMap<i32, CallKind>,
    run: Option<(u64, EndDecision)>,
    /// Request of the user to end the command.
    wish: Option<Weak<dyn StopSignal>>,
    calls: HashMap<i32, WatchedCall>,
    /// Reported calls with their files that have not returned.
    named: HashSet<(&'static str, CallLocation)>,
}

/// Treatment of calls that do not end the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallKind {
    /// The guard reports files; another thread waits and decides.
    WaitedFor,
    /// The guard ignores the calls, because their duration is measured.
    Measured,
}

/// Call that had not returned at the last check.
#[derive(Debug)]
struct WatchedCall {
    call: BlockedCall,
    /// Time of the first observation in s since 1970.
    since: i64,
    /// Time since the first observation.
    blocked: Nanos,
    /// Time in which the call did not return, and its devices did not complete any I/O.
    hung: Nanos,
    progress: Option<Progress>,
    is_given_up: bool,
    /// Whether the last look missed it. A thread that waits for a lease wakes up at each tick of the kernel's
    /// clock.
    is_missed: bool,
}

/// Guard against the end of the command by calls of the calling thread.
#[derive(Debug)]
pub struct ExemptScope(i32);

/// Guard with which a run ends itself.
#[derive(Debug)]
pub struct GuardHold(u64);

/// Starts the guard, once per process; `give_up` replaces the default limits.
pub fn watch(give_up: Option<Duration>) {
    let give_up = give_up.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    GIVE_UP_NS.store(give_up, Ordering::Relaxed);
    let step = Duration::from_nanos(MAX_STEP_NS.min(named_after() / MIN_CHECKS));
    let watch = move || {
        let (mut parent, signals) = (Parent::of_this_process(), FinalSignals::listen());
        let mut last = clock::monotonic();
        loop {
            let end = last.saturating_add(u64::try_from(step.as_nanos()).unwrap_or(u64::MAX));
            while let Some(parent) = parent.as_mut().filter(|_| clock::monotonic() < end) {
                signals.wait(PARENT_CHECK_INTERVAL.min(step));
                parent.follow();
            }
            if parent.is_none() {
                signals.wait(step);
            }
            let now = clock::monotonic();
            // A longer time means that the program was stopped or had no CPU.
            check_guard(now.saturating_sub(last).min(2 * MAX_STEP_NS));
            last = now;
        }
    };
    let thread = std::thread::Builder::new().name("guard".into()).stack_size(STACK);
    // Without a thread every command works as before; only storage that hangs is waited for.
    let _ = thread.spawn(watch);
}

/// Marks the calling thread as one that another thread waits for and can abandon.
pub fn is_waited_for() -> ExemptScope {
    ExemptScope::begin_exemption(CallKind::WaitedFor)
}

/// Marks the calling thread as one whose I/O durations are results.
pub fn is_measured() -> ExemptScope {
    ExemptScope::begin_exemption(CallKind::Measured)
}

/// Lets `decide` end the run at the limit.
pub fn run_decides(decide: impl Fn(&HangError) + Send + 'static) -> GuardHold {
    let mut guard = GUARD.lock_anyway();
    let number = clock::monotonic();
    guard.run = Some((number, Box::new(decide)));
    GuardHold(number)
}

/// Shortens the limits when the user requests the end of the command.
pub fn follow_signals(wish: Weak<dyn StopSignal>) {
    GUARD.lock_anyway().wish = Some(wish);
}

/// Returns `--give-up` in ns; `None` = not given.
pub fn given_time() -> Option<Nanos> {
    Some(GIVE_UP_NS.load(Ordering::Relaxed)).filter(|given| *given > 0)
}

/// Returns the limit in ns for calls that do not write data back.
pub fn patience() -> Nanos {
    given_time().unwrap_or(GIVE_UP)
}

/// Returns the time in ns after which a file is reported.
pub fn named_after() -> Nanos {
    given_time().map_or(NAMED_AFTER, |time| NAMED_AFTER.min(time / 3))
}

/// Returns the limit of a call.
fn call_limit(call: &BlockedCall) -> Nanos {
    given_time().unwrap_or(if call.writes_back { GIVE_UP_WRITING } else { GIVE_UP })
}

/// Returns the maximum seconds for the end of the process, which closes its files.
pub fn patience_at_end_s() -> u16 {
    u16::try_from(given_time().unwrap_or(GIVE_UP_WRITING).div_ceil(SECOND)).unwrap_or(u16::MAX)
}

/// Whether other threads of this process wait for storage.
pub fn is_waiting() -> bool {
    let own = cpu::thread_number();
    !blocked_calls(|thread| thread == own).is_empty()
}

/// Formats seconds since 1970 as `12:04:59 UTC`.
pub fn time_of_day(seconds: i64) -> String {
    let of_day = seconds.rem_euclid(86_400);
    format!("{:02}:{:02}:{:02} UTC", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

#[derive(Debug, Clone, PartialEq)]
pub struct WaitState {
    /// Time without return and without progress.
    pub hung: Nanos,
    pub limit: Nanos,
}

/// Returns the state of a thread; `None` = it does not wait, or there is no guard.
pub fn waiting(thread: i32) -> Option<WaitState> {
    let guard = GUARD.lock_anyway();
    let watched = guard.calls.get(&thread)?;
    Some(WaitState { hung: watched.hung, limit: call_limit(&watched.call) })
}

/// A call that waits for another process, and the awaited event; `None` without one.
pub fn awaited_process() -> Option<String> {
    let guard = GUARD.lock_anyway();
    let describe = |watched: &WatchedCall| Some((watched.describe_call(), watched.call.awaited()?));
    let (call, awaited) = guard.calls.values().filter(|watched| watched.hung > 0).find_map(describe)?;
    Some(format!("{call}: {awaited}"))
}

enum GuardMessage {
    Named(Finding),
    GivenUp(HangError),
}

fn check_guard(passed: Nanos) {
    let words = GUARD.lock_anyway().check_calls(passed);
    for word in words {
        match word {
            GuardMessage::Named(finding) => print_line(finding),
            GuardMessage::GivenUp(error) => abandon(&error),
        }
    }
}

fn abandon(error: &HangError) {
    if let Some((_, decide)) = &GUARD.lock_anyway().run {
        return decide(error);
    }
    print_line(Finding::error(&error.message).remedy(error.remedy));
    process::end(FAILED)
}

/// Returns the remedy for a call that never returns. A program that is running may take its time, if the user
/// has neither set a limit nor wants the command to end.
fn remedy_of(waits_for: WaitCause, is_limited: bool) -> Option<&'static str> {
    match waits_for {
        WaitCause::Storage => Some(REMEDY),
        WaitCause::PipeReader => {
            Some("start the program that reads this pipe, or wait longer (--give-up 5m)")
        }
        WaitCause::PipeWriter => {
            Some("start the program that writes to this pipe, or wait longer (--give-up 5m)")
        }
        WaitCause::PipeUse if is_limited => Some("let the other program read this pipe to its end"),
        WaitCause::Lease | WaitCause::PipeUse => None,
    }
}

/// Remedy for storage that hangs.
pub const REMEDY: &str = match cfg!(windows) {
    true => "check the server or device (Event Viewer: System), or wait longer (--give-up 5m)",
    false => "check the server or device (dmesg), or wait longer (--give-up 5m)",
};

impl Guard {
    /// Time that a call may hang if the user wants the command to end. A run has separate times.
    fn hurried_limit(&self) -> Option<Nanos> {
        let wish = self.wish.as_ref().and_then(Weak::upgrade).filter(|_| self.run.is_none());
        wish.map(|wish| wish.patience_ns()).filter(|patience| *patience <= INTERRUPTED)
    }

    fn check_calls(&mut self, passed: Nanos) -> Vec<GuardMessage> {
        let threads = &self.threads;
        let now = blocked_calls(|thread| threads.get(&thread) == Some(&CallKind::Measured));
        let mut before = std::mem::take(&mut self.calls);
        let mut words = Vec::new();
        for call in now {
            let watched = match before.remove(&call.thread) {
                Some(mut earlier) if earlier.goes_on_in(&call) => {
                    earlier.wait(passed);
                    words.extend(self.judge_call(&mut earlier));
                    earlier
                }
                _ => WatchedCall::new(call),
            };
            self.calls.insert(watched.call.thread, watched);
        }
        for (thread, earlier) in before {
            if earlier.call.waits_for == WaitCause::Lease && !earlier.is_missed {
                self.calls.insert(thread, WatchedCall { is_missed: true, ..earlier });
            }
        }
        let calls = &self.calls;
        self.named.retain(|named| calls.values().any(|watched| watched.name() == *named));
        words
    }

    fn judge_call(&mut self, watched: &mut WatchedCall) -> Option<GuardMessage> {
        let hurried = self.hurried_limit();
        let limit = call_limit(&watched.call).min(hurried.unwrap_or(u64::MAX));
        let waited_for = self.threads.contains_key(&watched.call.thread);
        let (what, since) = (watched.describe_call(), time_of_day(watched.since));
        let awaited = watched.call.awaited();
        let remedy = remedy_of(watched.call.waits_for, hurried.or_else(given_time).is_some());
        if let Some(remedy) = remedy.filter(|_| watched.hung >= limit && !waited_for && !watched.is_given_up)
        {
            watched.is_given_up = true;
            let cause = awaited.unwrap_or("not responding".into());
            let waited = format_seconds(watched.hung);
            let message = format!("cannot complete {what}: {cause} since {since}, gave up after {waited}");
            return Some(GuardMessage::GivenUp(HangError { message, remedy }));
        }
        // The waiting thread reports a missing end or a lease, and knows nothing of an unread pipe.
        let is_reported = waited_for && awaited.is_some() && watched.call.waits_for != WaitCause::PipeUse;
        if watched.hung < named_after() || is_reported || !self.named.insert(watched.name()) {
            return None;
        }
        let cause = awaited.map_or_else(String::new, |awaited| format!(": {awaited}"));
        let waiting = format!("waiting for {what}, called at {since}{cause}");
        Some(GuardMessage::Named(match remedy {
            None => Finding::note(waiting),
            Some(_) if waited_for => Finding::warning(waiting),
            Some(_) => {
                Finding::warning(format!("{waiting}; giving up after {} (--give-up)", format_seconds(limit)))
            }
        }))
    }
}

fn format_seconds(time: Nanos) -> String {
    let seconds = time as f64 / SECOND as f64;
    if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

impl WatchedCall {
    fn new(call: BlockedCall) -> WatchedCall {
        let (since, progress) = (clock::wall_seconds(), call.progress());
        WatchedCall { call, since, blocked: 0, hung: 0, progress, is_given_up: false, is_missed: false }
    }

    fn goes_on_in(&self, call: &BlockedCall) -> bool {
        call.is_the_same_as(&self.call, self.blocked / SECOND)
    }

    fn wait(&mut self, passed: Nanos) {
        let progress = self.call.progress();
        self.blocked += passed;
        self.hung = if progress == self.progress { self.hung + passed } else { 0 };
        self.progress = progress;
        self.is_missed = false;
    }

    fn name(&self) -> (&'static str, CallLocation) {
        (self.call.name, self.call.file.clone())
    }

    fn describe_call(&self) -> String {
        format!("{} of {}", self.call.name, self.call.file)
    }
}

impl ExemptScope {
    fn begin_exemption(care: CallKind) -> ExemptScope {
        let thread = cpu::thread_number();
        GUARD.lock_anyway().threads.insert(thread, care);
        ExemptScope(thread)
    }
}

impl Drop for ExemptScope {
    fn drop(&mut self) {
        GUARD.lock_anyway().threads.remove(&self.0);
    }
}

impl Drop for GuardHold {
    fn drop(&mut self) {
        let mut guard = GUARD.lock_anyway();
        if guard.run.as_ref().is_some_and(|(number, _)| *number == self.0) {
            guard.run = None;
        }
    }
}
