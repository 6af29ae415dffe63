//! Errors in a line of a trace, or in the whole file.

use super::event::MAX_DISCARD_BYTES;
use crate::TracedIo;
use diskspd_base::limits::EmptyInput;
use std::sync::Arc;

#[derive(Debug, Clone, thiserror::Error)]
pub enum TraceErrorKind {
    #[error("cannot be read: {0}")]
    NotRead(#[source] Arc<std::io::Error>),
    /// A line is longer than this number of bytes.
    #[error("the line is longer than {0} bytes")]
    LongLine(u64),
    #[error(transparent)]
    Empty(#[from] EmptyInput),
    #[error(
        "this is a binary file of blktrace: convert it to text, for example blkparse -i sda > sda.txt for \
         sda.blktrace.0, sda.blktrace.1 .., and read sda.txt"
    )]
    BinaryBlktrace,
    /// The first line does not match a known format; the second text is a hint, or empty.
    #[error(
        "unknown format of recorded I/Os: '{0}'. Supported are logs of --io-log, the text of blkparse, and \
         fio's iolog of version 2 and 3{1}"
    )]
    Format(String, &'static str),
    /// The trace has no selected I/Os; the list contains the available streams.
    #[error("it is {format}, and has no read or write{}", wanted_and_others(.wanted.as_deref(), .others))]
    NothingTaken {
        format: &'static str,
        /// Requested stream; `None` = any.
        wanted: Option<String>,
        others: Vec<String>,
    },
    /// A required part of a line is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("'{0}' is not {1}")]
    Malformed(String, &'static str),
    #[error("the line has {0} values instead of 8")]
    Values(usize),
    /// The times restart at 0.
    #[error(
        "a second time span begins here, with times from 0 again; split the file, and repeat the first line \
         in each part"
    )]
    SecondTimeSpan,
    /// Unknown action of fio's log; states whether lines begin with a time.
    #[error(
        "'{action}': unknown or malformed action; known are add, open, close, read, write, sync, datasync, \
         trim{}", if *.stamped { "" } else { ", wait" }
    )]
    FioAction {
        action: String,
        /// Whether the version is 3.
        stamped: bool,
    },
    #[error("a file and an action are expected")]
    NoFioAction,
    #[error("'{0}': unknown action of blktrace")]
    BlktraceAction(String),
    #[error("sector + sectors is expected")]
    NoSectors,
    /// Offset of the sector with more than 64 bits.
    #[error("the sector is beyond any device")]
    FarSector,
    /// Time in us that is too large for further addition.
    #[error("the time {0} us is too large")]
    FarTime(u64),
    /// Offset in bytes that exceeds the maximum size of a target.
    #[error("the offset {0} is beyond any target")]
    FarOffset(u64),
    #[error("an I/O of {bytes} bytes, not of 1 to {}", TracedIo::MAX_IO_BYTES)]
    Length { bytes: u64 },
    #[error("a discard of {bytes} bytes, not of 1 to {MAX_DISCARD_BYTES}")]
    DiscardLength { bytes: u64 },
    /// The trace has several targets, and none was selected.
    #[error(
        "an I/O on {name} after I/Os on {first}: choose one target with --stream-of {first} or --stream-of \
         {name}"
    )]
    OtherStream { name: String, first: String },
    /// The time exceeds the limit of a replay.
    #[error("this I/O starts 78 hours or more after the first one, beyond the limit; cut the file above it")]
    TooLate,
    /// The number of sizes exceeds the limit of a replay.
    #[error("more than {0} different sizes, the limit")]
    TooManySizes(usize),
}

fn wanted_and_others(wanted: Option<&str>, others: &[String]) -> String {
    match (wanted, others) {
        (None, _) => " in it".to_owned(),
        (Some(wanted), []) => format!(" on {wanted}"),
        (Some(wanted), others) => format!(" on {wanted}; there are some on {}", others.join(", ")),
    }
}
