//! What is recorded, and what is made of it.

use crate::trace::RateChoice;
use crate::trace::formats::RequestView;
use std::path::PathBuf;

/// What is looked at, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRequest {
    /// Where the I/Os come from.
    pub source: TracedSource,
    /// `--out`: where the profile goes; `None` = nowhere.
    pub out: Option<PathBuf>,
    /// `--requests`: where a device's I/Os are looked at.
    pub view: RequestView,
    /// `--rate`: whether the profile keeps to the speed that was seen.
    pub rate: RateChoice,
}

/// Where the I/Os come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TracedSource {
    /// A device that is watched.
    Device {
        /// Its path.
        path: PathBuf,
        /// `-d`: for so many seconds, at least 1.
        seconds: u32,
    },
    /// `--from`: recorded I/Os.
    File {
        /// The file.
        path: PathBuf,
        /// `--stream-of`: the target whose I/Os are taken, as the file calls it.
        stream: Option<String>,
    },
}
