//! How often the processors of the workers went to sleep within the measured window.

use diskspd_host::cpu_sleeps::{SleepCounters, SleepReading};
use diskspd_host::root::Root;
use diskspd_model::plan::SpanPlan;
use diskspd_model::results::CpuSleeps;

/// Watches the processors that workers are bound to.
#[derive(Debug)]
pub struct SleepWatch {
    counters: SleepCounters,
    before: SleepReading,
    after: SleepReading,
}

impl SleepWatch {
    /// Finds the counters.
    pub fn new(plan: &SpanPlan) -> SleepWatch {
        let cpus = plan.workers.iter().filter_map(|worker| worker.cpu);
        let counters = SleepCounters::find(&Root::live(), cpus);
        SleepWatch { counters, before: SleepReading::default(), after: SleepReading::default() }
    }

    /// The window opens.
    pub fn begin(&mut self) {
        self.before = self.counters.read();
    }

    /// The window has closed.
    pub fn end(&mut self) {
        self.after = self.counters.read();
    }

    /// What was counted; empty when the time span was not measured to its end.
    pub fn finish(self) -> Vec<CpuSleeps> {
        self.counters.between(&self.before, &self.after)
    }
}
