//! Files of recorded I/Os: which format one has, by its content, and what each line says.
//!
//! | format | first line |
//! |---|---|
//! | `--io-log` of this program | `thread,target,direction,offset,size,start_ns,latency_ns,due_ns` |
//! | text of blkparse | ` major,minor cpu sequence seconds process action ..` |
//! | fio's log of I/Os | `fio version 2 iolog`, `fio version 3 iolog` |
//!
//! A file is read line by line, and nothing of it is kept here. Times count from the first event of the file.

mod blkparse;
mod fio;
mod lines;
mod own;

use blkparse::Blkparse;
use fio::FioLog;
use lines::TraceLines;
use own::OwnLog;
use std::fmt;
use std::io::BufRead;

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEvent {
    /// An I/O was handed over.
    Issued(RecordedIo),
    /// One with the time that it took, ns.
    Done(RecordedIo, u64),
    /// An I/O, or a part of it, has completed at this time.
    Completed(RecordedIo),
    /// A discard was handed over; `write` says nothing here.
    Discarded(RecordedIo),
    /// Something that is neither a read, a write nor a discard.
    Skipped,
    /// What came before was not what is wanted: it is told again, in another way.
    Forget,
}

/// Where a line says that something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedIo {
    /// When, ns from the first event on.
    pub at_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes, at least 1.
    pub bytes: u32,
    /// Whether it writes.
    pub write: bool,
}

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// `--io-log`
    Own,
    /// blkparse's text.
    Blkparse,
    /// fio's log of I/Os, version 2.
    Fio2,
    /// .. version 3.
    Fio3,
}

impl TraceFormat {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            TraceFormat::Own => "a log of --io-log",
            TraceFormat::Blkparse => "text of blkparse",
            TraceFormat::Fio2 => "an iolog of fio, version 2",
            TraceFormat::Fio3 => "an iolog of fio, version 3",
        }
    }
}

/// Where a device's I/Os are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestView {
    /// As programs and file systems ask for them.
    #[default]
    Asked,
    /// As the driver gets them: neighbours are merged, and what is too large for the device is split.
    Driver,
}

/// What is taken of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct TakenIos<'a> {
    /// The target whose I/Os are taken, by the file's name for it; `None` = there must be one alone.
    pub stream: Option<&'a str>,
    /// Where a format tells both.
    pub view: RequestView,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTrace {
    /// The format that it turned out to have.
    pub format: TraceFormat,
    /// What the I/Os were recorded on, as the file calls it.
    pub stream: String,
    /// Whether its I/Os have times: an iolog of fio of version 2 without `wait` has none.
    pub has_times: bool,
}

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceError {
    /// Counted from 1; `None` = the file as a whole.
    pub line: Option<u64>,
    /// What, and what next.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Who gets the events, each with the number of its line; an error ends the reading there.
pub type TakeEvent<'a> = dyn FnMut(u64, RecordedEvent) -> Result<(), String> + 'a;

/// What a format makes of a line.
trait LineReader {
    /// Reads a line behind those that told the format.
    fn line(&mut self, text: &str, streams: &mut Streams, take: &mut Take) -> Result<(), String>;

    /// The end of the file: whether its I/Os have times.
    fn end(&mut self) -> Result<bool, String>;
}

/// Hands events on with their line.
struct Take<'a, 'b> {
    line: u64,
    taken: u64,
    each: &'a mut TakeEvent<'b>,
}

impl Take<'_, '_> {
    fn event(&mut self, event: RecordedEvent) -> Result<(), String> {
        match event {
            RecordedEvent::Issued(_) | RecordedEvent::Done(..) | RecordedEvent::Discarded(_) => {
                self.taken += 1
            }
            RecordedEvent::Forget => self.taken = 0,
            RecordedEvent::Completed(_) | RecordedEvent::Skipped => {}
        }
        (self.each)(self.line, event)
    }

    /// A discard, which may be longer than any I/O: it is told in pieces.
    fn discard(&mut self, at_ns: u64, offset: u64, bytes: u64) -> Result<(), String> {
        if !(1..=MOST_DISCARDED).contains(&bytes) {
            return Err(format!("a discard of {bytes} bytes, not of 1 to {MOST_DISCARDED}"));
        }
        // It is told before any piece is: the last one may lie beyond all targets.
        placed(at_ns, offset.saturating_add(bytes - 1), 1, false)?;
        for from in (0..bytes).step_by(LONGEST_DISCARD as usize) {
            let piece = placed(at_ns, offset + from, (bytes - from).min(LONGEST_DISCARD), false)?;
            self.event(RecordedEvent::Discarded(piece))?;
        }
        Ok(())
    }
}

/// Bytes of a discard that is told at once.
const LONGEST_DISCARD: u64 = 1 << 30;
/// Bytes of a whole discard, at most: 256 TiB, more than any device of today has. What says more is nonsense,
/// and would be more pieces than anybody waits for.
const MOST_DISCARDED: u64 = 1 << 48;

/// Of which of several files or devices I/Os are taken.
struct Streams {
    wanted: Option<String>,
    /// The first one that there were I/Os of; if one is wanted, that.
    first: Option<String>,
    /// Others that were seen, a few of them.
    others: Vec<String>,
}

/// Others that are named in a message.
const NAMED: usize = 8;

impl Streams {
    fn new(wanted: Option<&str>) -> Streams {
        Streams { wanted: wanted.map(str::to_owned), first: None, others: Vec::new() }
    }

    /// Whether an I/O on this one is taken.
    fn takes(&mut self, name: &str) -> Result<bool, String> {
        if let Some(wanted) = &self.wanted {
            let taken = wanted == name;
            if taken && self.first.is_none() {
                self.first = Some(name.to_owned());
            } else if !taken && self.others.len() < NAMED && !self.others.iter().any(|other| other == name) {
                self.others.push(name.to_owned());
            }
            return Ok(taken);
        }
        match &self.first {
            None => self.first = Some(name.to_owned()),
            Some(first) if first != name => {
                return Err(format!(
                    "an I/O on {name} after I/Os on {first}: choose one target with --stream-of {first} or \
                     --stream-of {name}"
                ));
            }
            Some(_) => {}
        }
        Ok(true)
    }
}

/// Reads a file.
///
/// # Errors
/// The first line that isn't as its format has it, or what a whole file lacks.
pub fn read(input: impl BufRead, taken: &TakenIos, take: &mut TakeEvent) -> Result<ReadTrace, TraceError> {
    let mut lines = TraceLines::new(input);
    let whole = |message: String| TraceError { line: None, message };
    let mut streams = Streams::new(taken.stream);
    let mut take = Take { line: 0, taken: 0, each: take };
    let first = first_line(&mut lines)?.ok_or_else(|| whole("the file is empty".into()))?;
    let (format, mut reader) = recognized(&first, taken.view)
        .ok_or_else(|| TraceError { line: Some(lines.number()), message: unknown(&first) })?;
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
    if let Some(message) = failed {
        return Err(TraceError { line: Some(take.line), message });
    }
    let has_times = reader.end().map_err(whole)?;
    if take.taken == 0 {
        return Err(whole(nothing_taken(&streams, format)));
    }
    Ok(ReadTrace { format, stream: streams.first.unwrap_or_default(), has_times })
}

/// The first line that isn't empty.
fn first_line<R: BufRead>(lines: &mut TraceLines<R>) -> Result<Option<String>, TraceError> {
    while let Some(line) = lines.next()? {
        if !line.text.trim().is_empty() {
            return Ok(Some(line.text.to_owned()));
        }
    }
    Ok(None)
}

fn recognized(first: &str, view: RequestView) -> Option<(TraceFormat, Box<dyn LineReader>)> {
    match first.trim_end() {
        own::HEADER => Some((TraceFormat::Own, Box::new(OwnLog::default()))),
        "fio version 2 iolog" => Some((TraceFormat::Fio2, Box::new(FioLog::version_2()))),
        "fio version 3 iolog" => Some((TraceFormat::Fio3, Box::new(FioLog::version_3()))),
        line if blkparse::is_event(line) => Some((TraceFormat::Blkparse, Box::new(Blkparse::new(view)))),
        _ => None,
    }
}

fn unknown(first: &str) -> String {
    let hint = match first {
        // The binary form has a number there instead of a text.
        _ if first.contains('\u{FFFD}') => {
            "; convert blktrace's files with blkparse: blkparse -i DEVICE > FILE"
        }
        _ if first.starts_with("fio version") => "; of fio's formats only versions 2 and 3 are supported",
        _ => "",
    };
    let shown: String = first.chars().take(60).collect();
    format!(
        "unknown format of recorded I/Os: '{shown}'. Supported are logs of --io-log, the text of blkparse, \
         and fio's iolog of version 2 and 3{hint}"
    )
}

fn nothing_taken(streams: &Streams, format: TraceFormat) -> String {
    match (&streams.wanted, &streams.others[..]) {
        (Some(wanted), []) => format!("it is {}, and has no read or write on {wanted}", format.name()),
        (Some(wanted), others) => {
            format!(
                "it is {}, and has no read or write on {wanted}; there are some on {}",
                format.name(),
                others.join(", ")
            )
        }
        (None, _) => format!("it is {}, and has no read or write in it", format.name()),
    }
}

/// A number; the error says what it was to be.
fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    let shown = || text.chars().take(40).collect::<String>();
    // FromStr takes a sign too.
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = if digits { text.parse().ok() } else { None };
    parsed.ok_or_else(|| format!("'{}' is not {what}", shown()))
}

/// The place of an I/O, with all of it below 2^63, where files end.
fn placed(at_ns: u64, offset: u64, bytes: u64, write: bool) -> Result<RecordedIo, String> {
    let largest = u64::from(super::TracedIo::LARGEST);
    match u32::try_from(bytes).ok().filter(|_| (1..=largest).contains(&bytes)) {
        None => Err(format!("an I/O of {bytes} bytes, not of 1 to {largest}")),
        Some(_) if offset >= (1 << 63) - bytes => Err(format!("the offset {offset} is beyond any target")),
        Some(bytes) => Ok(RecordedIo { at_ns, offset, bytes, write }),
    }
}
