//! A program that was started. What it starts itself isn't ended with it.

use std::io;
use std::process::{Child, Command};

/// Starts as it is: Ctrl-C of the console reaches it by itself.
pub(crate) fn leads_its_own(_: &mut Command) {}

/// Whether the program has ended; it can still be waited for, and keeps its number.
///
/// # Errors
/// What the system says.
pub fn has_ended(child: &mut Child) -> io::Result<bool> {
    child.try_wait().map(|ended| ended.is_some())
}

pub fn interrupt(child: &mut Child) {
    kill(child);
}

pub fn kill(child: &mut Child) {
    let _ = child.kill();
}

/// Ctrl-C ends this process and its children together.
pub(crate) fn leaves_interrupts_to_children() {}
