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
/// Part of each second in which I/Os are counted.
const SLICE: Nanos = SECOND / 10;
/// Part of a slice in which the sizes are counted, too.
const SIZES: Nanos = SECOND / 100;

/// Counters of the calling thread and all that it starts.
#[derive(Debug)]
pub struct EngineCounters {
    counters: Result<Counters, String>,
    always: bool,
    is_on: bool,
    sizes_on: bool,
    /// When they were switched on, ns since the begin.
    since: Nanos,
    counted: Nanos,
    now: Nanos,
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
    fn open() -> Result<Counters, String> {
        let tracefs = Tracefs::find(&Root::live()).map_err(|refusal| refusal.to_string())?;
        let id = |name: &str| match tracefs.format(name) {
            Ok(Some(format)) => Ok(format.id),
            Ok(None) => Err(format!("this kernel has no tracepoint {name}")),
            Err(refusal) => Err(refusal.to_string()),
        };
        let (submitted, completed) = (id("io_uring/io_uring_submit_req")?, id("io_uring/io_uring_complete")?);
        let open = |id: u64, filter: &str| {
            let point = Tracepoint { id, filter: filter.to_owned() };
            InheritedCounter::open(&Event::Tracepoint(point))
                .map_err(|error| format!("its tracepoints cannot be counted: {error} (root can)"))
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
        EngineCounters::of(Counters::open())
    }

    /// Counts nothing, because there is no command.
    pub fn none() -> EngineCounters {
        EngineCounters::of(Err("no command".to_owned()))
    }

    fn of(counters: Result<Counters, String>) -> EngineCounters {
        let (always, is_on, sizes_on) = (false, false, false);
        EngineCounters { counters, always, is_on, sizes_on, since: 0, counted: 0, now: 0 }
    }

    pub fn slices(self, always: bool) -> EngineCounters {
        EngineCounters { always, ..self }
    }

    /// Switches at a time since the begin, ns.
    pub fn look(&mut self, now: Nanos) {
        self.now = now;
        let Ok(counters) = &self.counters else { return };
        let within = now % SECOND;
        let on = self.always || within < SLICE;
        if on != self.is_on {
            counters.switch(on);
            match on {
                true => self.since = now,
                false => self.counted += now - self.since,
            }
            self.is_on = on;
        }
        let sizes = within < if now < SECOND { SLICE } else { SIZES };
        if sizes != self.sizes_on {
            counters.switch_sizes(sizes);
            self.sizes_on = sizes;
        }
    }

    pub fn stop(&mut self) {
        if let Ok(counters) = &self.counters {
            counters.switch(false);
            counters.switch_sizes(false);
            if self.is_on {
                self.counted += self.now.saturating_sub(self.since);
                self.is_on = false;
            }
        }
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
                facts.push(uncounted(ForeignEngine::Uring, &reason));
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

    fn uring(&self) -> Result<EngineIos, String> {
        let counters = self.counters.as_ref().map_err(Clone::clone)?;
        let share = self.counted as f64 / self.now.max(1) as f64;
        let all = |counter: &InheritedCounter| {
            let count = counter.count().map_err(|error| error.to_string())?;
            Ok::<u64, String>(if share > 0.0 { (count as f64 / share.min(1.0)) as u64 } else { 0 })
        };
        let (reads, writes) = (all(&counters.reads)?, all(&counters.writes)?);
        Ok(EngineIos { reads, writes, mean_bytes: counters.mean_bytes(), counted_share: share.min(1.0) })
    }
}
