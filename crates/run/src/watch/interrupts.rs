//! On which CPUs the interrupts of the devices arrived, from shortly before the measured window to shortly
//! after it: reading the counters of a device with many queues takes longer than an edge may.

use diskspd_host::interrupts::{InterruptCounters, InterruptReading};
use diskspd_host::root::Root;
use diskspd_model::results::DeviceInterrupts;

/// Watches the interrupts of the devices beneath the targets.
#[derive(Debug)]
pub struct InterruptWatch {
    counters: InterruptCounters,
    before: InterruptReading,
    after: InterruptReading,
}

impl InterruptWatch {
    /// Finds the counters of these devices, by the kernel's names.
    pub fn new(devices: &[String]) -> InterruptWatch {
        let counters = InterruptCounters::find(&Root::live(), devices);
        InterruptWatch { counters, before: InterruptReading::default(), after: InterruptReading::default() }
    }

    /// The window opens soon.
    pub fn begin(&mut self) {
        self.before = self.counters.read();
    }

    /// The window has closed.
    pub fn end(&mut self) {
        self.after = self.counters.read();
    }

    /// What was counted; empty when the time span was not measured to its end.
    pub fn finish(self) -> Vec<DeviceInterrupts> {
        self.counters.between(&self.before, &self.after)
    }
}
