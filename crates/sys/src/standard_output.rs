//! What goes to standard output. Files and pipes get every byte as it is, as scripts expect from DISKSPD;
//! on a terminal what names, records and devices say can't do anything but be read.

use super::closed_at_start;
use super::console::{is_regular_file, window};
use super::standard_error;
use super::terminal::screen_of;
use super::told_block::fitted;
use diskspd_model::units::visible::{self, Guard};
use std::io::{self, IsTerminal, Stdout, Write};

/// Whether it is there to be written to: a write to one that was closed when the program started succeeds,
/// and what was written is lost.
///
/// # Errors
/// It was closed (`>&-`).
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

/// Columns that text for people may take there: those of the terminal, else 80.
pub fn columns() -> usize {
    let size = window(&std::io::stdout()).filter(|_| is_terminal());
    size.map(|(columns, _)| columns).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Returns the width of the terminal, or `usize::MAX` for files and pipes.
pub fn room() -> usize {
    if is_terminal() { columns() } else { usize::MAX }
}

/// Standard output, harmless where it is a terminal. What is drawn there makes room.
pub fn writer() -> Guard<Stdout> {
    standard_error::wipe();
    Guard::new(std::io::stdout(), is_terminal())
}

/// Writes sentences as people read them best: on a terminal wrapped at its width, with labels in colours.
/// Files and pipes get them as they are.
///
/// # Errors
/// Standard output takes it not all.
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

/// Writes text on the way; errors are ignored: those of the report itself are told where that is written.
pub fn write(text: &str) {
    let mut out = writer();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
