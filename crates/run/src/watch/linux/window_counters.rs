//! Counters of the kernel, from one edge of the measured window to the other.

use diskspd_host::window_counters::WindowCounters;

/// Reads counters at the start and the end of the measurement.
#[derive(Debug)]
pub(crate) struct WindowCounterReader<C: WindowCounters> {
    counters: C,
    before: C::EdgeValues,
    after: C::EdgeValues,
}

impl<C: WindowCounters> WindowCounterReader<C> {
    pub(crate) fn new(counters: C) -> WindowCounterReader<C> {
        WindowCounterReader { counters, before: C::EdgeValues::default(), after: C::EdgeValues::default() }
    }

    pub(crate) fn begin(&mut self) {
        self.before = self.counters.read();
    }

    pub(crate) fn end(&mut self) {
        self.after = self.counters.read();
    }

    /// Returns the counts; empty = the time span was not measured to its end.
    pub(crate) fn finish(self) -> Vec<C::WindowValues> {
        self.counters.count_between(&self.before, &self.after)
    }
}
