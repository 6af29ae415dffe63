//! The run in a separate thread, so that the user can end it at any wait, with a report of the
//! measurements.

use super::options::Options;
use super::{Outcome, run, services};
use diskspd_machine::System;
use diskspd_output::guard::HangError;
use diskspd_output::{grace, guard};
use diskspd_plan::PlanError;
use diskspd_profile::Profile;
use diskspd_results::{Results, SpanResults};
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_worker::RunReporter;
use diskspd_worker::control::Control;
use diskspd_worker::control::SupervisorEvent::{self, Abandoned, Bounded, Died, Ended, GivenUp, Interrupted};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Maximum time for the end of the run after a stop by the user: longer than for its workers.
const MAX_END_TIME: Duration = Duration::from_secs(10);
/// The same limit after an immediate stop by the user.
const RAPID_END_TIME: Duration = Duration::from_secs(3);
/// Time limit of a wait for another program, in which no data can be lost.
const MAX_OTHERS_WAIT: Duration = Duration::from_millis(200);
/// Step of the waiting time. A step's extra time does not count, because contention or a hypervisor delays
/// the run as well.
const TICK: Duration = Duration::from_millis(100);
/// Stack size of the run's thread in bytes, as of a main thread.
const STACK: usize = 8 << 20;

#[derive(Debug)]
pub(crate) enum RunEnding {
    Complete(Result<Outcome, Vec<PlanError>>),
    /// Abandoned: threads of this process still wait for the kernel or another program. The process must
    /// end by [`diskspd_sys::process::end`].
    LeftBehind(Outcome),
}

/// Runs a profile as [`run`] does; always returns, even if the run hangs.
pub(crate) fn supervise(
    profile: &Profile,
    system: &System,
    options: &Options,
    control: &Arc<Control>,
    voice: &Arc<RunReporter>,
    mut after_span: impl FnMut(&mut Results) + Send + 'static,
) -> RunEnding {
    // The run's thread, and all that it starts, have it from here.
    let _precedence = services::take_precedence();
    let (tell, told) = channel();
    control.notify(tell.clone());
    let so_far = Arc::new(Mutex::new(Results::default()));
    let work = {
        let (profile, system, options) = (profile.clone(), system.clone(), options.clone());
        let (control, voice, so_far) = (Arc::clone(control), Arc::clone(voice), Arc::clone(&so_far));
        move || {
            let ended = run(&profile, &system, &options, &control, &voice, &mut |results| {
                after_span(results);
                *so_far.lock_anyway() = results.clone();
            });
            drop(after_span);
            let _ = tell.send(SupervisorEvent::Ended(Box::new(ended)));
        }
    };
    let thread = match std::thread::Builder::new().name("run".into()).stack_size(STACK).spawn(work) {
        Ok(thread) => thread,
        Err(e) => {
            let failures = vec![no_thread(&e)];
            return RunEnding::Complete(Ok(Outcome { failures, ..all_spans(profile, Results::default()) }));
        }
    };
    let left = || {
        let mut results = so_far.lock_anyway().clone();
        let span = control.take_deposit().map(|span| {
            results.time_spans.push(span.results);
            (span.failures, span.troubles)
        });
        let (failures, troubles) = span.unwrap_or_default();
        Outcome { failures, troubles, ..all_spans(profile, results) }
    };
    let _decides = decision_hook(control);
    // Remaining time for the run to end; `None` = unlimited.
    let mut patience: Option<Duration> = None;
    loop {
        let turn = match patience {
            None if control.is_bounded() => {
                patience = Some(Duration::from_nanos(grace()));
                continue;
            }
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(patience) => told.recv_timeout(patience.min(TICK)),
        };
        match turn {
            Ok(Ended(ended)) => {
                let _ = thread.join();
                return RunEnding::Complete(*ended);
            }
            Ok(Abandoned) => return RunEnding::LeftBehind(left()),
            // Another one begins.
            Ok(Bounded) if !control.is_interrupted() => patience = None,
            Ok(Bounded) => {}
            Ok(Interrupted) => {
                let wanted = match (control.is_hurried(), control.waits_for_others()) {
                    (_, true) => MAX_OTHERS_WAIT,
                    (true, _) => RAPID_END_TIME,
                    _ => MAX_END_TIME,
                };
                patience = Some(patience.map_or(wanted, |patience| patience.min(wanted)));
            }
            Ok(GivenUp(error)) => return RunEnding::LeftBehind(given_up(left(), control, &error)),
            Ok(Died) => return RunEnding::LeftBehind(mark_died(left())),
            // The limited work is done.
            Err(RecvTimeoutError::Timeout) if !control.is_interrupted() && !control.is_bounded() => {
                patience = None;
            }
            Err(RecvTimeoutError::Timeout) if patience.is_some_and(|patience| patience > TICK) => {
                patience = patience.map(|patience| patience - TICK);
            }
            Err(_) if control.waits_for_others() => return RunEnding::LeftBehind(left()),
            Err(_) => return RunEnding::LeftBehind(keep_outcome(left(), control)),
        }
    }
}

fn no_thread(why: &std::io::Error) -> String {
    let failed = FailedCall::starting_thread("for the run", why);
    format!("{failed}; {}", failed.remedy())
}

fn keep_outcome(mut outcome: Outcome, control: &Control) -> Outcome {
    let cause = guard::awaited_process().map_or_else(
        || "The storage hangs, or is very slow: see dmesg, and check the server or device".to_owned(),
        |call| format!("The cause is the {call}"),
    );
    outcome.troubles.push(format!(
        "the run does not end: it waits in the kernel while it {}, and is abandoned. {cause}",
        control.what_it_does()
    ));
    outcome
}

/// Lets the run decide about its end instead of the guard.
fn decision_hook(control: &Arc<Control>) -> guard::GuardHold {
    let control = Arc::clone(control);
    guard::run_decides(move |error| control.abandon_run(error))
}

fn mark_died(outcome: Outcome) -> Outcome {
    let defect = "a defect of this program ended the run; please report it";
    Outcome { failures: vec![defect.into()], ..outcome }
}

/// Adds the guard's reason.
fn given_up(mut outcome: Outcome, control: &Control, error: &HangError) -> Outcome {
    let what = control.what_it_does();
    outcome.troubles.push(format!("{}, while the run {what}; {}", error.message, error.remedy));
    outcome
}

fn all_spans(profile: &Profile, mut results: Results) -> Outcome {
    results.time_spans.resize_with(profile.time_spans.len(), SpanResults::default);
    Outcome { results, ..Outcome::default() }
}
