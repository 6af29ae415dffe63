//! Events between processes. Several runs start together, scripts follow the measurement, and any process
//! can stop a run. [`diskspd_sys::event`] defines events.

use diskspd_base::finding::Finding;
use diskspd_results::EndedBy;
use diskspd_sys::event::WaitCancel;
pub use diskspd_sys::event::{Event, EventError};
use diskspd_sys::real_time;
use diskspd_sys::standard_error::print_line;
use diskspd_worker::{Control, RunReporter};
use std::io;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval at which a wait checks for cancellation: the maximum delay of Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const NO_TIMEOUT: Duration = Duration::from_secs(1 << 32);

/// Events of each time span of a run.
#[derive(Debug, Clone, Default)]
pub struct Events {
    /// `-ys`: set after the warm-up, right before the start stamp.
    pub start: Option<Arc<Event>>,
    /// `-yf`: set right after the measurement, complete or not, before the cool-down.
    pub finish: Option<Arc<Event>>,
    /// `-yr`: awaited when all workers are ready, before the start signal.
    pub wait: Option<Arc<Event>>,
}

pub fn open(name: &[u8]) -> Result<Arc<Event>, EventError> {
    Event::open(name).map(Arc::new)
}

/// Opens an event that another process has open.
///
/// # Errors
/// Fails if it does not exist, or cannot be used.
pub fn open_existing(name: &[u8]) -> Result<Event, EventError> {
    Event::open_existing(name)
}

/// Waits for an event without a time limit.
pub fn wait(event: &Event) -> Result<(), EventError> {
    while !event.wait(Duration::from_secs(3600))? {}
    Ok(())
}

impl Events {
    /// Waits for the event of `-yr`, if there is one. False = the run failed or was interrupted before.
    pub(super) fn may_start(&self, control: &Control, voice: &RunReporter) -> bool {
        let Some(event) = &self.wait else { return !control.is_interrupted() };
        voice.verbose(|| "waiting for the event of -yr".into());
        loop {
            if control.is_interrupted() || control.has_failed() {
                return false;
            }
            match event.wait(POLL_INTERVAL) {
                Ok(true) => return true,
                Ok(false) => {}
                Err(error) => control.fail(format!("-yr: {error}")),
            }
        }
    }

    pub(super) fn measurement_begins(&self, control: &Control) {
        set("-ys", &self.start, control);
    }

    pub(super) fn measurement_ended(&self, control: &Control) {
        set("-yf", &self.finish, control);
    }
}

fn set(option: &str, event: &Option<Arc<Event>>, control: &Control) {
    if let Some(Err(error)) = event.as_ref().map(|event| event.set()) {
        control.fail(format!("{option}: {error}"));
    }
}

pub(super) fn set_or_complain(event: &Event) {
    if let Err(error) = event.set() {
        print_line(Finding::warning(format!("-yp: {error}")));
    }
}

/// Watches an event, and keeps it open, until dropped. Threads that the process leaves behind at its end do
/// not keep it open, so its file is removed in time.
#[derive(Debug)]
pub struct StopWatch {
    _event: Arc<Event>,
    ended: Arc<WaitCancel>,
    thread: Option<JoinHandle<()>>,
}

/// Interrupts the run when the event of `-yp` is set, or at once if it is already set.
pub fn stop_when_set(event: Arc<Event>, control: Arc<Control>) -> io::Result<StopWatch> {
    let ended = Arc::new(WaitCancel::new()?);
    let mut watch = StopWatch { _event: Arc::clone(&event), ended: Arc::clone(&ended), thread: None };
    // Now, so that a run that is not wanted doesn't even begin.
    if event.is_set().unwrap_or(false) {
        control.interrupt_by(EndedBy::StopEvent);
        return Ok(watch);
    }
    let control: Weak<Control> = Arc::downgrade(&control);
    // As the thread for signals.
    let _precedence = real_time::take_precedence();
    let thread = std::thread::Builder::new().name("stop event".into()).spawn(move || {
        let waited = event.wait_unless(NO_TIMEOUT, Some(&ended));
        let Some(control) = control.upgrade() else { return };
        match waited {
            Ok(false) => {}
            Ok(true) => control.interrupt_by(EndedBy::StopEvent),
            Err(error) => control.fail(format!("-yp: {error}")),
        }
    })?;
    watch.thread = Some(thread);
    Ok(watch)
}

impl Drop for StopWatch {
    fn drop(&mut self) {
        self.ended.call();
        // It has nothing left to wait for.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
