//! Input of the rules: a profile and a position in it.

use crate::{Compat, Target, TimeSpan};

pub(super) struct Case<'a> {
    pub(super) span: &'a TimeSpan,
    pub(super) compat: Compat,
    pub(super) target: &'a Target,
}
