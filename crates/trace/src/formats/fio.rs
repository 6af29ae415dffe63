//! fio's log of I/Os (`--write_iolog`), version 2 and 3.
//!
//! Version 2 has `file action [offset length]`, and `file wait microseconds`, which counts from the `wait`
//! before. Version 3 has microseconds since the start before each, and no `wait`.

use super::fault::TraceErrorKind;
use super::{EventSink, LineReader, RecordedEvent, Streams, number, placed};

pub(super) struct FioLog {
    /// Whether each line begins with a time (version 3).
    stamped: bool,
    now_us: u64,
    waited: bool,
}

impl FioLog {
    pub(super) fn version_2() -> FioLog {
        FioLog { stamped: false, now_us: 0, waited: false }
    }

    pub(super) fn version_3() -> FioLog {
        FioLog { stamped: true, now_us: 0, waited: false }
    }
}

/// Maximum time in µs that can be converted to ns.
const MAX_TIME_US: u64 = u64::MAX / 2000;

impl LineReader for FioLog {
    fn line(
        &mut self,
        text: &str,
        streams: &mut Streams,
        take: &mut EventSink,
    ) -> Result<(), TraceErrorKind> {
        if text.is_empty() {
            return Ok(());
        }
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let mut words = &words[..];
        if self.stamped {
            let (stamp, rest) = words.split_first().ok_or(TraceErrorKind::Missing("a time"))?;
            self.now_us = time_ns(number(stamp, "a time in us")?)?;
            words = rest;
        }
        match words {
            [_, "add" | "open" | "close"] => Ok(()),
            [_, "wait", us] if !self.stamped => {
                let us: u64 = number(us, "a time in us")?;
                self.now_us = time_ns(self.now_us.saturating_add(us))?;
                self.waited = true;
                Ok(())
            }
            // The position of a flush is not used.
            [_, "sync" | "datasync", ..] => take.event(RecordedEvent::Skipped),
            [file, "trim", offset, length] => {
                let (offset, length) = (number(offset, "an offset")?, number(length, "a length")?);
                match streams.accepts_event(file)? {
                    true => take.discard(self.now_us * 1000, offset, length),
                    false => Ok(()),
                }
            }
            [file, action @ ("read" | "write"), offset, length] => {
                let (offset, length) = (number(offset, "an offset")?, number(length, "a length")?);
                let io = placed(self.now_us * 1000, offset, length, *action == "write")?;
                match streams.accepts_event(file)? {
                    true => take.event(RecordedEvent::Issued(io)),
                    false => Ok(()),
                }
            }
            [_, action, ..] => Err(TraceErrorKind::FioAction {
                action: action.chars().take(40).collect(),
                stamped: self.stamped,
            }),
            _ => Err(TraceErrorKind::NoFioAction),
        }
    }

    fn end(&mut self) -> Result<bool, TraceErrorKind> {
        Ok(self.stamped || self.waited)
    }
}

fn time_ns(us: u64) -> Result<u64, TraceErrorKind> {
    (us <= MAX_TIME_US).then_some(us).ok_or(TraceErrorKind::FarTime(us))
}
