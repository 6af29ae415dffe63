//! A worker's limits on further submissions (`--until-written`, `--until-read`).

use super::quota::NAP;
use super::{WorkerLedger, WorkerLoop};
use crate::control::Phase;
use diskspd_engine::CompletedIo;

impl WorkerLoop<'_> {
    /// Learns whether it is measured now. With nothing in flight and nothing left to do it waits here until
    /// that changes. False = nothing may be drawn.
    pub(super) fn may_draw(&mut self, books: &WorkerLedger) -> bool {
        loop {
            let now = self.clock.now();
            let phase = self.phases.phase_at(now);
            let Some(share) = &mut self.quota else { return true };
            match phase {
                Phase::Measure if !share.counts => share.begin(books),
                Phase::Cooldown => share.counts = false,
                Phase::Stop => return false,
                Phase::Warmup | Phase::Measure => {}
            }
            if share.has_room() {
                return true;
            }
            if books.idle.len() < self.plan.depth as usize {
                return false;
            }
            self.clock.sleep_until(now + NAP);
        }
    }

    pub(super) fn account_for_quota(&mut self, books: &WorkerLedger, well: &[CompletedIo], phase: Phase) {
        let Some(share) = self.quota.as_mut().filter(|_| phase == Phase::Measure) else { return };
        let counted = share.counts;
        if !counted {
            share.begin(books);
        }
        for completed in well {
            let io = &books.requests.flights[completed.request as usize].io;
            let asked = if counted { i64::from(io.length) } else { 0 };
            share.quota.take(io.op.direction(), completed.result - asked);
            share.quota.came_back(io.op.direction(), completed.result as u64);
        }
    }
}
