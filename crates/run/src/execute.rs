//! Execution of a profile with run options and a session into a record: the whole program without output.

use super::options::Options;
use super::replay::{ReplayReady, prepared};
use super::services;
use super::session::{ExecutedRun, RunError, Session};
use super::supervise::{RunEnding, supervise};
use diskspd_base::finding::{Finding, Severity};
use diskspd_host as system;
use diskspd_machine::System;
use diskspd_output::HangGuard;
use diskspd_plan::PlanError;
use diskspd_profile::validate::{self, validate};
use diskspd_profile::{Profile, RunOptions, TargetIds};
use diskspd_results::{Record, Results, SpanResults};
use diskspd_sys::clock;
use diskspd_worker::{Outcome, RunReporter};
use std::sync::Arc;

/// Runs a profile on this machine. Always returns a record of the measurements, even if the run fails, is
/// interrupted, or the storage hangs. It prints nothing and watches no signals; the session's
/// [`super::Control`] ends it early.
pub fn execute(
    profile: &Profile,
    run_options: &RunOptions,
    session: &Session,
) -> Result<ExecutedRun, RunError> {
    let findings = validate(profile, false).into_iter().chain(validate::run_options(run_options, profile));
    let errors: Vec<_> = findings.filter(|finding| finding.severity == Severity::Error).collect();
    if !errors.is_empty() {
        return Err(RunError::Invalid(errors));
    }
    services::can_run(profile, run_options).map_err(RunError::Unfit)?;
    let patience = HangGuard::of_run(&session.control);
    let asked = (profile.clone(), run_options.clone(), session.options.origin.clone());
    let ready = unless_it_hangs(&patience, "--replay", move || prepared(&asked.0, &asked.1, &asked.2))?;
    let ReplayReady { profile, run_options, list } =
        ready.map_err(|finding| RunError::Invalid(vec![*finding]))?;
    let (profile, run_options) = (&profile, &run_options);
    if list.is_some() && session.options.companions.is_some() {
        let message = "--replay runs in one process only; start it without a launcher";
        return Err(RunError::Invalid(vec![Finding::error(message)]));
    }
    let asked = (profile.clone(), run_options.clone());
    let mut system = unless_it_hangs(&patience, "the targets", move || surroundings(&asked.0, &asked.1))?;
    system.start_time = session.one_of_several.then(clock::wall_seconds).or(system.start_time);
    let options = Options { run_options: run_options.clone(), replay: list, ..session.options.clone() };
    let voice = Arc::new(RunReporter::new(Arc::clone(&session.listener)));
    let mut record = Record::new(profile.clone(), system.clone(), Results::default())
        .with_run_options(run_options.clone());
    let tell = {
        let (mut record, listener) = (record.clone(), Arc::clone(&session.listener));
        move |so_far: &mut Results| {
            with_what_is_to_come(&mut record, so_far, |record| listener.time_span_ended(record))
        }
    };
    let (mut outcome, left_behind) =
        match supervise(profile, &system, &options, &session.control, &voice, tell) {
            RunEnding::Complete(Ok(outcome)) => (outcome, false),
            RunEnding::Complete(Err(errors)) => return Err(RunError::Unfit(errors)),
            RunEnding::LeftBehind(mut outcome) => {
                outcome.troubles.extend(voice.end());
                (outcome, true)
            }
        };
    let host = record.host_mut();
    host.results = std::mem::take(&mut outcome.results);
    host.notices = voice.notices();
    for message in outcome.failures.iter().chain(&outcome.troubles) {
        host.notices.push(Finding::error(message));
    }
    let Outcome { failures, troubles, refused, .. } = outcome;
    Ok(ExecutedRun { record, failures, troubles, refused, left_behind })
}

fn unless_it_hangs<T: Send + 'static>(
    patience: &HangGuard,
    what: &str,
    look: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RunError> {
    let looked = patience.attempt(what, look);
    looked.map_err(|unanswered| RunError::Unfit(vec![PlanError::target(format!("{what}: {unanswered}"))]))
}

/// Reads the machine; its caches only if the profile needs them.
pub fn machine_for(profile: &Profile) -> System {
    let mut system = system::snapshot();
    if profile.compat.is_2_3() || profile.time_spans.iter().any(|span| span.buffer_separation.is_some()) {
        diskspd_host::caches::read_caches(&mut system);
    }
    system
}

/// Returns the machine with the storage of the profile's targets, and its environment.
pub fn surroundings(profile: &Profile, run_options: &RunOptions) -> System {
    let mut system = machine_for(profile);
    if !run_options.simulated() {
        let ids = TargetIds::from_profile(profile);
        services::read_environment(&mut system, &ids.paths().iter().collect::<Vec<_>>());
    }
    system
}

/// Shows the results so far as a record, without the remaining time spans.
fn with_what_is_to_come(record: &mut Record, so_far: &mut Results, show: impl FnOnce(&Record)) {
    let ended = so_far.time_spans.len();
    let all = record.profile.time_spans.len();
    std::mem::swap(&mut record.host_mut().results, so_far);
    record.host_mut().results.time_spans.resize_with(all, SpanResults::default);
    show(record);
    record.host_mut().results.time_spans.truncate(ended);
    std::mem::swap(&mut record.host_mut().results, so_far);
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::engines::EngineKind;
    use diskspd_profile::{Target, TimeSpan};
    use diskspd_worker::listener::RunObserver;
    use std::sync::Mutex;

    #[test]
    fn partial_record_leaves_space_for_the_rest() {
        let spans = vec![TimeSpan::default(); 3];
        let profile = Profile { time_spans: spans, ..Profile::default() };
        let mut record = Record::new(profile, System::default(), Results::default());
        let mut results = Results::default();
        for ended in 1..3 {
            results.time_spans.push(SpanResults { measured: 50, ..SpanResults::default() });
            let before = results.clone();
            with_what_is_to_come(&mut record, &mut results, |record| {
                let measured: Vec<u64> =
                    record.host().results.time_spans.iter().map(|span| span.measured).collect();
                assert_eq!(measured, [50, if ended > 1 { 50 } else { 0 }, 0]);
            });
            assert_eq!(results, before);
        }
    }

    #[derive(Default)]
    struct CountingObserver(Mutex<(usize, Vec<Finding>)>);

    impl RunObserver for CountingObserver {
        fn time_span_ended(&self, so_far: &Record) {
            assert!(so_far.host().results.have_figures());
            self.0.lock().unwrap().0 += 1;
        }
        fn notice(&self, notice: &Finding) {
            self.0.lock().unwrap().1.push(notice.clone());
        }
    }

    fn simulated(spans: usize, engine: EngineKind) -> (Profile, RunOptions) {
        let target = Target { path: "a target".into(), file_size: Some(1 << 30), ..Target::default() };
        let span = TimeSpan { targets: vec![target], duration: 1, warmup: 0, ..TimeSpan::default() };
        let profile = Profile { time_spans: vec![span; spans], ..Profile::default() };
        (profile, RunOptions { engine: Some(engine), ..RunOptions::default() })
    }

    #[test]
    fn run_notifies_listener_and_returns_a_repeatable_record() {
        let (profile, run_options) = simulated(2, EngineKind::Sim);
        let ear = Arc::new(CountingObserver::default());
        let session = Session { listener: Arc::clone(&ear) as Arc<dyn RunObserver>, ..Session::default() };
        let executed = execute(&profile, &run_options, &session).unwrap();
        assert!(executed.failures.is_empty() && executed.troubles.is_empty() && !executed.left_behind);
        assert_eq!(ear.0.lock().unwrap().0, 1, "of the last one there is the record itself");
        let again = execute(&executed.record.profile, &run_options, &Session::default()).unwrap();
        let ios = |record: &Record| record.host().results.time_spans[1].threads[0].targets[0].read.ios;
        assert!(ios(&executed.record) > 0);
        assert_eq!(ios(&again.record), ios(&executed.record));
    }

    #[test]
    fn invalid_profile_is_not_run() {
        let (mut profile, mut run_options) = simulated(1, EngineKind::Sim);
        run_options.until_steady_s = Some(60);
        let refusal = execute(&profile, &run_options, &Session::default()).unwrap_err();
        assert!(matches!(&refusal, RunError::Invalid(findings) if findings[0].name == "M1"), "{refusal}");
        (run_options.until_steady_s, profile.time_spans) = (None, Vec::new());
        assert!(matches!(execute(&profile, &run_options, &Session::default()), Err(RunError::Invalid(_))));
    }
}
