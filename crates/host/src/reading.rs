//! The kernel's counters at one moment.

use diskspd_machine::io_counters::{Activity, OwnIo};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub devices: Vec<Option<Activity>>,
    /// Whether the kernel counts the I/O of each device, in the same order.
    pub counted: Vec<bool>,
    /// I/O of this process; `None` = not reported.
    pub own: Option<OwnIo>,
    /// Unwritten memory of the machine ([`diskspd_machine::io_counters::dirty_bytes`]); `None` = not
    /// reported.
    pub unwritten: Option<u64>,
}
