//! The source of a worker's current phase: warm up, measure, cool down, or stop.

use crate::control::{Control, Phase};
use diskspd_plan::SpanPlan;
use diskspd_sys::clock::Nanos;

pub enum Phases<'a> {
    /// Phases set by the controlling thread, which sleeps during them.
    Controlled(&'a Control),
    /// Phases by the virtual clock, unless the user ends the run.
    Scheduled(Schedule, &'a Control),
}

/// Ends of the phases on a virtual clock in ns.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    pub measure: Nanos,
    pub cooldown: Nanos,
    pub stop: Nanos,
}

impl Phases<'_> {
    #[inline]
    pub(super) fn are_virtual(&self) -> bool {
        matches!(self, Phases::Scheduled(..))
    }

    #[inline]
    pub(super) fn phase_at(&self, now: Nanos) -> Phase {
        match self {
            Phases::Controlled(control) => control.phase(),
            Phases::Scheduled(_, control) if control.is_interrupted() => Phase::Stop,
            Phases::Scheduled(s, _) if now < s.measure => Phase::Warmup,
            Phases::Scheduled(s, _) if now < s.cooldown => Phase::Measure,
            Phases::Scheduled(s, _) if now < s.stop => Phase::Cooldown,
            Phases::Scheduled(..) => Phase::Stop,
        }
    }

    pub(super) fn start_signal(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.start_signal(),
            Phases::Scheduled(..) => 0,
        }
    }

    /// Returns the origin of planned start times, the same for all threads and ranks, regardless of their
    /// wake-up delays.
    pub(super) fn times_from(&self, span: &SpanPlan) -> Nanos {
        match span.waits_for_measuring() {
            // A span that ended before has no such moment, or that of the one before it.
            true => self.measure_start().max(self.start_signal()),
            false => self.start_signal(),
        }
    }

    #[inline]
    pub(super) fn measure_start(&self) -> Nanos {
        match self {
            Phases::Controlled(control) => control.measure_start(),
            Phases::Scheduled(schedule, _) => schedule.measure,
        }
    }

    /// Returns the end of the measurement; `None` = not ended, or not started.
    pub(super) fn measure_end(&self) -> Option<Nanos> {
        match self {
            Phases::Controlled(control) => control.measure_end(),
            Phases::Scheduled(schedule, _) => Some(schedule.cooldown),
        }
    }
}
