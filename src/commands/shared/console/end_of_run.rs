//! The end of a run on a terminal: a block with its results, and the next command.

use super::next_step;
use crate::checks::JudgedRecord;
use crate::cli::RunRequest;
use crate::commands::shared::console::OutputManner;
use crate::experiments::repetition::Repetition;
use crate::page::run_summary_text::{self, SummaryPiece, SummaryTone};
use crate::sys::terminal::{DrawnLine, Screen, StyledText, TextStyle, screen};
use crate::sys::{standard_error, standard_output};

/// Returns the terminal for the block; `None` if the report is not read there, or the block is disabled.
pub(crate) fn place(manner: &OutputManner) -> Option<Screen> {
    let is_read = standard_output::is_terminal() && !manner.quiet && !manner.document;
    screen().filter(|_| is_read)
}

pub(crate) fn of_run(judged: &JudgedRecord, request: &RunRequest, screen: &Screen) {
    // Another program's options are not known here.
    let own = judged.record.program.is_none();
    let next = own.then(|| next_step::of_run(judged, &request.typed)).flatten();
    put_lines(&run_summary_text::of_run(judged, next.as_ref(), screen.columns, screen.blocks), screen);
}

pub(crate) fn of_repetition(repetition: &Repetition, request: &RunRequest, screen: &Screen) {
    let next = next_step::of_repetitions(&request.typed);
    put_lines(&run_summary_text::of_repetition(repetition, next.as_ref(), screen.columns), screen);
}

fn put_lines(lines: &[Vec<SummaryPiece>], screen: &Screen) {
    let drawn = |line: &Vec<SummaryPiece>| -> DrawnLine {
        line.iter().map(|piece| StyledText { ink: tone_ink(piece.tone), text: piece.text.clone() }).collect()
    };
    let lines: Vec<DrawnLine> = std::iter::once(DrawnLine::new()).chain(lines.iter().map(drawn)).collect();
    standard_error::write_lines(&lines, screen.colours);
}

fn tone_ink(tone: SummaryTone) -> TextStyle {
    match tone {
        SummaryTone::Plain => TextStyle::Plain,
        SummaryTone::Label => TextStyle::Faint,
        SummaryTone::Good => TextStyle::Good,
        SummaryTone::Note => TextStyle::Note,
        SummaryTone::Doubtful => TextStyle::Doubtful,
        SummaryTone::Wrong => TextStyle::Wrong,
    }
}
