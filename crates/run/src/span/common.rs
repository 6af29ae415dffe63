//! What the time spans of a run have in common.

use crate::options::Options;
use crate::real::Prefilled;
use crate::span::probes::Probes;
use diskspd_integrity::Integrity;
use diskspd_model::machine::System;
use diskspd_model::profile::{Profile, RawText};
use diskspd_worker::tell::io_log::IoLog;
use diskspd_worker::{Control, Voice};
use std::collections::HashSet;

/// What the time spans of a run have in common.
#[derive(Clone, Copy)]
pub struct Common<'a> {
    /// The whole profile.
    pub profile: &'a Profile,
    /// Files that are not created again.
    pub precreated: &'a HashSet<RawText>,
    /// Block devices that are not prefilled again.
    pub prefilled: &'a Prefilled,
    /// The machine.
    pub system: &'a System,
    /// What the user wants.
    pub options: &'a Options,
    /// What stops the run.
    pub control: &'a Control,
    /// What the run says.
    pub voice: &'a Voice,
    /// What is known of the machine since the run began.
    pub probes: &'a Probes,
    /// Where single I/Os are logged.
    pub log: Option<&'a IoLog>,
    /// What is verified.
    pub integrity: Option<&'a Integrity>,
}
