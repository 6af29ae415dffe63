//! A sweep with its answer.

use crate::lab::sweep::{Drift, PointRow, SweepAnswer};

pub(super) struct AnsweredSweep<'a> {
    pub(super) rows: &'a [PointRow],
    pub(super) answers: &'a [SweepAnswer],
    pub(super) drift: Option<&'a Drift>,
}
