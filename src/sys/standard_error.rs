//! What is said on standard error: warnings, errors, findings. Whether it can be written is no concern of the run, whose
//! figures are elsewhere; so errors of writing are ignored, where the macros of the standard library would panic.

use std::fmt::Display;
use std::io::Write;

/// Writes a line.
pub fn say(line: impl Display) {
    write(&format!("{line}\n"));
}

/// Writes text as it is, in one piece where the kernel takes it so.
pub fn write(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
