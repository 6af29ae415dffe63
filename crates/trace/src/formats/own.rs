//! The log of this program (`--io-log`, docs/reference/io-log.md).

use super::fault::TraceErrorKind;
use super::{EventSink, LineReader, RecordedEvent, Streams, number, placed};
use diskspd_base::operation::Operation;

pub(super) const HEADER: &str = "thread,target,direction,offset,size,start_ns,latency_ns,due_ns";

#[derive(Default)]
pub(super) struct OwnLog {
    span_ended: bool,
}

impl LineReader for OwnLog {
    fn line(
        &mut self,
        text: &str,
        streams: &mut Streams,
        take: &mut EventSink,
    ) -> Result<(), TraceErrorKind> {
        if text.is_empty() {
            self.span_ended = true;
            return Ok(());
        }
        if text.starts_with('#') {
            // When measuring began: times count from the start signal all the same.
            return Ok(());
        }
        if self.span_ended {
            return Err(TraceErrorKind::SecondTimeSpan);
        }
        let fields: Vec<&str> = text.split(',').collect();
        let [thread, target, direction, offset, size, start, latency, due] = fields[..] else {
            return Err(TraceErrorKind::Values(fields.len()));
        };
        number::<u32>(thread, "the number of a thread")?;
        number::<u32>(target, "the number of a target")?;
        // They follow from writes, and belong to the zones of that device.
        if direction == Operation::ZoneReset.row().name {
            return Ok(());
        }
        if !matches!(direction, "read" | "write" | "discard") {
            return Err(TraceErrorKind::Malformed(direction.to_owned(), "read, write or discard"));
        }
        if !due.is_empty() {
            number::<u64>(due, "a time in ns, or nothing,")?;
        }
        let at_ns = number(start, "a time in ns")?;
        let latency: u64 = number(latency, "a latency in ns")?;
        let (offset, size) = (number(offset, "an offset")?, number(size, "a size")?);
        let io = placed(at_ns, offset, size, direction == "write")?;
        match streams.accepts_event(target)? {
            true if direction == "discard" => take.discard(at_ns, offset, size),
            true => take.event(RecordedEvent::Done(io, latency)),
            false => Ok(()),
        }
    }

    fn end(&mut self) -> Result<bool, TraceErrorKind> {
        Ok(true)
    }
}
