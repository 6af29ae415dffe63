//! Ctrl-C: the first one ends the run in order with a report of the measurements, the second one at once
//! with the same report, the third one kills. `SIGTERM` and a lost connection (`SIGHUP`) are equivalent.
//! On Windows this also applies to Ctrl-Break, the end of the session, and a closed console.

use super::events::{self, Event};
use super::services;
use diskspd_base::message_error::MessageError;
use diskspd_output::{StopSignal, guard};
use diskspd_results::EndedBy;
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::signals::{Close, Ending, TerminationSignals};
use diskspd_sys::standard_error::print_line;
use diskspd_sys::standard_output;
use diskspd_worker::Control;
use std::sync::{Arc, Weak};

/// Watches for signals until it is dropped.
#[derive(Debug)]
pub struct SignalWatch {
    close: Close,
}

fn failure(call: &FailedCall) -> MessageError {
    format!("{call}; {}", call.remedy()).into()
}

/// Starts watching for a run; a signal also sets the event of `-yp` for other processes. `document`:
/// standard output is for another program, so messages go to standard error.
///
/// # Errors
/// Fails if a handler cannot be installed, or its thread cannot be started.
pub fn watch(
    control: Arc<Control>,
    stop: Option<Arc<Event>>,
    document: bool,
) -> Result<SignalWatch, MessageError> {
    watch_and_tell(control, stop, move |text| match document {
        true => print_line(text),
        // On standard output, as DISKSPD does; a closed one is no reason to go on.
        false => standard_output::write(&format!("{text}\n")),
    })
}

/// Watches without messages, because another process of the run prints them.
pub fn watch_silently(control: Arc<Control>) -> Result<SignalWatch, MessageError> {
    watch_and_tell(control, None, |_| ())
}

fn watch_and_tell(
    control: Arc<Control>,
    stop: Option<Arc<Event>>,
    tell: impl Fn(&str) + Send + 'static,
) -> Result<SignalWatch, MessageError> {
    let wish: Weak<dyn StopSignal> = Arc::downgrade(&control) as _;
    guard::follow_signals(wish);
    // The thread is left behind at the end of the process: it doesn't keep the event open.
    let stop = stop.as_ref().map(Arc::downgrade);
    let no_handlers = |error| failure(&FailedCall::of_kernel("install the handlers of signals", &error));
    let mut endings = TerminationSignals::listen().map_err(no_handlers)?;
    let close = endings.close();
    // The thread begins with it: workers of a real-time priority may leave no time to others.
    let _precedence = services::take_precedence();
    let thread = std::thread::Builder::new().name("signals".into()).spawn(move || {
        let mut is_over_limit = false;
        // The kernel repeats this one every second, until the hard limit kills.
        let is_new =
            |ending: &Ending| *ending != Ending::CpuLimit || !std::mem::replace(&mut is_over_limit, true);
        for (count, ending) in endings.wait_forever().filter(is_new).enumerate() {
            let text = match count {
                0 => {
                    control.interrupt_by(match ending {
                        Ending::Terminate => EndedBy::Terminate,
                        Ending::Hangup => EndedBy::Hangup,
                        Ending::CpuLimit => EndedBy::CpuLimit,
                        Ending::Interrupt => EndedBy::Interrupt,
                    });
                    match ending {
                        Ending::CpuLimit => {
                            "\n*** The limit of CPU time (ulimit -t) is reached: the run ends here ***"
                        }
                        _ => "\n*** Interrupted: the run ends here ***",
                    }
                }
                // It came after the signal that ends the run already.
                _ if ending == Ending::CpuLimit => continue,
                1 => {
                    control.hurry();
                    "\n*** Interrupted again: the run ends at once ***"
                }
                _ => ending.end_program(),
            };
            if let Some(event) = stop.as_ref().and_then(Weak::upgrade) {
                events::set_or_complain(&event);
            }
            tell(text);
        }
    });
    thread.map_err(|error| failure(&FailedCall::starting_thread("for signals", &error)))?;
    Ok(SignalWatch { close })
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.close.close();
    }
}
