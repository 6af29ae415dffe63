//! The kernel's counters at one moment.

use diskspd_machine::io_counters::{Activity, OwnIo};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub devices: Vec<Option<Activity>>,
    /// Whether the kernel counts their I/O, in the same order.
    pub counted: Vec<bool>,
    /// I/O of this process; `None` if the kernel does not report it.
    pub own: Option<OwnIo>,
    /// Unwritten memory of the machine ([`diskspd_machine::io_counters::dirty_bytes`]); `None` if the kernel
    /// does not report it.
    pub unwritten: Option<u64>,
}
