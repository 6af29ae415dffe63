//! What one of several runs of a command runs: a sweep's point, a step of a preconditioning, a side of a
//! comparison. All of them are run by one door: [`Runnable::run`].

use super::load::{self, ProfileOnce};
use super::not_done::NotDone;
use crate::cli::{Invocation, RunRequest, TypedLine};
use crate::finding::{Finding, Severity};
use crate::machine::System;
use crate::plan::{PlanError, SpanPlan};
use crate::profile::validate::{self, validate};
use crate::profile::{Profile, ResultFormat, RunOptions, TimeSpan};
use crate::run::{self, Control, Executed, Listener, NotRun, Options, Probes, Session, execute};
use std::sync::Arc;

/// What is run, and what the run may do.
pub struct Runnable {
    /// What.
    pub profile: Profile,
    /// How.
    pub run_options: RunOptions,
    /// `--recreate`
    pub recreate: bool,
    /// `--destroy`
    pub destroy: bool,
}

impl Runnable {
    /// What a line asks for, and its warnings; `misfit` says why a command has no place
    /// for it.
    ///
    /// # Errors
    /// It can't be understood, breaks a rule, or doesn't fit.
    pub fn of(
        line: &TypedLine,
        xml: &ProfileOnce,
        misfit: impl FnOnce(&RunRequest, &Profile, &RunOptions) -> Option<String>,
    ) -> Result<(Runnable, Vec<Finding>), Vec<String>> {
        let named = |message: String| vec![format!("{message}\n  in: {}", line.typed())];
        let request = match line.read(line.command_line()) {
            Ok(Invocation::Run(request)) => request,
            Ok(_) => return Err(named("this is no command line of a run".into())),
            Err(error) => return Err(named(error.to_string())),
        };
        let asked = load::asked_of(&request, xml).map_err(NotDone::into_messages)?;
        let (profile, run_options) = (asked.profile.into_owned(), asked.run_options.into_owned());
        if let Some(why) = misfit(&request, &profile, &run_options) {
            return Err(named(why));
        }
        let findings =
            validate(&profile, false).into_iter().chain(validate::run_options(&run_options, &profile));
        let (errors, warnings): (Vec<_>, Vec<_>) =
            findings.partition(|found| found.severity == Severity::Error);
        if let Some(error) = errors.first() {
            return Err(named(error.message.clone()));
        }
        let warnings = warnings.into_iter().chain(request.warnings.clone()).collect();
        let (recreate, destroy) = (request.recreate, request.destroy);
        Ok((Runnable { profile, run_options, recreate, destroy }, warnings))
    }

    /// How long it is planned to take, s; nothing in simulated time.
    pub fn seconds(&self) -> f64 {
        let spans = self.profile.time_spans.iter();
        let planned: u64 = spans
            .map(|span| u64::from(span.warmup) + u64::from(span.duration) + u64::from(span.cooldown))
            .sum();
        if self.run_options.virtual_time() { 0.0 } else { planned as f64 }
    }

    /// The plan of its first time span on a machine, with the targets as they are now.
    ///
    /// # Errors
    /// There is none.
    pub fn planned(&self, system: &System) -> Result<SpanPlan, Vec<PlanError>> {
        run::cpu_latency_refusal(&self.run_options)?;
        let profile = run::resized(&self.profile);
        let Some(span) = profile.time_spans.first() else { return Err(Vec::new()) };
        run::probe_and_plan(&profile, span, system, &self.options(), &Probes::default())
    }

    /// Why a planned run may not do to its targets what it would.
    pub fn refusals(&self, span: &TimeSpan, plan: &SpanPlan) -> Vec<String> {
        run::refusals(span, plan, &self.options()).iter().map(ToString::to_string).collect()
    }

    fn options(&self) -> Options {
        Options { destroy: self.destroy, recreate: self.recreate, ..Options::from(self.run_options.clone()) }
    }

    /// The run behind `number` others: with a seed of its own, else a cache could answer from what the run
    /// before had read, also at another depth, and offered I/Os would come at the same times again.
    pub fn repetition(&self, number: usize) -> Runnable {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Runnable { profile: self.profile.repetition(number), run_options: self.run_options.clone(), ..*self }
    }

    /// Runs it, as one of several.
    ///
    /// # Errors
    /// It can't be run.
    pub fn run(&self, control: &Arc<Control>, listener: Arc<dyn Listener>) -> Result<Executed, NotRun> {
        let session = Session {
            one_of_several: true,
            recreate: self.recreate,
            destroy: self.destroy,
            listener,
            control: Arc::clone(control),
            ..Session::default()
        };
        execute(&self.profile, &self.run_options, &session)
    }
}

/// Ctrl-C ends the runs of a command that makes several, for as long as what is returned is kept.
///
/// # Errors
/// It can't be watched for.
pub fn watch(control: &Arc<Control>) -> Result<impl Sized + use<>, String> {
    run::watch(Arc::clone(control), None, true)
        .map_err(|error| format!("can't install the handler for Ctrl-C: {error}"))
}

/// An option of a single run, which a command that makes several has no place for.
pub fn out_of_place(request: &RunRequest) -> Option<&'static str> {
    let given = [
        (request.profile_only, "-Rp"),
        (request.profile.result_format == ResultFormat::Xml, "-Rxml"),
        (request.save.is_some(), "--save"),
        (request.store.is_some(), "--store"),
        (request.xml_verdict, "--xml-verdict"),
        (request.text_verdict, "--text-verdict"),
        (request.profile.progress > 0, "-P"),
        (request.profile.verbose, "-v"),
    ];
    let given = given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option);
    given.or_else(|| request.follows_one_run())
}
