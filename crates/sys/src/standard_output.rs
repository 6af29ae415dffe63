//! Standard output. Files and pipes get every byte unchanged, as scripts expect from DISKSPD; a terminal
//! gets sanitized text, because names, records and devices could contain control sequences.

use super::closed_at_start;
use super::console::{is_regular_file, window};
use super::message_block::fitted;
use super::standard_error;
use super::terminal::screen_of;
use diskspd_model::units::visible::{self, Guard};
use std::io::{self, IsTerminal, Stdout, Write};

/// Checks that it is writable. Writes to a descriptor closed at program start succeed, and the output is
/// lost.
///
/// # Errors
/// Fails if it was closed (`>&-`).
pub fn is_open() -> io::Result<()> {
    match closed_at_start::is(1) {
        true => Err(io::Error::new(io::ErrorKind::NotConnected, "it is closed")),
        false => Ok(()),
    }
}

pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether it is a regular file.
pub fn is_file() -> bool {
    is_regular_file(&std::io::stdout())
}

/// Returns the columns for text: the terminal's columns, otherwise 80.
pub fn columns() -> usize {
    let size = window(&std::io::stdout()).filter(|_| is_terminal());
    size.map(|(columns, _)| columns).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Returns the width of the terminal, or `usize::MAX` for files and pipes.
pub fn room() -> usize {
    if is_terminal() { columns() } else { usize::MAX }
}

/// Returns standard output, sanitized for a terminal. The live display is erased.
pub fn writer() -> Guard<Stdout> {
    standard_error::wipe();
    Guard::new(std::io::stdout(), is_terminal())
}

/// Writes sentences in readable form: wrapped on a terminal, with coloured labels. Files and pipes get
/// them unchanged.
///
/// # Errors
/// Fails if standard output does not accept all of it.
pub fn tell(text: &str) -> io::Result<()> {
    let mut stdout = std::io::stdout();
    let Some(screen) = screen_of(&stdout) else {
        let mut out = writer();
        return out.write_all(text.as_bytes()).and_then(|()| out.flush());
    };
    standard_error::wipe();
    // What would drive a terminal is made harmless before colours are added, which do.
    let shown = fitted(&visible::lines(text), screen.columns, screen.colours);
    stdout.write_all(shown.as_bytes()).and_then(|()| stdout.flush())
}

/// Writes intermediate text and ignores errors, because the writer of the report itself reports them.
pub fn write(text: &str) {
    let mut out = writer();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
