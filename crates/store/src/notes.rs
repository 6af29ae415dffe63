//! Files of the store with notes: a head that names the format, and the notes next to it.

use diskspd_base::json_reader::{JsonError, read_json};
use diskspd_base::message_error::MessageError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct NotesFormat {
    name: String,
    version: u32,
}

#[derive(Deserialize)]
struct NotesHead {
    format: NotesFormat,
}

#[derive(Serialize)]
pub(super) struct StoredNotes<T> {
    format: NotesFormat,
    #[serde(flatten)]
    notes: T,
}

/// A kind of files with notes: the folder in the store, and the name of the format.
pub(super) struct NotesKind {
    pub folder: &'static str,
    pub format: &'static str,
}

impl NotesKind {
    /// Wraps notes with their format for a file.
    pub(super) fn stored<T: Serialize>(&self, notes: T) -> StoredNotes<T> {
        StoredNotes { format: NotesFormat { name: self.format.to_owned(), version: 1 }, notes }
    }

    pub(super) fn parse<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, MessageError> {
        let damaged = |error: JsonError| MessageError::from(format!("is damaged: {error}"));
        let NotesHead { format } = read_json(bytes).map_err(damaged)?;
        match format.name == self.format {
            // Without the head: an error in a flattened structure has no path.
            true => read_json(bytes).map_err(damaged),
            false => Err(format!("is not a file of this kind, but {}", format.name).into()),
        }
    }
}
