//! A system on which only simulated runs are made: what a time span needs of it. Stands in the place of
//! the files that are Linux's.

use super::common::Common;
use super::setup::Shared;
use crate::control::Control;
use crate::failure::Failure;
use crate::options::Options;
use crate::outcome::SpanOutcome;
use crate::real::NoRunsHere;
use crate::tell::io_log::Ring;
use diskspd_engine::File;
use diskspd_host::target;
use diskspd_model::machine::System;
use diskspd_model::machine::target::TargetFacts;
use diskspd_model::plan::{PlanError, SpanPlan, WorkerPlan};
use diskspd_model::profile::{Target, TimeSpan};
use std::io;
use std::path::{Path, PathBuf};

/// What is known of the machine.
pub mod probes {
    pub use super::Probes;
}

/// A look at a target.
pub mod look {
    pub use super::look_at as look;
}

/// What is done before the workers begin.
pub mod ready {
    pub use super::{HeldTargets, forget_renewed, make_ready};
}

/// What a worker gets.
pub mod opening {
    pub use super::{bind, open_all};
}

/// A time span in real time.
pub mod measure {
    pub use super::measure_nothing as measure;
}

/// What a run would have found out about its targets beside their facts.
#[derive(Debug, Default)]
pub struct Probes;

impl Probes {
    /// Whether the engines of a plan can be had: those that ask no kernel are always there.
    ///
    /// # Errors
    /// None: others are refused before.
    pub fn engines_available(&self, _: &SpanPlan) -> Result<(), Vec<PlanError>> {
        Ok(())
    }

    /// Whether can be traced what is to be traced (`-e`). In simulated time the kernel has no part in it.
    ///
    /// # Errors
    /// None.
    pub fn trace_available(&self, _: &SpanPlan) -> Result<(), Vec<PlanError>> {
        Ok(())
    }

    /// Forgets what wasn't there: nothing is remembered.
    pub fn forget_what_lacked(&self) {}
}

/// Looks at a target as it is now.
///
/// # Errors
/// What keeps us from looking.
pub fn look_at(
    _: &TimeSpan,
    _: &Target,
    location: &Path,
    _: &Options,
    _: &Probes,
) -> io::Result<TargetFacts> {
    target::probe(location)
}

/// What of the machine a time span has for itself: nothing.
#[derive(Debug)]
pub struct HeldTargets;

/// Makes the targets ready for the workers: in simulated time nothing is touched.
///
/// # Errors
/// None.
pub fn make_ready(
    _: &TimeSpan,
    first: SpanPlan,
    _: &[PathBuf],
    _: Common,
) -> Result<(SpanPlan, HeldTargets), Box<SpanOutcome>> {
    Ok((first, HeldTargets))
}

/// Runs workers in real time.
pub fn measure_nothing(
    _: &Shared,
    _: &System,
    _: &Options,
    _: &Control,
    _: &[Ring],
    _: &Probes,
) -> SpanOutcome {
    SpanOutcome::failed(vec![NoRunsHere.to_string()])
}

/// Binds the calling thread to the CPU that its worker is to have.
///
/// # Errors
/// Always: only a worker in real time has one.
pub fn bind(_: &WorkerPlan) -> Result<(), Failure> {
    Err(NoRunsHere.to_string().into())
}

/// Opens targets.
///
/// # Errors
/// Always.
pub fn open_all(_: &WorkerPlan, _: &HeldTargets) -> Result<(Vec<File>, Vec<u32>), Failure> {
    Err(NoRunsHere.to_string().into())
}

/// Forgets what is known of targets that are renewed: nothing is.
///
/// # Errors
/// None.
pub fn forget_renewed(_: &TimeSpan, _: &SpanPlan, _: Common) -> Result<(), NoRunsHere> {
    Ok(())
}
