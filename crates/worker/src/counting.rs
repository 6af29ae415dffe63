//! Additional counters for the reports of DISKSPD 2.3.

use crate::control::Phase;
use diskspd_plan::SpanPlan;
use diskspd_results::WaitStatistics;

#[derive(Debug)]
pub(crate) struct Counting {
    /// Number of waits by returned completions, 0, 1, .. 6, and 7 or more, during the whole life of the
    /// thread. Not counted with `-u`, as in DISKSPD.
    pub completions: [u64; 8],
    /// Submission calls during the measurement.
    pub submits: u64,
    ring: bool,
    waits: u64,
}

impl Counting {
    pub(crate) fn new(span: &SpanPlan) -> Option<Counting> {
        let ring = span.ring.is_some();
        let wanted = ring || span.wait_completions;
        wanted.then_some(Counting { completions: [0; 8], submits: 0, ring, waits: 0 })
    }

    pub(crate) fn count(&mut self, waits: &WaitStatistics, completed: usize, phase: Phase) {
        let so_far = waits.completion_waits + waits.throttle_waits;
        // A look doesn't count.
        if so_far == self.waits {
            return;
        }
        self.waits = so_far;
        match self.ring {
            true => self.submits += u64::from(phase == Phase::Measure),
            false => self.completions[completed.min(7)] += 1,
        }
    }
}
