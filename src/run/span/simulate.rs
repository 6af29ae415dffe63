//! A time span in virtual time.

use crate::results::{CpuTimes, Ended, EndedBy, SpanResults};
use crate::run::companions::MeetingPoint;
use crate::run::control::Control;
use crate::run::options::Options;
use crate::run::outcome::SpanOutcome;
use crate::run::span::logged;
use crate::run::span::setup::{self, Shared, not_led};
use crate::run::tell::failure::by_cause;
use crate::run::tell::io_log::IoLog;
use crate::run::voice::Voice;
use crate::run::watch::observe;
use crate::run::worker::Phases;
use crate::run::worker::recorder::{self, merge_errors};
use crate::sys::real_time;
use crate::system::System;

/// Whether the event that it waits for has come, and other ranks go on too.
fn may_begin(options: &Options, control: &Control, voice: &Voice) -> bool {
    let companions = options.companions.as_ref();
    options.events.may_start(control, voice)
        && companions.is_none_or(|all| all.go_on_at(MeetingPoint::Ready, control).is_some())
}

/// Runs the workers in virtual time, one after the other in this thread: the outcome depends on the plan
/// alone.
pub(in crate::run) fn simulate(
    shared: &Shared,
    system: &System,
    options: &Options,
    control: &Control,
    log: Option<&IoLog>,
) -> SpanOutcome {
    let Shared { span: plan, voice, .. } = *shared;
    if !may_begin(options, control, voice) {
        return SpanOutcome { failures: control.failures(), ..SpanOutcome::default() };
    }
    options.events.measurement_begins(control);
    if voice.is_streaming() {
        voice.warn(
            "--stream: simulated time passes at once, nothing is streamed; --out FILE.csv has the intervals",
        );
    }
    let _way = match real_time::give_way() {
        Ok(way) => way,
        Err(why) => return SpanOutcome::failed(vec![not_led(&why)]),
    };
    let schedule = setup::schedule(plan);
    let mut results =
        SpanResults { measured: schedule.cooldown - schedule.measure, ..SpanResults::default() };
    let mut failed = Vec::new();
    for worker in &plan.workers {
        let ended = logged(log, worker.thread..worker.thread + 1, true, |rings| {
            setup::set_up(worker, shared, Phases::Scheduled(schedule, control), None, rings.first())
                .map(|worker| worker.run(plan))
        });
        match ended.unwrap_or_else(|message| Err(message.into())) {
            Ok(ended) => {
                results.threads.push(ended.results);
                merge_errors(&mut results.errors, ended.errors);
                failed.extend(ended.failure);
            }
            Err(failure) => failed.push(failure),
        }
    }
    options.events.measurement_ended(control);
    recorder::count_from(schedule.measure, &mut results.errors);
    let by = if failed.is_empty() { EndedBy::Time } else { EndedBy::Failure };
    results.ended = Some(Ended { by, after: Some(results.measured) });
    let mut failures = by_cause(&failed);
    failures.extend(control.failures());
    results.intervals = shared.accounts.take_intervals();
    results.responses = shared.accounts.take_responses();
    results.observed = Some(observe::simulated(plan));
    // Nothing real was used: all CPUs were idle in that time.
    let active = system.topology.groups.iter().map(|g| g.active as usize).sum();
    results.cpus = vec![CpuTimes { idle: results.measured, ..CpuTimes::default() }; active];
    // Interrupted in the midst of it, some threads have done nothing at all.
    if !failures.is_empty() || control.is_interrupted() {
        // What ended it is told by whoever runs the spans.
        results.measured = 0;
        results.ended = None;
    }
    SpanOutcome { results, failures, ..SpanOutcome::default() }
}
