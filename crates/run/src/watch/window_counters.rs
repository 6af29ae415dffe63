//! Counters of the kernel, from one edge of the measured window to the other.

use diskspd_host::window_counters::WindowCounters;

/// Reads counters at both edges of the measured window.
#[derive(Debug)]
pub struct WindowCounterReader<C: WindowCounters> {
    counters: C,
    before: C::AtEdge,
    after: C::AtEdge,
}

impl<C: WindowCounters> WindowCounterReader<C> {
    pub fn new(counters: C) -> WindowCounterReader<C> {
        WindowCounterReader { counters, before: C::AtEdge::default(), after: C::AtEdge::default() }
    }

    pub fn begin(&mut self) {
        self.before = self.counters.read();
    }

    pub fn end(&mut self) {
        self.after = self.counters.read();
    }

    /// Returns the counts; empty if the time span was not measured to its end.
    pub fn finish(self) -> Vec<C::BetweenEdges> {
        self.counters.between(&self.before, &self.after)
    }
}
