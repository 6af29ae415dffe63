//! The run: a profile on a machine becomes results.
//!
//! ```text
//! first:          files that are created once (PrecreateFiles)
//! per time span:  probe targets ─▶ plan ─▶ prepare files ─▶ plan again ─▶ workers ─▶ SpanResults
//! ```
//!
//! Between the start signal and the end of a time span nothing is allocated, formatted, locked or logged by a worker.

mod console;
mod content;
mod control;
mod cost;
mod creation;
mod crew;
pub mod destination;
mod effort;
pub mod events;
pub mod exact;
mod failure;
mod interrupt;
mod io_log;
mod large_pages;
mod live;
mod measure;
mod observe;
mod observe_devices;
mod options;
#[cfg(test)]
mod order_tests;
mod phases;
mod planning;
mod precreate;
mod prefill;
pub mod prepare;
mod probes;
mod recorder;
mod refusals;
mod sampler;
mod setup;
mod simulate;
mod sleeps;
mod sources;
mod span;
mod stream;
mod trace;
mod warm_up;
mod worker;

pub use console::Console;
pub use content::look as look_at_content;
pub use control::Control;
pub use events::Events;
pub use interrupt::watch;
pub use live::Counters;
pub use observe::Observer;
pub use options::Options;
pub use planning::probe_and_plan;
pub use precreate::resized;
pub use prefill::Prefill;
pub use probes::Probes;
pub use refusals::{cpu_latency_refusal, refusals};
pub use stream::Stream;

use crate::plan::{PlanError, Severity};
use crate::profile::Profile;
use crate::results::{Results, SpanResults};
use crate::system::System;
use io_log::IoLog;
use std::collections::HashSet;

/// How a run ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One entry per time span; those that failed or were not reached have measured nothing.
    pub results: Results,
    /// Why the run failed; empty = it didn't. An interrupted run did not fail.
    pub failures: Vec<String>,
}

/// Runs all time spans of a profile, one after the other. After a failure or an interruption the rest is skipped.
/// `after_span` sees the results so far when one has ended and another follows: so they can be saved.
///
/// # Errors
/// The profile can't be carried out on this machine or by this version; nothing has been touched.
pub fn run(
    profile: &Profile,
    system: &System,
    options: &Options,
    control: &Control,
    console: &Console,
    after_span: &mut dyn FnMut(&mut Results),
) -> Result<Outcome, Vec<PlanError>> {
    let profile = &resized(profile);
    if options.until_steady.is_some() && options.virtual_time() {
        return Err(vec![PlanError::profile(
            "--until-steady: a simulated run's phases are fixed before it begins (its threads run one after the \
             other); give the warm-up as -W<seconds>, or choose another engine",
        )]);
    }
    let probes = Probes::default();
    let unfit: Vec<PlanError> = profile
        .time_spans
        .iter()
        .filter_map(|span| probe_and_plan(profile, span, system, options, &probes).err())
        .flatten()
        .filter(|error| error.severity == Severity::Profile)
        .collect();
    if !unfit.is_empty() {
        return Err(unfit);
    }
    let log = match &options.io_log {
        Some(path) => Some(
            destination::refuse_target("--io-log", &destination::named(path), &destination::targets(profile))
                .and_then(|()| IoLog::create(path))
                .map_err(|message| vec![PlanError::target(message)])?,
        ),
        None => None,
    };
    let mut outcome = Outcome::default();
    let precreated = match precreate::create_all(profile, options, control, console) {
        Ok(paths) => paths,
        Err(failure) => {
            outcome.failures.push(failure);
            HashSet::new()
        }
    };
    if !precreated.is_empty() {
        probes.forget_what_lacked();
    }
    let prefilled = prefill::Done::default();
    let common = span::Common {
        profile,
        precreated: &precreated,
        prefilled: &prefilled,
        system,
        options,
        control,
        console,
        probes: &probes,
        log: log.as_ref(),
    };
    for (number, time_span) in profile.time_spans.iter().enumerate() {
        if !outcome.failures.is_empty() || control.is_interrupted() {
            outcome.results.time_spans.push(SpanResults::default());
            continue;
        }
        console.begin_span(number + 1);
        console.verbose(|| format!("generating I/O for time span {}", number + 1));
        let ended = span::run(time_span, common);
        probes.forget_what_lacked();
        console.clear_line();
        outcome.results.time_spans.push(ended.results);
        outcome.failures = ended.failures;
        if number + 1 < profile.time_spans.len() {
            after_span(&mut outcome.results);
        }
    }
    console.end_stream();
    if let Some(complaint) = log.and_then(|log| log.complaint()) {
        console.warn(&complaint);
    }
    Ok(outcome)
}
