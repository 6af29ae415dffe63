//! Text of an element: any bytes of a path are written as well-formed XML and read back unchanged.
//!
//! XML cannot contain non-UTF-8 bytes or most control characters, not even escaped. Each such byte b is
//! written as the character U+10FF00 + b, from a private use area of Unicode. Real characters U+10FF00 to
//! U+10FFFF in a path are written in the same way, byte by byte, so the form is unambiguous.

use std::borrow::Cow;
use std::fmt::Write;

/// First of the 256 characters that represent bytes.
const BYTES: u32 = 0x10_FF00;

/// Appends `bytes` as the escaped text of an element in one line.
pub fn write(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut text, c));
        chunk.invalid().iter().for_each(|byte| push_byte(&mut text, *byte));
    }
    out.extend_from_slice(text.as_bytes());
}

fn push(text: &mut String, c: char) {
    match c {
        '&' => text.push_str("&amp;"),
        '<' => text.push_str("&lt;"),
        '>' => text.push_str("&gt;"),
        // A parser would turn them into blanks or line feeds, or cut them off.
        '\t' | '\n' | '\r' => {
            let _ = write!(text, "&#{};", u32::from(c));
        }
        c if !is_allowed(c) || u32::from(c) >= BYTES => {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_byte(text, byte));
        }
        c => text.push(c),
    }
}

fn push_byte(text: &mut String, byte: u8) {
    text.extend(char::from_u32(BYTES + u32::from(byte)));
}

/// Returns text in which characters represent the bytes that are not UTF-8; the inverse is [`bytes`].
pub fn keeping_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() * 2);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| push_byte(&mut text, *byte));
    }
    Cow::Owned(text)
}

/// Returns the bytes that `text` represents, as returned by a parser.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(BYTES) {
            Some(byte) => bytes.push(byte as u8),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

pub fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_text(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        write(&mut out, bytes);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn valid_xml_characters_are_kept_or_escaped() {
        assert_eq!(write_text(b"/data/test.bin"), "/data/test.bin");
        assert_eq!(write_text("a & <b> \"c\" 'd' ü".as_bytes()), "a &amp; &lt;b&gt; \"c\" 'd' ü");
        assert_eq!(write_text(b"a\nb\tc\r"), "a&#10;b&#9;c&#13;");
    }

    #[test]
    fn invalid_xml_bytes_become_one_character_each() {
        assert_eq!(write_text(b"\xff\x01"), "\u{10ffff}\u{10ff01}");
        assert_eq!(write_text("\u{fffe}".as_bytes()), "\u{10ffef}\u{10ffbf}\u{10ffbe}");
        assert_eq!(write_text("\u{10ff41}".as_bytes()), "\u{10fff4}\u{10ff8f}\u{10ffbd}\u{10ff81}");
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_bytes_round_trip(given: Vec<u8>) {
            let written = write_text(&given);
            proptest::prop_assert!(written.chars().all(|c| is_allowed(c) && !"\n\r\t<>".contains(c)));
            let parsed = quick_xml::escape::unescape(&written).unwrap();
            proptest::prop_assert_eq!(bytes(&parsed), given);
        }
    }
}
