//! Events that a run waits for and sets.

use crate::profile::RawText;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventNames {
    /// `-ys`: set when measuring begins.
    pub start: Option<RawText>,
    /// `-yf`: set when measuring has ended.
    pub finish: Option<RawText>,
    /// `-yr`: event to wait for before the run.
    pub wait: Option<RawText>,
    /// `-yp`: ends the run when someone sets it.
    pub stop: Option<RawText>,
}
