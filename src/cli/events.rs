//! Events that a run waits for and sets.

use crate::profile::RawText;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventNames {
    /// `-ys`: set at the start of the measurement.
    pub start: Option<RawText>,
    /// `-yf`: set at the end of the measurement.
    pub finish: Option<RawText>,
    /// `-yr`: event to wait for before the run.
    pub wait: Option<RawText>,
    /// `-yp`: ends the run when another process sets it.
    pub stop: Option<RawText>,
}
