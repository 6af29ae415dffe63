//! What others did on devices, in figures.

use super::done::Done;
use super::limits::SMALL;
use diskspd_model::machine::io_counters::Flow;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Foreign {
    /// Bytes that they read and wrote.
    pub bytes: u64,
    /// At least so many I/Os these were.
    pub ios: u64,
    pub all: u64,
    pub all_ios: u64,
    /// At least so many of their I/Os were in flight on average, of how many in all; `None` = it can't be
    /// told.
    pub in_flight: Option<(f64, f64)>,
}

impl Foreign {
    /// What the lower devices did beyond what the upper ones, which are faithful, passed on to them.
    pub fn beyond(upper: &Done, lower: &Done) -> Foreign {
        let side = |upper: Flow, lower: Flow| {
            let bytes = lower.bytes.saturating_sub(upper.bytes);
            // Between them I/Os may be split, but not into more than those of others can be.
            (bytes, lower.ios.saturating_sub(upper.ios).min(bytes / SMALL))
        };
        let (read, write) = (side(upper.read, lower.read), side(upper.write, lower.write));
        Foreign {
            bytes: read.0.saturating_add(write.0),
            ios: read.1.saturating_add(write.1),
            all: lower.bytes(),
            all_ios: lower.read.ios.saturating_add(lower.write.ios),
            in_flight: None,
        }
    }
}
