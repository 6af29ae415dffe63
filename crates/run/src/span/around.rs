//! What is around the workers of a time span in real time: what their targets hold, who observes them, and
//! that processors stay awake.

use crate::files::content;
use crate::options::Options;
use crate::span::probes::Probes;
use crate::span::ready::HeldTargets;
use crate::watch::observe::NotObserved;
pub use crate::watch::observe::Observer;
use diskspd_model::machine::System;
use diskspd_model::machine::content::ContentFacts;
use diskspd_model::plan::SpanPlan;
use diskspd_model::profile::RunOptions;
use diskspd_sys::cpu_latency::{CpuLatency, CpuLatencyError};
use diskspd_worker::Voice;

/// Who observes a time span; it takes over what of a trace is open already.
///
/// # Errors
/// It can't be observed as it was asked for.
pub fn observe<'a>(
    plan: &'a SpanPlan,
    held: &HeldTargets,
    system: &'a System,
    options: &Options,
    probes: &Probes,
) -> Result<Observer<'a>, NotObserved> {
    Observer::new(plan, &held.located, system, options, probes.take_trace())
}

/// What the targets hold that are read, and warns of what would be answered without the medium.
pub fn look_at_content(plan: &SpanPlan, held: &HeldTargets, voice: &Voice) -> Vec<ContentFacts> {
    content::look(plan, &held.located, voice)
}

/// Keeps processors from sleeping deeper than `--cpu-latency` says, as long as what is returned lives.
///
/// # Errors
/// It can't be held.
pub fn hold_awake(run_options: &RunOptions) -> Result<Option<CpuLatency>, CpuLatencyError> {
    run_options.cpu_latency_us.map(CpuLatency::hold).transpose()
}
