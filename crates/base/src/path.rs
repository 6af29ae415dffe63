//! Paths as raw bytes. Text from the user is usually UTF-8, but names of files may be anything.

use bstr::ByteSlice;
use diskspd_figures::units::visible;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

/// Returns the path of these bytes. Linux allows all bytes except zero. On systems with text names, U+FFFD
/// replaces each invalid sequence, so such a file does not exist.
pub fn path(bytes: &[u8]) -> Cow<'_, Path> {
    bytes.to_path_lossy()
}

/// Bytes of an argument or a path, kept exactly. In JSON a string where it is UTF-8, else `{"bytes": [..]}`.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RawText {
    bytes: Vec<u8>,
    /// Replacement path for systems that do not allow these bytes; never used on Linux.
    instead: Option<Box<OsStr>>,
}

impl RawText {
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn as_os_str(&self) -> &OsStr {
        match &self.instead {
            Some(name) => name,
            None => self.bytes.to_os_str().unwrap_or_default(),
        }
    }

    pub fn as_path(&self) -> &Path {
        Path::new(self.as_os_str())
    }
}

impl From<&str> for RawText {
    fn from(text: &str) -> Self {
        RawText { bytes: text.as_bytes().to_vec(), instead: None }
    }
}

impl From<Vec<u8>> for RawText {
    fn from(bytes: Vec<u8>) -> Self {
        let instead = match bytes.to_os_str() {
            Ok(_) => None,
            Err(_) => Some(bytes.to_os_str_lossy().into_owned().into()),
        };
        RawText { bytes, instead }
    }
}

impl From<OsString> for RawText {
    fn from(text: OsString) -> Self {
        let bytes = text.as_encoded_bytes().to_vec();
        // Windows has names that are no text.
        let instead = bytes.to_os_str().is_err().then(|| text.into());
        RawText { bytes, instead }
    }
}

/// Formats for messages: one line, safe for a terminal, with U+FFFD for invalid UTF-8.
impl fmt::Display for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible::line(&String::from_utf8_lossy(&self.bytes)))
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.bytes), f)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum TextForm<'a> {
    Utf8(Cow<'a, str>),
    Other { bytes: Vec<u8> },
}

impl Serialize for RawText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => TextForm::Utf8(text.into()),
            Err(_) => TextForm::Other { bytes: self.bytes.clone() },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match TextForm::deserialize(deserializer)? {
            TextForm::Utf8(text) => RawText::from(&*text),
            TextForm::Other { bytes } => RawText::from(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_keep_their_bytes() {
        let not_utf8 = b"disk-\xff.dat";
        let text = RawText::from(not_utf8.to_vec());
        let stored = serde_json::to_string(&text).unwrap();
        assert_eq!(serde_json::from_str::<RawText>(&stored).unwrap(), text);
        assert_eq!(text.as_bytes(), not_utf8);
        // Another system may not have such a name: the replacement states the original.
        for shown in [text.as_path().to_string_lossy(), path(not_utf8).to_string_lossy()] {
            assert_eq!(shown, "disk-\u{fffd}.dat");
        }
        let given = OsString::from(r"\\server\share\ä.dat");
        assert_eq!(RawText::from(given.clone()).as_os_str(), given);
    }
}
