//! A started program; its child processes are not controlled.

use std::io;
use std::process::{Child, Command};

/// Does nothing, because Ctrl-C of the console reaches the program automatically.
pub(crate) fn leads_its_own(_: &mut Command) {}

/// Returns whether the program has ended; it can still be waited for, and keeps its process number.
pub fn has_ended(child: &mut Child) -> io::Result<bool> {
    child.try_wait().map(|ended| ended.is_some())
}

pub fn interrupt(child: &mut Child) {
    kill(child);
}

pub fn kill(child: &mut Child) {
    let _ = child.kill();
}

/// Does nothing, because Ctrl-C ends this process and its children together.
pub(crate) fn leaves_interrupts_to_children() {}
