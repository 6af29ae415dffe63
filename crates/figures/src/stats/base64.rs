//! Bytes as text within JSON: base64 (RFC 4648, with padding), which every language reads. A list of
//! numbers takes several times the room, and ten times as long to read.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NONE: u8 = 64;
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Bytes that are stored as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packed<'a>(pub Cow<'a, [u8]>);

impl Serialize for Packed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Packed<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Packed<'static>;

    fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
        text.write_str("bytes in base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Packed<'static>, E> {
        let bytes = decode(text.as_bytes()).ok_or_else(|| E::custom("these are no bytes in base64"))?;
        Ok(Packed(bytes.into()))
    }
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// `None` = that's no base64.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = vec![0; text.len() / 4 * 3];
    let (fours, last) = text[..text.len() - padding].as_chunks::<4>();
    let (threes, _) = bytes.as_chunks_mut::<3>();
    // What is no digit has a bit that digits have not; one look at all of them is enough.
    let mut seen = 0;
    for (four, three) in fours.iter().zip(threes.iter_mut()) {
        // Digit by digit: of `map` over the four, the compiler makes calls.
        let value = |place: usize| u32::from(VALUES[usize::from(four[place])]);
        let (a, b, c, d) = (value(0), value(1), value(2), value(3));
        seen |= a | b | c | d;
        let [_, all @ ..] = (a << 18 | b << 12 | c << 6 | d).to_be_bytes();
        *three = all;
    }
    if !last.is_empty() {
        let values = last.iter().map(|digit| u32::from(VALUES[usize::from(*digit)]));
        let bits = values.zip([18, 12, 6]).fold(0, |bits, (value, shift)| {
            seen |= value;
            bits | value << shift
        });
        let [_, all @ ..] = bits.to_be_bytes();
        bytes.truncate(fours.len() * 3);
        bytes.extend_from_slice(&all[..last.len() - 1]);
    }
    (seen & u32::from(NONE) == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        let table = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in table {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text.as_bytes()).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for text in ["Z", "Zg", "Zg=", "====", "Z===", "Zm9-", "Z=9v", "Zg==Zg=="] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_what_is_read(bytes: Vec<u8>) {
            proptest::prop_assert_eq!(decode(encode(&bytes).as_bytes()), Some(bytes));
        }
    }
}
