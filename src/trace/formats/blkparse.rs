//! The text of blkparse, in its default form:
//!
//! ```text
//!   8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]
//! major,minor cpu number seconds process action letters sector + sectors [name]
//! ```
//!
//! Taken is what was handed to the driver (`D`) and its completion (`C`). Devices without a queue of requests
//! have no `D`: then it is what was asked of them (`Q`).

use super::{LineReader, RecordedEvent, Streams, Take, number, placed};

/// Reads events, up to the summary behind them.
#[derive(Default)]
pub(super) struct Blkparse {
    /// When the first event was, ns.
    first: Option<u64>,
    /// Something was handed to a driver: what was asked for (`Q`) isn't taken any more.
    has_issues: bool,
    summary: bool,
}

/// Bytes of a sector.
const SECTOR: u64 = 512;
/// What blktrace knows to happen to an I/O, or beside it.
const ACTIONS: &str = "ABCDFGIMPQRSTUWXm";
/// What the summary behind the events begins with, without blanks.
const SUMMARIES: [&str; 2] = ["CPU", "Total"];

/// Whether a line could be an event.
pub(super) fn is_event(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_device =
        |word: &str| word.split_once(',').is_some_and(|(major, minor)| digits(major) && digits(minor));
    let mut is = |rule: &dyn Fn(&str) -> bool| words.next().is_some_and(rule);
    is(&is_device) && is(&digits) && is(&digits) && is(&|word| nanoseconds(word).is_some())
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `0.000000000`
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.')?;
    let part = (digits(whole) && digits(part) && part.len() == 9).then_some(part)?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part.parse().ok()?)
}

impl LineReader for Blkparse {
    fn line(&mut self, text: &str, streams: &mut Streams, take: &mut Take) -> Result<(), String> {
        if self.summary || text.trim().is_empty() {
            return Ok(());
        }
        if SUMMARIES.iter().any(|begin| text.starts_with(begin)) {
            self.summary = true;
            return Ok(());
        }
        let mut words = text.split_ascii_whitespace();
        let mut word = |what: &str| words.next().ok_or_else(|| format!("{what} is missing"));
        let device = word("the device")?;
        if !device.split_once(',').is_some_and(|(major, minor)| digits(major) && digits(minor)) {
            return Err(format!(
                "'{}' stands where a device (major,minor) is expected",
                device.chars().take(40).collect::<String>()
            ));
        }
        number::<u64>(word("the CPU")?, "a CPU")?;
        number::<u64>(word("the number of the event")?, "the number of the event")?;
        let stamp = word("the time")?;
        let at = nanoseconds(stamp)
            .ok_or_else(|| format!("'{stamp}' stands where a time (0.000000000) is expected"))?;
        let at_ns = at.saturating_sub(*self.first.get_or_insert(at));
        number::<u64>(word("the process")?, "the number of a process")?;
        let action = word("the action")?;
        if !(action.len() == 1 && ACTIONS.contains(action)) && action != "UT" {
            return Err(format!("'{action}' is no action of blktrace"));
        }
        if !matches!(action, "D" | "C" | "Q") || (action == "Q" && self.has_issues) {
            return Ok(());
        }
        let letters = word("what is done (R, W, ..)")?;
        let rest: Vec<&str> = words.take(3).collect();
        let write = letters.contains('W');
        // Discards and messages move no data of a program's; a flush alone has no sectors.
        let moves = (write || letters.contains('R')) && !letters.starts_with('D');
        let io = match rest[..] {
            [sector, "+", sectors] if moves => {
                let (sector, sectors): (u64, u64) =
                    (number(sector, "a sector")?, number(sectors, "a number of sectors")?);
                let offset = sector.checked_mul(SECTOR).ok_or("the sector is beyond any device")?;
                match sectors {
                    0 => None,
                    _ => Some(placed(at_ns, offset, sectors.saturating_mul(SECTOR), write)?),
                }
            }
            _ if moves && action != "C" => return Err("sector + sectors is expected".into()),
            _ => None,
        };
        self.event(action, device, io, streams, take)
    }

    fn end(&mut self) -> Result<bool, String> {
        Ok(true)
    }
}

impl Blkparse {
    fn event(
        &mut self,
        action: &str,
        device: &str,
        io: Option<super::RecordedIo>,
        streams: &mut Streams,
        take: &mut Take,
    ) -> Result<(), String> {
        let Some(io) = io else {
            return if action == "C" { Ok(()) } else { take.event(RecordedEvent::Skipped) };
        };
        if !streams.takes(device)? {
            return Ok(());
        }
        if action == "C" {
            return take.event(RecordedEvent::Completed(io));
        }
        if action == "D" && !self.has_issues {
            self.has_issues = true;
            take.event(RecordedEvent::Forget)?;
        }
        take.event(RecordedEvent::Issued(io))
    }
}
