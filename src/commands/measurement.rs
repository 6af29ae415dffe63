//! What comes of a run that was asked for by itself, and its place among several.

use super::made::MadeResults;
use super::output::EarlierReports;
use crate::cli::Exit;
use crate::run::Control;
use std::sync::Arc;

pub struct Measurement {
    pub exit: Exit,
    pub results: MadeResults,
    /// The user ended it before its time.
    pub interrupted: bool,
}

/// A run's place among several of the same.
pub struct RunTurn<'a> {
    pub name: String,
    /// The reports of runs before this one, which files hold too, and which this run's are added to.
    pub earlier: &'a mut EarlierReports,
    /// What the user ends all of them by, between two of them too.
    pub control: &'a Arc<Control>,
    /// Whether its report is on standard output.
    pub reports: bool,
}
