//! Tokenizer of documents.

use super::error::{XmlErrorAt, quote};
use quick_xml::Reader;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};

/// Token of a document, without comments and processing instructions.
pub enum Token<'a> {
    Start(BytesStart<'a>),
    End,
    /// Text within an element, without references.
    Text(String),
    Eof,
}

pub struct Tokens<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    strict: bool,
}

impl<'a> Tokens<'a> {
    pub fn strict(text: &'a str) -> Tokens<'a> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_comments = true;
        Tokens { reader, text, strict: true }
    }

    /// Creates a tokenizer for DISKSPD's documents, which contain unescaped `&` in paths.
    pub fn tolerant(text: &'a str) -> Tokens<'a> {
        let mut tokens = Tokens { strict: false, ..Tokens::strict(text) };
        tokens.reader.config_mut().allow_dangling_amp = true;
        tokens
    }

    /// Returns the next token with its byte offset.
    ///
    /// # Errors
    /// Fails for malformed XML.
    pub fn next_token(&mut self) -> Result<(usize, Token<'a>), XmlErrorAt> {
        loop {
            let at = self.reader.buffer_position() as usize;
            let event = self
                .reader
                .read_event()
                .map_err(|error| not_well_formed(self.reader.error_position() as usize, &error))?;
            let token = match event {
                Event::Start(tag) | Event::Empty(tag) => Token::Start(tag),
                Event::End(_) => Token::End,
                Event::Text(text) if self.strict && text.contains("]]>") => {
                    return Err(XmlErrorAt::new(at, "not well-formed XML: ]]> in text").hint("write ]]&gt;"));
                }
                Event::Text(text) => Token::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Token::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => Token::Text(match resolve(at, &reference) {
                    Err(_) if !self.strict => format!("&{};", &*reference),
                    resolved => resolved?,
                }),
                Event::Comment(_) | Event::PI(_) => continue,
                Event::Decl(_) if !self.strict => continue,
                Event::Decl(declaration) => {
                    self.check_declaration(at, &declaration)?;
                    continue;
                }
                Event::DocType(_) => {
                    return Err(XmlErrorAt::new(at, "a document type declaration (<!DOCTYPE>)")
                        .with_expected("<Profile>")
                        .hint("leave it out: profiles do not use one, and entities are not expanded"));
                }
                Event::Eof => Token::Eof,
            };
            return Ok((at, token));
        }
    }

    fn check_declaration(&self, at: usize, declaration: &BytesDecl) -> Result<(), XmlErrorAt> {
        if at != 0 {
            return Err(XmlErrorAt::new(at, "an XML declaration that does not begin the document")
                .hint("remove all text before it, also blanks and empty lines"));
        }
        match declaration.version() {
            Ok(version) if version == "1.0" => {}
            Ok(version) => {
                let what = format!("XML version {} cannot be read", quote(&version));
                return Err(XmlErrorAt::new(at, what).with_expected("version=\"1.0\""));
            }
            Err(error) => return Err(not_well_formed(at, &error)),
        }
        let encoding = match declaration.encoding() {
            None => return Ok(()),
            Some(Ok(encoding)) => encoding,
            Some(Err(error)) => return Err(XmlErrorAt::new(at, format!("not well-formed XML: {error}"))),
        };
        // What was decoded without fault is Unicode, whatever it says: programs that recode a file often
        // leave the old name in it. Another encoding is none of our business as long as nothing depends on
        // it.
        let unicode = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "unicode"];
        if self.text.is_ascii() || unicode.iter().any(|name| encoding.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        Err(XmlErrorAt::new(at, format!("the encoding {} cannot be read", quote(&encoding)))
            .with_expected("encoding=\"UTF-8\", or UTF-16")
            .hint("save the file as UTF-8, and let its first line say so"))
    }

    /// Skips the rest of an element, after its start tag.
    ///
    /// # Errors
    /// Fails for malformed or truncated XML.
    pub fn skip(&mut self) -> Result<(), XmlErrorAt> {
        let mut open = 1_usize;
        while open > 0 {
            match self.next_token()? {
                (_, Token::Start(_)) => open += 1,
                (_, Token::End) => open -= 1,
                (_, Token::Text(_)) => {}
                (at, Token::Eof) => return Err(cut_off(at, "an element")),
            }
        }
        Ok(())
    }
}

/// Reports a document that ends too early.
pub fn cut_off(at: usize, within: &str) -> XmlErrorAt {
    XmlErrorAt::new(at, format!("the document ends within {within}")).hint("was the file cut off?")
}

pub(super) fn attribute_text(attribute: &Attribute, at: usize) -> Result<String, XmlErrorAt> {
    if attribute.value.contains('<') {
        return Err(XmlErrorAt::new(at, "not well-formed XML: < in the value of an attribute"));
    }
    quick_xml::escape::unescape(&attribute.value)
        .map(|text| text.into_owned())
        .map_err(|error| not_well_formed(at, &error.into()))
}

fn not_well_formed(at: usize, error: &quick_xml::Error) -> XmlErrorAt {
    use quick_xml::errors::{Error, IllFormedError};
    let why = match error {
        Error::Syntax(why) => why.to_string(),
        Error::IllFormed(why) => why.to_string(),
        other => other.to_string(),
    };
    let fault = XmlErrorAt::new(at, format!("not well-formed XML: {why}"));
    match error {
        Error::IllFormed(IllFormedError::UnclosedReference) => fault.hint("write & as &amp;"),
        _ => fault,
    }
}

/// Returns the character for `&..;`. Only XML's five predefined entities are supported.
fn resolve(at: usize, reference: &BytesRef) -> Result<String, XmlErrorAt> {
    let known = quick_xml::escape::resolve_xml_entity(reference).map(str::to_owned);
    if let Some(text) = known {
        return Ok(text);
    }
    let fault = match reference.resolve_char_ref() {
        Ok(Some(c)) if super::text::is_allowed(c) => return Ok(c.to_string()),
        Ok(None) => {
            XmlErrorAt::new(at, format!("unknown entity &{};", shorten(reference))).hint("write & as &amp;")
        }
        Ok(Some(_)) | Err(_) => {
            XmlErrorAt::new(at, format!("&{}; is not a character of XML", shorten(reference)))
        }
    };
    Err(fault.with_expected("&amp; &lt; &gt; &quot; &apos; or a character by its number, such as &#228;"))
}

/// Shortens a name of the document for a message.
pub(super) fn shorten(name: &str) -> String {
    quote(name).trim_matches('"').to_owned()
}
