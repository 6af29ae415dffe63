//! The text of blkparse, in its default form:
//!
//! ```text
//! 8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]
//! major,minor cpu number seconds process action letters sector + sectors [name]
//! ```
//!
//! Entries without a position on the device have no sectors: a flush (`Q FWS [name]`), a command (`D R 36
//! (12 00 ..) [name]`).
//!
//! The reader uses requests (`Q`) or driver issues (`D`), with their completions (`C`), which may cover
//! several neighbours. If the wanted kind is missing, it uses the alternative. Devices without a request
//! queue have no `D`, and I/O passed on by other devices may have no `Q`.

use super::fault::TraceErrorKind;
use super::lines::is_comment;
use super::reader::malformed;
use super::{EventSink, LineReader, RecordedEvent, RequestView, Streams, number, placed};

pub(super) struct Blkparse {
    /// Time of the first event in ns.
    first: Option<u64>,
    wanted: &'static str,
    has_wanted: bool,
    summary: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EventSubject {
    Reads,
    Writes,
    Discards,
    /// Message or passthrough command.
    Else,
}

/// Size of a sector in bytes.
const SECTOR: u64 = 512;
const ACTIONS: &str = "ABCDFGIMPQRSTUWXm";
const SUMMARIES: [&str; 2] = ["CPU", "Total"];

pub(super) fn is_event(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_device = |word: &str| {
        word.split_once(',').is_some_and(|(major, minor)| all_digits(major) && all_digits(minor))
    };
    let mut is = |rule: &dyn Fn(&str) -> bool| words.next().is_some_and(rule);
    is(&is_device) && is(&all_digits) && is(&all_digits) && is(&|word| parse_nanoseconds(word).is_some())
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses seconds such as `0.000000000` to ns.
fn parse_nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.')?;
    let part = (all_digits(whole) && all_digits(part) && part.len() == 9).then_some(part)?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part.parse().ok()?)
}

impl LineReader for Blkparse {
    fn line(
        &mut self,
        text: &str,
        streams: &mut Streams,
        take: &mut EventSink,
    ) -> Result<(), TraceErrorKind> {
        if self.summary || text.trim().is_empty() || is_comment(text) {
            return Ok(());
        }
        if SUMMARIES.iter().any(|begin| text.starts_with(begin)) {
            self.summary = true;
            return Ok(());
        }
        let mut words = text.split_ascii_whitespace();
        let mut word = |what: &'static str| words.next().ok_or(TraceErrorKind::Missing(what));
        let device = word("the device")?;
        if !device.split_once(',').is_some_and(|(major, minor)| all_digits(major) && all_digits(minor)) {
            return Err(malformed(device, "a device (major,minor)"));
        }
        number::<u64>(word("the CPU")?, "a CPU")?;
        number::<u64>(word("the number of the event")?, "the number of the event")?;
        let stamp = word("the time")?;
        let at = parse_nanoseconds(stamp)
            .ok_or_else(|| TraceErrorKind::Malformed(stamp.to_owned(), "a time (0.000000000)"))?;
        let at_ns = at.saturating_sub(*self.first.get_or_insert(at));
        number::<u64>(word("the process")?, "the number of a process")?;
        let action = word("the action")?;
        if !(action.len() == 1 && ACTIONS.contains(action)) && action != "UT" {
            return Err(TraceErrorKind::BlktraceAction(action.to_owned()));
        }
        if !matches!(action, "D" | "C" | "Q") || (self.has_wanted && action != "C" && action != self.wanted) {
            return Ok(());
        }
        let letters = word("the operation (R, W, ..)")?;
        let what = match letters {
            _ if letters.starts_with('D') => EventSubject::Discards,
            // An F before the W marks a flush before a write; messages have neither.
            _ if letters.contains('W') => EventSubject::Writes,
            _ if letters.contains('R') => EventSubject::Reads,
            _ => EventSubject::Else,
        };
        let rest: Vec<&str> = words.take(3).collect();
        let span = match rest[..] {
            [sector, "+", sectors] if what != EventSubject::Else => {
                let sector: u64 = number(sector, "a sector")?;
                let sectors: u64 = number(sectors, "a number of sectors")?;
                let offset = sector.checked_mul(SECTOR).ok_or(TraceErrorKind::FarSector)?;
                // A flush alone has no sectors.
                (sectors > 0).then_some((offset, sectors.saturating_mul(SECTOR)))
            }
            // The name follows at once, behind a length alone, or behind the bytes of a command.
            [name, ..] | [_, name, ..] if name.starts_with(['[', '(']) => None,
            _ if what != EventSubject::Else && action != "C" => return Err(TraceErrorKind::NoSectors),
            _ => None,
        };
        if span.is_some() && !streams.accepts_event(device)? {
            return Ok(());
        }
        self.take_event(action, at_ns, span.map(|span| (what, span)), take)
    }

    fn end(&mut self) -> Result<bool, TraceErrorKind> {
        Ok(true)
    }
}

impl Blkparse {
    pub(super) fn new(view: RequestView) -> Blkparse {
        let wanted = match view {
            RequestView::Asked => "Q",
            RequestView::Driver => "D",
        };
        Blkparse { first: None, wanted, has_wanted: false, summary: false }
    }

    fn take_event(
        &mut self,
        action: &str,
        at_ns: u64,
        done: Option<(EventSubject, (u64, u64))>,
        take: &mut EventSink,
    ) -> Result<(), TraceErrorKind> {
        let Some((what, (offset, bytes))) = done else {
            return if action == "C" { Ok(()) } else { take.event(RecordedEvent::Skipped) };
        };
        let io = || placed(at_ns, offset, bytes, what == EventSubject::Writes);
        if action == "C" {
            return if what == EventSubject::Discards {
                Ok(())
            } else {
                take.event(RecordedEvent::Completed(io()?))
            };
        }
        if action == self.wanted && !self.has_wanted {
            self.has_wanted = true;
            take.event(RecordedEvent::Forget)?;
        }
        match what {
            EventSubject::Discards => take.discard(at_ns, offset, bytes),
            _ => take.event(RecordedEvent::Issued(io()?)),
        }
    }
}
