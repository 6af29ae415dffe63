//! Sizes and addresses of the requests of a device, traced in slices of the run.
//!
//! An open tracepoint costs about 0.2 us per request, so it is open in a fiftieth of the time only.

use diskspd_base::message_error::MessageError;
use diskspd_host::root::Root;
use diskspd_host::tracing::devices::WatchedDevice;
use diskspd_host::tracing::instance::{Instance, Recording};
use diskspd_host::tracing::refusal::TracingError;
use diskspd_host::tracing::{BlockFormat, Tracefs, online_cpus};
use diskspd_machine::stack::Stack;
use diskspd_machine::tracing::StampClock;
use diskspd_results::{RequestShape, SizeClass, TracedRequests};
use diskspd_sys::clock::{self, Nanos, SECOND};
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Tracepoints of requests at the driver, and of I/O for drivers without a request queue.
const ISSUED: &str = "block/block_rq_issue";
const QUEUED: &str = "block/block_bio_queue";
const SECTOR: u64 = 512;
/// Interval of slices, and length of a slice.
const PERIOD: Nanos = SECOND / 4;
const SLICE: Nanos = SECOND / 200;
/// Preferred and minimum buffer size of a CPU in KiB.
const BUFFER: (u64, u64) = (256, 64);
/// Number of earlier requests that a request can follow sequentially.
const STREAMS: usize = 64;

/// Thread that traces a device.
#[derive(Debug)]
pub(super) struct DeviceTracing {
    stop: Sender<()>,
    thread: JoinHandle<io::Result<TracedRequests>>,
}

impl DeviceTracing {
    /// Starts the tracing of the only device under a stack.
    ///
    /// # Errors
    /// Fails if there is no device, there are several, or tracing is not permitted.
    pub(super) fn start(stack: &Stack) -> Result<DeviceTracing, MessageError> {
        let root = Root::live_system();
        let watched = WatchedDevice::find_watched(&root, stack)
            .ok_or("only the requests of a single device under the targets can be traced")?;
        let name = stack.top_devices.first().cloned().unwrap_or_default();
        let tracer = Tracer::open(&root, watched, name).map_err(|refusal| refusal.without_option())?;
        let (stop, stopped) = channel();
        let begin = move || tracer.run(&stopped);
        let thread = std::thread::Builder::new().name("device view".into()).spawn(begin);
        Ok(DeviceTracing { stop, thread: thread.map_err(failure)? })
    }

    pub(super) fn finish(self) -> Result<TracedRequests, MessageError> {
        drop(self.stop);
        self.thread.join().map_err(|_| "the thread that traces has failed")?.map_err(failure)
    }
}

fn failure(error: io::Error) -> MessageError {
    format!("tracing failed: {error}").into()
}

struct Tracer {
    instance: Instance,
    tracepoint: &'static str,
    format: BlockFormat,
    watched: WatchedDevice,
    page: Vec<u8>,
    traced: TracedRequests,
    ends: RecentCompletions,
}

impl Tracer {
    fn open(root: &Root, watched: WatchedDevice, device: String) -> Result<Tracer, TracingError> {
        let tracefs = Tracefs::find(root)?;
        let tracepoint = if watched.has_queue { ISSUED } else { QUEUED };
        let format = tracefs.format(tracepoint)?.and_then(|format| BlockFormat::from_event(&format));
        let format = format.ok_or_else(|| TracingError::NoTracepoint { names: tracepoint.into() })?;
        let recording = Recording {
            tracepoints: &[tracepoint],
            filter: &format!("dev == {}", watched.number),
            clock: StampClock::Monotonic,
            cpus: &online_cpus(root),
            kib: BUFFER,
        };
        let instance = Instance::open(&tracefs, &recording)?;
        let page = vec![0; instance.layout().size()];
        let traced = TracedRequests { device, ..TracedRequests::default() };
        Ok(Tracer { instance, tracepoint, format, watched, page, traced, ends: RecentCompletions::default() })
    }

    fn run(mut self, stopped: &Receiver<()>) -> io::Result<TracedRequests> {
        self.instance.start()?;
        let (begun, mut traced) = (clock::monotonic(), 0);
        loop {
            let slice = clock::monotonic();
            self.instance.switch(self.tracepoint, true)?;
            let ended = is_stopped(stopped, SLICE);
            self.instance.switch(self.tracepoint, false)?;
            traced += clock::monotonic() - slice;
            self.take()?;
            if ended || is_stopped(stopped, PERIOD - SLICE) {
                break;
            }
        }
        self.traced.lost = self.instance.lost_events()?;
        self.traced.traced_share = traced as f64 / (clock::monotonic() - begun).max(1) as f64;
        Ok(self.traced)
    }

    fn take(&mut self) -> io::Result<()> {
        let mut requests = Vec::new();
        let (format, watched) = (self.format, &self.watched);
        self.instance.take_events(&mut self.page, |at, fields| {
            let Some(record) = format.read(fields).filter(|record| record.moves_data()) else { return };
            let (offset, bytes) = (record.sector.saturating_mul(SECTOR), u64::from(record.sectors) * SECTOR);
            if bytes > 0 && (watched.start..watched.start.saturating_add(watched.size)).contains(&offset) {
                requests.push((at, record.writes(), offset, bytes));
            }
        })?;
        requests.sort_by_key(|(at, ..)| *at);
        for (_, writes, offset, bytes) in requests {
            let shape = if writes { &mut self.traced.write } else { &mut self.traced.read };
            self.ends.count(shape, writes, offset, bytes);
        }
        // Requests between two slices are unknown.
        self.ends = RecentCompletions::default();
        Ok(())
    }
}

fn is_stopped(stopped: &Receiver<()>, time: Nanos) -> bool {
    !matches!(stopped.recv_timeout(Duration::from_nanos(time)), Err(RecvTimeoutError::Timeout))
}

/// End positions of the last reads and writes.
#[derive(Debug, Default)]
struct RecentCompletions([VecDeque<u64>; 2]);

impl RecentCompletions {
    fn count(&mut self, shape: &mut RequestShape, writes: bool, offset: u64, bytes: u64) {
        let ends = &mut self.0[usize::from(writes)];
        shape.requests += 1;
        match ends.iter().position(|end| *end == offset) {
            Some(index) => {
                shape.sequential += 1;
                ends.remove(index);
            }
            None if ends.len() >= STREAMS => drop(ends.pop_front()),
            None => {}
        }
        ends.push_back(offset.saturating_add(bytes));
        SizeClass::count(&mut shape.sizes, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_at_recent_ends_are_sequential() {
        let (mut ends, mut shape) = (RecentCompletions::default(), RequestShape::default());
        for (writes, offset, bytes) in [
            (false, 0, 4096),
            (false, 8192, 4096),
            (false, 4096, 4096),
            (true, 12_288, 512),
            (false, 12_288, 512),
        ] {
            ends.count(&mut shape, writes, offset, bytes);
        }
        assert_eq!((shape.requests, shape.sequential), (5, 2));
        assert_eq!(SizeClass::quantile(&shape.sizes, 0.5), Some(4096));
        for stream in 1..=STREAMS as u64 {
            ends.count(&mut shape, false, stream << 30, 4096);
        }
        ends.count(&mut shape, false, 12_800, 4096);
        assert_eq!(shape.sequential, 2, "too long ago");
    }
}
