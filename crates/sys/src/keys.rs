//! Keys that the user types at the terminal during a long operation. They are read from `/dev/tty` and only
//! while this process is in the terminal's foreground group: a background job, and a loop that reads standard
//! input, keep their terminal. In a pipeline another program may read the keys, so no key is read.

use super::mutex::LockUnpoisoned;
use std::fs::File;
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, OnceLock};

struct Terminal {
    tty: File,
    /// Mode to restore; `None` = unchanged.
    changed: Mutex<Option<libc::termios>>,
}

/// Terminal; `None` = keys cannot be read.
static TERMINAL: OnceLock<Option<Terminal>> = OnceLock::new();

/// Returns the keys since the last call, without waiting; `None` = no key can be read. The terminal shows
/// none of them until [`restore`].
pub fn read_keys() -> Option<Vec<u8>> {
    let terminal = TERMINAL.get_or_init(Terminal::open).as_ref()?;
    if !terminal.is_foreground() || !terminal.delivers_single_keys() {
        return None;
    }
    let mut keys = [0; 64];
    let read = (&terminal.tty).read(&mut keys).unwrap_or(0);
    Some(keys[..read].to_vec())
}

pub fn restore() {
    let Some(terminal) = TERMINAL.get().and_then(Option::as_ref) else { return };
    let changed = terminal.changed.lock_anyway().take();
    if let Some(mode) = changed.filter(|_| terminal.is_foreground()) {
        terminal.set(&mode);
    }
}

/// Whether standard input or output is a pipe to another process.
fn is_in_pipeline() -> bool {
    [libc::STDIN_FILENO, libc::STDOUT_FILENO].into_iter().any(|stream| {
        let mut status = MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: the kernel fills the structure, which is valid with zeros, too.
        let kind = unsafe {
            libc::fstat(stream, status.as_mut_ptr());
            status.assume_init().st_mode & libc::S_IFMT
        };
        kind == libc::S_IFIFO || kind == libc::S_IFSOCK
    })
}

impl Terminal {
    fn open() -> Option<Terminal> {
        if is_in_pipeline() {
            return None;
        }
        let tty = File::open("/dev/tty").ok()?;
        Some(Terminal { tty, changed: Mutex::new(None) })
    }

    fn is_foreground(&self) -> bool {
        // SAFETY: both calls take numbers alone.
        unsafe { libc::tcgetpgrp(self.tty.as_raw_fd()) == libc::getpgrp() }
    }

    /// Makes the terminal deliver keys without a line feed, and hide them. Reads then never wait. A shell
    /// resets this when it stops the process, so it is checked each time.
    fn delivers_single_keys(&self) -> bool {
        let mut mode = MaybeUninit::<libc::termios>::zeroed();
        // SAFETY: the kernel fills the structure, which is valid with zeros, too.
        let (read, before) =
            unsafe { (libc::tcgetattr(self.tty.as_raw_fd(), mode.as_mut_ptr()), mode.assume_init()) };
        // Another program may have chosen single keys that are waited for.
        if read != 0 || before.c_lflag & libc::ICANON == 0 {
            return read == 0 && before.c_cc[libc::VMIN] == 0 && before.c_cc[libc::VTIME] == 0;
        }
        let mut single = before;
        single.c_lflag &= !(libc::ICANON | libc::ECHO);
        (single.c_cc[libc::VMIN], single.c_cc[libc::VTIME]) = (0, 0);
        *self.changed.lock_anyway() = Some(before);
        self.set(&single)
    }

    /// Returns whether the terminal has this mode now.
    fn set(&self, mode: &libc::termios) -> bool {
        // SAFETY: the structure came from the kernel.
        unsafe { libc::tcsetattr(self.tty.as_raw_fd(), libc::TCSANOW, mode) == 0 }
    }
}
