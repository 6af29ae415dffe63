//! The kernel's counters at one moment.

use diskspd_model::machine::io_counters::{Activity, OwnIo};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Of every device, in the order they were asked for; `None` = it can't be read.
    pub devices: Vec<Option<Activity>>,
    /// Whether the kernel counts their I/O, in the same order.
    pub counted: Vec<bool>,
    /// Of this process; `None` = the kernel doesn't tell what it asked of devices.
    pub own: Option<OwnIo>,
    /// Of the machine's memory, as [`unwritten`] counts it; `None` = the kernel doesn't tell.
    ///
    /// [`unwritten`]: diskspd_model::machine::io_counters::unwritten
    pub unwritten: Option<u64>,
}
