//! JSON in large pieces: the text of one value after the other, so that each is parsed in memory and none is
//! kept.
//!
//! A parser that reads from a file takes every byte by itself; one that has the text searches it many bytes
//! at a time. This only finds where a value ends. Whether it is one, the parser says that gets its text.

use serde::de::DeserializeOwned;
use std::io::Read;

/// Bytes read at once, at most, beyond what a long value needs.
const LARGEST_PIECE: usize = 1 << 20;

/// Longest value that is held in memory, bytes.
const LONGEST: usize = 1 << 30;

/// Something is not as it should be. Whoever reads it byte by byte finds out what, and where.
#[derive(Debug)]
pub struct Unusual;

/// The values of a source, in their order.
pub struct JsonValues<R> {
    source: R,
    /// What was read; all before `at` is done with.
    held: Vec<u8>,
    at: usize,
    piece: usize,
}

impl<R: Read> JsonValues<R> {
    /// `piece` is how many bytes are read at first; each time twice as many follow.
    pub fn new(source: R, piece: usize) -> JsonValues<R> {
        JsonValues { source, held: Vec::new(), at: 0, piece }
    }

    /// Takes an object apart: hands the name of each field, in quotes, to `read`, which has to take its
    /// value.
    pub fn fields(
        &mut self,
        mut read: impl FnMut(&mut Self, &[u8]) -> Result<(), Unusual>,
    ) -> Result<(), Unusual> {
        self.list(b'{', b'}', |values| {
            let name = values.name()?;
            read(values, &name)
        })
    }

    /// Takes an array apart: `read` has to take one value each time.
    pub fn elements(&mut self, read: impl FnMut(&mut Self) -> Result<(), Unusual>) -> Result<(), Unusual> {
        self.list(b'[', b']', read)
    }

    fn list(
        &mut self,
        begin: u8,
        end: u8,
        mut read: impl FnMut(&mut Self) -> Result<(), Unusual>,
    ) -> Result<(), Unusual> {
        self.take(begin)?;
        if self.next()? == end {
            return self.take(end);
        }
        loop {
            read(self)?;
            if self.next()? == end {
                return self.take(end);
            }
            self.take(b',')?;
        }
    }

    /// The name of a field, in quotes.
    pub fn name(&mut self) -> Result<Vec<u8>, Unusual> {
        if self.next()? != b'"' {
            return Err(Unusual);
        }
        let name = self.text()?.to_vec();
        self.take(b':')?;
        Ok(name)
    }

    /// Takes this byte.
    pub fn take(&mut self, byte: u8) -> Result<(), Unusual> {
        if self.next()? != byte {
            return Err(Unusual);
        }
        self.at += 1;
        Ok(())
    }

    /// The next value.
    pub fn value<T: DeserializeOwned>(&mut self) -> Result<T, Unusual> {
        serde_json::from_slice(self.text()?).map_err(|_| Unusual)
    }

    /// The text of the next value.
    pub fn text(&mut self) -> Result<&[u8], Unusual> {
        let mut end = ValueEnd::of(self.next()?);
        let mut looked = 0;
        loop {
            if let Some(length) = end.find(&self.held[self.at + looked..]) {
                let begin = self.at;
                self.at = begin + looked + length;
                return Ok(&self.held[begin..self.at]);
            }
            looked = self.held.len() - self.at;
            if !self.fill()? {
                return Err(Unusual);
            }
        }
    }

    /// Nothing but blanks follows.
    pub fn end(&mut self) -> Result<(), Unusual> {
        if self.skip_blanks()? { Err(Unusual) } else { Ok(()) }
    }

    /// The next byte that is no blank; it is not taken.
    fn next(&mut self) -> Result<u8, Unusual> {
        if self.skip_blanks()? { Ok(self.held[self.at]) } else { Err(Unusual) }
    }

    /// Goes to the next byte that is no blank; `false` = there is none.
    fn skip_blanks(&mut self) -> Result<bool, Unusual> {
        loop {
            let blanks = self.held[self.at..].iter().take_while(|byte| is_blank(**byte)).count();
            self.at += blanks;
            if self.at < self.held.len() {
                return Ok(true);
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// Reads a further piece behind what isn't done with; `false` = there is none.
    fn fill(&mut self) -> Result<bool, Unusual> {
        self.held.drain(..self.at);
        self.at = 0;
        let before = self.held.len();
        if before > LONGEST {
            return Err(Unusual);
        }
        let piece = self.piece.max(before) as u64;
        self.piece = (self.piece * 2).min(LARGEST_PIECE);
        self.source.by_ref().take(piece).read_to_end(&mut self.held).map_err(|_| Unusual)?;
        Ok(self.held.len() > before)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Looks for the end of a value, piece by piece.
struct ValueEnd {
    /// Objects and arrays that are open.
    depth: usize,
    within: Within,
}

#[derive(Clone, Copy, PartialEq)]
enum Within {
    /// A number, or a word.
    Word,
    /// Objects and arrays.
    List,
    /// A string.
    Text,
    /// A string, behind a backslash.
    Escape,
}

impl ValueEnd {
    /// Of a value that begins with this byte; it is looked at again.
    fn of(first: u8) -> ValueEnd {
        let within = if matches!(first, b'{' | b'[' | b'"') { Within::List } else { Within::Word };
        ValueEnd { depth: 0, within }
    }

    /// Looks at a further piece; returns how many bytes of it are the value's, if it ends here.
    fn find(&mut self, piece: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < piece.len() {
            match self.within {
                Within::Word => {
                    let ends = |byte: &u8| is_blank(*byte) || matches!(byte, b',' | b'}' | b']' | b':');
                    return piece.iter().position(ends);
                }
                Within::Escape => {
                    self.within = Within::Text;
                    at += 1;
                }
                Within::Text => {
                    at += memchr::memchr2(b'"', b'\\', &piece[at..])? + 1;
                    self.within = if piece[at - 1] == b'"' { Within::List } else { Within::Escape };
                    if self.within == Within::List && self.depth == 0 {
                        return Some(at);
                    }
                }
                Within::List => {
                    match piece[at] {
                        b'"' => self.within = Within::Text,
                        b'{' | b'[' => self.depth += 1,
                        b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                    at += 1;
                    if self.within == Within::List && self.depth == 0 {
                        return Some(at);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives few bytes at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = into.len().min(self.0.len()).min(3);
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    const VALUES: &[&str] = &[
        "1",
        "-1.5e3",
        "true",
        "null",
        "\"\"",
        "\"a\"",
        r#""\"""#,
        r#""\\""#,
        r#""{[\"]}""#,
        "[]",
        "{}",
        r#"[1,[2,"]"],{}]"#,
        r#"{"a\"}":{"b":[1, 2 ]},"c":"\\"}"#,
    ];

    #[test]
    fn values_are_found_however_they_are_cut() {
        let list = format!(" [ {} ] \n", VALUES.join(" ,\n"));
        for piece in 1..40 {
            let mut values = JsonValues::new(Slowly(list.as_bytes()), piece);
            let mut found = Vec::new();
            let read = values.elements(|values| {
                found.push(String::from_utf8(values.text()?.to_vec()).unwrap_or_default());
                Ok(())
            });
            assert!(read.is_ok() && values.end().is_ok());
            assert_eq!(found, VALUES, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_cut_off_or_has_more_behind_it_is_unusual() {
        let list = format!("{{\"a\":[{}]}}", VALUES.join(","));
        let read = |text: &str| {
            let mut values = JsonValues::new(text.as_bytes(), 8);
            values.fields(|values, _| values.elements(|values| values.text().map(drop)))?;
            values.end()
        };
        assert!(read(&list).is_ok());
        (0..list.len()).for_each(|length| assert!(read(&list[..length]).is_err(), "{length}"));
        assert!(read(&format!("{list}x")).is_err());
        assert!(read("{\"a\" []}").is_err() && read("{\"a\":[1 2]}").is_err() && read("{a:[]}").is_err());
    }
}
