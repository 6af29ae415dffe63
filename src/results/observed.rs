//! What was observed around the measured window beside the I/Os themselves: facts for `truth` to judge.

use crate::system::io_counters::DeviceFacts;
use serde::{Deserialize, Serialize};

/// Facts about one time span. What could not be observed is missing, never zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// What the devices beneath the targets did meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<DeviceFacts>,
}
