//! Ctrl-C: the first one ends the run in order, with a report of what was measured; the second one kills.

use super::control::Control;
use super::events;
use crate::sys::event::Event;
use crate::sys::standard_error::say;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::{Handle, Signals};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Watches for SIGINT and SIGTERM until dropped.
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
    // Armed by the first signal, so that the second one has the effect it has by default. Registered before the flag
    // is set by the same signal: handlers run in the order of registration.
    let armed = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&armed))?;
        flag::register(signal, Arc::clone(&armed))?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let handle = signals.handle();
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in &mut signals {
            // On standard output, as DISKSPD does; a closed one is no reason to go on.
            let text = "\n*** Interrupted: the run ends here, its report follows ***";
            match document {
                true => say(text),
                false => drop(writeln!(io::stdout(), "{text}")),
            }
            control.interrupt();
            if let Some(event) = &stop {
                events::set_or_complain(event);
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
