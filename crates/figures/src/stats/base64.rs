//! Bytes as text within JSON: base64 (RFC 4648, with padding), which every language reads. A list of
//! numbers takes several times the room, and ten times as long to read.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Base64 form that ignores the bits after the last byte.
const FORM: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Bytes that are stored as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packed<'a>(pub Cow<'a, [u8]>);

impl Serialize for Packed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&FORM.encode(&self.0))
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
        let bytes = FORM.decode(text).map_err(|_| E::custom("invalid base64"))?;
        Ok(Packed(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back_from_padded_text() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")] {
            let stored = serde_json::to_string(&Packed(bytes.as_bytes().into())).unwrap();
            assert_eq!(stored, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Packed>(&stored).unwrap().0, bytes.as_bytes());
        }
        for text in ["Z", "Zg", "Zg=", "====", "Z===", "Zm9-", "Z=9v", "Zg==Zg=="] {
            assert!(serde_json::from_str::<Packed>(&format!("\"{text}\"")).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Packed>("\"Zh==\"").is_ok(), "bits after the last byte");
    }
}
