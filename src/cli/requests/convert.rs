//! What is converted.

use std::path::PathBuf;

/// What is converted, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertRequest {
    /// A job file of fio, or an XML profile.
    pub file: PathBuf,
    /// `--out`: where the profile goes; `None` = the command line is printed.
    pub out: Option<PathBuf>,
    /// `--quiet`: what is done in another way is not told.
    pub quiet: bool,
}
