//! Activity of other programs on devices, in figures.

use super::done::DeviceIo;
use super::limits::SMALL_IO_BYTES;
use diskspd_machine::io_counters::Flow;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ForeignIo {
    /// Bytes read and written by other programs.
    pub bytes: u64,
    pub ios: u64,
    pub all: u64,
    pub all_ios: u64,
    /// Minimum mean number of their I/Os in flight, and the total; `None` = unknown.
    pub in_flight: Option<(f64, f64)>,
}

impl ForeignIo {
    /// Returns the activity of the lower devices beyond the I/O passed on by faithful upper devices.
    pub(super) fn from_layers(upper: &DeviceIo, lower: &DeviceIo) -> ForeignIo {
        let side = |upper: Flow, lower: Flow| {
            let bytes = lower.bytes.saturating_sub(upper.bytes);
            // Between them I/Os may be split, but not into more than those of others can be.
            (bytes, lower.ios.saturating_sub(upper.ios).min(bytes / SMALL_IO_BYTES))
        };
        let (read, write) = (side(upper.read, lower.read), side(upper.write, lower.write));
        ForeignIo {
            bytes: read.0.saturating_add(write.0),
            ios: read.1.saturating_add(write.1),
            all: lower.bytes(),
            all_ios: lower.read.ios.saturating_add(lower.write.ios),
            in_flight: None,
        }
    }
}
