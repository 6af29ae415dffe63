//! Text from external sources (a name, a record, a profile, a device), made safe for a terminal. Escapes
//! replace characters that move the cursor, set colours or a title, reverse the reading order or hide
//! text.
//!
//! `ESC` becomes `\x1b`, a line feed `\n`, U+202E `\u{202e}`, a non-UTF-8 byte `\x9b`. A backslash is
//! unchanged, because the text is not parsed again.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character does something to a terminal, or to the reading of its neighbours, instead of being
/// seen.
pub fn drives(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}'                   // Arabic letter mark
            | '\u{180e}'                // a separator without width
            | '\u{200b}'..='\u{200f}'   // without width, and marks of direction
            | '\u{2028}'..='\u{202e}'   // separators of lines and paragraphs, embeddings, overrides
            | '\u{2060}'..='\u{206f}'   // without width, isolates, shaping
            | '\u{feff}'                // a byte order mark, without width elsewhere
            | '\u{fff9}'..='\u{fffb}'   // annotations between lines
            | '\u{e0000}'..='\u{e007f}' // tags, which aren't seen
        )
}

fn push(text: &mut String, c: char) {
    match c {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c if u32::from(c) < 0x100 => text.push_str(&format!("\\x{:02x}", u32::from(c))),
        c => text.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
    }
}

fn escape_text<'a>(text: &'a str, kept: &[char]) -> Cow<'a, str> {
    let harmful = |c: char| drives(c) && !kept.contains(&c);
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) { push(&mut shown, c) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Escapes a text within a line, such as a name.
pub fn line(text: &str) -> Cow<'_, str> {
    escape_text(text, &[])
}

/// Escapes text of several lines; keeps line feeds and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape_text(text, &['\n', '\t'])
}

/// Writer that makes lines safe for a terminal, and passes them unchanged to any other output.
#[derive(Debug)]
pub struct Guard<W: Write> {
    sink: W,
    terminal: bool,
    /// Beginning of a character whose end is not written yet.
    begun: Vec<u8>,
}

impl<W: Write> Guard<W> {
    pub fn new(sink: W, terminal: bool) -> Guard<W> {
        Guard { sink, terminal, begun: Vec::new() }
    }

    fn pass_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut shown = String::new();
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            shown.push_str(&lines(chunk.valid()));
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_beginning(invalid) {
                self.begun = invalid.to_vec();
            } else {
                invalid.iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
            }
        }
        self.sink.write_all(shown.as_bytes())
    }
}

/// Whether more bytes could complete a character.
fn is_beginning(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

impl<W: Write> Write for Guard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.terminal {
            return self.sink.write(bytes);
        }
        let begun = std::mem::take(&mut self.begun);
        match begun.is_empty() {
            true => self.pass_bytes(bytes)?,
            false => self.pass_bytes(&[&begun[..], bytes].concat())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for byte in std::mem::take(&mut self.begun) {
            self.sink.write_all(format!("\\x{byte:02x}").as_bytes())?;
        }
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE_TEXT: &str = "a\x1b]0;t\x07\r\u{9b}31m\u{202e}\u{200b}\x7f\u{2066}\u{feff}b\n\tc µ 日本";

    #[test]
    fn control_characters_are_made_visible() {
        let shown = "a\\x1b]0;t\\x07\\r\\x9b31m\\u{202e}\\u{200b}\\x7f\\u{2066}\\u{feff}b";
        assert_eq!(line(HOSTILE_TEXT), format!("{shown}\\n\\tc µ 日本"));
        assert_eq!(lines(HOSTILE_TEXT), format!("{shown}\n\tc µ 日本"));
        assert!(matches!(line("plain µ"), Cow::Borrowed(_)));
    }

    #[test]
    fn guard_escapes_split_writes_and_leaves_files_unchanged() {
        let bytes = [HOSTILE_TEXT.as_bytes(), b"\xff\x9b\xc3", HOSTILE_TEXT.as_bytes(), b"\xe2\x80"].concat();
        let through = |terminal, size| {
            let mut guard = Guard::new(Vec::new(), terminal);
            bytes.chunks(size).for_each(|chunk| guard.write_all(chunk).unwrap());
            guard.flush().unwrap();
            guard.sink
        };
        let shown = lines(HOSTILE_TEXT);
        let expected = format!("{shown}\\xff\\x9b\\xc3{shown}\\xe2\\x80");
        for size in [1, 2, 3, 7, bytes.len()] {
            assert_eq!(String::from_utf8(through(true, size)).unwrap(), expected, "{size}");
            assert_eq!(through(false, size), bytes);
        }
    }
}
