//! What rules look at: a profile, and where in it.

use crate::profile::{Compat, Target, TimeSpan};

/// One target in its time span: what most rules look at.
pub(super) struct Case<'a> {
    pub(super) span: &'a TimeSpan,
    pub(super) compat: Compat,
    pub(super) target: &'a Target,
}
