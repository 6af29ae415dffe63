//! What is converted.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertRequest {
    /// A job file of fio, or an XML profile.
    pub file: PathBuf,
    pub out: Option<PathBuf>,
    pub quiet: bool,
}
