//! Surroundings of a time span's workers in real time: the content of their targets, observers, and wake
//! locks of processors.

use crate::files::content;
use crate::options::Options;
use crate::span::system::preparation::HeldTargets;
use crate::span::system::probes::Probes;
pub(crate) use crate::watch::linux::observe::Observer;
use diskspd_base::message_error::MessageError;
use diskspd_machine::System;
use diskspd_machine::content::ContentFacts;
use diskspd_plan::SpanPlan;
use diskspd_profile::RunOptions;
use diskspd_sys::cpu_latency::{CpuLatency, CpuLatencyError};
use diskspd_worker::RunReporter;

/// Returns the observer of a time span, which takes over an already open trace.
///
/// # Errors
/// Fails if the requested observation is not possible.
pub(crate) fn observe<'a>(
    plan: &'a SpanPlan,
    held: &HeldTargets,
    system: &'a System,
    options: &Options,
    probes: &Probes,
) -> Result<Observer<'a>, MessageError> {
    Observer::new(plan, &held.located, system, options, probes.take_trace())
}

/// Inspects the content of the read targets, and warns of reads that do not reach the medium.
pub(crate) fn look_at_content(plan: &SpanPlan, held: &HeldTargets, voice: &RunReporter) -> Vec<ContentFacts> {
    content::sample_content(plan, &held.located, voice)
}

/// Limits the idle states of CPUs to `--cpu-latency` while the returned value lives.
pub(crate) fn hold_awake(run_options: &RunOptions) -> Result<Option<CpuLatency>, CpuLatencyError> {
    run_options.cpu_latency_us.map(CpuLatency::hold).transpose()
}
