//! Recording and matching of device requests, in a separate thread.

use super::DeviceTargets;
use super::requests::{BlockEvent, BlockFormats, DeviceRequests};
use diskspd_host::tracing::instance::Instance;
use diskspd_host::tracing::stamp_time;
use diskspd_machine::tracing::StampClock;
use diskspd_results::{DeviceTimes, TraceSession};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::cpu;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// KiB of a CPU's buffer with sufficient memory: 20 ms of three million events per second.
const MAX_BUFFER: u64 = 4 << 10;
const MIN_BUFFER: u64 = 64;
/// Maximum total size of the buffers in KiB, for machines with hundreds of CPUs.
const MAX_MEMORY: u64 = 256 << 10;
/// Maximum interval of reads of the buffers, in ns.
const PAUSE: Nanos = SECOND / 50;
/// Time in ns after which an event on any CPU has reached its buffer, so that events can be matched in
/// order.
const SETTLED: Nanos = SECOND / 50;

/// Returns the desired and minimum size of a CPU's buffer in KiB, for this number of CPUs.
pub(crate) fn buffer_kib(cpus: usize) -> (u64, u64) {
    let share = (MAX_MEMORY / cpus.max(1) as u64).max(MIN_BUFFER);
    (MAX_BUFFER.min(1 << share.ilog2()), MIN_BUFFER)
}

/// Handle of the recording thread for the controlling thread.
#[derive(Debug)]
pub(super) struct RequestRecorder {
    thread: Option<JoinHandle<RecordedTrace>>,
    shared: Arc<RecorderShared>,
    clock: StampClock,
}

#[derive(Debug)]
struct RecorderShared {
    stage: AtomicU8,
    /// Start and end of the window.
    begin: AtomicU64,
    end: AtomicU64,
    /// Meeting point of both threads when the kernel records.
    started: Barrier,
}

const STATE_WAITING: u8 = 0;
const RECORDING: u8 = 1;
const OVER: u8 = 2;

impl RequestRecorder {
    /// Starts the thread, which waits for [`RequestRecorder::record`].
    pub(super) fn start(
        instance: Instance,
        formats: BlockFormats,
        devices: &[u32],
        clock: StampClock,
        workers: Vec<u32>,
    ) -> io::Result<RequestRecorder> {
        let never = || AtomicU64::new(Nanos::MAX);
        let shared = Arc::new(RecorderShared {
            stage: AtomicU8::new(STATE_WAITING),
            begin: never(),
            end: never(),
            started: Barrier::new(2),
        });
        let requests = DeviceRequests::for_devices(devices.iter().copied());
        let session = TraceSession {
            buffer_kib: instance.kib(),
            buffers: instance.buffers() as u64,
            ..TraceSession::default()
        };
        let mut reader = Reader {
            page: vec![0; instance.layout().size()],
            instance,
            formats,
            clock,
            recorded: RecordedTrace { requests, session, failed: None },
            waiting: Vec::new(),
            shared: Arc::clone(&shared),
        };
        let work = move || {
            let _aside = cpu::keep_off(workers);
            reader.recorded.failed = reader.run_thread().err();
            reader.recorded
        };
        let thread = thread::Builder::new().name("trace".into()).spawn(work)?;
        Ok(RequestRecorder { thread: Some(thread), shared, clock })
    }

    /// Starts the recording, once; returns when it is active.
    pub(super) fn record(&self) {
        self.go_to(RECORDING);
        self.shared.started.wait();
    }

    pub(super) fn begin(&self) {
        self.shared.begin.store(stamp_time(self.clock), Ordering::Release);
    }

    pub(super) fn end(&self) {
        self.shared.end.store(stamp_time(self.clock), Ordering::Release);
    }

    pub(super) fn stop(&self) {
        self.go_to(OVER);
    }

    fn go_to(&self, stage: u8) {
        self.shared.stage.store(stage, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    pub(super) fn finish(mut self) -> RecordedTrace {
        self.join().unwrap_or_default()
    }

    fn join(&mut self) -> Option<RecordedTrace> {
        self.stop();
        self.thread.take()?.join().ok()
    }
}

impl Drop for RequestRecorder {
    fn drop(&mut self) {
        self.join();
    }
}

#[derive(Debug, Default)]
pub(super) struct RecordedTrace {
    requests: DeviceRequests,
    pub session: TraceSession,
    failed: Option<io::Error>,
}

impl RecordedTrace {
    pub(super) fn device_times(&mut self, traced: &mut DeviceTargets) -> DeviceTimes {
        let (done, reason) = match traced.device.number {
            Ok(number) => (self.requests.of_device(number), None),
            Err(why) => (Default::default(), Some(why.to_owned())),
        };
        let failed = || Some(format!("recording failed: {}", self.failed.as_ref()?));
        let reason = reason.or_else(failed);
        let (flushes, [read, write]) = (done.flushes, done.times);
        let targets = std::mem::take(&mut traced.targets);
        DeviceTimes { device: traced.device.name.clone(), targets, read, write, flushes, reason }
    }
}

struct Reader {
    instance: Instance,
    formats: BlockFormats,
    clock: StampClock,
    recorded: RecordedTrace,
    page: Vec<u8>,
    /// Events that wait for earlier events of other CPUs.
    waiting: Vec<BlockEvent>,
    shared: Arc<RecorderShared>,
}

impl Reader {
    fn run_thread(&mut self) -> io::Result<()> {
        while self.shared.stage.load(Ordering::Acquire) == STATE_WAITING {
            thread::park();
        }
        if self.shared.stage.load(Ordering::Acquire) == OVER {
            return Ok(());
        }
        let started = self.instance.start();
        self.shared.started.wait();
        started?;
        while self.shared.stage.load(Ordering::Acquire) == RECORDING {
            // Not until a buffer fills: older kernels wake their reader with every event.
            thread::park_timeout(Duration::from_nanos(PAUSE));
            let settled = stamp_time(self.clock).saturating_sub(SETTLED);
            self.read()?;
            self.match_until(settled);
        }
        self.instance.stop()?;
        self.read()?;
        self.match_until(Nanos::MAX);
        self.recorded.session.lost_events = self.instance.lost_events()?;
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let Self { instance, page, formats, waiting, .. } = self;
        let taken = instance.take_events(page, |at, fields| waiting.extend(formats.event(at, fields)))?;
        self.recorded.session.read += taken.buffers;
        if taken.may_be_lost {
            let lost = self.instance.lost_events()?;
            if lost > self.recorded.session.lost_events {
                self.recorded.session.lost_events = lost;
                self.match_until(Nanos::MAX);
                self.recorded.requests.forget();
            }
        }
        Ok(())
    }

    /// Matches the events up to a time.
    fn match_until(&mut self, settled: Nanos) {
        // The buffers are in order already, so this is quick.
        self.waiting.sort_by_key(|event| event.at);
        let begin = self.shared.begin.load(Ordering::Acquire);
        let end = self.shared.end.load(Ordering::Acquire);
        let count = self.waiting.partition_point(|event| event.at <= settled);
        // Before the window has begun no event is in it.
        let window = begin..=end;
        for event in self.waiting.drain(..count) {
            self.recorded.requests.take(event, &window);
        }
    }
}
