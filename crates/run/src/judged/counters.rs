//! I/Os of io_uring, which no counter of a process contains: a counting event on the kernel's tracepoints,
//! inherited by all processes of the command.
//!
//! Each event costs about 0.1 us of the I/O, so they are counted in slices of the time.

use diskspd_host::process_tree::OpenFiles;
use diskspd_host::root::Root;
use diskspd_host::tracing::Tracefs;
use diskspd_model::results::{EngineFacts, EngineIos, ForeignEngine};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::perf::{Event, InheritedCounter, Tracepoint};

/// Operations of io_uring that read and write files (`IORING_OP_READV`, `READ_FIXED`, `READ`, `READV_FIXED`).
const READS: &str = "opcode == 1 || opcode == 4 || opcode == 22 || opcode == 60";
const WRITES: &str = "opcode == 2 || opcode == 5 || opcode == 23 || opcode == 61";
/// Bits of the size of an I/O that are counted: 512 bytes to 16 MiB.
const SIZE_BITS: std::ops::Range<u32> = 9..25;
/// Time from one slice to the next, and the part of it in which I/Os are counted.
const PERIOD: Nanos = SECOND / 20;
const PART: Nanos = 10;
/// All I/Os of the first moments are counted: commands can be short.
const ALL_UNTIL: Nanos = SECOND / 4;
/// Every eighth slice counts the sizes, too.
const SIZES: u64 = 8;

/// Counters of the calling thread and all that it starts.
#[derive(Debug)]
pub struct EngineCounters {
    counters: Result<Counters, NotCounted>,
    always: bool,
    slices: u64,
    is_on: bool,
    /// Begin of the period, and when counting stopped in it.
    period: Nanos,
    stopped: Nanos,
    /// Counts at the begin of the period, and estimates until then: reads and writes.
    before: [u64; 2],
    estimates: [f64; 2],
    counted: Nanos,
    now: Nanos,
}

/// Why I/Os are not counted.
#[derive(Debug, Clone, thiserror::Error)]
enum NotCounted {
    #[error("there is no command")]
    NoCommand,
    #[error("{0}")]
    Refused(String),
    #[error("this kernel has no tracepoint {0}")]
    Missing(&'static str),
    #[error("its tracepoints cannot be counted: {0} (root can)")]
    Forbidden(String),
}

#[derive(Debug)]
struct Counters {
    reads: InheritedCounter,
    writes: InheritedCounter,
    /// Completed I/Os while sizes are counted, and by bit of their size.
    completed: InheritedCounter,
    bits: Vec<InheritedCounter>,
}

impl Counters {
    fn open() -> Result<Counters, NotCounted> {
        let tracefs =
            Tracefs::find(&Root::live()).map_err(|refusal| NotCounted::Refused(refusal.to_string()))?;
        let id = |name: &'static str| match tracefs.format(name) {
            Ok(Some(format)) => Ok(format.id),
            Ok(None) => Err(NotCounted::Missing(name)),
            Err(refusal) => Err(NotCounted::Refused(refusal.to_string())),
        };
        let (submitted, completed) = (id("io_uring/io_uring_submit_req")?, id("io_uring/io_uring_complete")?);
        let open = |id: u64, filter: &str| {
            let point = Tracepoint { id, filter: filter.to_owned() };
            InheritedCounter::open(&Event::Tracepoint(point))
                .map_err(|error| NotCounted::Forbidden(error.to_string()))
        };
        let bits = SIZE_BITS.map(|bit| open(completed, &format!("res > 0 && res & {}", 1_u64 << bit)));
        Ok(Counters {
            reads: open(submitted, READS)?,
            writes: open(submitted, WRITES)?,
            completed: open(completed, "res > 0")?,
            bits: bits.collect::<Result<_, _>>()?,
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
        let bytes = SIZE_BITS.zip(&self.bits).map(|(bit, counter)| Some((counter.count().ok()?) << bit));
        Some(bytes.sum::<Option<u64>>()? as f64 / completed as f64)
    }
}

impl EngineCounters {
    pub fn open() -> EngineCounters {
        EngineCounters::with(Counters::open())
    }

    /// Counts nothing, because there is no command.
    pub fn none() -> EngineCounters {
        EngineCounters::with(Err(NotCounted::NoCommand))
    }

    fn with(counters: Result<Counters, NotCounted>) -> EngineCounters {
        EngineCounters {
            counters,
            always: false,
            slices: 0,
            is_on: false,
            period: 0,
            stopped: 0,
            before: [0; 2],
            estimates: [0.0; 2],
            counted: 0,
            now: 0,
        }
    }

    pub fn slices(self, always: bool) -> EngineCounters {
        EngineCounters { always, ..self }
    }

    /// Switches at a time since the begin, ns; returns when it is due again.
    pub fn look(&mut self, now: Nanos) -> Nanos {
        self.now = now;
        let Ok(counters) = &self.counters else { return now + SECOND };
        let all = self.always || now < ALL_UNTIL;
        let slice = if all { PERIOD } else { PERIOD / PART };
        if self.slices == 0 || now >= self.period + PERIOD {
            if self.is_on {
                self.stopped = now;
            }
            self.close();
            let counters = match &self.counters {
                Ok(counters) => counters,
                Err(_) => return now + SECOND,
            };
            counters.switch_sizes(now < ALL_UNTIL || self.slices.is_multiple_of(SIZES));
            if !self.is_on {
                counters.switch(true);
            }
            (self.is_on, self.period) = (true, now);
            self.slices += 1;
        } else if self.is_on && !all && now >= self.period + slice {
            counters.switch(false);
            counters.switch_sizes(false);
            (self.is_on, self.stopped) = (false, now);
        }
        self.period + if self.is_on && !all { slice } else { PERIOD }
    }

    /// Extends the counts of a part of the period to the whole period.
    fn close(&mut self) {
        let counts = self.counts();
        let counted = self.stopped.saturating_sub(self.period);
        let weight = self.now.saturating_sub(self.period) as f64 / counted.max(1) as f64;
        for ((estimate, now), before) in self.estimates.iter_mut().zip(counts).zip(self.before) {
            *estimate += now.saturating_sub(before) as f64 * weight;
        }
        (self.before, self.counted) = (counts, self.counted + counted);
    }

    fn counts(&self) -> [u64; 2] {
        let count = |counter: &InheritedCounter| counter.count().unwrap_or(0);
        self.counters.as_ref().map_or([0; 2], |counters| [count(&counters.reads), count(&counters.writes)])
    }

    pub fn stop(&mut self, now: Nanos) {
        if let Ok(counters) = &self.counters {
            counters.switch(false);
            counters.switch_sizes(false);
        }
        self.now = now;
        if self.is_on {
            self.stopped = now;
        }
        self.close();
    }

    /// Facts about the interfaces that were in use.
    pub fn facts(self, files: &OpenFiles) -> Vec<EngineFacts> {
        let counted = self.uring();
        let is_used = |ios: EngineIos| ios.reads > 0 || ios.writes > 0;
        let uncounted = |engine, reason: &str| EngineFacts {
            engine,
            ios: None,
            uncounted_reason: Some(reason.to_owned()),
        };
        let mut facts = Vec::new();
        match counted {
            Ok(ios) if is_used(ios) => facts.push(EngineFacts {
                engine: ForeignEngine::Uring,
                ios: Some(ios),
                uncounted_reason: None,
            }),
            Ok(_) if files.uses(ForeignEngine::Uring) => {
                let reason = "none were submitted while they were counted; --count-all counts all the time";
                facts.push(uncounted(ForeignEngine::Uring, reason));
            }
            Err(reason) if files.uses(ForeignEngine::Uring) => {
                facts.push(uncounted(ForeignEngine::Uring, &reason.to_string()));
            }
            _ => {}
        }
        for (engine, reason) in [
            (ForeignEngine::Aio, "the kernel has no counter of them"),
            (ForeignEngine::Mapped, "the processor accesses memory without the kernel"),
        ] {
            if files.uses(engine) {
                facts.push(uncounted(engine, reason));
            }
        }
        facts
    }

    fn uring(&self) -> Result<EngineIos, NotCounted> {
        let counters = self.counters.as_ref().map_err(Clone::clone)?;
        let [reads, writes] = self.estimates.map(|estimate| estimate as u64);
        let counted_share = (self.counted as f64 / self.now.max(1) as f64).min(1.0);
        Ok(EngineIos { reads, writes, mean_bytes: counters.mean_bytes(), counted_share })
    }
}
