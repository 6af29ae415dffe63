//! What happens right now: counters that the workers share with who looks at them while they run.

use crate::clock::{self, Nanos};
use crate::sys::cpu;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Steps of the live histogram per power of two: figures are within 1 %.
const STEPS_LOG2: u32 = 6;
const STEPS: usize = 1 << STEPS_LOG2;
const CELLS: usize = (64 - STEPS_LOG2 as usize + 1) * STEPS;

/// What one worker lets others see while it runs. Only the worker writes, so a plain load and store is enough; and in
/// cache lines of its own (two: they are fetched in pairs), so that no worker waits for another.
#[derive(Debug)]
#[repr(align(128))]
pub struct Counters {
    ios: AtomicU64,
    bytes: AtomicU64,
    latency_sum: AtomicU64,
    /// The thread, by the kernel's number; 0 = not yet.
    thread: AtomicI32,
    /// When it had done its work, ns, and how long it had waited for a CPU until then, ns; 0 = not yet, or not known.
    over: AtomicU64,
    waited: AtomicU64,
    latency: Vec<AtomicU64>,
}

impl Counters {
    /// Nothing counted yet; with room for latencies when they are measured.
    pub fn new(latency: bool) -> Counters {
        let cells = if latency { CELLS } else { 0 };
        Counters {
            ios: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            latency_sum: AtomicU64::new(0),
            thread: AtomicI32::new(0),
            over: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            latency: (0..cells).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Whether it counts latencies.
    #[inline]
    pub fn has_latencies(&self) -> bool {
        !self.latency.is_empty()
    }

    /// The calling thread is the worker.
    pub fn belongs_to_me(&self) {
        self.thread.store(cpu::thread_number(), Relaxed);
    }

    /// The worker's thread, by the kernel's number; 0 = not known yet.
    pub fn thread(&self) -> i32 {
        self.thread.load(Relaxed)
    }

    /// The calling thread, which is the worker, has done its work at `now` and waited so long for a CPU in all, ns.
    pub fn is_over(&self, now: Nanos, waited: u64) {
        self.waited.store(waited, Relaxed);
        self.over.store(now, Relaxed);
    }

    /// What [`Counters::is_over`] was told; `None` = nothing yet.
    pub fn over(&self) -> Option<(Nanos, u64)> {
        let over = self.over.load(Relaxed);
        (over > 0).then(|| (over, self.waited.load(Relaxed)))
    }

    /// Counts a batch of I/Os.
    #[inline]
    pub fn add(&self, ios: u64, bytes: u64) {
        bump(&self.ios, ios);
        bump(&self.bytes, bytes);
    }

    /// Counts one latency, ns.
    #[inline]
    pub fn add_latency(&self, nanos: u64) {
        self.add_latencies(nanos, 1);
    }

    /// Counts so many latencies of the same length, ns.
    #[inline]
    pub fn add_latencies(&self, nanos: u64, count: u64) {
        if let Some(cell) = self.latency.get(cell(nanos)) {
            bump(cell, count);
            bump(&self.latency_sum, count * nanos);
        }
    }
}

#[inline]
fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
}

/// Cell of a latency: exact below [`STEPS`] ns, then [`STEPS`] cells per power of two.
#[inline]
fn cell(nanos: u64) -> usize {
    let octave = (63 - (nanos | 1).leading_zeros()).saturating_sub(STEPS_LOG2 - 1);
    match octave {
        0 => nanos as usize,
        _ => (octave as usize) * STEPS / 2 + (nanos >> octave) as usize,
    }
}

/// Smallest latency of a cell, ns; the inverse of [`cell`].
pub(super) fn floor_of(cell: usize) -> u64 {
    if cell < STEPS {
        return cell as u64;
    }
    let octave = (cell - STEPS) / (STEPS / 2) + 1;
    ((cell - octave * STEPS / 2) as u64) << octave
}

/// What stands for the latencies of a cell, ns.
pub(super) fn middle_of(cell: usize) -> u64 {
    floor_of(cell).midpoint(floor_of(cell + 1))
}

/// The sums of all workers at one time.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    pub(super) at: Nanos,
    pub(super) ios: u64,
    pub(super) bytes: u64,
    pub(super) latency_sum: u64,
    pub(super) latency: Vec<u64>,
}

impl Seen {
    /// Latencies by cell that came since an earlier look.
    pub(super) fn latencies_since(&self, before: &Seen) -> Vec<u64> {
        let earlier = before.latency.iter().copied().chain(std::iter::repeat(0));
        self.latency.iter().zip(earlier).map(|(now, before)| now - before).collect()
    }
}

/// I/Os and bytes of all workers so far.
pub(super) fn totals(workers: &[Counters]) -> (u64, u64) {
    let sum = |of: fn(&Counters) -> &AtomicU64| workers.iter().map(|worker| of(worker).load(Relaxed)).sum();
    (sum(|worker| &worker.ios), sum(|worker| &worker.bytes))
}

pub(super) fn collect<'a>(workers: impl IntoIterator<Item = &'a Counters>) -> Seen {
    let mut sum = Seen { at: clock::monotonic(), ..Seen::default() };
    for worker in workers {
        sum.ios += worker.ios.load(Relaxed);
        sum.bytes += worker.bytes.load(Relaxed);
        sum.latency_sum = sum.latency_sum.wrapping_add(worker.latency_sum.load(Relaxed));
        sum.latency.resize(worker.latency.len(), 0);
        for (sum, cell) in sum.latency.iter_mut().zip(&worker.latency) {
            *sum += cell.load(Relaxed);
        }
    }
    sum
}

/// The latency (ns) that the share `p` of `count` latencies by cell does not exceed.
pub(super) fn percentile(cells: &[u64], count: u64, p: f64) -> u64 {
    let mut cumulated = 0;
    for (cell, n) in cells.iter().enumerate() {
        cumulated += n;
        if cumulated as f64 >= p * count as f64 {
            return middle_of(cell);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_consecutive_and_within_a_64th_of_their_latency() {
        for nanos in (0..100_000).chain((17..63).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])) {
            let cell = cell(nanos);
            assert!(cell < CELLS, "{nanos}");
            let (from, to) = (floor_of(cell), floor_of(cell + 1));
            assert!(from <= nanos && nanos < to, "{nanos} is in [{from}, {to})");
            assert!((to - from) * (STEPS as u64 / 2) <= nanos.max(STEPS as u64), "{nanos} in [{from}, {to})");
        }
    }
}
