//! What is said on standard error: warnings, errors, findings. Whether it can be written is no concern of
//! the run, whose figures are elsewhere; so errors of writing are ignored, where the macros of the standard
//! library would panic.
//!
//! What is said is harmless for a terminal wherever it goes ([`visible`]): a log of it is read on one
//! sooner or later.

use crate::units::visible;
use std::fmt::Display;
use std::io::Write;

/// Writes a line.
pub fn say(line: impl Display) {
    write(&format!("{line}\n"));
}

/// Writes text of whole lines, in one piece where the kernel takes it so.
pub fn write(text: &str) {
    raw(&visible::lines(text));
}

/// Draws over the line of the cursor, and leaves nothing else in it: for terminals.
pub fn draw(line: &str) {
    raw(&format!("\r{}\x1b[K", visible::line(line)));
}

fn raw(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
