//! Number of I/Os per submission, by these rules.
//!
//! * A thread with synchronous I/O submits one at a time.
//! * Otherwise all requests free at the same moment go in one system call, limited to 16 us including the
//!   check for completions. This is at most 16 requests, or 8 or 4 if the kernel takes longer for each,
//!   and 2 or 1 with content generation. A larger batch distorts latencies, since an I/O that completes
//!   during the submission is only stamped after it, and it leaves a device idle until then. A smaller one
//!   costs system calls, and prevents merging of neighbours.
//! * The limit is also half of the queue depth, because a whole-depth batch would leave the device idle
//!   during its preparation. On a disk that completes them all together this would happen every time.
//! * Half of the depth is not a limit if no device waits, because all I/Os in flight had completed at a
//!   check without waiting (page cache). If no latency can be distorted either, all requests go at once.
//!   Completions after a wait are not evidence, because they may have completed together.
//!
//! With `-u` all requests go at once, with a wait for the requested number of completions.
//!
//! A device therefore gets its I/Os in the same way with and without latencies.

use diskspd_sys::clock::Nanos;

/// Maximum time in ns for submitting a batch and checking for completions. See docs/reference/measuring.md.
const MAX_BATCH_TIME: Nanos = 16_000;
/// Minimum I/Os in a batch; batches are powers of two.
const MIN_BATCH: usize = 4;
const FIRST_BATCH: usize = 8;
const MAX_BATCH: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Batches {
    All,
    /// One synchronous I/O at a time, in the order of the requests.
    Single,
    InTime(BatchPolicy),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BatchPolicy {
    /// Estimated number of I/Os that can be submitted within the time limit.
    most: usize,
    least: usize,
    /// Half of the queue depth, at least 1.
    half: usize,
    measured: bool,
    /// Whether all I/Os in flight were complete at the last check.
    at_once: bool,
}

impl Batches {
    /// The way for an engine, for a thread with up to `depth` I/Os in flight, for a span in which latencies
    /// are `measured`, and for writes that carry `fresh` content.
    pub(crate) fn new(synchronous: bool, depth: usize, measured: bool, fresh: bool) -> Batches {
        if synchronous {
            return Batches::Single;
        }
        Batches::InTime(BatchPolicy {
            most: FIRST_BATCH,
            least: if fresh { 1 } else { MIN_BATCH },
            half: (depth / 2).max(1),
            measured,
            // One I/O is no batch: nothing is to be found out.
            at_once: depth > 1,
        })
    }

    /// Maximum number of I/Os of the next submission.
    #[inline]
    pub(crate) fn max_batch(self) -> usize {
        match self {
            Batches::Single => 1,
            Batches::All => usize::MAX,
            Batches::InTime(BatchPolicy { at_once: true, measured: false, .. }) => usize::MAX,
            Batches::InTime(BatchPolicy { at_once: true, most, .. }) => most,
            Batches::InTime(BatchPolicy { most, half, .. }) => most.min(half),
        }
    }

    /// Whether the thread performs the I/Os itself.
    #[inline]
    pub(crate) fn is_single(self) -> bool {
        self == Batches::Single
    }

    /// Whether to check for completions after each batch, although the remaining requests are limited.
    #[inline]
    pub(crate) fn are_looked_after(self) -> bool {
        matches!(self, Batches::InTime(BatchPolicy { measured: true, .. }))
    }

    /// Whether more was submitted than for a waiting device, so that a check before the wait verifies the
    /// decision.
    #[inline]
    pub(crate) fn are_at_once(self) -> bool {
        matches!(self, Batches::InTime(BatchPolicy { at_once: true, .. }))
    }

    /// Records that `completed` of `in_flight` I/Os had completed at a check without waiting.
    #[inline]
    pub(crate) fn record_wait(&mut self, completed: usize, in_flight: usize) {
        if let Batches::InTime(known) = self {
            known.at_once = completed == in_flight;
        }
    }

    /// Records the time in ns for submitting this number of I/Os and checking for completions.
    #[inline]
    pub(crate) fn took(&mut self, ios: usize, nanos: Nanos) {
        let Batches::InTime(known) = self else {
            return;
        };
        // Others than the bound tell nothing about it.
        if ios != known.most.min(known.half) && ios != known.most {
            return;
        }
        if nanos > MAX_BATCH_TIME {
            known.most = (known.most / 2).max(known.least);
        } else if 2 * nanos + nanos / 8 < MAX_BATCH_TIME {
            known.most = (known.most * 2).min(MAX_BATCH);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_size_fits_submission_time() {
        for measured in [true, false] {
            let ordinary =
                [(100, 16), (900, 16), (1100, 8), (1900, 8), (2100, 4), (9000, 4)].map(|c| (c, false));
            let fresh = [(100, 16), (2100, 4), (5000, 2), (10_000, 1), (90_000, 1)].map(|c| (c, true));
            for ((per_io, settled), fresh) in ordinary.into_iter().chain(fresh) {
                let mut batches = Batches::new(false, 32, measured, fresh);
                batches.record_wait(1, 32);
                for _ in 0..10 {
                    let ios = batches.max_batch();
                    batches.took(ios, ios as Nanos * per_io);
                }
                assert_eq!(batches.max_batch(), settled, "{per_io} ns each, {fresh}");
                batches.took(settled - 1, 1_000_000);
                assert_eq!(batches.max_batch(), settled, "a batch that was not full");
            }
        }
    }

    #[test]
    fn half_the_queue_depth_stays_in_flight_during_batching() {
        let largest =
            [(1, 1), (2, 1), (3, 1), (4, 2), (7, 3), (8, 4), (16, 8), (31, 15), (32, 16), (1000, 16)];
        for ((depth, largest), measured) in largest.into_iter().flat_map(|l| [(l, true), (l, false)]) {
            let mut batches = Batches::new(false, depth, measured, false);
            batches.record_wait(0, depth);
            assert!(batches.max_batch() <= largest, "depth {depth}: begins with {}", batches.max_batch());
            for _ in 0..10 {
                batches.took(batches.max_batch(), 0);
            }
            assert_eq!(batches.max_batch(), largest, "depth {depth}, where submitting costs nothing");
            for _ in 0..10 {
                batches.took(batches.max_batch(), 1_000_000);
            }
            assert_eq!(batches.max_batch(), largest.min(MIN_BATCH), "depth {depth}, where it takes long");
        }
    }

    #[test]
    fn idle_device_has_no_depth_bound() {
        for depth in [2, 3, 8, 31] {
            let mut batches = Batches::new(false, depth, true, false);
            assert!(batches.are_at_once());
            batches.record_wait(depth, depth);
            for _ in 0..10 {
                batches.took(batches.max_batch(), 0);
            }
            assert_eq!(batches.max_batch(), MAX_BATCH, "depth {depth}");
            batches.record_wait(depth - 1, depth);
            assert_eq!(
                (batches.max_batch(), batches.are_at_once()),
                (MAX_BATCH.min(depth / 2), false),
                "depth {depth}"
            );
        }
        assert!(!Batches::new(false, 1, true, false).are_at_once(), "one I/O is no batch");
    }

    #[test]
    fn immediate_io_is_batched_without_latencies() {
        let mut batches = Batches::new(false, 32, false, false);
        batches.record_wait(32, 32);
        assert_eq!(batches.max_batch(), usize::MAX);
        batches.record_wait(31, 32);
        assert_eq!(batches.max_batch(), FIRST_BATCH);
        let mut batches = Batches::new(false, 32, true, false);
        batches.record_wait(32, 32);
        assert_eq!(batches.max_batch(), FIRST_BATCH);
    }

    #[test]
    fn synchronous_thread_has_batches_of_one() {
        for measured in [true, false] {
            let mut batches = Batches::new(true, 32, measured, false);
            batches.record_wait(1, 1);
            batches.took(1, 1_000_000);
            assert_eq!(batches.max_batch(), 1);
        }
    }
}
