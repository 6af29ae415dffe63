//! The sequential steps of a preconditioning.

use super::super::run_backend::{self, NOTHING_MEASURED};
use super::lines::{PreconditionLine, PreconditionLines, filled, round_run};
use crate::checks::JudgedRecord;
use crate::cli::PreconditionRequest;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::console::live_series::LivePoint;
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::runs::runnable::Runnable;
use crate::experiments::RunRow;
use crate::experiments::precondition::{NextRound, is_steady, next, window};
use crate::results::{EndedBy, FillStep, Preconditioning, Record, RoundFigures};
use crate::run::{self, Control, RunObserver};
use crate::sys::standard_error::print_line;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepsOutcome {
    Steady,
    /// The target is not steady after the maximum number of rounds.
    NotSteady,
    Interrupted,
}

pub(super) struct PreconditionSteps<'a> {
    request: &'a PreconditionRequest,
    lines: &'a PreconditionLines,
    display: Arc<Display>,
    control: Arc<Control>,
    purged: Option<u64>,
    fill: Option<FillStep>,
    rounds: Vec<RoundFigures>,
    pub last_record: Option<Record>,
    pub troubles: Vec<String>,
    /// Whether threads of a run still wait for the kernel.
    pub left_behind: bool,
}

impl<'a> PreconditionSteps<'a> {
    pub(super) fn new(
        request: &'a PreconditionRequest,
        lines: &'a PreconditionLines,
    ) -> PreconditionSteps<'a> {
        PreconditionSteps {
            request,
            lines,
            display: Display::new(request.quiet),
            control: Arc::default(),
            purged: None,
            fill: None,
            rounds: Vec::new(),
            last_record: None,
            troubles: Vec::new(),
            left_behind: false,
        }
    }

    pub(super) fn preconditioning(&self) -> Option<Preconditioning> {
        let window = window(&self.round_rates());
        (!self.rounds.is_empty()).then(|| Preconditioning {
            standard: self.request.standard.name().to_owned(),
            purged_bytes: self.purged,
            fill: self.fill.clone(),
            command: self.lines.round.command.clone(),
            rounds: self.rounds.clone(),
            window,
            steady: window.is_some_and(|window| is_steady(&window)),
        })
    }

    fn round_rates(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| round.iops).collect()
    }

    pub(super) fn run_steps(&mut self) -> Result<StepsOutcome, CommandError> {
        let _watch = ctrl_c::ends_several(&self.control)?;
        if self.request.purge && !self.lines.simulated() && !self.purge()? {
            return Ok(StepsOutcome::Interrupted);
        }
        if let Some(line) = &self.lines.fill
            && !self.fill(line)?
        {
            return Ok(StepsOutcome::Interrupted);
        }
        loop {
            match next(&self.round_rates(), self.request.rounds) {
                NextRound::Another if self.run_round()? => {}
                NextRound::Another => return Ok(StepsOutcome::Interrupted),
                NextRound::Steady => return Ok(StepsOutcome::Steady),
                NextRound::Enough => return Ok(StepsOutcome::NotSteady),
            }
        }
    }

    /// Returns false if the user ended it.
    fn purge(&mut self) -> Result<bool, CommandError> {
        let Some(target) = self.lines.round.run.profile.time_spans.first().and_then(|s| s.targets.first())
        else {
            return Ok(true);
        };
        match run::purge(&target.path, self.request.destroy, &self.control)? {
            Some(bytes) => {
                self.purged = Some(bytes);
                self.report_line(format!("purge: {} discarded", crate::units::amount(bytes)));
            }
            None => self.report_line("purge: nothing, the file does not exist yet".to_owned()),
        }
        Ok(!self.control.is_interrupted())
    }

    /// Returns false if the user ended it.
    fn fill(&mut self, line: &PreconditionLine) -> Result<bool, CommandError> {
        self.display.begin(Step { name: "fill".to_owned(), left_s: 0.0 });
        let Some(record) = self.run(&line.run)? else { return Ok(false) };
        let span = record.host().results.time_spans.first();
        if span.and_then(|span| span.ended).is_none_or(|ended| ended.cause != EndedBy::Volume) {
            return Err(CommandError::failed(["the fill ended before all was written"]));
        }
        let judged = JudgedRecord::new(&record);
        let [Some(measured)] = judged.summary.time_spans.as_slice() else {
            return Err(CommandError::failed(["the fill has written nothing"]));
        };
        let (bytes, seconds) = (measured.write.total.throughput.bytes, measured.seconds);
        self.report_line(filled(bytes, seconds));
        self.fill = Some(FillStep { command: line.command.clone(), bytes, seconds });
        Ok(true)
    }

    /// Returns false if the user ended it.
    fn run_round(&mut self) -> Result<bool, CommandError> {
        let number = self.rounds.len() as u32 + 1;
        let name = format!("round {number} of {} at most", self.request.rounds);
        self.display.begin(Step { name, left_s: 0.0 });
        let run = round_run(self.lines, self.request.round_s, number);
        let Some(record) = self.run(&run)? else { return Ok(false) };
        let line =
            RunRow::from_record(&JudgedRecord::new(&record)).ok_or_else(|| NOTHING_MEASURED.to_owned())?;
        let round = RoundFigures {
            iops: line.iops,
            mib_per_s: line.mib_per_s,
            mean_ms: line.latency.map(|latency| latency.mean_ms),
            p99_ms: line.latency.map(|latency| latency.p99_ms),
        };
        self.rounds.push(round);
        self.last_record = Some(record);
        let by = window(&self.round_rates()).map_or_else(String::new, |window| {
            format!(
                "; of the last {}: excursion {:.1} %, slope {:+.1} %",
                crate::experiments::precondition::WINDOW,
                window.excursion * 100.0,
                window.slope * 100.0
            )
        });
        let point = |round: &RoundFigures| {
            Some(LivePoint { iops: round.iops, p99_ms: round.p99_ms.map(|p99| p99.ms()) })
        };
        let answer = format!("{:.0} IOPS{by}", line.iops);
        self.display.answer(answer, self.rounds.iter().map(point).collect());
        self.report_line(format!("round {number}: {:.2} IOPS, {:.2} MiB/s{by}", line.iops, line.mib_per_s));
        Ok(true)
    }

    /// Returns `None` if the user ended it.
    fn run(&mut self, run: &Runnable) -> Result<Option<Record>, CommandError> {
        if self.control.is_interrupted() {
            return Ok(None);
        }
        let listener = Arc::clone(&self.display) as Arc<dyn RunObserver>;
        let Some(made) = run_backend::run(run, &self.control, listener)? else { return Ok(None) };
        self.display.clear();
        self.left_behind |= made.left_behind;
        self.troubles.extend(made.troubles.iter().cloned());
        if !made.failures.is_empty() {
            return Err(made.failures.join("; ").into());
        }
        let goes_on = !self.control.is_interrupted() && !made.left_behind;
        Ok(made.results.record().filter(|_| goes_on).cloned())
    }

    fn report_line(&self, line: String) {
        if !self.request.quiet {
            print_line(line);
        }
    }
}
