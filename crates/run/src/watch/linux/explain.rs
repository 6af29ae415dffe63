//! Explanation of the slowest I/Os (`--explain`). A thread off the workers' CPUs records the kernel's
//! events of the devices and of the workers' threads, and matches them with the workers' timestamps. All
//! timestamps are from CLOCK_MONOTONIC. Without `--explain` this is inactive.

mod events;
mod places;
mod slowest_ios;
mod throttles;

use crate::located::SpanTargets;
use crate::watch::linux::trace::buffer_kib;
use diskspd_base::message_error::MessageError;
use diskspd_checks::slow::{BlockStep, ThreadState};
use diskspd_host::cgroup::Groups;
use diskspd_host::root::Root;
use diskspd_host::tracing::instance::{Instance, Recording};
use diskspd_host::tracing::refusal::TracingError;
use diskspd_host::tracing::{Tracefs, online_cpus};
use diskspd_machine::tracing::StampClock;
use diskspd_plan::SpanPlan;
use diskspd_results::SlowIos;
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_sys::cpu;
use diskspd_worker::slowest::{self, SlowestRings};
use diskspd_worker::telemetry::io_log::LineRing;
use diskspd_worker::telemetry::live::Counters;
use events::{COMPLETED, DONE, EventFormats, ISSUED, KernelEvent, QUEUED, SWITCH, WOKEN};
use places::TargetExtents;
use slowest_ios::{SlowestIoBuffer, Thread};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Maximum interval of reads of the buffers, in ns.
const PAUSE: Nanos = SECOND / 50;
/// Time in ns after which an event on any CPU has reached its buffer, and workers' I/Os have arrived.
const SETTLED: Nanos = SECOND / 20;
/// CPU time to record one event in ns (measured in docs/design/explain.md).
const EVENT_NS: f64 = 350.0;
/// Maximum length of a filter for the kernel, which accepts up to a page; otherwise filtering is done
/// here.
const MAX_FILTER_BYTES: usize = 3000;
/// I/Os that a worker may pass between two reads, per requested I/O.
const ROOM: usize = 4;

/// Handle of the explaining thread for the controlling thread.
#[derive(Debug)]
pub(crate) struct Explainer {
    rings: Arc<Vec<LineRing>>,
    wanted: u32,
    thread: Option<JoinHandle<SlowIos>>,
    shared: Arc<FollowerOrders>,
}

#[derive(Debug)]
struct FollowerOrders {
    /// Kernel numbers of the workers' threads; setting them starts the recording.
    threads: OnceLock<Vec<i32>>,
    /// Meeting point of both threads when the kernel records.
    started: Barrier,
    over: AtomicBool,
    /// Start of the measurement in ns; 0 = not yet.
    begin: AtomicU64,
}

impl Explainer {
    /// Prepares the explanation; `Ok(None)` = not requested.
    pub(crate) fn new(
        wanted: Option<u32>,
        plan: &SpanPlan,
        located: &SpanTargets,
    ) -> Result<Option<Explainer>, MessageError> {
        let Some(wanted) = wanted else { return Ok(None) };
        let root = Root::live_system();
        let places = TargetExtents::of_span(&root, plan, located);
        let entries = (wanted as usize).saturating_mul(ROOM).max(1024).next_power_of_two();
        let rings: Option<Vec<LineRing>> =
            plan.workers.iter().map(|worker| LineRing::new(worker.thread, entries, false)).collect();
        let rings = Arc::new(rings.ok_or_else(|| slowest::no_memory(wanted))?);
        let shared = Arc::new(FollowerOrders {
            threads: OnceLock::new(),
            started: Barrier::new(2),
            over: AtomicBool::new(false),
            begin: AtomicU64::new(0),
        });
        let reader = EventFollower::open(&root, SlowestIoBuffer::new(wanted, places), (&rings, &shared));
        let refused = |error: TracingError| format!("--explain: {}", error.without_option());
        let reader = reader.map_err(refused)?;
        let workers: Vec<u32> = plan.workers.iter().filter_map(|worker| worker.cpu).collect();
        let work = move || {
            let _aside = cpu::keep_away(workers);
            reader.run_thread()
        };
        // Not when recording begins: it must not go before others as the controlling thread does then.
        let thread = thread::Builder::new().name("explain".into()).spawn(work);
        let thread = thread.map_err(|error| refused(TracingError::Thread { error }))?;
        Ok(Some(Explainer { rings, wanted, thread: Some(thread), shared }))
    }

    pub(crate) fn rings(&self) -> SlowestRings {
        SlowestRings { by_worker: Arc::clone(&self.rings), wanted: self.wanted }
    }

    /// Starts the recording shortly before the window, when the workers' threads are known.
    pub(crate) fn window_is_near(&self, workers: &[Counters]) {
        if self.shared.threads.set(workers.iter().map(Counters::thread).collect()).is_ok() {
            self.thread.iter().for_each(|thread| thread.thread().unpark());
            self.shared.started.wait();
            // The way of what is in flight by then isn't known: it comes back before the window opens.
            thread::sleep(Duration::from_nanos(PAUSE));
        }
    }

    pub(crate) fn begin(&self, start: Nanos) {
        self.shared.begin.store(start, Ordering::Release);
    }

    pub(crate) fn finish(mut self) -> SlowIos {
        let mut found = self.join().unwrap_or_default();
        found.missed += self.rings.iter().map(LineRing::dropped).sum::<u64>();
        found
    }

    fn join(&mut self) -> Option<SlowIos> {
        self.shared.over.store(true, Ordering::Release);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()
    }
}

impl Drop for Explainer {
    fn drop(&mut self) {
        self.join();
    }
}

#[derive(Debug)]
struct EventFollower {
    instance: Instance,
    formats: EventFormats,
    groups: Groups,
    page: Vec<u8>,
    /// Events that wait for earlier events of other CPUs.
    waiting: Vec<(Nanos, KernelEvent)>,
    keeper: SlowestIoBuffer,
    rings: Arc<Vec<LineRing>>,
    shared: Arc<FollowerOrders>,
    since: Nanos,
}

impl EventFollower {
    fn open(
        root: &Root,
        keeper: SlowestIoBuffer,
        (rings, shared): (&Arc<Vec<LineRing>>, &Arc<FollowerOrders>),
    ) -> Result<EventFollower, TracingError> {
        let tracefs = Tracefs::find(root)?;
        let formats = EventFormats::find(&tracefs)?;
        let cpus = online_cpus(root);
        let devices: Vec<(u32, bool)> = keeper.places.iter().filter_map(TargetExtents::device).collect();
        let of = |queue| event_numbers(&devices, queue);
        let (all, with, without) = ([of(true), of(false)].concat(), of(true), of(false));
        let recording = Recording {
            tracepoints: &[QUEUED, ISSUED, COMPLETED, DONE, SWITCH, WOKEN],
            filter: "common_pid == -1",
            clock: StampClock::Monotonic,
            cpus: &cpus,
            kib: buffer_kib(cpus.len()),
        };
        let instance = Instance::open(&tracefs, &recording)?;
        instance.narrow(&[QUEUED], &any_condition("dev", &all))?;
        instance.narrow(&[ISSUED, COMPLETED], &any_condition("dev", &with))?;
        instance.narrow(&[DONE], &any_condition("dev", &without))?;
        Ok(EventFollower {
            page: vec![0; instance.layout().size()],
            instance,
            formats,
            groups: Groups::find(root),
            waiting: Vec::new(),
            keeper,
            rings: Arc::clone(rings),
            shared: Arc::clone(shared),
            since: 0,
        })
    }

    /// Starts recording the workers' threads with these numbers.
    fn begin(&mut self, threads: &[i32]) -> Result<(), TracingError> {
        let narrow = |tracepoint, filter: String| self.instance.narrow(&[tracepoint], &filter);
        narrow(
            SWITCH,
            format!("{} || {}", any_condition("prev_pid", threads), any_condition("next_pid", threads)),
        )?;
        narrow(WOKEN, any_condition("pid", threads))?;
        self.keeper.threads =
            threads.iter().map(|number| Thread { number: *number, ..Thread::default() }).collect();
        self.since = clock::monotonic();
        let failed = |error| TracingError::Instance { at: "tracing_on".into(), error };
        self.instance.start().map_err(failed)
    }

    fn run_thread(mut self) -> SlowIos {
        let threads = loop {
            if let Some(threads) = self.shared.threads.get() {
                break threads.clone();
            }
            if self.shared.over.load(Ordering::Acquire) {
                return SlowIos::default();
            }
            thread::park();
        };
        let begun = self.begin(&threads);
        self.shared.started.wait();
        match begun {
            Ok(()) => self.follow(),
            Err(why) => SlowIos { error: Some(why.without_option()), ..self.keeper.found },
        }
    }

    fn follow(mut self) -> SlowIos {
        let mut next = Nanos::MAX;
        let failed = loop {
            let over = self.shared.over.load(Ordering::Acquire);
            if over {
                let stopped = self.instance.stop();
                let failed = stopped.and_then(|()| self.read()).err();
                break failed;
            }
            thread::park_timeout(Duration::from_nanos(PAUSE));
            // Asked before reading: however long this thread is stopped, what was earlier is read then.
            let settled = clock::monotonic().saturating_sub(SETTLED);
            if let Err(why) = self.read() {
                break Some(why);
            }
            self.look_at_limits();
            self.take_until(settled);
            self.drain();
            if next == Nanos::MAX && self.keeper.begin != Nanos::MAX {
                next = self.keeper.begin + SECOND;
            }
            if settled >= next {
                next = settled - (settled - next) % SECOND + SECOND;
                self.keeper.close(settled);
            }
        };
        self.take_until(Nanos::MAX);
        self.drain();
        self.look_at_limits();
        self.keeper.close(Nanos::MAX);
        self.end_recording(failed)
    }

    fn end_recording(mut self, failed: Option<io::Error>) -> SlowIos {
        let mut found = std::mem::take(&mut self.keeper.found);
        found.lost_events = self.instance.lost_events().unwrap_or(found.lost_events);
        let threads = self.keeper.threads.len().max(1) as f64;
        let recorded = clock::monotonic().saturating_sub(self.since).max(1) as f64;
        found.cost_percent = found.events as f64 * EVENT_NS / (threads * recorded) * 100.0;
        let unseen = || {
            let why = self.keeper.places.iter().find_map(TargetExtents::unknown_reason)?;
            Some(format!(
                "the work of the kernel and the device on the I/Os of a target is unattributed: its block \
                 device is unknown ({why})"
            ))
        };
        found.error = failed.map(|why| format!("recording failed: {why}")).or_else(unseen);
        found
    }

    fn drain(&mut self) {
        let begin = self.shared.begin.load(Ordering::Acquire);
        if begin > 0 {
            self.keeper.begin = begin;
        }
        for ring in self.rings.iter() {
            ring.drain(|entry| self.keeper.offer(ring.thread(), entry));
        }
    }

    fn read(&mut self) -> io::Result<()> {
        let Self { instance, page, keeper, formats, waiting, .. } = self;
        let taken = instance.take_events(page, |at, fields| {
            keeper.found.events += 1;
            waiting.extend(formats.read(at, fields, &mut keeper.names).map(|told| (at, told)));
        })?;
        if taken.may_be_lost {
            let lost = self.instance.lost_events()?;
            if lost > self.keeper.found.lost_events {
                self.keeper.found.lost_events = lost;
                self.take_until(Nanos::MAX);
                self.keeper.note_loss(clock::monotonic());
            }
        }
        Ok(())
    }

    /// Processes the events up to a time.
    fn take_until(&mut self, settled: Nanos) {
        self.waiting.sort_by_key(|(at, _)| *at);
        let count = self.waiting.partition_point(|(at, _)| *at <= settled);
        for (at, told) in self.waiting.drain(..count) {
            take_event(&mut self.keeper, self.since, at, told);
        }
    }

    fn look_at_limits(&mut self) {
        let number = |device: &str| {
            let (major, minor) = device.split_once(':')?;
            Some(major.parse::<u32>().ok()? << 20 | minor.parse::<u32>().ok()?)
        };
        let limits = self.groups.io_limits().into_iter();
        let limits = limits.filter_map(|limit| Some((limit.group, number(&limit.device)?)));
        self.keeper.throttles.read_limits(clock::monotonic(), limits);
    }
}

fn take_event(keeper: &mut SlowestIoBuffer, since: Nanos, at: Nanos, told: KernelEvent) {
    match told {
        KernelEvent::Block(seen) => {
            keeper.record_event(seen);
            let BlockStep::Queued(by) = seen.step else { return };
            if let Some(thread) = keeper.threads.iter_mut().find(|thread| thread.number == by)
                && thread.course.known_from().is_none()
            {
                thread.course.push(at, ThreadState::Runs);
            }
        }
        KernelEvent::Woken(number) => {
            if let Some(thread) = keeper.threads.iter_mut().find(|thread| thread.number == number) {
                if thread.course.known_from().is_none() {
                    thread.course.push(since, ThreadState::Sleeps);
                }
                thread.course.woken(at);
            }
        }
        KernelEvent::Switch { from, state, to } => {
            for thread in &mut keeper.threads {
                if thread.number == from.number {
                    thread.course.record_leaving(at, state, to.name);
                }
                if thread.number == to.number {
                    thread.course.runs(at, from.name);
                }
            }
        }
    }
}

fn event_numbers(devices: &[(u32, bool)], queue: bool) -> Vec<u32> {
    let mut found: Vec<u32> =
        devices.iter().filter(|(_, has_queue)| *has_queue == queue).map(|(number, _)| *number).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A condition on a field: one of these numbers. Of none nothing is recorded, of too many everything.
fn any_condition(field: &str, numbers: &[impl ToString]) -> String {
    let each: Vec<String> =
        numbers.iter().map(|number| format!("{field} == {}", number.to_string())).collect();
    let filter = each.join(" || ");
    match filter.is_empty() {
        true => "common_pid == -1".into(),
        false if filter.len() > MAX_FILTER_BYTES / 2 => format!("{field} >= 0"),
        false => filter,
    }
}
