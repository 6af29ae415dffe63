//! Durations of block device requests: every completion is matched with its issue.

use diskspd_host::tracing::BlockFormat;
use diskspd_host::tracing::pages::u16_at;
use diskspd_results::CompletionTimes;
use diskspd_sys::clock::Nanos;
use std::collections::HashMap;
use std::ops::RangeInclusive;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockEvent {
    pub at: Nanos,
    pub complete: bool,
    pub device: u32,
    pub sector: u64,
    /// Number of sectors; 0 = end of a requested flush, alone or with a write.
    pub sectors: u32,
    pub write: bool,
    pub flush: bool,
    /// Whether the request reads or writes; otherwise it is a discard or a device command.
    pub moves_data: bool,
    pub discards: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BlockFormats {
    pub issue: BlockFormat,
    /// Completion of the request or of a part of it.
    pub complete: BlockFormat,
}

impl BlockFormats {
    /// Parses a record; `None` = too short, or of another tracepoint.
    pub(super) fn event(&self, at: Nanos, fields: &[u8]) -> Option<BlockEvent> {
        // Every record begins with its tracepoint's number.
        let id = u64::from(u16_at(fields, 0)?);
        let (format, complete) = match id {
            _ if id == self.issue.id => (&self.issue, false),
            _ if id == self.complete.id => (&self.complete, true),
            _ => return None,
        };
        let record = format.read(fields)?;
        Some(BlockEvent {
            at,
            complete,
            device: record.device,
            sector: record.sector,
            sectors: record.sectors,
            write: record.writes(),
            flush: record.flushes(),
            discards: record.discards(),
            moves_data: record.moves_data(),
        })
    }
}

/// Maximum number of requests in flight; more are due to missed completions.
const MAX_IN_FLIGHT: usize = 1 << 20;

/// Matches events in the order of their times.
#[derive(Debug, Default)]
pub(super) struct DeviceRequests {
    devices: HashMap<u32, CompletedRequests>,
    /// Issued and not complete, by device, first sector and direction. Usually one each: several I/Os on
    /// the same sectors can be in flight at the same time.
    in_flight: HashMap<(u32, u64, bool), Vec<StartedRequest>>,
    known: usize,
}

#[derive(Debug, Default)]
pub(super) struct CompletedRequests {
    pub times: [CompletionTimes; 2],
    pub flushes: u64,
}

#[derive(Debug, Clone, Copy)]
struct StartedRequest {
    since: Nanos,
    /// Remaining sectors.
    left: u32,
}

impl DeviceRequests {
    pub(super) fn for_devices(devices: impl IntoIterator<Item = u32>) -> DeviceRequests {
        let devices = devices.into_iter().map(|device| (device, Default::default())).collect();
        DeviceRequests { devices, ..DeviceRequests::default() }
    }

    /// Processes the next event. A request counts if its last part completes within the window.
    pub(super) fn take(&mut self, event: BlockEvent, window: &RangeInclusive<Nanos>) {
        let Some(CompletedRequests { times: directions, flushes }) = self.devices.get_mut(&event.device)
        else {
            return;
        };
        // What asked for a flush is told once more when that is complete, without sectors and without an
        // issue.
        if event.flush || event.sectors == 0 {
            *flushes += u64::from(event.flush && event.complete && window.contains(&event.at));
            return;
        }
        let key = (event.device, event.sector, event.write);
        if !event.complete {
            if self.known >= MAX_IN_FLIGHT {
                self.forget();
            }
            self.in_flight
                .entry(key)
                .or_default()
                .push(StartedRequest { since: event.at, left: event.sectors });
            self.known += 1;
            return;
        }
        // The latest one: an older one that is still here was given back and issued anew, or its completion
        // was lost.
        let issued = self.in_flight.get_mut(&key).and_then(Vec::pop);
        if self.in_flight.get(&key).is_some_and(Vec::is_empty) {
            self.in_flight.remove(&key);
        }
        if let Some(request) = issued.filter(|request| event.sectors < request.left) {
            let rest = StartedRequest { left: request.left - event.sectors, ..request };
            let next = (event.device, event.sector + u64::from(event.sectors), event.write);
            return self.in_flight.entry(next).or_default().push(rest);
        }
        self.known -= usize::from(issued.is_some());
        if window.contains(&event.at) {
            let times = &mut directions[usize::from(event.write)];
            times.requests += 1;
            if let Some(request) = issued {
                times.times.record(event.at.saturating_sub(request.since));
            }
        }
    }

    /// Forgets the requests in flight, which would match wrong completions after lost events.
    pub(super) fn forget(&mut self) {
        self.in_flight.clear();
        self.known = 0;
    }

    pub(super) fn of_device(&mut self, device: u32) -> CompletedRequests {
        self.devices.remove(&device).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_host::tracing::Field;

    const DISK: u32 = 8 << 20;

    fn event(at: Nanos, complete: bool, sector: u64, sectors: u32) -> BlockEvent {
        BlockEvent {
            at,
            complete,
            device: DISK,
            sector,
            sectors,
            write: false,
            flush: false,
            discards: false,
            moves_data: true,
        }
    }

    fn issue_event(at: Nanos, sector: u64, sectors: u32) -> BlockEvent {
        event(at, false, sector, sectors)
    }

    fn done_event(at: Nanos, sector: u64, sectors: u32) -> BlockEvent {
        event(at, true, sector, sectors)
    }

    /// Returns the number of requests, the number with a time, and the sum of these times.
    fn count_reads(events: &[BlockEvent], window: RangeInclusive<Nanos>) -> (u64, u64, f64) {
        let mut requests = DeviceRequests::for_devices([DISK]);
        events.iter().for_each(|event| requests.take(*event, &window));
        let [count_reads, writes] = requests.of_device(DISK).times;
        assert_eq!(writes, CompletionTimes::default());
        let moments = *count_reads.times.moments();
        (count_reads.requests, moments.count(), moments.mean().unwrap_or_default() * moments.count() as f64)
    }

    #[test]
    fn completions_are_matched_with_their_issues() {
        type Case = (&'static str, Vec<BlockEvent>, (u64, u64, f64));
        let table: Vec<Case> = vec![
            ("one", vec![issue_event(10, 0, 8), done_event(15, 0, 8)], (1, 1, 5.0)),
            (
                "two that overtake",
                vec![
                    issue_event(10, 0, 8),
                    issue_event(11, 8, 8),
                    done_event(15, 8, 8),
                    done_event(17, 0, 8),
                ],
                (2, 2, 11.0),
            ),
            (
                "the same sectors twice",
                vec![
                    issue_event(10, 0, 8),
                    issue_event(11, 0, 8),
                    done_event(15, 0, 8),
                    done_event(17, 0, 8),
                ],
                (2, 2, 11.0),
            ),
            (
                "in three parts",
                vec![
                    issue_event(10, 0, 24),
                    done_event(15, 0, 8),
                    done_event(16, 8, 8),
                    done_event(20, 16, 8),
                ],
                (1, 1, 10.0),
            ),
            (
                "issued anew",
                vec![issue_event(10, 0, 8), issue_event(100, 0, 8), done_event(105, 0, 8)],
                (1, 1, 5.0),
            ),
            (
                "issued before the trace",
                vec![done_event(15, 0, 8), issue_event(16, 0, 8), done_event(18, 0, 8)],
                (2, 1, 2.0),
            ),
            ("never complete", vec![issue_event(10, 0, 8)], (0, 0, 0.0)),
        ];
        for (name, events, expected) in table {
            assert_eq!(count_reads(&events, 0..=1000), expected, "{name}");
        }
    }

    #[test]
    fn completions_outside_window_do_not_count() {
        let events: Vec<BlockEvent> =
            (0..5).flat_map(|i| [issue_event(100 * i, i, 1), done_event(100 * i + 20, i, 1)]).collect();
        assert_eq!(count_reads(&events, 120..=320), (3, 3, 60.0));
        assert_eq!(count_reads(&events, Nanos::MAX..=Nanos::MAX), (0, 0, 0.0));
    }

    #[test]
    fn requests_are_separated_by_direction_and_device() {
        let mut requests = DeviceRequests::for_devices([DISK]);
        let read = issue_event(10, 0, 8);
        let write = BlockEvent { write: true, ..issue_event(11, 0, 8) };
        let other = BlockEvent { device: DISK + 1, ..issue_event(12, 0, 8) };
        for event in [read, write, other] {
            requests.take(event, &(0..=100));
        }
        for (event, at) in [(read, 20), (write, 41), (other, 50)] {
            requests.take(BlockEvent { at, complete: true, ..event }, &(0..=100));
        }
        let means = requests.of_device(DISK).times.map(|times| times.times.moments().mean());
        assert_eq!(means, [Some(10.0), Some(30.0)]);
        assert_eq!(requests.of_device(DISK + 1).times, <[CompletionTimes; 2]>::default());
    }

    #[test]
    fn lost_events_clear_pending_matches() {
        let mut requests = DeviceRequests::for_devices([DISK]);
        requests.take(issue_event(10, 0, 8), &(0..=5000));
        requests.forget();
        requests.take(done_event(4000, 0, 8), &(0..=5000));
        let [count_reads, _] = requests.of_device(DISK).times;
        assert_eq!((count_reads.requests, count_reads.times.moments().count()), (1, 0));
    }

    #[test]
    fn flushes_without_time_are_not_writes() {
        let write = |event| BlockEvent { write: true, ..event };
        let flush = |event| BlockEvent { flush: true, ..event };
        let mut requests = DeviceRequests::for_devices([DISK]);
        // A write that has to be on the medium, on a disk that can't do that at once: told as complete once
        // more when the flush behind it is; then a flush without data.
        for event in [
            write(issue_event(10, 8, 8)),
            write(done_event(15, 8, 8)),
            flush(issue_event(16, 0, 0)),
            flush(done_event(20, u64::MAX, 0)),
            write(done_event(21, 8, 0)),
            flush(issue_event(30, 0, 0)),
            flush(done_event(35, u64::MAX, 0)),
            write(done_event(36, 0, 0)),
        ] {
            requests.take(event, &(0..=100));
        }
        let CompletedRequests { times: [count_reads, writes], flushes } = requests.of_device(DISK);
        assert_eq!((count_reads.requests, writes.requests, flushes), (0, 1, 2));
        assert_eq!(writes.times.moments().mean(), Some(5.0));
    }

    #[test]
    fn records_are_parsed_by_field_offsets() {
        let letters = Field { offset: 34, size: 10 };
        let issue = BlockFormat { id: 2104, device: 8, sector: 16, sectors: 24, letters };
        let formats = BlockFormats { issue, complete: BlockFormat { id: 2107, ..issue } };
        let mut fields = vec![0u8; 68];
        fields[..2].copy_from_slice(&2104u16.to_ne_bytes());
        fields[8..12].copy_from_slice(&DISK.to_ne_bytes());
        fields[16..24].copy_from_slice(&123u64.to_ne_bytes());
        fields[24..28].copy_from_slice(&8u32.to_ne_bytes());
        fields[34..37].copy_from_slice(b"RA\0");
        fields[40] = b'W'; // left over behind the end of the text
        assert_eq!(formats.event(5, &fields), Some(super::tests::issue_event(5, 123, 8)));
        fields[..2].copy_from_slice(&2107u16.to_ne_bytes());
        fields[34..37].copy_from_slice(b"WS\0");
        assert_eq!(formats.event(5, &fields), Some(BlockEvent { write: true, ..done_event(5, 123, 8) }));
        fields[34..37].copy_from_slice(b"FF\0");
        let flushed = BlockEvent { flush: true, moves_data: false, ..done_event(5, 123, 8) };
        assert_eq!(formats.event(5, &fields), Some(flushed));
        assert!((0..44).all(|length| formats.event(5, &fields[..length]).is_none()), "too short");
        fields[..2].copy_from_slice(&1u16.to_ne_bytes());
        assert_eq!(formats.event(5, &fields), None);
    }
}
