//! What is said on standard error: warnings, errors, findings, and on a terminal what is drawn while a run
//! goes on. Whether it can be written is no concern of the run, whose figures are elsewhere; so errors of
//! writing are ignored, where the macros of the standard library would panic.
//!
//! What is said is harmless for a terminal wherever it goes ([`visible`]): a log of it is read on one
//! sooner or later. What is drawn is wiped away before anything else is written, whoever writes it: so the
//! terminal is as it was when a run ends, however it ends.

use super::mutex::LockAnyway;
use super::terminal::{DrawnLine, Ink, InkedText, screen, width};
use super::told_block::fitted;
use diskspd_model::units::visible;
use std::fmt::Display;
use std::io::Write;
use std::sync::Mutex;

/// What is drawn on the terminal: how wide each line is. The cursor is behind the last one.
static DRAWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());

pub fn say(line: impl Display) {
    write(&format!("{line}\n"));
}

/// Writes text of whole lines, in one piece where the kernel takes it so.
pub fn write(text: &str) {
    let mut drawn = DRAWN.lock_anyway();
    let shown = visible::lines(text);
    let shown = match screen() {
        Some(screen) => fitted(&shown, screen.columns, screen.colours),
        None => shown.into_owned(),
    };
    write_raw(&format!("{}{shown}", wipe_sequence(&mut drawn)));
}

/// Draws lines in place of those that were drawn last, for terminals; `colours` or not. Each has to be
/// narrower than the terminal.
pub fn draw(lines: &[DrawnLine], colours: bool) {
    let mut drawn = DRAWN.lock_anyway();
    let text = redraw_sequence(&drawn, terminal_columns(&drawn), lines, colours);
    *drawn = lines.iter().map(|line| line.iter().map(|piece| width(&piece.text)).sum()).collect();
    write_raw(&text);
}

/// Writes lines that stay, for terminals; `colours` or not.
pub fn write_lines(lines: &[DrawnLine], colours: bool) {
    let mut drawn = DRAWN.lock_anyway();
    let text: String = lines.iter().map(|line| inked_line(line, colours) + "\n").collect();
    write_raw(&format!("{}{text}", wipe_sequence(&mut drawn)));
}

pub fn wipe() {
    let mut drawn = DRAWN.lock_anyway();
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

/// Columns that the terminal has now; none are needed where nothing is drawn.
fn terminal_columns(drawn: &[usize]) -> usize {
    if drawn.is_empty() { 0 } else { screen().map_or(0, |screen| screen.columns) }
}

/// Back to the start of what is `drawn`, line by line over it, and nothing is left of the rest. A terminal
/// that has become narrower since has broken its lines: it has more of them.
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

/// A line as the terminal gets it.
fn inked_line(line: &DrawnLine, colours: bool) -> String {
    let piece = |piece: &InkedText| {
        let shown = visible::line(&piece.text);
        match colour_code(piece.ink).filter(|_| colours) {
            Some(code) => format!("\x1b[{code}m{shown}\x1b[0m"),
            None => shown.into_owned(),
        }
    };
    line.iter().map(piece).collect()
}

/// The parameter of the terminal's control sequence.
fn colour_code(ink: Ink) -> Option<&'static str> {
    match ink {
        Ink::Plain => None,
        Ink::Faint => Some("2"),
        Ink::Rate => Some("36"),
        Ink::Latency => Some("33"),
        Ink::Good => Some("1;32"),
        Ink::Note => Some("36"),
        Ink::Doubtful => Some("1;33"),
        Ink::Wrong => Some("1;31"),
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
    fn lines_are_drawn_over_those_before_and_leave_nothing_behind() {
        let chart = vec![InkedText { ink: Ink::Rate, text: "▁█".into() }];
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
