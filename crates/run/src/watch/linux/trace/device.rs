//! Tracing of other programs' I/O on a block device (`diskspd trace`), without opening or writing to it.

use super::recorder::buffer_kib;
use super::requests::{BlockEvent, BlockFormats};
use diskspd_base::message_error::MessageError;
use diskspd_host::root::Root;
use diskspd_host::tracing::devices::WatchedDevice;
use diskspd_host::tracing::instance::{Instance, Recording};
use diskspd_host::tracing::refusal::TracingError;
use diskspd_host::tracing::{BlockFormat, Tracefs};
use diskspd_machine::cpu_list;
use diskspd_machine::tracing::StampClock;
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_trace::formats::RequestView;
use diskspd_trace::{IoCollector, IoTrace};
use diskspd_worker::Control;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Event for requested I/Os, before merging and splitting. A partition's I/O is reported once, for its
/// disk. I/O passed on by another device is reported again, with few exceptions, such as multiple paths to
/// the same disk.
const REQUESTED_IO_EVENT: &str = "block/block_bio_queue";
const ISSUED: &str = "block/block_rq_issue";
const REQUEST_DONE: &str = "block/block_rq_complete";
/// Completion event of drivers without a request queue.
const BIO_COMPLETE_EVENT: &str = "block/block_bio_complete";
/// Maximum interval of reads of the buffers, in ns.
const PAUSE: Nanos = SECOND / 50;
/// Time in ns after which the events of all CPUs are in their buffers.
const SETTLED: Nanos = SECOND / 50;
const SECTOR: u64 = 512;

fn io_tracepoints(view: RequestView, has_queue: bool) -> [&'static str; 2] {
    match (view, has_queue) {
        (RequestView::Asked, true) => [REQUESTED_IO_EVENT, REQUEST_DONE],
        (RequestView::Driver, true) => [ISSUED, REQUEST_DONE],
        // Such a driver receives the I/Os as requested.
        (_, false) => [REQUESTED_IO_EVENT, BIO_COMPLETE_EVENT],
    }
}

/// Watches a device for this number of seconds, or until interrupted. Calls `begun` when the kernel has
/// started recording.
///
/// # Errors
/// Fails if the device cannot be watched, or the kernel does not provide events.
pub fn watch_device(
    path: &Path,
    seconds: u32,
    view: RequestView,
    control: &Control,
    begun: impl FnOnce(),
) -> Result<IoTrace, MessageError> {
    let root = Root::live_system();
    let watched = WatchedDevice::find(&root, path)?;
    let told = |refusal: TracingError| format!("{}: {}", path.display(), refusal.without_option());
    let tracefs = Tracefs::find(&root).map_err(told)?;
    let format = |name: &'static str| {
        let found = tracefs.format(name).map_err(told)?;
        let missing = || told(TracingError::NoTracepoint { names: name.into() });
        found.and_then(|format| BlockFormat::from_event(&format)).ok_or_else(missing)
    };
    let tracepoints = io_tracepoints(view, watched.has_queue);
    let [issue, complete] = tracepoints;
    let formats = BlockFormats { issue: format(issue)?, complete: format(complete)? };
    let cpus = cpu_list(&root.text("/sys/devices/system/cpu/online").unwrap_or_default());
    let recording = Recording {
        tracepoints: &tracepoints,
        filter: &format!("dev == {}", watched.number),
        clock: StampClock::Monotonic,
        cpus: &cpus,
        kib: buffer_kib(cpus.len()),
    };
    let instance = Instance::open(&tracefs, &recording).map_err(told)?;
    let size = watched.size;
    let mut reader = EventReader {
        page: vec![0; instance.layout().size()],
        instance,
        formats,
        watched,
        waiting: Vec::new(),
        collected: IoCollector::default(),
        lost: 0,
    };
    let failed = |error| format!("{}: watching it failed: {error}", path.display());
    reader.instance.start().map_err(failed)?;
    begun();
    reader.watch_events(Nanos::from(seconds) * SECOND, control).map_err(failed)?;
    Ok(IoTrace { target_size: Some(size), ..reader.collected.finish() })
}

struct EventReader {
    instance: Instance,
    formats: BlockFormats,
    watched: WatchedDevice,
    page: Vec<u8>,
    /// Events that wait for earlier events of other CPUs.
    waiting: Vec<BlockEvent>,
    collected: IoCollector,
    lost: u64,
}

impl EventReader {
    fn watch_events(&mut self, longest: Nanos, control: &Control) -> io::Result<()> {
        let end = clock::monotonic() + longest;
        while clock::monotonic() < end && !control.is_interrupted() && !self.collected.is_full() {
            thread::sleep(Duration::from_nanos(PAUSE.min(end.saturating_sub(clock::monotonic()))));
            let settled = clock::monotonic().saturating_sub(SETTLED);
            self.read()?;
            self.collect_until(settled);
        }
        self.instance.stop()?;
        self.read()?;
        self.collect_until(Nanos::MAX);
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let Self { instance, page, formats, waiting, .. } = self;
        instance.take_events(page, |at, fields| waiting.extend(formats.event(at, fields)))?;
        let lost = self.instance.lost_events()?;
        if lost > self.lost {
            self.collect_until(Nanos::MAX);
            self.collected.add_lost_events(lost - self.lost);
            self.lost = lost;
        }
        Ok(())
    }

    fn collect_until(&mut self, settled: Nanos) {
        self.waiting.sort_by_key(|event| event.at);
        let count = self.waiting.partition_point(|event| event.at <= settled);
        for event in self.waiting.drain(..count) {
            take_event(&mut self.collected, &self.watched, &event);
        }
    }
}

fn take_event(collected: &mut IoCollector, watched: &WatchedDevice, event: &BlockEvent) {
    let (at, bytes) = (event.sector.saturating_mul(SECTOR), u64::from(event.sectors) * SECTOR);
    let is_inside = at >= watched.start && at < watched.start + watched.size;
    if event.discards && event.sectors > 0 {
        if is_inside && !event.complete {
            collected.discarded(bytes);
        }
        return;
    }
    if event.flush || event.sectors == 0 || !event.moves_data {
        // A flush has no place. Its end is told by the device's own request, and once more by what asked for
        // it, which has no sectors; without a queue of requests by that alone.
        let is_flush = event.flush || (event.sectors == 0 && !watched.has_queue);
        if event.complete && (is_flush || (event.sectors > 0 && is_inside)) {
            collected.skip();
        }
        return;
    }
    if !is_inside {
        return;
    }
    let (offset, bytes) = (at - watched.start, u32::try_from(bytes).unwrap_or(u32::MAX));
    match event.complete {
        false => collected.issued(event.at, offset, bytes, event.write),
        true => collected.completed(event.at, offset, bytes, event.write),
    }
}
