//! Live state: counters that the workers share with observers.

use diskspd_figures::stats::Scale;
use diskspd_sys::clock::{self, Nanos};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Histogram with 32 cells per octave; the middle of a cell is at most 1.6 % off.
type Steps = Scale<5, 0, 64>;

/// Live counters of one worker. Only the worker writes, so a plain load and store suffices. They have two
/// separate cache lines, because lines are fetched in pairs, so that no worker waits for another.
#[derive(Debug)]
#[repr(align(128))]
pub struct Counters {
    ios: AtomicU64,
    bytes: AtomicU64,
    latency_sum: AtomicU64,
    splits: bool,
    writes: AtomicU64,
    /// Kernel number of the thread; 0 = not yet.
    thread: AtomicI32,
    /// End of its work and its total wait for a CPU, in ns; 0 = not yet, or unknown.
    over: AtomicU64,
    waited: AtomicU64,
    latency: Vec<AtomicU64>,
}

impl Counters {
    pub fn new(latency: bool) -> Counters {
        let cells = if latency { Steps::CELLS } else { 0 };
        Counters {
            ios: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            latency_sum: AtomicU64::new(0),
            splits: false,
            writes: AtomicU64::new(0),
            thread: AtomicI32::new(0),
            over: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            latency: (0..cells).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Counts writes separately if `splits`.
    pub fn splitting(self, splits: bool) -> Counters {
        Counters { splits, ..self }
    }

    #[inline]
    pub fn splits(&self) -> bool {
        self.splits
    }

    /// Adds writes to the count of writes; they are already in the I/Os.
    #[inline]
    pub fn add_writes(&self, ios: u64) {
        bump(&self.writes, ios);
    }

    #[inline]
    pub fn has_latencies(&self) -> bool {
        !self.latency.is_empty()
    }

    /// Sets the kernel number of the worker's thread.
    pub fn belongs_to(&self, thread: i32) {
        self.thread.store(thread, Relaxed);
    }

    /// Returns the worker's kernel thread number; 0 before its start.
    pub fn thread(&self) -> i32 {
        self.thread.load(Relaxed)
    }

    /// The calling thread, which is the worker, has done its work at `now` and waited so long for a CPU in
    /// all, ns.
    pub fn is_over(&self, now: Nanos, waited: u64) {
        self.waited.store(waited, Relaxed);
        self.over.store(now, Relaxed);
    }

    pub fn measured_time(&self) -> Option<(Nanos, u64)> {
        let over = self.over.load(Relaxed);
        (over > 0).then(|| (over, self.waited.load(Relaxed)))
    }

    #[inline]
    pub fn add(&self, ios: u64, bytes: u64) {
        bump(&self.ios, ios);
        bump(&self.bytes, bytes);
    }

    /// Counts one latency in ns.
    #[inline]
    pub fn add_latency(&self, nanos: u64) {
        self.add_latencies(nanos, 1);
    }

    /// Adds a number of equal latencies in ns.
    #[inline]
    pub(crate) fn add_latencies(&self, nanos: u64, count: u64) {
        if let Some(cell) = self.latency.get(Steps::cell(nanos)) {
            bump(cell, count);
            bump(&self.latency_sum, count * nanos);
        }
    }
}

#[inline]
fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
}

/// Returns the minimum latency of a cell in ns.
pub(crate) fn floor_of(cell: usize) -> u64 {
    Steps::first(cell)
}

pub(crate) fn middle_of(cell: usize) -> u64 {
    Steps::first(cell) + Steps::width(cell) / 2
}

#[derive(Debug, Default, Clone)]
pub struct WorkerSums {
    /// Time of the sample on the monotonic clock.
    pub at: Nanos,
    pub ios: u64,
    /// Total bytes.
    pub bytes: u64,
    /// Sum of latencies in ns, which wraps around.
    pub latency_sum: u64,
    pub splits: bool,
    pub writes: u64,
    /// Total latencies by cell.
    pub latency: Vec<u64>,
}

impl WorkerSums {
    /// Returns latencies by cell since an earlier sample.
    pub fn latencies_since(&self, before: &WorkerSums) -> Vec<u64> {
        let earlier = before.latency.iter().copied().chain(std::iter::repeat(0));
        self.latency.iter().zip(earlier).map(|(now, before)| now - before).collect()
    }
}

/// Returns the I/Os and bytes of all workers so far.
pub fn totals(workers: &[Counters]) -> (u64, u64) {
    let sum = |of: fn(&Counters) -> &AtomicU64| workers.iter().map(|worker| of(worker).load(Relaxed)).sum();
    (sum(|worker| &worker.ios), sum(|worker| &worker.bytes))
}

pub fn collect<'a>(workers: impl IntoIterator<Item = &'a Counters>) -> WorkerSums {
    let mut sum = WorkerSums { at: clock::monotonic(), ..WorkerSums::default() };
    for worker in workers {
        sum.ios += worker.ios.load(Relaxed);
        sum.bytes += worker.bytes.load(Relaxed);
        sum.latency_sum = sum.latency_sum.wrapping_add(worker.latency_sum.load(Relaxed));
        sum.splits |= worker.splits;
        sum.writes += worker.writes.load(Relaxed);
        sum.latency.resize(worker.latency.len(), 0);
        for (sum, cell) in sum.latency.iter_mut().zip(&worker.latency) {
            *sum += cell.load(Relaxed);
        }
    }
    sum
}

/// Returns the latency in ns that the share `p` of `count` latencies does not exceed.
pub fn percentile(cells: &[u64], count: u64, p: f64) -> u64 {
    let mut cumulated = 0;
    for (cell, n) in cells.iter().enumerate() {
        cumulated += n;
        if cumulated as f64 >= p * count as f64 {
            return middle_of(cell);
        }
    }
    0
}
