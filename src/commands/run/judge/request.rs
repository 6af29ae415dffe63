//! Request of `judge`.

use crate::cli::requests::{OutRequest, SaveRequest, StreamRequest};
use crate::profile::RawText;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgeRequest {
    /// Command and arguments; empty = only observe the I/O on the targets.
    pub words: Vec<OsString>,
    /// Files and devices to check; empty = the files that the command opens.
    pub targets: Vec<RawText>,
    /// `--for`: observation time in ms.
    pub watched_ms: Option<u64>,
    pub count_all: bool,
    pub verbose: bool,
    pub quiet: bool,
    pub strict: bool,
    pub fail_on_outage_ms: Option<u64>,
    pub out: Vec<OutRequest>,
    pub stream: Option<StreamRequest>,
    pub save: Option<SaveRequest>,
    pub store: Option<PathBuf>,
    /// All words after `judge`.
    pub typed: Vec<OsString>,
}
