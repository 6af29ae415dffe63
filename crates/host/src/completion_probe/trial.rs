//! Tests io_uring on a blocking target with a few reads.
//!
//! The kernel assumes that pollable files do not block. FUSE files are pollable, and block anyway. A batch
//! is then done sequentially within the submitting call, and each I/O would be charged with the time of
//! all.

use diskspd_base::operation::Operation;
use diskspd_sys::clock::{Nanos, monotonic};
use diskspd_sys::memory::Buffer;
use diskspd_sys::ring::{Ring, RingOptions};
use diskspd_sys::transfer::Transfer;
use diskspd_sys::usage::sleeps;
use rustix::io::{pread, retry_on_intr};
use std::os::fd::OwnedFd;
use std::time::Duration;

pub(super) const LENGTH: u32 = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trial {
    /// The thread did not wait, and no kernel worker did the I/O: the target itself handles several at a
    /// time.
    Queued,
    /// Workers of the kernel wait instead of the thread.
    Workers,
    /// The thread waited while it submitted; with workers of the kernel several at a time are faster.
    Inline,
    /// Workers of the kernel wait instead of the thread, and concurrent I/Os are not faster.
    OneByOne,
}

const BATCH: u32 = 4;
/// Number of submitted batches; the majority decides whether the thread waits.
const TRIAL_BATCHES: u32 = 3;
/// Number of timed batches and of sequential comparisons. The fastest of each kind count, because they
/// have the least disturbance.
const TIMED_ROUNDS: u32 = 8;
/// Duration in ns above which two rounds are sufficient.
const MAX_TRIAL_TIME: Nanos = 50_000_000;
/// Maximum ratio of a batch's time to the time of its sequential reads that counts as concurrent.
const MAX_BATCH_RATIO: f64 = 0.7;
/// Maximum wait for a read.
const MAX_READ_TIME: Duration = Duration::from_secs(10);

/// Reads from a target of `size` bytes in a separate thread, so that the kernel workers have an
/// identifiable name and end soon. `None` if io_uring is not available, or the target cannot be read.
pub(super) fn measure_trial(open: impl Fn() -> Option<OwnedFd> + Send, size: u64) -> Option<Trial> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("trial".into());
        thread.spawn_scoped(scope, || run_trial(open, size)).ok()?.join().ok()?
    })
}

fn run_trial(open: impl Fn() -> Option<OwnedFd>, size: u64) -> Option<Trial> {
    let length = LENGTH as usize;
    let alone = open()?;
    let mut memory = Buffer::new(length).ok()?;
    let options = RingOptions { registered_buffer: false, ..RingOptions::default() };
    let mut ring =
        Ring::new(BATCH, vec![open()?], Buffer::new(length * BATCH as usize).ok()?, options).ok()?;
    let mut batches = ProbeBatches { ring: &mut ring, blocks: size / u64::from(LENGTH) };
    // The first one makes the workers, and whatever is between here and the data has it at hand from then on.
    batches.run()?;
    let mut waits = 0;
    for _ in 0..TRIAL_BATCHES {
        waits += u32::from(batches.waits_while_submitting()?);
    }
    if 2 * waits < TRIAL_BATCHES {
        return Some(if has_workers() { Trial::Workers } else { Trial::Queued });
    }
    batches.ring.use_workers(0);
    batches.run()?;
    let (mut together, mut apart) = (Nanos::MAX, Nanos::MAX);
    let start = monotonic();
    for round in 0..TIMED_ROUNDS {
        let before = monotonic();
        for read in 0..BATCH {
            let offset = batches.read_offset(read);
            retry_on_intr(|| pread(&alone, memory.as_mut_slice(), offset)).ok()?;
        }
        let between = monotonic();
        batches.run()?;
        apart = apart.min(between - before);
        together = together.min(monotonic() - between);
        if round > 0 && monotonic() - start > MAX_TRIAL_TIME {
            break;
        }
    }
    let faster = (together as f64) < MAX_BATCH_RATIO * apart as f64;
    Some(if faster { Trial::Inline } else { Trial::OneByOne })
}

/// Whether the kernel has created workers for the io_urings of the calling thread, which have its name.
fn has_workers() -> bool {
    let name = format!("iou-wrk-{}", rustix::thread::gettid().as_raw_nonzero());
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return true };
    let named = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).ok();
    tasks.flatten().filter_map(named).any(|comm| comm.trim_end() == name)
}

/// Batches of reads, distributed over the target.
struct ProbeBatches<'a> {
    ring: &'a mut Ring,
    blocks: u64,
}

impl ProbeBatches<'_> {
    fn read_offset(&self, read: u32) -> u64 {
        self.blocks * u64::from(read) / u64::from(BATCH) * u64::from(LENGTH)
    }

    fn push(&mut self) -> Option<()> {
        let transfers: Vec<Transfer> = (0..BATCH)
            .map(|read| Transfer {
                op: Operation::Read,
                file: 0,
                offset: self.read_offset(read),
                start: read as usize * LENGTH as usize,
                length: LENGTH,
                tag: read,
                priority: Default::default(),
            })
            .collect();
        (self.ring.push(transfers.into_iter()) == BATCH as usize).then_some(())
    }

    /// Performs one batch; `None` = it failed, or hangs.
    fn run(&mut self) -> Option<()> {
        self.push()?;
        self.finish_batch()
    }

    /// Performs one batch; returns whether the thread slept during submission. `None` = it failed, or hangs.
    fn waits_while_submitting(&mut self) -> Option<bool> {
        self.push()?;
        let before = sleeps().ok()?;
        self.ring.enter(0, Duration::ZERO).ok()?;
        let slept = sleeps().ok()? > before;
        self.finish_batch()?;
        Some(slept)
    }

    fn finish_batch(&mut self) -> Option<()> {
        let mut well = true;
        let deadline = monotonic().saturating_add(MAX_READ_TIME.as_nanos() as Nanos);
        while self.ring.in_flight() > 0 {
            if monotonic() > deadline {
                return None;
            }
            self.ring.enter(self.ring.in_flight() as usize, Duration::from_millis(100)).ok()?;
            self.ring.reap(|_, result| well &= result >= 0);
        }
        well.then_some(())
    }
}
