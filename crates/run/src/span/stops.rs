//! What the system tells of times in which a thread, or the whole program, could not run.

use diskspd_host::cgroup::Groups;
use diskspd_host::root::Root;
use diskspd_sys::clock::Nanos;
use diskspd_sys::own_wait::OwnWait;
use diskspd_sys::signals::Continued;

/// Watches the calling thread, and its program.
#[derive(Debug)]
pub struct StopCounters {
    continued: Continued,
    wait: OwnWait,
    groups: Groups,
}

impl StopCounters {
    /// Whether a thread that sleeps wakes within a fraction of a millisecond.
    pub const WAKES_EXACTLY: bool = true;
    /// What of a difference between the clocks is a suspend: what is told in us.
    pub const SHORTEST_SUSPEND: Nanos = 1000;

    pub fn watch() -> StopCounters {
        let groups = Groups::find(&Root::live());
        StopCounters { continued: Continued::listen(), wait: OwnWait::of_this_thread(), groups }
    }

    /// How long the thread has been ready to run without a CPU so far, ns; `None` = not known.
    pub fn waited(&self) -> Option<Nanos> {
        self.wait.nanos()
    }

    /// How often the program was told to go on; `None` = nothing tells.
    pub fn continues(&self) -> Option<u64> {
        Some(self.continued.times())
    }

    /// How long its control group was frozen so far, us; `None` = not known.
    pub fn frozen_us(&self) -> Option<u64> {
        self.groups.frozen_us()
    }
}
