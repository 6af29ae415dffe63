//! I/Os of io_uring and Linux AIO, which no counter of a process contains: counting events on the kernel's
//! tracepoints, inherited by all processes of the command.
//!
//! Each event costs about 0.1 us of the I/O, so io_uring is counted in slices of the time at high rates.
//! A tracepoint of system calls slows down the calls of all processes while it is open, so Linux AIO is
//! counted on request.

use diskspd_host::process_tree::ProcessTree;
use diskspd_host::root::Root;
use diskspd_host::tracing::Tracefs;
use diskspd_machine::process_io::ProcessIo;
use diskspd_results::{EngineFacts, EngineIos, ForeignEngine};
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_sys::perf::{Event, InheritedCounter, Tracepoint};
use std::ops::Range;

/// Operations of io_uring that read and write files (`IORING_OP_READV`, `READ_FIXED`, `READ`, `READV_FIXED`).
const READS: &str = "opcode == 1 || opcode == 4 || opcode == 22 || opcode == 60";
const WRITES: &str = "opcode == 2 || opcode == 5 || opcode == 23 || opcode == 61";
/// Counted bits of the size of an I/O: 512 bytes to 16 MiB.
const SIZE_BITS: Range<u32> = 9..25;
/// Counted bits of the number of I/Os of an io_submit(2) call: up to 65,535.
const SUBMITTED_BITS: Range<u32> = 0..16;
/// Time from one slice to the next, and the least part of it in which I/Os are counted.
const PERIOD: Nanos = SECOND / 20;
const MIN_SLICE: Nanos = PERIOD / 10;
/// Cost of a counted I/O in ns, and the permitted share of a CPU for it.
const COST_NS: f64 = 115.0;
const COST_SHARE: f64 = 0.005;
/// Initial time in which all I/Os are counted, because commands can be short.
const ALL_UNTIL: Nanos = SECOND / 4;
/// Standard errors of a 95 % confidence interval.
const CONFIDENCE: f64 = 1.96;
/// Every eighth slice also counts the sizes.
const SIZES: u64 = 8;

/// Counters of the calling thread and its future descendants.
#[derive(Debug)]
pub(super) struct EngineCounters {
    uring: Result<UringCounters, UncountedReason>,
    /// Counter; `None` = not requested.
    aio: Option<Result<AioCounter, UncountedReason>>,
    slices: Slices,
}

#[derive(Debug, Clone, thiserror::Error)]
enum UncountedReason {
    #[error("there is no command")]
    NoCommand,
    #[error("--count-all counts them, and slows down all system calls of the machine slightly")]
    NotRequested,
    #[error("none were submitted while they were counted; --count-all counts all the time")]
    NoneInSlices,
    #[error("the processor accesses memory without the kernel ({0} page faults read from storage)")]
    Memory(u64),
    #[error("{0}")]
    Refused(String),
    #[error("this kernel has no tracepoint {0}")]
    Missing(&'static str),
    #[error("its tracepoints cannot be counted: {0} (root can)")]
    Forbidden(String),
}

#[derive(Debug)]
struct UringCounters {
    reads: InheritedCounter,
    writes: InheritedCounter,
    /// Completed I/Os while sizes are counted, and by bit of their size.
    completed: InheritedCounter,
    bits: Vec<InheritedCounter>,
}

/// Tracepoint that can be counted with various conditions.
struct Countable(u64);

impl Countable {
    fn find(tracefs: &Tracefs, name: &'static str) -> Result<Countable, UncountedReason> {
        match tracefs.format(name) {
            Ok(Some(format)) => Ok(Countable(format.id)),
            Ok(None) => Err(UncountedReason::Missing(name)),
            Err(refusal) => Err(UncountedReason::Refused(refusal.to_string())),
        }
    }

    fn open(&self, filter: &str) -> Result<InheritedCounter, UncountedReason> {
        let point = Tracepoint { id: self.0, filter: filter.to_owned() };
        InheritedCounter::open(&Event::Tracepoint(point))
            .map_err(|error| UncountedReason::Forbidden(error.to_string()))
    }

    /// Opens a counter for each bit of a positive number.
    fn open_bits(&self, field: &str, bits: Range<u32>) -> Result<Vec<InheritedCounter>, UncountedReason> {
        bits.map(|bit| self.open(&format!("{field} > 0 && {field} & {}", 1_u64 << bit))).collect()
    }
}

/// Returns the sum of numbers whose bits were counted.
fn sum_of_bits(bits: Range<u32>, counters: &[InheritedCounter]) -> Option<u64> {
    bits.zip(counters).map(|(bit, counter)| Some(counter.count().ok()? << bit)).sum()
}

impl UringCounters {
    fn open(tracefs: &Tracefs) -> Result<UringCounters, UncountedReason> {
        let submitted = Countable::find(tracefs, "io_uring/io_uring_submit_req")?;
        let completed = Countable::find(tracefs, "io_uring/io_uring_complete")?;
        Ok(UringCounters {
            reads: submitted.open(READS)?,
            writes: submitted.open(WRITES)?,
            completed: completed.open("res > 0")?,
            bits: completed.open_bits("res", SIZE_BITS)?,
        })
    }

    fn switch(&self, on: bool) {
        let _ = self.reads.switch(on);
        let _ = self.writes.switch(on);
    }

    fn switch_sizes(&self, on: bool) {
        let _ = self.completed.switch(on);
        self.bits.iter().for_each(|bit| drop(bit.switch(on)));
    }

    fn mean_bytes(&self) -> Option<f64> {
        let completed = self.completed.count().ok().filter(|count| *count > 0)?;
        Some(sum_of_bits(SIZE_BITS, &self.bits)? as f64 / completed as f64)
    }

    fn counts(&self) -> [u64; 2] {
        [&self.reads, &self.writes].map(|counter| counter.count().unwrap_or(0))
    }
}

/// Counts I/Os accepted by io_submit(2), which returns their number.
#[derive(Debug)]
struct AioCounter(Vec<InheritedCounter>);

impl AioCounter {
    fn open(tracefs: &Tracefs) -> Result<AioCounter, UncountedReason> {
        let returned = Countable::find(tracefs, "syscalls/sys_exit_io_submit")?;
        let counters = returned.open_bits("ret", SUBMITTED_BITS)?;
        for counter in &counters {
            counter.switch(true).map_err(|error| UncountedReason::Forbidden(error.to_string()))?;
        }
        Ok(AioCounter(counters))
    }

    fn ios(&self) -> Option<u64> {
        sum_of_bits(SUBMITTED_BITS, &self.0)
    }
}

/// Slices of time in which I/Os of io_uring are counted, and the estimate of all I/Os.
#[derive(Debug, Default)]
struct Slices {
    always: bool,
    begun: u64,
    is_on: bool,
    /// Start of the period, and of counting and its end within the period.
    period: Nanos,
    started: Nanos,
    stopped: Nanos,
    /// Counts at the start of the period, and estimates until then, for reads and writes.
    before: [u64; 2],
    estimates: [f64; 2],
    counted: Nanos,
    now: Nanos,
    /// Rate of the last period in I/Os per ns, and the variance of the estimate.
    rate: Option<f64>,
    variance: f64,
}

impl Slices {
    /// Starts or stops counting at a time in ns since the start; returns the time of the next call.
    fn read_counters(&mut self, counters: &UringCounters, now: Nanos) -> Nanos {
        let entered = clock::monotonic();
        let elapsed = || now + clock::monotonic().saturating_sub(entered);
        let all = self.always || now < ALL_UNTIL;
        let slice = if all { PERIOD } else { self.slice() };
        if self.begun == 0 || now >= self.period + PERIOD {
            if self.is_on {
                self.stopped = now;
            }
            self.close(counters, now);
            counters.switch_sizes(now < ALL_UNTIL || self.begun.is_multiple_of(SIZES));
            (self.period, self.started) = (now, now);
            if !self.is_on {
                let before = elapsed();
                counters.switch(true);
                self.started = before.midpoint(elapsed());
            }
            self.is_on = true;
            self.begun += 1;
        } else if self.is_on && slice < PERIOD && now >= self.period + slice {
            let before = elapsed();
            counters.switch(false);
            (self.is_on, self.stopped) = (false, before.midpoint(elapsed()));
            counters.switch_sizes(false);
        }
        self.period + if self.is_on { slice } else { PERIOD }
    }

    /// Returns the length of a slice that keeps the cost low at the last rate.
    fn slice(&self) -> Nanos {
        let cost = self.rate.unwrap_or(0.0) * COST_NS;
        ((PERIOD as f64 * COST_SHARE / cost.max(COST_SHARE)) as Nanos).clamp(MIN_SLICE, PERIOD)
    }

    /// Extrapolates the counts of a slice to the whole period.
    fn close(&mut self, counters: &UringCounters, now: Nanos) {
        self.now = now;
        let counts = counters.counts();
        let counted = self.stopped.saturating_sub(self.started);
        let length = now.saturating_sub(self.period) as f64;
        let weight = length / counted.max(1) as f64;
        let found: u64 = counts.iter().zip(self.before).map(|(now, before)| now.saturating_sub(before)).sum();
        let rate = found as f64 / counted.max(1) as f64;
        if let Some(before) = self.rate {
            // Rates of neighboring slices differ as much as those of a slice and the rest of its period.
            let uncounted = 1.0 - (1.0 / weight.max(1.0));
            self.variance += uncounted * (length * (rate - before)).powi(2) / 2.0;
        }
        self.rate = (self.begun > 0).then_some(rate);
        for ((estimate, now), before) in self.estimates.iter_mut().zip(counts).zip(self.before) {
            *estimate += now.saturating_sub(before) as f64 * weight;
        }
        (self.before, self.counted) = (counts, self.counted + counted);
    }

    /// Returns the relative error of the sum.
    fn error_share(&self) -> f64 {
        let sum: f64 = self.estimates.iter().sum();
        CONFIDENCE * self.variance.sqrt() / sum.max(1.0)
    }

    fn stop(&mut self, counters: &UringCounters, now: Nanos) {
        counters.switch(false);
        counters.switch_sizes(false);
        if self.is_on {
            self.stopped = now;
        }
        self.close(counters, now);
    }
}

impl EngineCounters {
    /// `all`: whether I/Os are counted continuously, and I/Os of Linux AIO too.
    pub(super) fn open(all: bool) -> EngineCounters {
        let tracefs = Tracefs::find(&Root::live_system())
            .map_err(|refusal| UncountedReason::Refused(refusal.to_string()));
        let with =
            |tracefs: &Result<Tracefs, UncountedReason>| tracefs.as_ref().map_err(Clone::clone).cloned();
        EngineCounters {
            uring: with(&tracefs).and_then(|tracefs| UringCounters::open(&tracefs)),
            aio: all.then(|| with(&tracefs).and_then(|tracefs| AioCounter::open(&tracefs))),
            slices: Slices { always: all, ..Slices::default() },
        }
    }

    /// Counts nothing, because there is no command.
    pub(super) fn none() -> EngineCounters {
        EngineCounters { uring: Err(UncountedReason::NoCommand), aio: None, slices: Slices::default() }
    }

    /// Starts or stops counting at a time in ns since the start; returns the time of the next call.
    pub(super) fn switch_counters(&mut self, now: Nanos) -> Nanos {
        match &self.uring {
            Ok(counters) => self.slices.read_counters(counters, now),
            Err(_) => now + SECOND,
        }
    }

    pub(super) fn stop(&mut self, now: Nanos) {
        if let Ok(counters) = &self.uring {
            self.slices.stop(counters, now);
        }
    }

    /// Returns facts about the used interfaces, without the bytes that the kernel counts.
    pub(super) fn facts(self, tree: &ProcessTree) -> Vec<EngineFacts> {
        let uses = |engine| tree.files.uses(engine);
        let mut facts = Vec::new();
        let mut add = |engine, ios: Result<EngineIos, UncountedReason>| {
            let uncounted_reason = ios.as_ref().err().map(ToString::to_string);
            let ios = ios.ok();
            facts.push(EngineFacts { engine, ios, uncounted_reason });
        };
        match self.uring_ios() {
            Ok(ios) if ios.reads > 0 || ios.writes > 0 => add(ForeignEngine::Uring, Ok(ios)),
            Ok(_) if uses(ForeignEngine::Uring) => {
                add(ForeignEngine::Uring, Err(UncountedReason::NoneInSlices));
            }
            Err(reason) if uses(ForeignEngine::Uring) => add(ForeignEngine::Uring, Err(reason)),
            _ => {}
        }
        if uses(ForeignEngine::Aio) {
            add(ForeignEngine::Aio, self.aio_ios(tree.total()));
        }
        if uses(ForeignEngine::Mapped) {
            add(ForeignEngine::Mapped, Err(UncountedReason::Memory(tree.major_faults())));
        }
        facts
    }

    fn uring_ios(&self) -> Result<EngineIos, UncountedReason> {
        let counters = self.uring.as_ref().map_err(Clone::clone)?;
        let slices = &self.slices;
        let [reads, writes] = slices.estimates.map(|estimate| estimate as u64);
        let counted_share = (slices.counted as f64 / slices.now.max(1) as f64).min(1.0);
        let mean_bytes = counters.mean_bytes();
        Ok(EngineIos { reads, writes, mean_bytes, counted_share, error_share: slices.error_share() })
    }

    /// Estimates I/Os of io_submit(2). Their sizes are unknown, so bytes of block devices determine the
    /// direction.
    fn aio_ios(&self, counted: ProcessIo) -> Result<EngineIos, UncountedReason> {
        let counter =
            self.aio.as_ref().ok_or(UncountedReason::NotRequested)?.as_ref().map_err(Clone::clone)?;
        let ios = counter.ios().ok_or(UncountedReason::Missing("syscalls/sys_exit_io_submit"))?;
        let all = counted.read_bytes.saturating_add(counted.write_bytes);
        let read_share = if all == 0 { 1.0 } else { counted.read_bytes as f64 / all as f64 };
        let reads = (ios as f64 * read_share).round() as u64;
        let writes = ios.saturating_sub(reads);
        Ok(EngineIos { reads, writes, counted_share: 1.0, ..EngineIos::default() })
    }
}
