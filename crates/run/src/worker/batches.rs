//! How many I/Os are submitted at a time. This is the rule, and all of it:
//!
//! * A thread that does its I/Os itself does one after the other.
//! * Else all requests that are free at the same moment go in one system call, as far as that, and looking for completions,
//!   takes no longer than 16 us: 16 at most, 8 or 4 where the kernel takes longer for each (and 2 or 1 where
//!   content is made for each, which counts as well). A larger batch costs truth, since an I/O that completes
//!   while others are submitted isn't stamped before that is done, and it leaves a device idle until then. A
//!   smaller one costs system calls, and neighbours that the kernel can't merge.
//! * Only where no latency can be falsified and no device waits, because all that was in flight had completed by the time it
//!   was looked for (page cache), everything goes at once.
//!
//! With `-u` everything goes at once, as it asks for, and as many completions as it says are waited for.
//!
//! So with and without latencies a device gets its I/Os in the same way.

use diskspd_sys::clock::Nanos;

/// How long submitting a batch, and looking for completions, may take, ns. See docs/measuring.md.
const LONGEST: Nanos = 16_000;
/// I/Os in a batch, powers of two.
const LEAST: usize = 4;
const BEGIN: usize = 8;
const MOST: usize = 16;

/// The way of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batches {
    /// All that are free, whatever it takes: `-u` asks for it.
    All,
    /// One at a time, by the thread itself and in the order of the requests: nothing is ever in flight.
    Single,
    /// As many as go in time; latencies are measured.
    InTime { most: usize, least: usize },
    /// The same where they aren't; everything while it ends `at_once`.
    InTimeOrAtOnce { most: usize, least: usize, at_once: bool },
}

impl Batches {
    /// The way for an engine, for a span in which latencies are `measured`, and for writes that carry
    /// `fresh` content.
    pub fn new(synchronous: bool, measured: bool, fresh: bool) -> Batches {
        let (most, least) = (BEGIN, if fresh { 1 } else { LEAST });
        match (synchronous, measured) {
            (true, _) => Batches::Single,
            (false, true) => Batches::InTime { most, least },
            (false, false) => Batches::InTimeOrAtOnce { most, least, at_once: true },
        }
    }

    /// I/Os that are submitted at most next.
    #[inline]
    pub fn most(self) -> usize {
        match self {
            Batches::Single => 1,
            Batches::All | Batches::InTimeOrAtOnce { at_once: true, .. } => usize::MAX,
            Batches::InTime { most, .. } | Batches::InTimeOrAtOnce { most, .. } => most,
        }
    }

    /// Whether the thread itself does the I/Os.
    #[inline]
    pub fn is_single(self) -> bool {
        self == Batches::Single
    }

    /// Whether completions are looked for after each batch, although a limit keeps the requests that are left.
    #[inline]
    pub fn are_looked_after(self) -> bool {
        matches!(self, Batches::InTime { .. })
    }

    /// Of `in_flight` I/Os `completed` had ended by the time they were looked for.
    #[inline]
    pub fn found(&mut self, completed: usize, in_flight: usize) {
        if let Batches::InTimeOrAtOnce { at_once, .. } = self {
            *at_once = completed == in_flight;
        }
    }

    /// So many were submitted, and completions looked for, in so many ns.
    #[inline]
    pub fn took(&mut self, ios: usize, nanos: Nanos) {
        let (Batches::InTime { most, least } | Batches::InTimeOrAtOnce { most, least, .. }) = self else {
            return;
        };
        // Others than the bound tell nothing about it.
        if ios != *most {
            return;
        }
        if nanos > LONGEST {
            *most = (*most / 2).max(*least);
        } else if 2 * nanos + nanos / 8 < LONGEST {
            *most = (*most * 2).min(MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_as_large_as_can_be_submitted_in_time_with_and_without_latencies() {
        for measured in [true, false] {
            let ordinary =
                [(100, 16), (900, 16), (1100, 8), (1900, 8), (2100, 4), (9000, 4)].map(|c| (c, false));
            let fresh = [(100, 16), (2100, 4), (5000, 2), (10_000, 1), (90_000, 1)].map(|c| (c, true));
            for ((per_io, settled), fresh) in ordinary.into_iter().chain(fresh) {
                let mut batches = Batches::new(false, measured, fresh);
                batches.found(1, 32);
                for _ in 0..10 {
                    let ios = batches.most();
                    batches.took(ios, ios as Nanos * per_io);
                }
                assert_eq!(batches.most(), settled, "{per_io} ns each, {fresh}");
                batches.took(settled - 1, 1_000_000);
                assert_eq!(batches.most(), settled, "a batch that was not full");
            }
        }
    }

    #[test]
    fn what_ends_at_once_goes_in_one_call_unless_latencies_are_measured() {
        let mut batches = Batches::new(false, false, false);
        batches.found(32, 32);
        assert_eq!(batches.most(), usize::MAX);
        batches.found(31, 32);
        assert_eq!(batches.most(), BEGIN);
        let mut batches = Batches::new(false, true, false);
        batches.found(32, 32);
        assert_eq!(batches.most(), BEGIN);
    }

    #[test]
    fn a_thread_that_does_its_ios_itself_does_one_after_the_other() {
        for measured in [true, false] {
            let mut batches = Batches::new(true, measured, false);
            batches.found(1, 1);
            batches.took(1, 1_000_000);
            assert_eq!(batches.most(), 1);
        }
    }
}
