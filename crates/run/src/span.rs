//! One time span, from its targets to its results.

mod common;
mod logged;
mod machine_watch;
pub(super) mod measure;
pub(super) mod phases;
pub(super) mod planning;
mod setup;
mod simulate;
mod stall_detector;
#[cfg_attr(not(target_os = "linux"), path = "windows/span.rs")]
pub(super) mod system;
mod target_watch;
mod volume;
mod warm_up;

use super::options::Options;
use super::sources;
pub(crate) use common::RunContext;
use common::forget_renewed;
use diskspd_plan::workload::InterlockedPosition;
use diskspd_plan::{PlanError, SpanPlan, WorkerPlan};
use diskspd_profile::TimeSpan;
use diskspd_worker::telemetry::stream::DirectionCounts;
use diskspd_worker::{RunReporter, SpanOutcome, VolumeQuota};
use large_pages::HugePagePool;
pub(super) use logged::logged;
use planning::{locations, plan_at};
pub(crate) use setup::SharedByWorkers;
use simulate::simulate;
use std::sync::Arc;
pub(super) use system::{large_pages, look, opening, pauses, preparation, probes, span_context};

pub(crate) fn run(span: &TimeSpan, common: RunContext) -> SpanOutcome {
    let RunContext { profile, system, options, control, voice, probes, log, .. } = common;
    control.does_in_time("inspects the targets");
    let messages = |errors: Vec<PlanError>| errors.into_iter().map(|e| e.to_string()).collect();
    // The first plan finds what is wrong before anything is written, the second one sees the files as they
    // came out.
    let planned = locations(span, options).and_then(|at| {
        let plan = plan_at(&at, profile, span, system, options, probes)?;
        probes.engines_available(&plan).map(|()| (plan, at))
    });
    let (mut first, locations) = match planned {
        Ok(planned) => planned,
        Err(errors) => return SpanOutcome::from_failures(messages(errors)),
    };
    if let Err(error) = forget_renewed(span, &first, common) {
        return SpanOutcome::failed(vec![error.to_string()]);
    }
    std::mem::take(&mut first.warnings).into_iter().for_each(|warning| voice.report_finding(warning));
    control.awaits("reads the source of written data (-Z)");
    let sources = match sources::make(&first.sources, &options.origin.owners) {
        Ok(sources) => sources,
        Err(error) => return SpanOutcome::from_failures(vec![error.into()]),
    };
    let (plan, held) = match preparation::make_ready(span, first, &locations, common) {
        Ok(ready) => ready,
        Err(outcome) => return *outcome,
    };
    if control.is_interrupted() {
        return SpanOutcome::default();
    }
    control.start_step("sets up the run");
    log.iter().for_each(|log| log.begin_span());
    let shared = SharedByWorkers {
        span: &plan,
        interlocked: &interlocked_positions(&plan),
        held: &held,
        accounts: Arc::default(),
        progress: by_direction(&plan, options, voice),
        quota: VolumeQuota::for_plan(&plan),
        sources: &sources,
        log,
        integrity: common.integrity,
        large_pages: HugePagePool::reserve_for(&plan),
        voice,
    };
    let outcome = match options.run_options.engine {
        Some(_) if options.run_options.virtual_time() => simulate(&shared, system, options, control, log),
        _ => logged(log, 0..plan.workers.len() as u32, false, |rings| {
            let outcome = measure::measure(&shared, system, options, control, rings, probes);
            if log.is_some() {
                control.deposit(outcome.clone());
                control.does_in_time("writes the log of I/Os (--io-log)");
            }
            outcome
        })
        .unwrap_or_else(|error| SpanOutcome::failed(vec![error.to_string()])),
    };
    // It is part of the results from here on.
    let _ = control.take_deposit();
    outcome
}

/// Returns counters of the workers by direction, one for each worker; empty without a consumer.
fn by_direction(plan: &SpanPlan, options: &Options, voice: &RunReporter) -> Vec<Arc<DirectionCounts>> {
    if !voice.is_streaming() || options.run_options.virtual_time() {
        return Vec::new();
    }
    let response = |worker: &WorkerPlan| plan.measure_latency && worker.is_paced();
    plan.workers.iter().map(|worker| DirectionCounts::new(plan.is_timed(), response(worker))).collect()
}

fn interlocked_positions(plan: &SpanPlan) -> Vec<Arc<InterlockedPosition>> {
    (0..plan.targets).map(|_| Arc::new(InterlockedPosition::default())).collect()
}
