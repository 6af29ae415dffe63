//! Output on standard error: warnings, errors, findings, and the live display on a terminal. A run does
//! not depend on it, because its figures are elsewhere. Write errors are therefore ignored, where the
//! standard library's macros would panic.
//!
//! All output is sanitized for terminals ([`visible`]), because a log of it is likely to be read on one.
//! The live display is erased before any other output, so the terminal is restored when a run ends.

use super::message_block::fitted;
use super::mutex::LockUnpoisoned;
use super::terminal::{DrawnLine, StyledText, TextStyle, screen, width};
use diskspd_figures::units::visible;
use std::fmt::Display;
use std::io::Write;
use std::sync::Mutex;

/// Widths of the currently drawn lines. The cursor is after the last one.
static DRAWN_WIDTHS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

pub fn print_line(line: impl Display) {
    write(&format!("{line}\n"));
}

/// Writes text of whole lines, in one call if possible.
pub fn write(text: &str) {
    let mut drawn = DRAWN_WIDTHS.lock_anyway();
    let shown = visible::lines(text);
    let shown = match screen() {
        Some(screen) => fitted(&shown, screen.columns, screen.colours),
        None => shown.into_owned(),
    };
    write_raw(&format!("{}{shown}", wipe_sequence(&mut drawn)));
}

/// Whether a line can be written now without a wait for a reader.
#[cfg(target_os = "linux")]
pub(crate) fn is_writable() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stream = std::io::stderr();
    let mut streams = [PollFd::new(&stream, PollFlags::OUT)];
    poll(&mut streams, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Waits until the reader of a pipe has read everything, for at most `most` ns.
#[cfg(target_os = "linux")]
pub fn wait_until_read(most: super::clock::Nanos) {
    use super::clock;
    use super::inode::Kind;
    let until = clock::monotonic() + most;
    let unread = || rustix::io::ioctl_fionread(std::io::stderr()).is_ok_and(|bytes| bytes > 0);
    let is_pipe =
        std::fs::metadata("/proc/self/fd/2").is_ok_and(|found| Kind::from_metadata(&found) == Kind::Pipe);
    while is_pipe && unread() && clock::monotonic() < until {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Draws lines on the terminal in place of the previously drawn ones, with or without `colours`. Each must
/// be narrower than the terminal.
pub fn draw(lines: &[DrawnLine], colours: bool) {
    let mut drawn = DRAWN_WIDTHS.lock_anyway();
    let text = redraw_sequence(&drawn, terminal_columns(&drawn), lines, colours);
    *drawn = lines.iter().map(|line| line.iter().map(|piece| width(&piece.text)).sum()).collect();
    write_raw(&text);
}

/// Writes permanent lines for terminals, with or without colors.
pub fn write_lines(lines: &[DrawnLine], colours: bool) {
    let mut drawn = DRAWN_WIDTHS.lock_anyway();
    let text: String = lines.iter().map(|line| inked_line(line, colours) + "\n").collect();
    write_raw(&format!("{}{text}", wipe_sequence(&mut drawn)));
}

pub fn wipe() {
    let mut drawn = DRAWN_WIDTHS.lock_anyway();
    let text = wipe_sequence(&mut drawn);
    if !text.is_empty() {
        write_raw(&text);
    }
}

fn wipe_sequence(drawn: &mut Vec<usize>) -> String {
    let lines = std::mem::take(drawn);
    if lines.is_empty() {
        String::new()
    } else {
        redraw_sequence(&lines, terminal_columns(&lines), &[], false)
    }
}

fn terminal_columns(drawn: &[usize]) -> usize {
    if drawn.is_empty() { 0 } else { screen().map_or(0, |screen| screen.columns) }
}

/// Returns output that overwrites the `drawn` lines and erases the rest. A terminal that has become
/// narrower has wrapped its lines, so there are more of them.
fn redraw_sequence(drawn: &[usize], columns: usize, lines: &[DrawnLine], colours: bool) -> String {
    let rows: usize = drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum();
    let mut text = "\r".to_owned();
    if rows > 1 && columns > 0 {
        text += &format!("\x1b[{}A", rows - 1);
    }
    for (number, line) in lines.iter().enumerate() {
        text += if number > 0 { "\r\n" } else { "" };
        text += &inked_line(line, colours);
        text += "\x1b[K";
    }
    text + "\x1b[J"
}

/// Formats a line for the terminal.
fn inked_line(line: &DrawnLine, colours: bool) -> String {
    let piece = |piece: &StyledText| {
        let shown = visible::line(&piece.text);
        match colour_code(piece.ink).filter(|_| colours) {
            Some(code) => format!("\x1b[{code}m{shown}\x1b[0m"),
            None => shown.into_owned(),
        }
    };
    line.iter().map(piece).collect()
}

/// Returns the color parameter of the terminal's control sequence.
fn colour_code(ink: TextStyle) -> Option<&'static str> {
    match ink {
        TextStyle::Plain => None,
        TextStyle::Faint => Some("2"),
        TextStyle::Rate => Some("36"),
        TextStyle::Latency => Some("33"),
        TextStyle::Good => Some("1;32"),
        TextStyle::Note => Some("36"),
        TextStyle::Doubtful => Some("1;33"),
        TextStyle::Wrong => Some("1;31"),
    }
}

fn write_raw(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::terminal::plain;
    use super::*;

    #[test]
    fn redrawn_lines_leave_no_remains() {
        let chart = vec![StyledText { ink: TextStyle::Rate, text: "▁█".into() }];
        for (drawn, columns, lines, colours, expected) in [
            (&[][..], 0, vec![plain("a")], true, "\ra\x1b[K\x1b[J"),
            (&[7], 80, vec![plain("a\x1b")], true, "\ra\\x1b\x1b[K\x1b[J"),
            (&[7, 5, 3], 80, vec![plain("a"), chart.clone()], false, "\r\x1b[2Aa\x1b[K\r\n▁█\x1b[K\x1b[J"),
            (&[7, 5], 80, vec![chart], true, "\r\x1b[1A\x1b[36m▁█\x1b[0m\x1b[K\x1b[J"),
            // 79 columns are two lines of 40, 80 as well.
            (&[79, 80, 0], 40, vec![], true, "\r\x1b[4A\x1b[J"),
        ] {
            assert_eq!(redraw_sequence(drawn, columns, &lines, colours), expected, "{drawn:?}");
        }
    }
}
