//! The common entry point of every run of the program: a single run, one of several by a command, and a
//! rank's part of a run on several hosts.

use super::own_files;
use super::with::{self, Tool, WithError, WithRequest};
use crate::cli::RunRequest;
use crate::commands::shared::job_command::RankPlans;
use crate::finding::Finding;
use crate::machine::System;
use crate::plan::{ErrorClass, PlanError, SpanPlan};
use crate::profile::validate::{self, validate};
use crate::profile::{Origin, Profile, RawText, RunOptions};
use crate::run::{self, ExecutedRun, Options, OutputPolicy, OwnFiles, Probes, RunError, Session, execute};
use crate::sys::standard_output;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Run with its permissions, in the form that ranks exchange.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Runnable {
    pub profile: Profile,
    pub run_options: RunOptions,
    pub recreate: bool,
    pub destroy: bool,
    /// Whether the ranks divide shared targets.
    #[serde(default)]
    pub split: bool,
    /// Number of ranks with I/O; `None` = all.
    #[serde(default)]
    pub hosts: Option<u32>,
    /// Distance to the earlier rank whose data each rank reads.
    #[serde(default)]
    pub shift_ranks: u32,
    pub io_log: Option<RawText>,
    pub journal: Option<RawText>,
    pub origin: Origin,
    /// `--with`: command of the DISKSPD that executes the run; `None` = this program.
    #[serde(skip)]
    pub with: Option<String>,
    /// Files and folders of the command, which the run must not overwrite.
    #[serde(skip)]
    pub own: OwnFiles,
}

/// Plan of a time span on this machine, with the current targets.
pub(crate) struct SpanOutlook {
    pub plan: Result<SpanPlan, Vec<PlanError>>,
    /// Reasons why the run must not perform its plan.
    pub refusals: Vec<String>,
}

impl SpanOutlook {
    /// Whether the request itself is invalid, on any similar machine.
    pub(crate) fn is_usage(&self) -> bool {
        let lies_in_profile = |error: &PlanError| error.lies_in == ErrorClass::Profile;
        self.plan.as_ref().is_err_and(|errors| errors.iter().any(lies_in_profile))
    }

    /// Returns all obstacles as messages.
    pub(crate) fn messages(self) -> Vec<String> {
        match self.plan {
            Ok(_) => self.refusals,
            Err(errors) => errors.iter().map(PlanError::to_string).collect(),
        }
    }
}

impl Runnable {
    /// Creates the run of a request; `profile` and `run_options` are its parsed forms.
    pub(crate) fn new(request: &RunRequest, profile: Profile, run_options: RunOptions) -> Runnable {
        let text = |path: &Option<PathBuf>| path.clone().map(|path| RawText::from(path.into_os_string()));
        Runnable {
            profile,
            run_options,
            recreate: request.recreate,
            destroy: request.destroy,
            split: request.split,
            hosts: request.hosts,
            shift_ranks: request.shift_ranks,
            io_log: text(&request.io_log),
            journal: text(&request.journal),
            origin: Origin::default(),
            with: request.with.clone(),
            own: own_files::own_files(request),
        }
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        let of_profile = validate(&self.profile, false).into_iter();
        let own = of_profile.chain(validate::run_options(&self.run_options, &self.profile));
        own.chain(self.beyond_diskspd()).chain(self.find_unfit()).collect()
    }

    /// Returns the requirements that the external DISKSPD does not support; empty if this program makes
    /// the run.
    pub(crate) fn beyond_diskspd(&self) -> Vec<Finding> {
        if self.with.is_none() {
            return Vec::new();
        }
        let given = [
            (self.recreate, "--recreate"),
            (self.io_log.is_some(), "--io-log"),
            (self.journal.is_some(), "--journal"),
            (self.run_options.replay.is_some(), "--replay"),
        ];
        let own_options = given.into_iter().filter(|(given, _)| *given).map(|(_, option)| option).collect();
        let (run_options, destroy, named) = (&self.run_options, self.destroy, self.origin.named.as_deref());
        with::refusals(&self.profile, &WithRequest { run_options, own_options, destroy, named })
    }

    /// Returns the obstacles of a run by this process alone, or by its job.
    fn find_unfit(&self) -> Vec<Finding> {
        if let Some(job) = JOB.get() {
            return job.find_unfit(self);
        }
        let given = [
            (self.split, "--split"),
            (self.hosts.is_some(), "--hosts"),
            (self.shift_ranks > 0, "--shift-ranks"),
        ];
        let needs_ranks = |option| {
            Finding::error(format!(
                "{option} needs several ranks: start them with a launcher (mpirun -n 4 diskspd ..), or \
                 leave it out"
            ))
        };
        given.into_iter().filter(|(given, _)| *given).map(|(_, option)| needs_ranks(option)).collect()
    }

    /// Returns the external DISKSPD after a check of its support; `None` if this program makes the run.
    ///
    /// # Errors
    /// Fails if it is missing or unsuitable.
    pub(crate) fn tool(&self) -> Result<Option<Arc<Tool>>, WithError> {
        let Some(command) = &self.with else { return Ok(None) };
        let tool = Tool::find_tool(command)?;
        tool.fits(&self.profile)?;
        Ok(Some(tool))
    }

    /// Checks that resources held during the whole run are available, before any file is created.
    ///
    /// # Errors
    /// Fails with the missing resources.
    pub(crate) fn preflight(&self) -> Result<(), Vec<PlanError>> {
        // Output after the run needs a working destination. After an hour an error would come too late.
        if standard_output::is_open().is_err() {
            return Err(vec![PlanError::target(
                "standard output is closed, so that the report would be lost: open it, or \
                 redirect it to a file if only other outputs (--out) are wanted",
            )]);
        }
        let mut targets = self.profile.time_spans.iter().flat_map(|span| &span.targets);
        if self.recreate && !targets.any(|target| target.file_size.is_some_and(|size| size > 0)) {
            return Err(vec![PlanError::profile(
                "--recreate has no effect: no file is made (-c, FileSize); add -c, or leave out --recreate",
            )]);
        }
        run::cpu_latency_refusal(&self.run_options)
    }

    /// Returns the planned duration in s; 0 in simulated time.
    pub(crate) fn seconds(&self) -> f64 {
        let spans = self.profile.time_spans.iter();
        let planned: u64 = spans
            .map(|span| u64::from(span.warmup) + u64::from(span.duration) + u64::from(span.cooldown))
            .sum();
        if self.run_options.virtual_time() { 0.0 } else { planned as f64 }
    }

    /// The time of the run for the display, s; 0 = unknown, because an amount or a steady state ends it.
    pub(crate) fn planned_seconds(&self) -> f64 {
        let options = &self.run_options;
        let by_amount = options.until_written.is_some() || options.until_read.is_some();
        let mut spans = self.profile.time_spans.iter();
        let span_by_amount = spans.any(|span| span.until_written.is_some() || span.until_read.is_some());
        let is_open = by_amount || span_by_amount || options.until_steady_s.is_some();
        if is_open { 0.0 } else { self.seconds() }
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            destroy: self.destroy,
            recreate: self.recreate,
            origin: self.origin.clone(),
            own: self.own.clone(),
            ..Options::from(self.run_options.clone())
        }
    }

    /// Returns the outlook of each time span; `options`: the result of [`Runnable::options`] with this
    /// run's own settings.
    pub(crate) fn outlooks(&self, system: &System, options: &Options) -> impl Iterator<Item = SpanOutlook> {
        let (profile, probes) = (run::resized(&self.profile), Probes::default());
        let lack = run::lack_of_space(&profile, options);
        (0..profile.time_spans.len()).map(move |number| {
            let span = &profile.time_spans[number];
            let plan = run::probe_and_plan(&profile, span, system, options, &probes);
            let mut refusals =
                plan.as_ref().map(|plan| run::refusals(span, plan, options)).unwrap_or_default();
            let lack = lack.as_ref().filter(|(lacking, _)| *lacking == number);
            refusals.extend(lack.map(|(_, lack)| lack.to_string()));
            SpanOutlook { plan, refusals }
        })
    }

    /// Returns the outlook of the first time span, or of all if the run cannot begin. `None` without time
    /// spans, or if another program makes the run.
    pub(crate) fn outlook(&self, system: &System) -> Option<SpanOutlook> {
        if self.with.is_some() {
            return None;
        }
        if let Err(errors) = self.preflight() {
            return Some(SpanOutlook { plan: Err(errors), refusals: Vec::new() });
        }
        let own = JOB.get().map_or_else(|| self.clone(), |job| job.own_part(self));
        own.outlooks(system, &own.options()).next()
    }

    /// Extends the output policy of a command with the files of this run.
    pub(crate) fn door(&self, door: OutputPolicy) -> OutputPolicy {
        door.which_runs(&self.profile, &self.run_options).which_owns(&self.own)
    }

    /// Returns the run after `number` others, with a different seed. With equal seeds a cache could serve the
    /// previous run's data, and offered I/Os would have the same times.
    pub(crate) fn repetition(&self, number: usize) -> Runnable {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Runnable { profile: self.profile.repetition(number), ..self.clone() }
    }

    /// Runs it, on all ranks of the job that this process leads. Every run of a command begins here.
    /// `session` has the listener, the control and the companions of this place.
    pub(crate) fn run(&self, session: Session) -> Result<ExecutedRun, RunError> {
        match JOB.get() {
            Some(job) => job.run(self, session),
            None => self.run_here(session),
        }
    }

    /// Runs it in this process, with the steps that every run needs.
    pub(crate) fn run_here(&self, session: Session) -> Result<ExecutedRun, RunError> {
        let path = |given: &Option<RawText>| given.as_ref().map(|path| path.as_path().to_owned());
        let options = Options {
            recreate: self.recreate,
            destroy: self.destroy,
            origin: self.origin.clone(),
            io_log: path(&self.io_log),
            journal: path(&self.journal),
            own: self.own.clone(),
            ..session.options
        };
        execute(&self.profile, &self.run_options, &Session { options, ..session })
    }
}

/// Makes the runs of this process by all ranks of a job, which it leads.
pub(crate) trait JobRunner: Send + Sync {
    fn run(&self, run: &Runnable, session: Session) -> Result<ExecutedRun, RunError>;

    fn plan(&self, run: &Runnable) -> RankPlans;

    fn own_part(&self, run: &Runnable) -> Runnable;

    fn find_unfit(&self, run: &Runnable) -> Vec<Finding>;
}

static JOB: OnceLock<Box<dyn JobRunner>> = OnceLock::new();

/// Assigns all further runs to a job.
pub(crate) fn run_by(job: Box<dyn JobRunner>) {
    // There is one job in the life of a process.
    let _ = JOB.set(job);
}

/// Returns the plans of a run by the ranks of the job; `None` = this process does not lead one.
pub(crate) fn plan_by_ranks(run: &Runnable) -> Option<RankPlans> {
    JOB.get().map(|job| job.plan(run))
}

pub(crate) fn is_led() -> bool {
    JOB.get().is_some()
}
