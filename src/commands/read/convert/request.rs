//! Requests for conversions.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertRequest {
    pub source: ConvertSource,
    pub out: Option<PathBuf>,
    pub quiet: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConvertSource {
    /// fio job file or XML profile.
    File(PathBuf),
    /// Words of a fio command line.
    FioLine(Vec<String>),
}
