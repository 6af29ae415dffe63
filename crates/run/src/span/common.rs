//! Common properties of a run's time spans.

use crate::options::Options;
use crate::services::Prefilled;
use crate::span::probes::Probes;
use diskspd_integrity::Integrity;
use diskspd_machine::System;
use diskspd_profile::{Profile, RawText};
use diskspd_worker::telemetry::io_log::IoLog;
use diskspd_worker::{Control, RunReporter};
use std::collections::HashSet;

#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    pub profile: &'a Profile,
    /// Files that are not created again.
    pub precreated: &'a HashSet<RawText>,
    /// Block devices that are not prefilled again.
    pub prefilled: &'a Prefilled,
    pub system: &'a System,
    pub options: &'a Options,
    pub control: &'a Control,
    pub voice: &'a RunReporter,
    pub probes: &'a Probes,
    pub log: Option<&'a IoLog>,
    pub integrity: Option<&'a Integrity>,
}
