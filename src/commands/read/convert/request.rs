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
    /// A job file of fio, or an XML profile.
    File(PathBuf),
    /// Words of fio's command line.
    FioLine(Vec<String>),
}
