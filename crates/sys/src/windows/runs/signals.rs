//! Requests to end the program: Ctrl-C and similar, which Windows delivers in a separate thread.

use crate::leftovers::LEFTOVERS;
use crate::mutex::LockUnpoisoned;
use crate::standard_error::print_line;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT,
    SetConsoleCtrlHandler,
};
use windows_sys::core::BOOL;

/// Default exit code of a program without a handler on Windows (`STATUS_CONTROL_C_EXIT`).
const ENDED_BY_IT: i32 = 0xc000_013a_u32.cast_signed();

/// Listeners by number; they receive an ending, or `None` to end the wait.
static LISTENERS: Mutex<Vec<(u64, Sender<Option<Ending>>)>> = Mutex::new(Vec::new());

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Interrupt,
    /// Ctrl-Break, which other programs send, and end of the session.
    Terminate,
    /// Close of the console; a few seconds remain.
    Hangup,
    /// Limit of CPU time, which Windows does not report.
    CpuLimit,
}

/// Endings arrive here until this is closed or dropped, without another effect. Without listeners they end
/// the program.
#[derive(Debug)]
pub struct TerminationSignals {
    number: u64,
    told: Receiver<Option<Ending>>,
}

/// Closes [`TerminationSignals`] from another thread.
#[derive(Debug, Clone)]
pub struct Close(u64);

/// Called by Windows in a separate thread.
///
/// # Safety
/// There are no requirements, because the argument is only a number.
unsafe extern "system" fn handle_console_event(kind: u32) -> BOOL {
    let ending = match kind {
        CTRL_C_EVENT => Ending::Interrupt,
        CTRL_BREAK_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT => Ending::Terminate,
        CTRL_CLOSE_EVENT => Ending::Hangup,
        _ => return 0,
    };
    let listeners = LISTENERS.lock_anyway();
    let heard = listeners.iter().filter(|(_, listener)| listener.send(Some(ending)).is_ok()).count();
    drop(listeners);
    if heard == 0 {
        remove_leftovers();
    }
    // Windows ends the program when this returns, so it leaves the end to the run.
    while heard > 0 && ending == Ending::Hangup {
        std::thread::park();
    }
    BOOL::from(heard > 0)
}

impl TerminationSignals {
    /// Starts listening.
    pub fn listen() -> io::Result<TerminationSignals> {
        static NUMBERS: Mutex<u64> = Mutex::new(0);
        install_handler()?;
        let mut numbers = NUMBERS.lock_anyway();
        *numbers += 1;
        let number = *numbers;
        let (tell, told) = channel();
        LISTENERS.lock_anyway().push((number, tell));
        Ok(TerminationSignals { number, told })
    }

    pub fn close(&self) -> Close {
        Close(self.number)
    }

    /// Returns an iterator that waits for each signal until closed.
    pub fn wait_forever(&mut self) -> impl Iterator<Item = Ending> {
        std::iter::from_fn(|| self.told.recv().ok().flatten())
    }
}

impl Drop for TerminationSignals {
    fn drop(&mut self) {
        self.close().close();
    }
}

impl Close {
    pub fn close(&self) {
        let mut listeners = LISTENERS.lock_anyway();
        listeners.iter().filter(|(number, _)| *number == self.0).for_each(|(_, listener)| {
            let _ = listener.send(None);
        });
        listeners.retain(|(number, _)| *number != self.0);
    }
}

impl Ending {
    /// Ends the program with its default code, after removing unfinished files.
    pub fn end_program(self) -> ! {
        remove_leftovers();
        std::process::exit(ENDED_BY_IT)
    }
}

fn remove_leftovers() {
    LEFTOVERS.remove_all();
    print_line("ended by Ctrl-C");
}

/// Signals without a listener, which end the program after the handler.
#[derive(Debug)]
pub struct FinalSignals(());

impl FinalSignals {
    pub fn listen() -> FinalSignals {
        // Without the handler an ending has its default effect.
        let _ = install_handler();
        FinalSignals(())
    }

    pub fn wait(&self, at_most: Duration) {
        std::thread::sleep(at_most);
    }
}

fn install_handler() -> io::Result<()> {
    static IS_INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut is_installed = IS_INSTALLED.lock_anyway();
    // SAFETY: the function lives as long as the program, and may be called in any thread.
    if !*is_installed && unsafe { SetConsoleCtrlHandler(Some(handle_console_event), 1) } == 0 {
        return Err(io::Error::last_os_error());
    }
    *is_installed = true;
    Ok(())
}

/// Does nothing, because Windows has no soft limit of CPU time.
pub fn lead_cpu_limit() {}

/// Interrupts this process; Windows has no key for it.
pub fn interrupt() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_listeners_are_notified_until_closed() {
        let (mut first, mut other) =
            (TerminationSignals::listen().unwrap(), TerminationSignals::listen().unwrap());
        // SAFETY: it takes a number.
        let tell = |kind| unsafe { handle_console_event(kind) };
        assert_eq!(tell(CTRL_C_EVENT), 1);
        first.close().close();
        assert_eq!(tell(CTRL_BREAK_EVENT), 1);
        assert_eq!(first.wait_forever().collect::<Vec<_>>(), [Ending::Interrupt]);
        other.close().close();
        assert_eq!(other.wait_forever().collect::<Vec<_>>(), [Ending::Interrupt, Ending::Terminate]);
        drop((first, other));
        assert_eq!((tell(CTRL_C_EVENT), tell(99)), (0, 0), "nobody listens");
    }
}
