//! Records of events as the kernel writes them into a ring: linux/perf_event.h, `enum perf_event_type`.

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record<'a> {
    /// An event.
    Event {
        /// When, by the clock that was asked for, ns.
        at: u64,
        /// Its fields, laid out as the tracepoint's format says.
        fields: &'a [u8],
    },
    /// So many events were dropped because the ring was full.
    Lost(u64),
}

const LOST: u32 = 2;
const SAMPLE: u32 = 9;
/// Of the header: type (u32), misc (u16), size of the whole record (u16).
const HEADER: usize = 8;

/// The records in what was read of a ring. What is damaged ends them; kinds that nobody asked for are left out.
pub fn records(mut bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    std::iter::from_fn(move || {
        loop {
            let kind = u32_at(bytes, 0)?;
            let size = usize::from(u16_at(bytes, 6)?);
            let body = bytes.get(HEADER..size)?;
            bytes = bytes.get(size..)?;
            match kind {
                SAMPLE => {
                    let length = u32_at(body, 8)? as usize;
                    let fields = body.get(12..12 + length)?;
                    return Some(Record::Event { at: u64_at(body, 0)?, fields });
                }
                // Behind the event's own number.
                LOST => return Some(Record::Lost(u64_at(body, 8)?)),
                _ => {}
            }
        }
    })
}

/// Two bytes of a record or of its fields, in the machine's order; `None` = it ends before.
pub fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(offset..)?.first_chunk().copied()?))
}

/// The same with four bytes.
pub fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(offset..)?.first_chunk().copied()?))
}

/// The same with eight bytes.
pub fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(offset..)?.first_chunk().copied()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, body: &[u8]) -> Vec<u8> {
        let size = (HEADER + body.len()) as u16;
        [&kind.to_ne_bytes()[..], &0u16.to_ne_bytes(), &size.to_ne_bytes(), body].concat()
    }

    fn event(at: u64, fields: &[u8]) -> Vec<u8> {
        record(SAMPLE, &[&at.to_ne_bytes()[..], &(fields.len() as u32).to_ne_bytes(), fields].concat())
    }

    fn lost(count: u64) -> Vec<u8> {
        record(LOST, &[7u64.to_ne_bytes(), count.to_ne_bytes()].concat())
    }

    #[test]
    fn events_and_what_was_lost_are_told_and_the_rest_is_left_out() {
        let throttled = record(5, &[0; 24]);
        let all = [event(5, b"abcd"), throttled, lost(3), event(6, b"")].concat();
        let expected =
            [Record::Event { at: 5, fields: b"abcd" }, Record::Lost(3), Record::Event { at: 6, fields: b"" }];
        assert_eq!(records(&all).collect::<Vec<_>>(), expected);
        assert_eq!(records(&[]).next(), None);
    }

    #[test]
    fn damage_ends_the_records_wherever_it_is() {
        let whole = [event(5, b"abcd"), event(6, b"efgh")].concat();
        let first = whole.len() / 2;
        for length in 0..whole.len() {
            assert_eq!(records(&whole[..length]).count(), usize::from(length >= first), "{length} bytes");
        }
        // Sizes that can't be: smaller than a header, or fields longer than their record.
        assert_eq!(records(&record(0, &[])[..6]).count(), 0);
        assert_eq!(records(&[0; 64]).count(), 0);
        let mut long = event(5, b"abcd");
        long[HEADER + 8] = 200;
        assert_eq!(records(&long).count(), 0);
    }
}
