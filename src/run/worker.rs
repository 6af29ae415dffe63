//! THE worker loop: wait, account, refill, submit.

use super::console::Console;
use super::control::{Control, Phase};
use super::live::Counters;
use super::recorder::{Completion, Recorder};
use crate::clock::{Clock, Nanos};
use crate::engine::{Done, Engine, EngineError, Io};
use crate::plan::{SpanPlan, WorkerPlan};
use crate::results::{IoErrors, ThreadResults};
use crate::workload::ThreadWorkload;
use std::time::Duration;

/// How long a worker sleeps at most before it looks at the phase again: a device that answers nothing any more must
/// not keep it from ending.
const TICK: Duration = Duration::from_millis(100);
/// How long in-flight I/O is waited for after a failure, to count what else failed.
const DRAIN: Duration = Duration::from_secs(2);

/// Everything a worker works with; made in its own thread, on its own CPU.
pub struct Worker<'a> {
    /// What it has to do.
    pub plan: &'a WorkerPlan,
    /// Its queue, with files and buffer.
    pub engine: Box<dyn Engine>,
    /// Its addresses.
    pub workload: ThreadWorkload,
    /// For each target of the plan the index of its file in the engine.
    pub files: Vec<u32>,
    /// Its accounts.
    pub recorder: Recorder,
    /// Its time.
    pub clock: Clock,
    /// Where it learns the phase from.
    pub phases: Phases<'a>,
    /// What others see of it while it runs; `None` = nobody looks.
    pub live: Option<&'a Counters>,
    /// Dots (`-P`).
    pub console: &'a Console,
}

/// Where a worker learns the phase from.
pub enum Phases<'a> {
    /// From the controlling thread, which sleeps through the phases.
    Controlled(&'a Control),
    /// From its own virtual clock.
    Scheduled(Schedule),
}

/// Ends of the phases on a virtual clock, ns.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Warm-up ends, measuring starts.
    pub measure: Nanos,
    /// Measuring ends, cool-down starts.
    pub cooldown: Nanos,
    /// Everything ends.
    pub stop: Nanos,
}

impl Phases<'_> {
    #[inline]
    fn at(&self, now: Nanos) -> Phase {
        match self {
            Phases::Controlled(control) => control.phase(),
            Phases::Scheduled(s) if now < s.measure => Phase::Warmup,
            Phases::Scheduled(s) if now < s.cooldown => Phase::Measure,
            Phases::Scheduled(s) if now < s.stop => Phase::Cooldown,
            Phases::Scheduled(_) => Phase::Stop,
        }
    }

    #[inline]
    fn measure_start(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.measure_start(),
            Phases::Scheduled(schedule) => schedule.measure,
        }
    }
}

/// What a worker leaves behind.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its accounts.
    pub results: ThreadResults,
    /// I/Os that failed.
    pub errors: Vec<IoErrors>,
    /// Why it ended early.
    pub failure: Option<String>,
}

/// What the loop has to remember of a request while its I/O is in flight.
#[derive(Debug, Clone, Copy)]
struct InFlight {
    started: Nanos,
    io: Io,
    target: u32,
}

impl Worker<'_> {
    /// Does I/O until the phase is [`Phase::Stop`], or something fails. I/O that is in flight at the end is never
    /// counted; the engine sees to it when it is dropped.
    pub fn run(mut self, span: &SpanPlan) -> Outcome {
        // Without latencies and intervals no clock is read at all; the virtual one costs nothing and tells the phase.
        let timed = span.measure_latency
            || span.iops_interval.is_some()
            || matches!(self.phases, Phases::Scheduled(_));
        let failure = self.work(timed, span.progress).err().map(|failed| self.explain(failed));
        // The engine drains before anything else is given back.
        drop(self.engine);
        let (results, errors) = self.recorder.finish();
        Outcome { results, errors, failure }
    }

    fn work(&mut self, timed: bool, progress: u32) -> Result<(), Failed> {
        let depth = self.plan.depth as usize;
        let mut table = Table::new(self.plan, &self.files);
        let mut batch = Vec::with_capacity(depth);
        let mut done: Vec<Done> = Vec::with_capacity(depth);
        let mut dots = Dots { every: progress, until_next: progress };
        for request in 0..self.most_in_flight() {
            batch.push(table.next(&mut self.workload, request));
        }
        loop {
            self.submit(&batch, timed, &mut table, &mut done)?;
            batch.clear();
            if done.is_empty() {
                self.engine.wait(1, TICK, &mut done)?;
            }
            let now = if timed { self.clock.now() } else { 0 };
            let phase = self.phases.at(now);
            if phase == Phase::Stop {
                return Ok(());
            }
            let measuring = phase == Phase::Measure;
            let since_start =
                if timed && measuring { now.saturating_sub(self.phases.measure_start()) } else { 0 };
            let mut bytes = 0;
            for completed in &done {
                let flight = &table.flights[completed.request as usize];
                if completed.result < 0 {
                    return Err(self.drain(completed, &table, &done));
                }
                bytes += completed.result as u64;
                let latency = now.saturating_sub(flight.started);
                if measuring {
                    self.recorder.count(Completion {
                        target: flight.target as usize,
                        direction: flight.io.direction,
                        bytes: completed.result as u64,
                        short: (completed.result as u64) < u64::from(flight.io.length),
                        latency,
                        since_start,
                    });
                }
                if let (Some(live), true) = (self.live, timed) {
                    live.add_latency(latency);
                }
                let request = self.request_after(completed.request);
                batch.push(table.next(&mut self.workload, request));
            }
            if let Some(live) = self.live {
                live.add(done.len() as u64, bytes);
            }
            if progress > 0 {
                self.console.dots(dots.after(done.len() as u32));
            }
            done.clear();
        }
    }

    /// I/Os in flight at a time: those of all requests, if the engine has more than one at all.
    fn most_in_flight(&self) -> u32 {
        if self.plan.engine.row().one_at_a_time { 1 } else { self.plan.depth }
    }

    /// The request whose turn it is when one has ended: itself, or, one at a time, the next in order.
    #[inline]
    fn request_after(&self, ended: u32) -> u32 {
        if self.plan.engine.row().one_at_a_time { (ended + 1) % self.plan.depth } else { ended }
    }

    /// Hands the batch over. The start stamp is read right before each handing over, once for all I/Os in it.
    fn submit(
        &mut self,
        mut batch: &[Io],
        timed: bool,
        table: &mut Table,
        done: &mut Vec<Done>,
    ) -> Result<(), EngineError> {
        while !batch.is_empty() {
            if timed {
                let now = self.clock.now();
                batch.iter().for_each(|io| table.flights[io.request as usize].started = now);
            }
            let taken = self.engine.submit(batch)?;
            batch = &batch[taken..];
            if !batch.is_empty() {
                self.engine.wait(1, TICK, done)?;
            }
        }
        Ok(())
    }

    /// An I/O failed: counts it, and what else fails among the I/Os in flight.
    fn drain(&mut self, first: &Done, table: &Table, batch: &[Done]) -> Failed {
        let failed = table.flights[first.request as usize];
        let mut ended = batch.to_vec();
        let deadline = crate::clock::monotonic() + DRAIN.as_nanos() as Nanos;
        // The batch that holds the failure is not part of what is still in flight.
        let mut in_flight = (self.most_in_flight() as usize).saturating_sub(batch.len());
        while in_flight > 0 && crate::clock::monotonic() < deadline {
            let before = ended.len();
            if self.engine.wait(1, TICK, &mut ended).is_err() {
                break;
            }
            in_flight = in_flight.saturating_sub(ended.len() - before);
        }
        for done in ended.iter().filter(|done| done.result < 0) {
            let flight = &table.flights[done.request as usize];
            let errno = (-done.result) as i32;
            self.recorder.error(flight.target as usize, flight.io.direction, errno, flight.io.offset);
        }
        Failed::Io {
            request: first.request,
            errno: (-first.result) as i32,
            io: failed.io,
            target: failed.target,
        }
    }

    fn explain(&self, failed: Failed) -> String {
        let thread = self.plan.thread;
        match failed {
            Failed::Engine(error) => format!("thread {thread}: {error}"),
            Failed::Io { request, errno, io, target } => format!(
                "thread {thread}, request {request}: {} of {} bytes at offset {} of '{}' failed: {}{}",
                match io.direction {
                    crate::engine::Direction::Read => "read",
                    crate::engine::Direction::Write => "write",
                },
                io.length,
                io.offset,
                self.plan.targets[target as usize].path,
                std::io::Error::from_raw_os_error(errno),
                hint(errno)
            ),
        }
    }
}

/// What probably is the matter, for errors that have a usual cause.
fn hint(errno: i32) -> &'static str {
    match errno {
        libc::EINVAL => {
            "; without the cache (-S) block size and offsets have to be multiples of the logical block"
        }
        libc::EIO | libc::ENODEV | libc::ENXIO => "; the device failed or is gone: see dmesg",
        libc::ENOSPC => "; the file system is full",
        libc::EFAULT => "; the memory-mapped file (-Sm) was made shorter during the run",
        libc::ENOMEM => "; no memory for this I/O: lower -b or -o",
        libc::EOPNOTSUPP => "; the file system or driver does not support this kind of I/O",
        _ => "",
    }
}

/// Why the loop ended early.
enum Failed {
    Engine(EngineError),
    Io { request: u32, errno: i32, io: Io, target: u32 },
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        Failed::Engine(error)
    }
}

/// The requests: what each has in flight, and where in the buffer its data lies.
struct Table {
    flights: Vec<InFlight>,
    places: Vec<Place>,
}

/// Where the I/Os of one target go.
struct Place {
    file: u32,
    first_request: u32,
    block_size: u64,
    read_buffer: u64,
    write_buffer: u64,
}

impl Table {
    fn new(plan: &WorkerPlan, files: &[u32]) -> Table {
        let mut first_request = 0;
        let places = plan
            .targets
            .iter()
            .zip(files)
            .map(|(target, &file)| {
                let place = Place {
                    file,
                    first_request,
                    block_size: u64::from(target.workload.block_size),
                    read_buffer: target.read_buffer,
                    write_buffer: target.write_buffer,
                };
                // The requests of a floating pool have a slot in the area of every target.
                first_request += if plan.floating { 0 } else { target.requests };
                place
            })
            .collect();
        let idle = InFlight {
            started: 0,
            target: 0,
            io: Io {
                request: 0,
                file: 0,
                direction: crate::engine::Direction::Read,
                offset: 0,
                length: 0,
                buffer_offset: 0,
            },
        };
        Table { flights: vec![idle; plan.depth as usize], places }
    }

    /// Draws the next I/O of a request.
    #[inline]
    fn next(&mut self, workload: &mut ThreadWorkload, request: u32) -> Io {
        let next = workload.next(request);
        let place = &self.places[next.target as usize];
        let area = match next.direction {
            crate::engine::Direction::Read => place.read_buffer,
            crate::engine::Direction::Write => place.write_buffer,
        };
        let slot = u64::from(request - place.first_request);
        let io = Io {
            request,
            file: place.file,
            direction: next.direction,
            offset: next.offset,
            length: next.length,
            buffer_offset: (area + slot * place.block_size) as usize,
        };
        let flight = &mut self.flights[request as usize];
        flight.io = io;
        flight.target = next.target;
        io
    }
}

/// Counts down to the next progress dot.
struct Dots {
    every: u32,
    until_next: u32,
}

impl Dots {
    /// How many dots so many more I/Os are worth.
    fn after(&mut self, mut ios: u32) -> u32 {
        let mut dots = 0;
        while ios >= self.until_next {
            ios -= self.until_next;
            self.until_next = self.every;
            dots += 1;
        }
        self.until_next -= ios;
        dots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_falls_due_after_every_so_many_ios_whatever_the_batches() {
        let mut dots = Dots { every: 10, until_next: 10 };
        let due: Vec<u32> = [9, 1, 0, 25, 4, 1].into_iter().map(|ios| dots.after(ios)).collect();
        assert_eq!(due, [0, 1, 0, 2, 0, 1]);
    }
}
