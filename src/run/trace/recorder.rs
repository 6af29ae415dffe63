//! Records the requests of the devices and matches them, in a thread of its own.

use super::Traced;
use super::requests::{BlockEvent, BlockFormats, Requests};
use crate::clock::{Nanos, SECOND};
use crate::results::{DeviceTimes, TraceSession};
use crate::sys::cpu;
use crate::sys::perf::records::{Record, records};
use crate::sys::perf::{Ring, StampClock, Tracepoint};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};

/// Bytes of a CPU's ring where memory isn't short: 20 ms of two million records per second.
const LARGEST_RING: usize = 4 << 20;
const SMALLEST_RING: usize = 64 << 10;
/// Bytes of all rings together, on machines with hundreds of CPUs.
const MOST_MEMORY: usize = 256 << 20;
/// The longest time between two looks at the rings, ns.
const PAUSE: Nanos = SECOND / 50;
/// By then, ns, an event on any CPU has reached its ring: they are matched in the order of their times.
const SETTLED: Nanos = SECOND / 50;

/// One ring per CPU.
#[derive(Debug)]
pub struct Rings {
    rings: Vec<Ring>,
    /// Bytes of each.
    size: usize,
}

impl Rings {
    /// Opens the rings, as large as is allowed.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn open(cpus: &[u32], points: &[Tracepoint], clock: StampClock) -> io::Result<Rings> {
        let share = (MOST_MEMORY / cpus.len().max(1)).max(SMALLEST_RING);
        let mut size = LARGEST_RING.min(1 << share.ilog2());
        loop {
            let rings = cpus.iter().map(|cpu| Ring::open(*cpu, points, clock, size));
            let rings: io::Result<Vec<Ring>> =
                rings.filter(|ring| !ring.as_ref().is_err_and(super::is_offline)).collect();
            match rings {
                Ok(rings) => return Ok(Rings { rings, size }),
                // Without privilege only so much may be locked in memory.
                Err(error) if size > SMALLEST_RING && error.raw_os_error() == Some(libc::EPERM) => size /= 2,
                Err(error) => return Err(error),
            }
        }
    }
}

/// The recording thread, seen by the controlling one.
#[derive(Debug)]
pub struct Recorder {
    thread: JoinHandle<Recorded>,
    shared: Arc<Shared>,
    clock: StampClock,
}

/// What the recording thread is told.
#[derive(Debug)]
struct Shared {
    stage: AtomicU8,
    /// Edges of the window; not yet known = never.
    begin: AtomicU64,
    end: AtomicU64,
    /// Both threads meet here when the kernel records.
    started: Barrier,
}

const WAITING: u8 = 0;
const RECORDING: u8 = 1;
const OVER: u8 = 2;

impl Recorder {
    /// Starts the thread, which waits.
    ///
    /// # Errors
    /// The thread can't be started.
    pub fn start(
        rings: Rings,
        formats: BlockFormats,
        devices: &[u32],
        clock: StampClock,
        workers: Vec<u32>,
    ) -> io::Result<Recorder> {
        let never = || AtomicU64::new(Nanos::MAX);
        let shared = Arc::new(Shared {
            stage: AtomicU8::new(WAITING),
            begin: never(),
            end: never(),
            started: Barrier::new(2),
        });
        let requests = Requests::of(devices.iter().copied());
        let session = TraceSession {
            buffer_kib: (rings.size >> 10) as u64,
            buffers: rings.rings.len() as u64,
            ..TraceSession::default()
        };
        let mut reader = Reader {
            rings: rings.rings,
            formats,
            clock,
            requests,
            session,
            bytes: Vec::new(),
            recorded: 0,
            waiting: Vec::new(),
            shared: Arc::clone(&shared),
        };
        let work = move || {
            let _aside = cpu::keep_off(workers);
            reader.work();
            Recorded { requests: reader.requests, session: reader.session }
        };
        Ok(Recorder { thread: thread::Builder::new().name("trace".into()).spawn(work)?, shared, clock })
    }

    /// Recording begins, before this returns. Once.
    pub fn record(&self) {
        self.go_to(RECORDING);
        self.shared.started.wait();
    }

    /// The window opens.
    pub fn begin(&self) {
        self.shared.begin.store(self.clock.now(), Ordering::Release);
    }

    /// The window has closed.
    pub fn end(&self) {
        self.shared.end.store(self.clock.now(), Ordering::Release);
    }

    /// Recording ends.
    pub fn stop(&self) {
        self.go_to(OVER);
    }

    fn go_to(&self, stage: u8) {
        self.shared.stage.store(stage, Ordering::Release);
        self.thread.thread().unpark();
    }

    /// What was recorded.
    pub fn finish(self) -> Recorded {
        self.stop();
        self.thread.join().unwrap_or_default()
    }
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Recorded {
    requests: Requests,
    /// All but the clock.
    pub session: TraceSession,
}

impl Recorded {
    /// The times of a device.
    pub fn device_times(&mut self, traced: &mut Traced) -> DeviceTimes {
        let (times, reason) = match traced.device.number {
            Ok(number) => (self.requests.of_device(number), None),
            Err(why) => (Default::default(), Some(why.to_owned())),
        };
        let [read, write] = times;
        let targets = std::mem::take(&mut traced.targets);
        DeviceTimes { device: traced.device.name.clone(), targets, read, write, reason }
    }
}

/// The recording thread.
struct Reader {
    rings: Vec<Ring>,
    formats: BlockFormats,
    clock: StampClock,
    requests: Requests,
    session: TraceSession,
    /// What was read of a ring.
    bytes: Vec<u8>,
    /// How many events were.
    recorded: u64,
    /// Events that others may still have to go before.
    waiting: Vec<BlockEvent>,
    shared: Arc<Shared>,
}

impl Reader {
    fn work(&mut self) {
        while self.shared.stage.load(Ordering::Acquire) == WAITING {
            thread::park();
        }
        if self.shared.stage.load(Ordering::Acquire) == OVER {
            return;
        }
        // What doesn't start records nothing, which the counts show.
        self.rings.iter().for_each(|ring| drop(ring.start()));
        self.shared.started.wait();
        while self.shared.stage.load(Ordering::Acquire) == RECORDING {
            self.pause();
            let settled = self.clock.now().saturating_sub(SETTLED);
            self.read();
            self.match_until(settled);
        }
        self.rings.iter().for_each(|ring| drop(ring.stop()));
        self.read();
        self.match_until(Nanos::MAX);
        // What was dropped last no record tells of: the kernel's own count does.
        let seen: u64 = self.rings.iter().filter_map(|ring| ring.events().ok()).sum();
        self.session.lost = seen.saturating_sub(self.recorded);
    }

    /// Until a ring fills, or some time.
    fn pause(&self) {
        let time = Timespec { tv_sec: 0, tv_nsec: PAUSE as _ };
        let readable = self.rings.iter().filter_map(Ring::readable);
        let mut rings: Vec<PollFd> =
            readable.map(|ring| PollFd::from_borrowed_fd(ring, PollFlags::IN)).collect();
        // Interrupted or not: the rings are looked at.
        let _ = poll(&mut rings, Some(&time));
    }

    fn read(&mut self) {
        for ring in &mut self.rings {
            self.bytes.clear();
            self.session.read += u64::from(ring.read(&mut self.bytes) > 0);
            for record in records(&self.bytes) {
                match record {
                    Record::Event { at, fields } => {
                        self.recorded += 1;
                        self.waiting.extend(self.formats.event(at, fields));
                    }
                    Record::Lost(_) => self.requests.forget(),
                }
            }
        }
    }

    /// Matches the events up to a time.
    fn match_until(&mut self, settled: Nanos) {
        // The rings are in order already, so this is quick.
        self.waiting.sort_by_key(|event| event.at);
        let begin = self.shared.begin.load(Ordering::Acquire);
        let end = self.shared.end.load(Ordering::Acquire);
        let count = self.waiting.partition_point(|event| event.at <= settled);
        // Before the window has begun no event is in it.
        let window = begin..=end;
        for event in self.waiting.drain(..count) {
            self.requests.take(event, &window);
        }
    }
}
