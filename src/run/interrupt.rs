//! Ctrl-C: the first one ends the run in order, with a report of what was measured; the second one ends it at once, with
//! the same report; the third one kills. The same goes for `SIGTERM`, and for a lost connection (`SIGHUP`).

use super::control::Control;
use super::events;
use crate::results::EndedBy;
use crate::sys::event::Event;
use crate::sys::process;
use crate::sys::standard_error::say;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;
use std::io::{self, Write};
use std::sync::Arc;

/// Watches for the signals until dropped.
#[derive(Debug)]
pub struct Watch {
    handle: Handle,
}

/// Starts watching on behalf of a run; a signal also sets the event of `-yp`, for others to stop by. `document`:
/// standard output is for another program to read, so that what is said goes to standard error.
///
/// # Errors
/// The handlers can't be installed.
pub fn watch(control: Arc<Control>, stop: Option<Arc<Event>>, document: bool) -> io::Result<Watch> {
    let mut watched = vec![SIGINT, SIGTERM];
    // Whoever starts a program with `nohup` wants it to stay.
    if !process::is_ignored(SIGHUP) {
        watched.push(SIGHUP);
    }
    let mut signals = Signals::new(&watched)?;
    let handle = signals.handle();
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for (count, signal) in signals.forever().enumerate() {
            let text = match count {
                0 => {
                    control.interrupt_by(match signal {
                        SIGTERM => EndedBy::Terminate,
                        SIGHUP => EndedBy::Hangup,
                        _ => EndedBy::Interrupt,
                    });
                    "\n*** Interrupted: the run ends here, its report follows ***"
                }
                1 => {
                    control.hurry();
                    "\n*** Interrupted again: the run ends at once, its report follows ***"
                }
                _ => {
                    let _ = emulate_default_handler(signal);
                    continue;
                }
            };
            if let Some(event) = &stop {
                events::set_or_complain(event);
            }
            // On standard output, as DISKSPD does; a closed one is no reason to go on.
            match document {
                true => say(text),
                false => drop(writeln!(io::stdout(), "{text}")),
            }
        }
    })?;
    Ok(Watch { handle })
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.handle.close();
    }
}
