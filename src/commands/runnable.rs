//! What is run, and the one door by which every run of the program goes: a single run, one of several that a
//! command makes, and what a rank does of a run of several hosts.

use super::own_files;
use super::with::{self, AskedBeside, Tool, WithFault};
use crate::cli::RunRequest;
use crate::finding::Finding;
use crate::machine::System;
use crate::plan::{LiesIn, PlanError, SpanPlan};
use crate::profile::validate::{self, validate};
use crate::profile::{Origin, Profile, RawText, RunOptions};
use crate::run::{self, Executed, NotRun, Options, OutputDoor, OwnFiles, Probes, Session, execute};
use crate::sys::standard_output;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// What is run, and what the run may do. Ranks tell each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Runnable {
    pub profile: Profile,
    pub run_options: RunOptions,
    pub recreate: bool,
    pub destroy: bool,
    pub io_log: Option<RawText>,
    pub journal: Option<RawText>,
    pub origin: Origin,
    /// `--with`: what starts the DISKSPD that makes the run; `None` = this program does.
    #[serde(skip)]
    pub with: Option<String>,
    /// Inputs and folders of the command, which the run must not destroy.
    #[serde(skip)]
    pub own: OwnFiles,
}

/// What becomes of a time span on a machine, with the targets as they are now.
pub struct SpanOutlook {
    pub plan: Result<SpanPlan, Vec<PlanError>>,
    /// Why the run may not do to its targets what is planned.
    pub refusals: Vec<String>,
}

impl SpanOutlook {
    /// Whether it is what was asked for that can't be planned, on any machine like this.
    pub fn is_usage(&self) -> bool {
        let lies_in_profile = |error: &PlanError| error.lies_in == LiesIn::Profile;
        self.plan.as_ref().is_err_and(|errors| errors.iter().any(lies_in_profile))
    }

    /// All that stands against it, a message each.
    pub fn messages(self) -> Vec<String> {
        match self.plan {
            Ok(_) => self.refusals,
            Err(errors) => errors.iter().map(PlanError::to_string).collect(),
        }
    }
}

impl Runnable {
    /// What a request asks for; `profile` and `run_options` are what was read of it.
    pub fn new(request: &RunRequest, profile: Profile, run_options: RunOptions) -> Runnable {
        let text = |path: &Option<PathBuf>| path.clone().map(|path| RawText::from(path.into_os_string()));
        Runnable {
            profile,
            run_options,
            recreate: request.recreate,
            destroy: request.destroy,
            io_log: text(&request.io_log),
            journal: text(&request.journal),
            origin: Origin::default(),
            with: request.with.clone(),
            own: own_files::own_files(request),
        }
    }

    pub fn findings(&self) -> Vec<Finding> {
        let of_profile = validate(&self.profile, false).into_iter();
        let own = of_profile.chain(validate::run_options(&self.run_options, &self.profile));
        own.chain(self.beyond_diskspd()).collect()
    }

    /// What the DISKSPD that is to make the run can't do; nothing where this program makes it.
    pub fn beyond_diskspd(&self) -> Vec<Finding> {
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
        with::refusals(&self.profile, &AskedBeside { run_options, own_options, destroy, named })
    }

    /// The DISKSPD that makes the run, asked whether it can; `None` = this program does.
    ///
    /// # Errors
    /// It isn't there, or can't.
    pub fn tool(&self) -> Result<Option<Arc<Tool>>, WithFault> {
        let Some(command) = &self.with else { return Ok(None) };
        let tool = Tool::find_tool(command)?;
        tool.fits(&self.profile)?;
        Ok(Some(tool))
    }

    /// Whether the machine has what the run holds from its beginning to its end: asked before anything is
    /// created.
    ///
    /// # Errors
    /// What it doesn't have.
    pub fn can_begin(&self) -> Result<(), Vec<PlanError>> {
        // What is told behind the run has to get somewhere: an hour later it would be too late.
        if standard_output::is_open().is_err() {
            return Err(vec![PlanError::target(
                "standard output is closed, so that the report would be lost: open it, or write \
                 >/dev/null in place of >&- if only other outputs (--out) are wanted",
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

    /// How long it is planned to take, s; nothing in simulated time.
    pub fn seconds(&self) -> f64 {
        let spans = self.profile.time_spans.iter();
        let planned: u64 = spans
            .map(|span| u64::from(span.warmup) + u64::from(span.duration) + u64::from(span.cooldown))
            .sum();
        if self.run_options.virtual_time() { 0.0 } else { planned as f64 }
    }

    /// How it is run, as plans are made for it.
    pub fn options(&self) -> Options {
        Options {
            destroy: self.destroy,
            recreate: self.recreate,
            origin: self.origin.clone(),
            own: self.own.clone(),
            ..Options::from(self.run_options.clone())
        }
    }

    /// What becomes of each time span; `options`: those of [`Runnable::options`], and what is of this run
    /// alone.
    pub fn outlooks(&self, system: &System, options: &Options) -> impl Iterator<Item = SpanOutlook> {
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

    /// What becomes of the first time span, or of all where the run can't begin; `None` = there is none, or
    /// another program makes the run.
    pub fn outlook(&self, system: &System) -> Option<SpanOutlook> {
        if self.with.is_some() {
            return None;
        }
        if let Err(errors) = self.can_begin() {
            return Some(SpanOutlook { plan: Err(errors), refusals: Vec::new() });
        }
        self.outlooks(system, &self.options()).next()
    }

    /// The door of a command that runs this too.
    pub fn door(&self, door: OutputDoor) -> OutputDoor {
        door.which_runs(&self.profile, &self.run_options).which_owns(&self.own)
    }

    /// The run behind `number` others: with a seed of its own, else a cache could answer from what the run
    /// before had read, also at another depth, and offered I/Os would come at the same times again.
    pub fn repetition(&self, number: usize) -> Runnable {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Runnable { profile: self.profile.repetition(number), ..self.clone() }
    }

    /// Runs it. Every run of the program begins here: what all of them have to do is done here. `session`
    /// says what is of this place alone: who listens, what ends it, whom it meets.
    ///
    /// # Errors
    /// It can't be run.
    pub fn run(&self, session: Session) -> Result<Executed, NotRun> {
        let path = |given: &Option<RawText>| given.as_ref().map(|path| path.as_path().to_owned());
        let session = Session {
            recreate: self.recreate,
            destroy: self.destroy,
            origin: self.origin.clone(),
            io_log: path(&self.io_log),
            journal: path(&self.journal),
            own: self.own.clone(),
            ..session
        };
        execute(&self.profile, &self.run_options, &session)
    }
}
