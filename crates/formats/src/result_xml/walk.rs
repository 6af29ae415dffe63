//! Walks over a document, element by element.

use crate::number::is_undefined;
use diskspd_profile::xml::error::{XmlErrorAt, quote};
use diskspd_profile::xml::tokens::{Token, Tokens, cut_off};
use quick_xml::events::BytesStart;

pub(super) struct ElementReader<'a>(Tokens<'a>);

impl<'a> ElementReader<'a> {
    pub(super) fn new(text: &'a str) -> ElementReader<'a> {
        ElementReader(Tokens::tolerant(text))
    }

    pub(super) fn next(&mut self) -> Result<(usize, Token<'a>), XmlErrorAt> {
        self.0.next_token()
    }

    pub(super) fn tokens(&mut self) -> &mut Tokens<'a> {
        &mut self.0
    }

    /// Skips the rest of an element.
    pub(super) fn skip(&mut self) -> Result<(), XmlErrorAt> {
        self.0.skip()
    }

    /// Calls `take` for every child of the element that was just opened; `take` must read to the child's
    /// end.
    pub(super) fn children(
        &mut self,
        parent: &str,
        mut take: impl FnMut(&mut Self, BytesStart<'a>, usize) -> Result<(), XmlErrorAt>,
    ) -> Result<(), XmlErrorAt> {
        loop {
            match self.next()? {
                (at, Token::Start(tag)) => take(self, tag, at)?,
                (_, Token::Text(_)) => {}
                (_, Token::End) => return Ok(()),
                (at, Token::Eof) => return Err(cut_off(at, &format!("<{parent}>"))),
            }
        }
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, XmlErrorAt> {
        let mut text = String::new();
        loop {
            match self.next()? {
                (_, Token::Start(_)) => self.skip()?,
                (_, Token::Text(piece)) => text.push_str(&piece),
                (_, Token::End) => return Ok(text),
                (at, Token::Eof) => return Err(cut_off(at, &format!("<{name}>"))),
            }
        }
    }

    /// Returns the amount in an element; `None` = empty.
    pub(super) fn amount(&mut self, name: &str, at: usize) -> Result<Option<u64>, XmlErrorAt> {
        let text = self.text(name)?;
        match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| value_fault(name, text, "a whole number", at)),
        }
    }

    /// Returns the figure in an element; `None` = empty, or a non-finite number of C libraries.
    pub(super) fn figure(&mut self, name: &str, at: usize) -> Result<Option<f64>, XmlErrorAt> {
        let text = self.text(name)?;
        match text.trim() {
            "" => Ok(None),
            text if is_undefined(text) => Ok(None),
            text => match text.parse() {
                Ok(figure) if (0.0..f64::INFINITY).contains(&figure) => Ok(Some(figure)),
                _ => Err(value_fault(name, text, "a number from 0 on, with a point before its decimals", at)),
            },
        }
    }
}

impl ElementReader<'_> {
    /// Returns the meaning of the word in an element.
    ///
    /// # Errors
    /// Fails if the word is unknown (another version wrote it, or it is damaged).
    pub(super) fn word<T>(
        &mut self,
        (name, at): (&str, usize),
        meaning: fn(&str) -> Option<T>,
    ) -> Result<T, XmlErrorAt> {
        let text = self.text(name)?;
        meaning(text.trim()).ok_or_else(|| value_fault(name, &text, "a word of this version", at))
    }
}

fn value_fault(name: &str, text: &str, expected: &str, at: usize) -> XmlErrorAt {
    XmlErrorAt::new(at, format!("<{name}>: {} is not possible", quote(text)))
        .with_expected(expected)
        .hint("was the file edited or damaged?")
}
