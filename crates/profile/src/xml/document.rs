//! From the bytes of a document to its text: UTF-8, or UTF-16 as Windows programs write it.

use super::error::{XmlError, XmlErrorAt};
use super::text;
use std::borrow::Cow;

/// Decodes a document, without its byte order mark.
///
/// # Errors
/// Fails if the bytes are not UTF-8 or UTF-16, or contain characters that XML does not allow.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, XmlError> {
    decode_with(bytes, utf8_text)
}

/// Decodes a document that may contain bytes of another encoding, as DISKSPD writes paths and names. Such
/// bytes become placeholder characters ([`text::bytes`]).
///
/// # Errors
/// Fails for partial UTF-16, or characters that XML does not allow.
pub fn decode_any(bytes: &[u8]) -> Result<Cow<'_, str>, XmlError> {
    decode_with(bytes, |bytes| Ok(text::keeping_bytes(bytes)))
}

fn decode_with<'a>(
    bytes: &'a [u8],
    utf8: fn(&'a [u8]) -> Result<Cow<'a, str>, XmlError>,
) -> Result<Cow<'a, str>, XmlError> {
    let text = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest)?,
        [0xff, 0xfe, rest @ ..] => utf16_text(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16_text(rest, u16::from_be_bytes)?,
        // Without a byte order mark; a document begins with `<`.
        [b'<', 0, ..] => utf16_text(bytes, u16::from_le_bytes)?,
        [0, b'<', ..] => utf16_text(bytes, u16::from_be_bytes)?,
        _ => utf8(bytes)?,
    };
    match text.char_indices().find(|(_, c)| !text::is_allowed(*c)) {
        None => Ok(text),
        Some((position, c)) => {
            let fault = XmlErrorAt::new(
                position,
                format!("the character U+{:04X} is not allowed in XML, not even escaped", u32::from(c)),
            )
            .hint("is this an XML file? In paths, diskspd -Rpxml writes such bytes as U+10FF00 + byte");
            Err(XmlError::in_text(&text, &fault))
        }
    }
}

fn utf8_text(bytes: &[u8]) -> Result<Cow<'_, str>, XmlError> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let fault = XmlErrorAt::new(
            error.valid_up_to(),
            format!("the byte 0x{:02x} is not UTF-8", bytes[error.valid_up_to()]),
        )
        .with_expected("text in UTF-8, or in UTF-16 with a byte order mark")
        .hint("save the file as UTF-8; for a path that is not UTF-8, let diskspd -Rpxml write the profile");
        XmlError::in_text(&valid, &fault)
    })
}

fn utf16_text(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, XmlError> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match decoded {
            Ok(c) => text.push(c),
            Err(_) => return Err(no_utf16(&text)),
        }
    }
    if odd.is_empty() { Ok(Cow::Owned(text)) } else { Err(no_utf16(&text)) }
}

fn no_utf16(before: &str) -> XmlError {
    let fault = XmlErrorAt::new(before.len(), "this begins as UTF-16, but continues as something else")
        .with_expected("UTF-16 to the end, two bytes per unit")
        .hint("was the file cut off, or were two files of different encodings put together?");
    XmlError::in_text(before, &fault)
}
