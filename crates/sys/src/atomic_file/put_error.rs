//! A file that is ready, and isn't where it belongs.

use std::io;
use std::path::PathBuf;

/// A file that could not be put in its place.
#[derive(Debug, thiserror::Error)]
pub struct PutError {
    pub error: io::Error,
    pub kept: io::Result<PathBuf>,
}

impl std::fmt::Display for PutError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.error)?;
        match &self.kept {
            Ok(path) => write!(f, "; it is kept as {}", path.display()),
            Err(error) => write!(f, "; nor can it be kept elsewhere: {error}"),
        }
    }
}
