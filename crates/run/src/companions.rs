//! Others that a run starts and measures together with.

use diskspd_sys::clock::Nanos;
use diskspd_worker::Control;
use std::fmt;

/// The other processes of a run on several hosts. All of this is asked and told by the controlling thread,
/// none of it while I/O is measured.
pub trait Companions: fmt::Debug + Send + Sync {
    /// A time span has come so far here. When all go on, on the monotonic clock; `None` = not at all, and the
    /// run has failed, or has been or will be interrupted.
    fn go_on_at(&self, from: MeetingPoint, control: &Control) -> Option<Nanos>;

    /// When a time span was measured, on the monotonic clock.
    fn set_window(&self, begin: Nanos, end: Nanos);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeetingPoint {
    /// All threads are ready; the start signal is to be given.
    Ready,
    /// `--until-steady`: it is steady, or has taken as long as it may. Until the agreed moment it goes on
    /// warming up, then measuring begins.
    WarmedUp,
}

/// How long after the warm-up measuring begins when several measure together, ns: what is to be done at that
/// moment takes some time, not the same on every host.
pub(super) const SETTLING: Nanos = 100_000_000;

/// The last part of a wait for a common moment is spent awake, ns: a sleep ends late.
const AWAKE: Nanos = 300_000;

/// Waits for a moment that was agreed on. False = a worker failed or the user interrupted before.
pub(super) fn meet_at(at: Nanos, control: &Control) -> bool {
    if !control.sleep_until(at.saturating_sub(AWAKE)) {
        return false;
    }
    while diskspd_sys::clock::monotonic() < at {
        std::hint::spin_loop();
    }
    true
}
