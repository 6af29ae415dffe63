//! Common properties of a run's time spans.

use crate::options::Options;
use crate::services::Prefilled;
use crate::span::probes::Probes;
use diskspd_integrity::{Integrity, IntegrityError};
use diskspd_machine::System;
use diskspd_plan::{self as plan, SpanPlan};
use diskspd_profile::{Profile, RawText, Target, TimeSpan};
use diskspd_worker::telemetry::io_log::IoLog;
use diskspd_worker::{Control, RunReporter};
use std::collections::HashSet;

#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    pub profile: &'a Profile,
    /// Files that exist and are not created again.
    pub precreated: &'a HashSet<RawText>,
    /// Filled block devices that are not prefilled again.
    pub prefilled: &'a Prefilled,
    pub system: &'a System,
    pub options: &'a Options,
    pub control: &'a Control,
    pub voice: &'a RunReporter,
    pub probes: &'a Probes,
    pub log: Option<&'a IoLog>,
    pub integrity: Option<&'a Integrity>,
}

/// Resets the known content of targets that are about to be written outside the workers.
///
/// # Errors
/// Fails if the journal cannot record it.
pub(crate) fn forget_renewed(
    span: &TimeSpan,
    planned: &SpanPlan,
    common: RunContext,
) -> Result<(), IntegrityError> {
    let Some(integrity) = common.integrity else { return Ok(()) };
    let is_renewed = |path: &RawText| {
        let is_made = |target: &Target| target.path == *path && plan::creates(target);
        let is_new = !common.precreated.contains(path) && span.targets.iter().any(is_made);
        is_new || common.options.run_options.prefill.is_some()
    };
    integrity.forget(planned, is_renewed)
}
