//! Execution of a sweep: one run after the other, each stored before the next begins.

use super::super::run_backend;
use super::folder::Folder;
use super::plan::Plan;
use super::progress;
use crate::cli::SweepRequest;
use crate::clock::{self, SECOND};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::folder_error::FolderErrorKind;
use crate::commands::shared::input::load_runs::RunFile;
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::runnable::Runnable;
use crate::experiments::RunRow;
use crate::experiments::sweep::{CompletedPoint, NextPoint, SweepAction, SweepOutcome, estimate, next};
use crate::finding::Finding;
use crate::run::{Control, RunObserver};
use crate::sys::standard_error::print_line;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

struct PointOutcome {
    figures: Result<RunRow, CommandError>,
    results: Option<CompletedResults>,
}

pub(super) struct SweepWalk<'a> {
    request: &'a SweepRequest,
    plan: &'a Plan,
    folder: Option<Folder>,
    display: Arc<Display>,
    step_name: String,
    began_anew: bool,
    pub history: Vec<CompletedPoint>,
    pub troubles: Vec<String>,
    /// Whether threads of a run still wait for the kernel.
    pub left_behind: bool,
    /// Results of the last completed run of this process.
    last_results: Option<CompletedResults>,
}

impl<'a> SweepWalk<'a> {
    pub(super) fn new(
        request: &'a SweepRequest,
        plan: &'a Plan,
        folder: Option<Folder>,
        history: Vec<CompletedPoint>,
    ) -> SweepWalk<'a> {
        let display = Display::new(request.quiet);
        let began_anew = history.is_empty();
        SweepWalk {
            request,
            plan,
            folder,
            display,
            step_name: String::new(),
            began_anew,
            history,
            troubles: Vec::new(),
            left_behind: false,
            last_results: None,
        }
    }

    pub(super) fn results(&self) -> Option<RunFile> {
        match &self.last_results {
            Some(CompletedResults::Here(record)) => Some(RunFile::Record(record.clone())),
            Some(CompletedResults::ByTool(made)) => Some(RunFile::Results(vec![made.known.clone()])),
            None => self.folder.as_ref()?.last_results(self.history.len()),
        }
    }

    /// Goes to the end.
    ///
    /// # Errors
    /// Fails if a run cannot be kept, or the folder contains another sweep.
    pub(super) fn run_points(&mut self) -> Result<SweepOutcome, CommandError> {
        loop {
            let what = match next(&self.plan.sweep, &self.history) {
                NextPoint::Run(what) => what,
                NextPoint::Done { out_of_budget: true } => return Ok(SweepOutcome::OutOfBudget),
                NextPoint::Done { out_of_budget: false } => return Ok(SweepOutcome::Complete),
                NextPoint::Astray(number) => {
                    let number = number + 1;
                    return Err(CommandError::from(format!(
                        "--dir: run {number} of the folder belongs to another sweep; name another folder"
                    )));
                }
            };
            if !self.run_step(what)? || self.left_behind {
                return Ok(SweepOutcome::Interrupted);
            }
        }
    }

    /// Executes a run with preparation and cleanup; returns false if the user ended it.
    fn run_step(&mut self, what: SweepAction) -> Result<bool, CommandError> {
        let to_come = estimate(&self.plan.sweep, &self.history);
        let label = self.point_label(what);
        let (number, of) = (self.history.len() + 1, self.history.len() + to_come.runs);
        let least = of.max(number);
        let of = if self.plan.sweep.settings.slices { format!("{least} or more") } else { of.to_string() };
        self.step_name = progress::step(number, &of, &label);
        self.display.begin(Step { name: self.step_name.clone(), left_s: to_come.seconds });
        let control = Arc::<Control>::default();
        let _watch = ctrl_c::ends_several(&control)?;
        let began = clock::monotonic();
        let settle = (self.request.settings.settle_s * SECOND as f64) as u64;
        if !control.sleep_until(began + settle) {
            return Ok(false);
        }
        // The output of the command begins on a new line.
        self.display.clear();
        let prepared = self.run_between(&control);
        if control.is_interrupted() {
            return Ok(false);
        }
        let outcome = match prepared.and_then(|()| self.make_runnable(what)) {
            Ok(point) => self.run(&point, &control),
            Err(why) => Some(PointOutcome { figures: Err(why), results: None }),
        };
        let Some(PointOutcome { figures, results }) = outcome else { return Ok(false) };
        let seconds = (clock::monotonic() - began) as f64 / SECOND as f64;
        let (line, failure) = match figures {
            Ok(line) => (Some(line), None),
            Err(why) => (None, Some(why.to_string())),
        };
        let ran = CompletedPoint { what, seconds, line, failure };
        self.keep_run(&ran, results.as_ref())?;
        self.last_results = results.or(self.last_results.take());
        self.history.push(ran);
        self.display.clear();
        if !self.request.quiet {
            progress::report(&self.step_name, &self.plan.sweep, &self.history);
        }
        let answer = progress::answer(&self.plan.sweep, &self.history);
        self.display.answer(answer, progress::live_points(&self.plan.sweep, &self.history));
        Ok(true)
    }

    fn keep_run(
        &mut self,
        ran: &CompletedPoint,
        results: Option<&CompletedResults>,
    ) -> Result<(), FolderErrorKind> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let kept = folder.keep(self.history.len() + 1, ran, results);
        if let (Err(why), true) = (&kept, folder.is_spare) {
            print_line(Finding::warning(format!(
                "the sweep cannot continue, because its points are no longer kept: {why}"
            )));
            self.folder.take().into_iter().for_each(|folder| folder.remove(self.history.len() + 1));
            return Ok(());
        }
        kept
    }

    pub(super) fn spare_folder(&self) -> Option<&Path> {
        self.folder.as_ref().filter(|folder| folder.is_spare).map(Folder::path)
    }

    pub(super) fn tidy_up(&mut self) {
        let spare = self.folder.take_if(|folder| folder.is_spare);
        spare.into_iter().for_each(|folder| folder.remove(self.history.len()));
    }

    /// Returns `None` if the user ended the run early.
    fn run(&mut self, point: &Runnable, control: &Arc<Control>) -> Option<PointOutcome> {
        let listener: Arc<dyn RunObserver> = Arc::clone(&self.display) as Arc<dyn RunObserver>;
        let made = match run_backend::run(point, control, listener) {
            Ok(made) => made?,
            Err(why) => return Some(PointOutcome { figures: Err(why), results: None }),
        };
        self.left_behind |= made.left_behind;
        if control.is_interrupted() && !made.is_whole {
            return None;
        }
        self.troubles.extend(made.troubles.iter().cloned());
        Some(PointOutcome { figures: run_backend::figures(&made), results: Some(made.results) })
    }

    fn make_runnable(&self, what: SweepAction) -> Result<Runnable, CommandError> {
        let number = self.history.len();
        let run = match what {
            SweepAction::Point(place) | SweepAction::Reference(place) | SweepAction::WarmUp(place)
                if self.plan.sweep.settings.slices =>
            {
                let seconds = self.plan.sweep.slice_seconds(what, &self.history);
                self.plan.slice_at(place, seconds)?.repetition(number)
            }
            SweepAction::Point(place) | SweepAction::Reference(place) | SweepAction::WarmUp(place) => {
                let point = self.plan.points.get(place);
                point.ok_or_else(|| "there is no such point".to_owned())?.repetition(number)
            }
            SweepAction::Rate(rate) => self.plan.at_rate(rate)?.repetition(number),
        };
        let first = self.began_anew && self.history.is_empty();
        let mut run = Runnable { recreate: run.recreate && first, ..run };
        run.own.keeps.extend(self.request.folder.clone());
        Ok(run)
    }

    fn point_label(&self, what: SweepAction) -> String {
        let of =
            |number: usize| self.plan.sweep.points.get(number).map(|point| point.label()).unwrap_or_default();
        match what {
            SweepAction::Point(_) if !self.plan.sweep.settings.curve.is_empty() => "the maximum".to_owned(),
            SweepAction::Point(number) => of(number),
            SweepAction::Reference(number) => format!("reference {}", of(number)).trim_end().to_owned(),
            SweepAction::WarmUp(number) => format!("warm-up {}", of(number)).trim_end().to_owned(),
            SweepAction::Rate(rate) => format!("{rate} IOPS offered"),
        }
    }

    fn run_between(&self, control: &Control) -> Result<(), CommandError> {
        let Some(command) = &self.request.between else { return Ok(()) };
        let failed = |why: &dyn fmt::Display| CommandError::from(format!("--between: {why}"));
        let child =
            Command::new("sh").args(["-c", &format!("exec >&2\n{command}")]).stdin(Stdio::null()).spawn();
        let mut child = child.map_err(|error| failed(&error))?;
        loop {
            match child.try_wait().map_err(|error| failed(&error))? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(failed(&status)),
                None => {}
            }
            if !control.sleep_until(clock::monotonic() + SECOND / 50) {
                // It has most likely ended by the same Ctrl-C.
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed(&"interrupted"));
            }
        }
    }
}
