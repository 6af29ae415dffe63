//! Paths as raw bytes: text as the user gave it is usually UTF-8, but names of files need not be. The only
//! place that knows how an operating system spells a name.

use crate::units::visible;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::{OsStr, OsString};
use std::fmt;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The path of these bytes.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(named(bytes))
}

/// Every sequence of bytes without a zero is a name.
#[cfg(unix)]
fn named(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// Names are text where they aren't bytes: what is none, in a record of another system, is no name.
#[cfg(not(unix))]
fn named(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}

/// Bytes of an argument or a path, kept exactly. In JSON a string where it is UTF-8, else `{"bytes": [..]}`.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RawText(Vec<u8>);

impl RawText {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// As the operating system takes it.
    pub fn as_os_str(&self) -> &OsStr {
        named(&self.0)
    }

    /// As a path.
    pub fn as_path(&self) -> &Path {
        path(&self.0)
    }
}

impl From<&str> for RawText {
    fn from(text: &str) -> Self {
        RawText(text.as_bytes().to_vec())
    }
}

impl From<Vec<u8>> for RawText {
    fn from(bytes: Vec<u8>) -> Self {
        RawText(bytes)
    }
}

impl From<OsString> for RawText {
    fn from(text: OsString) -> Self {
        RawText(text.into_encoded_bytes())
    }
}

/// For messages: in one line and harmless for a terminal; what is not UTF-8 is shown as U+FFFD.
impl fmt::Display for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible::line(&String::from_utf8_lossy(&self.0)))
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<'a> {
    Utf8(std::borrow::Cow<'a, str>),
    Other { bytes: Vec<u8> },
}

impl Serialize for RawText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Form::Utf8(text.into()),
            Err(_) => Form::Other { bytes: self.0.clone() },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Utf8(text) => RawText(text.into_owned().into_bytes()),
            Form::Other { bytes } => RawText(bytes),
        })
    }
}
