//! Standard output. Files and pipes get every byte unchanged, as scripts expect from DISKSPD; a terminal
//! gets sanitized text, because names, records and devices could contain control sequences.

use super::closed_at_start;
use super::console::{is_regular_file, window};
use super::message_block::fitted;
use super::standard_error;
use super::terminal::screen_of;
use diskspd_figures::units::visible::{self, Guard};
use std::fs::File;
use std::io::{self, IsTerminal, Stdout, Write};

/// Checks that it is writable. Writes to a descriptor closed at program start succeed, and the output is
/// lost.
///
/// # Errors
/// Fails if it was closed (`>&-`).
pub fn is_open() -> io::Result<()> {
    match closed_at_start::is_closed(1) {
        true => Err(io::Error::new(io::ErrorKind::NotConnected, "it is closed")),
        false => Ok(()),
    }
}

pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

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
pub fn writer() -> Guard<SystemLines<Stdout>> {
    standard_error::wipe();
    Guard::new(SystemLines(std::io::stdout()), is_terminal())
}

/// Writes to an open file, sanitized if it is a terminal.
pub fn write_sanitized(file: &File, bytes: &[u8]) -> io::Result<()> {
    let mut sink = Guard::new(file, file.is_terminal());
    sink.write_all(bytes).and_then(|()| sink.flush())
}

/// Writer with the line ends of the system: CR LF on Windows, as DISKSPD.
#[derive(Debug)]
pub struct SystemLines<W>(W);

impl<W: Write> Write for SystemLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match cfg!(windows) {
            true => write_crlf(&mut self.0, bytes).map(|()| bytes.len()),
            false => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn write_crlf(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.split_last() {
            Some((b'\n', text)) => {
                out.write_all(text.strip_suffix(b"\r").unwrap_or(text))?;
                out.write_all(b"\r\n")?;
            }
            _ => out.write_all(line)?,
        }
    }
    Ok(())
}

/// Writes sentences in readable form: wrapped on a terminal, with coloured labels. Files and pipes get
/// them unchanged.
///
/// # Errors
/// Fails if standard output does not accept all of it.
pub fn print_text(text: &str) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feeds_become_crlf_once() {
        for (text, expected) in [("", ""), ("a", "a"), ("a\nb\n", "a\r\nb\r\n"), ("a\r\n\n", "a\r\n\r\n")] {
            let mut out = Vec::new();
            write_crlf(&mut out, text.as_bytes()).unwrap();
            assert_eq!(out, expected.as_bytes(), "{text:?}");
        }
    }
}
