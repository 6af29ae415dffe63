//! Requests for traces: recordings, and their use.

use crate::trace::RateChoice;
use crate::trace::formats::RequestView;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRequest {
    pub source: TracedSource,
    pub out: Option<PathBuf>,
    pub view: RequestView,
    /// `--rate`: whether the profile keeps the observed rate.
    pub rate: RateChoice,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TracedSource {
    Device {
        path: PathBuf,
        seconds: u32,
    },
    /// `--from`: file with recorded I/Os.
    File {
        path: PathBuf,
        /// `--stream-of`: selected target, by its name in the file.
        stream: Option<String>,
    },
}
