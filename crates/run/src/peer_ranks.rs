//! Other processes of a joint run, which the run starts.

use diskspd_sys::clock::Nanos;
use diskspd_worker::Control;
use std::fmt;

/// The other processes of a run on several hosts. Only the controlling thread uses it, and never during
/// I/O measurement.
pub trait PeerRanks: fmt::Debug + Send + Sync {
    /// Reports that a time span has reached this point here. Returns the monotonic time at which all
    /// continue; `None` if the run failed or is interrupted.
    fn go_on_at(&self, from: BarrierPoint, control: &Control) -> Option<Nanos>;

    /// Sets the measured window on the monotonic clock.
    fn set_window(&self, begin: Nanos, end: Nanos);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierPoint {
    Ready,
    /// `--until-steady`: the load is steady, or the time limit was reached. The warm-up continues until
    /// the agreed moment.
    WarmedUp,
}

/// Delay between warm-up and joint measurement in ns, because the preparations at that moment differ
/// between hosts.
pub(super) const SETTLING: Nanos = 100_000_000;

/// The last part of a wait for a common moment is spent awake, ns: a sleep ends late.
const SPIN_TIME: Nanos = 300_000;

/// Waits for a common start time. Returns false if a worker failed or the user interrupted.
pub(super) fn meet_at(at: Nanos, control: &Control) -> bool {
    if !control.sleep_until(at.saturating_sub(SPIN_TIME)) {
        return false;
    }
    while diskspd_sys::clock::monotonic() < at {
        std::hint::spin_loop();
    }
    true
}
