//! Common code of all readers: selection of I/Os by kind and stream.

use super::event::{MAX_DISCARD_BYTES, RecordedEvent, RecordedIo};
use super::fault::TraceErrorKind;

/// Receiver of the events with their line numbers; an error stops reading.
pub type TakeEvent<'a> = dyn FnMut(u64, RecordedEvent) -> Result<(), TraceErrorKind> + 'a;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestView {
    #[default]
    Asked,
    /// Requests at the driver, after merging neighbours and splitting large I/Os.
    Driver,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct TakenIos<'a> {
    /// The target whose I/Os are taken, by the file's name for it; `None` = there must be one alone.
    pub stream: Option<&'a str>,
    pub view: RequestView,
}

pub(super) trait LineReader {
    fn line(&mut self, text: &str, streams: &mut Streams, take: &mut EventSink)
    -> Result<(), TraceErrorKind>;

    /// Handles the end of the file; returns whether its I/Os have times.
    fn end(&mut self) -> Result<bool, TraceErrorKind>;
}

/// Passes events on with their lines.
pub(super) struct EventSink<'a, 'b> {
    pub(super) line: u64,
    pub(super) taken: u64,
    pub(super) each: &'a mut TakeEvent<'b>,
}

impl EventSink<'_, '_> {
    pub(super) fn event(&mut self, event: RecordedEvent) -> Result<(), TraceErrorKind> {
        match event {
            RecordedEvent::Issued(_) | RecordedEvent::Done(..) | RecordedEvent::Discarded(_) => {
                self.taken += 1
            }
            RecordedEvent::Forget => self.taken = 0,
            RecordedEvent::Completed(_) | RecordedEvent::Skipped => {}
        }
        (self.each)(self.line, event)
    }

    /// Passes a discard on, split at the maximum size of an I/O.
    pub(super) fn discard(&mut self, at_ns: u64, offset: u64, bytes: u64) -> Result<(), TraceErrorKind> {
        if !(1..=MAX_DISCARD_BYTES).contains(&bytes) {
            return Err(TraceErrorKind::DiscardLength { bytes });
        }
        // Reported before any part, because the last one may be beyond all targets.
        placed(at_ns, offset.saturating_add(bytes - 1), 1, false)?;
        for from in (0..bytes).step_by(MAX_SPLIT_DISCARD as usize) {
            let piece = placed(at_ns, offset + from, (bytes - from).min(MAX_SPLIT_DISCARD), false)?;
            self.event(RecordedEvent::Discarded(piece))?;
        }
        Ok(())
    }
}

const MAX_SPLIT_DISCARD: u64 = 1 << 30;
pub(super) struct Streams {
    pub(super) wanted: Option<String>,
    /// First stream with I/Os, or the requested stream.
    pub(super) first: Option<String>,
    pub(super) others: Vec<String>,
}

/// Maximum number of other streams in a message.
const MAX_NAMED: usize = 8;

impl Streams {
    pub(super) fn new(wanted: Option<&str>) -> Streams {
        Streams { wanted: wanted.map(str::to_owned), first: None, others: Vec::new() }
    }

    pub(super) fn accepts_event(&mut self, name: &str) -> Result<bool, TraceErrorKind> {
        if let Some(wanted) = &self.wanted {
            let taken = wanted == name;
            if taken && self.first.is_none() {
                self.first = Some(name.to_owned());
            } else if !taken
                && self.others.len() < MAX_NAMED
                && !self.others.iter().any(|other| other == name)
            {
                self.others.push(name.to_owned());
            }
            return Ok(taken);
        }
        match &self.first {
            None => self.first = Some(name.to_owned()),
            Some(first) if first != name => {
                return Err(TraceErrorKind::OtherStream { name: name.to_owned(), first: first.clone() });
            }
            Some(_) => {}
        }
        Ok(true)
    }
}

pub(super) fn number<T: std::str::FromStr>(text: &str, what: &'static str) -> Result<T, TraceErrorKind> {
    // FromStr takes a sign too.
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = if digits { text.parse().ok() } else { None };
    parsed.ok_or_else(|| malformed(text, what))
}

/// Returns an I/O that ends below 2^63 bytes, the largest file. Its time is below 2^63 ns (292 years), so
/// that sums of times fit into 64 bits.
pub(super) fn placed(at_ns: u64, offset: u64, bytes: u64, write: bool) -> Result<RecordedIo, TraceErrorKind> {
    let largest = u64::from(crate::TracedIo::MAX_IO_BYTES);
    match u32::try_from(bytes).ok().filter(|_| (1..=largest).contains(&bytes)) {
        None => Err(TraceErrorKind::Length { bytes }),
        Some(_) if offset >= (1 << 63) - bytes => Err(TraceErrorKind::FarOffset(offset)),
        Some(_) if at_ns >= 1 << 63 => Err(malformed(&at_ns.to_string(), "a time below 2^63 ns")),
        Some(bytes) => Ok(RecordedIo { at_ns, offset, bytes, write }),
    }
}

pub(super) fn malformed(text: &str, what: &'static str) -> TraceErrorKind {
    TraceErrorKind::Malformed(text.chars().take(40).collect(), what)
}
