//! System information about times in which a thread, or the whole program, could not run.

use diskspd_host::cgroup::Groups;
use diskspd_host::root::Root;
use diskspd_sys::clock::Nanos;
use diskspd_sys::run_delay::OwnWait;
use diskspd_sys::signals::Continued;

/// Counters of the calling thread and its program.
#[derive(Debug)]
pub(crate) struct StopCounters {
    continued: Continued,
    wait: OwnWait,
    groups: Groups,
}

impl StopCounters {
    /// Whether a sleeping thread wakes up within a fraction of a millisecond.
    pub(crate) const WAKES_EXACTLY: bool = true;
    /// Minimum difference of the clocks that counts as suspend; the resolution is 1 µs.
    pub(crate) const MIN_SUSPEND: Nanos = 1000;

    pub(crate) fn watch() -> StopCounters {
        let groups = Groups::find(&Root::live_system());
        StopCounters { continued: Continued::listen(), wait: OwnWait::of_this_thread(), groups }
    }

    /// Returns the total waiting time of the thread for a CPU in ns; `None` if unknown.
    pub(crate) fn waited(&self) -> Option<Nanos> {
        self.wait.nanos()
    }

    /// Returns how often the program was continued (SIGCONT); `None` if unknown.
    pub(crate) fn continues(&self) -> Option<u64> {
        Some(self.continued.times())
    }

    /// Returns the total frozen time of its control group in us; `None` if unknown.
    pub(crate) fn frozen_us(&self) -> Option<u64> {
        self.groups.frozen_us()
    }
}
