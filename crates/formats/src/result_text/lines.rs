//! The lines of a text report.

use std::borrow::Cow;
use std::iter::Peekable;

/// Line without surrounding white space.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextLine<'a> {
    /// Counted from 1.
    pub number: usize,
    pub at: usize,
    pub text: &'a str,
}

/// Returns all lines of a piece of a file, with LF or CRLF ends; `first` is its first line number. Byte
/// order marks in concatenated files are skipped.
pub(super) fn split_lines(text: &str, first: usize) -> impl Iterator<Item = TextLine<'_>> + Clone {
    text.split('\n').scan((first, 0), |(number, at), line| {
        let found = TextLine { number: *number, at: *at, text: line.trim_start_matches('\u{feff}').trim() };
        *number += 1;
        *at += line.len() + 1;
        Some(found)
    })
}

/// Piece of a file, with the number of its first line.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPiece<'a> {
    pub first: usize,
    pub text: &'a str,
}

impl<'a> TextPiece<'a> {
    pub(super) fn lines(self) -> impl Iterator<Item = TextLine<'a>> + Clone {
        split_lines(self.text, self.first)
    }

    pub(super) fn split_at(
        self,
        mut begins: impl FnMut(&str) -> bool,
    ) -> (TextPiece<'a>, Vec<TextPiece<'a>>) {
        let starts: Vec<TextLine> = self.lines().filter(|line| begins(line.text)).collect();
        let ends = starts.iter().skip(1).map(|line| line.at).chain([self.text.len()]);
        let pieces = starts
            .iter()
            .zip(ends)
            .map(|(line, end)| TextPiece { first: line.number, text: &self.text[line.at..end] });
        let before = starts.first().map_or(self.text.len(), |line| line.at);
        (TextPiece { text: &self.text[..before], ..self }, pieces.collect())
    }
}

/// Joins a line with its continuations, because consoles wrap long lines. Blanks at the wrap positions are
/// lost.
pub(super) fn unwrapped<'a>(
    first: TextLine<'a>,
    lines: &mut Peekable<impl Iterator<Item = TextLine<'a>>>,
    goes_on: impl Fn(&str) -> bool,
) -> Cow<'a, str> {
    let (mut whole, mut last) = (Cow::Borrowed(first.text), first.number);
    while let Some(line) = lines.next_if(|line| line.number == last + 1 && goes_on(line.text)) {
        whole.to_mut().push_str(line.text);
        last = line.number;
    }
    whole
}
