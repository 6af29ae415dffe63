//! A complete file that could not be moved to its place.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[error("{error}; {}", kept_text(kept))]
pub struct PutError {
    pub error: io::Error,
    pub kept: io::Result<PathBuf>,
}

pub fn kept_text(kept: &io::Result<PathBuf>) -> String {
    match kept {
        Ok(path) => format!("it is kept as {}", path.display()),
        Err(error) => format!("nor can it be kept elsewhere: {error}"),
    }
}
