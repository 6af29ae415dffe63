//! Files of recorded I/Os: their formats, recognized by content, and their lines.
//!
//! | format | first line that is neither empty nor a comment (`#`) |
//! |---|---|
//! | `--io-log` of this program | `thread,target,direction,offset,size,start_ns,latency_ns,due_ns` |
//! | text of blkparse | ` major,minor cpu sequence seconds process action ..` |
//! | fio's log of I/Os | `fio version 2 iolog`, `fio version 3 iolog` |
//!
//! A file is read line by line and is not stored here. Times count from the first event of the file.

mod blkparse;
mod error;
mod event;
mod fault;
mod fio;
mod lines;
mod own;
mod reader;

use blkparse::Blkparse;
use diskspd_base::fio_log;
use diskspd_base::limits::EmptyInput;
pub use error::TraceError;
pub use event::{RecordedEvent, RecordedIo};
pub use fault::TraceErrorKind;
use fio::FioLog;
use lines::{TraceLines, is_comment};
use own::OwnLog;
pub use reader::TakeEvent;
use reader::{EventSink, LineReader, Streams, number, placed};
pub use reader::{RequestView, TakenIos};
use std::io::BufRead;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// Log of `--io-log`.
    Own,
    Blkparse,
    /// fio's I/O log, version 2.
    Fio2,
    /// fio's I/O log, version 3.
    Fio3,
}

impl TraceFormat {
    pub fn name(self) -> &'static str {
        match self {
            TraceFormat::Own => "a log of --io-log",
            TraceFormat::Blkparse => "text of blkparse",
            TraceFormat::Fio2 => "an iolog of fio, version 2",
            TraceFormat::Fio3 => "an iolog of fio, version 3",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTrace {
    pub format: TraceFormat,
    /// Name of the recorded file or device.
    pub stream: String,
    /// Whether its I/Os have times; a version 2 iolog of fio without `wait` does not.
    pub has_times: bool,
}

/// Reads a file.
///
/// # Errors
/// Fails with the first invalid line, or if the file is incomplete.
pub fn read(
    mut input: impl BufRead,
    taken: &TakenIos,
    take: &mut TakeEvent,
) -> Result<ReadTrace, TraceError> {
    let whole = |fault| TraceError { line: None, fault };
    let beginning = input.fill_buf().map_err(|error| whole(TraceErrorKind::NotRead(Arc::new(error))))?;
    if is_binary_blktrace(beginning) {
        return Err(whole(TraceErrorKind::BinaryBlktrace));
    }
    let content = EmptyInput::check(beginning);
    if content == Err(EmptyInput::Zeros) {
        return Err(whole(EmptyInput::Zeros.into()));
    }
    let mut lines = TraceLines::new(input);
    let mut streams = Streams::new(taken.stream);
    let mut take = EventSink { line: 0, taken: 0, each: take };
    let first =
        first_line(&mut lines)?.ok_or_else(|| whole(content.err().unwrap_or(EmptyInput::Comments).into()))?;
    let (format, mut reader) = recognize_format(&first, taken.view)
        .ok_or_else(|| TraceError { line: Some(lines.number()), fault: unknown_format(&first) })?;
    let mut failed = None;
    if format == TraceFormat::Blkparse {
        take.line = lines.number();
        failed = reader.line(&first, &mut streams, &mut take).err();
    }
    while failed.is_none() {
        let Some(line) = lines.next()? else { break };
        take.line = line.number;
        failed = reader.line(line.text, &mut streams, &mut take).err();
    }
    if let Some(fault) = failed {
        return Err(TraceError { line: Some(take.line), fault });
    }
    let has_times = reader.end().map_err(whole)?;
    if take.taken == 0 {
        return Err(whole(nothing_taken(&streams, format)));
    }
    Ok(ReadTrace { format, stream: streams.first.unwrap_or_default(), has_times })
}

/// Returns the first line that is neither empty nor a comment.
fn first_line<R: BufRead>(lines: &mut TraceLines<R>) -> Result<Option<String>, TraceError> {
    while let Some(line) = lines.next()? {
        if !is_comment(line.text) && !line.text.trim().is_empty() {
            return Ok(Some(line.text.to_owned()));
        }
    }
    Ok(None)
}

fn recognize_format(first: &str, view: RequestView) -> Option<(TraceFormat, Box<dyn LineReader>)> {
    match first.trim_end() {
        own::HEADER => Some((TraceFormat::Own, Box::new(OwnLog::default()))),
        "fio version 2 iolog" => Some((TraceFormat::Fio2, Box::new(FioLog::version_2()))),
        "fio version 3 iolog" => Some((TraceFormat::Fio3, Box::new(FioLog::version_3()))),
        line if blkparse::is_event(line) => Some((TraceFormat::Blkparse, Box::new(Blkparse::new(view)))),
        _ => None,
    }
}

/// Whether a file begins with an event of blktrace: its magic number and version, in either byte order.
fn is_binary_blktrace(beginning: &[u8]) -> bool {
    const MAGIC: u32 = 0x6561_7407;
    beginning.starts_with(&MAGIC.to_le_bytes()) || beginning.starts_with(&MAGIC.to_be_bytes())
}

fn unknown_format(first: &str) -> TraceErrorKind {
    let hint = if first.starts_with("fio version") {
        "; of fio's formats only versions 2 and 3 are supported"
    } else if fio_log::is_log_line(first) {
        "; this is a result log of fio (write_lat_log, write_bw_log, write_iops_log) without offsets to \
         replay: print it with diskspd report RESULT.json, and record I/Os with fio's write_iolog"
    } else if first.trim_start().starts_with(['{', '<']) {
        "; print results with diskspd report FILE"
    } else if first.chars().any(|c| c == '\u{FFFD}' || c == '\0') {
        "; convert blktrace's files with blkparse: blkparse -i DEVICE > FILE"
    } else {
        ""
    };
    let shown: String = first.chars().take(60).collect();
    TraceErrorKind::Format(shown, hint)
}

fn nothing_taken(streams: &Streams, format: TraceFormat) -> TraceErrorKind {
    TraceErrorKind::NothingTaken {
        format: format.name(),
        wanted: streams.wanted.clone(),
        others: streams.others.clone(),
    }
}
