//! Rounds of a suite. Each contains every test once, and each run is stored before the next begins.

use super::super::run_backend;
use super::kept::SuiteKeeper;
use super::source::PlannedTest;
use crate::clock::{self, SECOND};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::job::ctrl_c;
use crate::experiments::RunRow;
use crate::experiments::compare::{SESSION_MS, SideRun};
use crate::experiments::repeat::headline;
use crate::experiments::suite::{SuiteTurn, turns};
use crate::run::Control;
use crate::sys::standard_error::print_line;
use std::sync::Arc;

/// Pause between two sessions in ns, a minute more than the threshold for separate sessions.
const SESSION_PAUSE: clock::Nanos = (SESSION_MS as clock::Nanos / 1000 + 60) * SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundsOutcome {
    Complete,
    OutOfBudget,
    Interrupted,
}

pub(crate) struct SuiteRun {
    pub id: String,
    pub line: Option<RunRow>,
    pub side: SideRun,
    pub seconds: f64,
}

pub(crate) struct SuiteRounds<'a> {
    tests: &'a [PlannedTest],
    keeper: &'a SuiteKeeper,
    control: Arc<Control>,
    display: Arc<Display>,
    quiet: bool,
    began: clock::Nanos,
    budget_s: Option<f64>,
    rounds: u32,
    pub made: Vec<Vec<SuiteRun>>,
}

impl<'a> SuiteRounds<'a> {
    /// Prepares the rounds. `budget_s`: no round starts that would exceed it.
    pub(crate) fn new(
        tests: &'a [PlannedTest],
        keeper: &'a SuiteKeeper,
        budget_s: Option<f64>,
        quiet: bool,
    ) -> SuiteRounds<'a> {
        let made = tests.iter().map(|_| Vec::new()).collect();
        let (control, began) = (Arc::default(), clock::monotonic());
        let display = Display::new(quiet);
        SuiteRounds { tests, keeper, control, display, quiet, began, budget_s, rounds: 0, made }
    }

    /// Runs until each test has the given number of rounds; completed ones are kept.
    ///
    /// # Errors
    /// Fails if a run fails or cannot be kept.
    pub(crate) fn run_to(&mut self, wanted: &[u32]) -> Result<RoundsOutcome, CommandError> {
        let _watch = ctrl_c::ends_several(&self.control)?;
        let last = wanted.iter().copied().max().unwrap_or(0);
        let all = turns(wanted, self.rounds);
        for (at, turn) in all.iter().copied().enumerate() {
            let left_s = all[at..].iter().map(|turn| self.seconds(turn.test)).sum();
            let name = format!("round {} of {last}: {}", turn.round + 1, self.tests[turn.test].test.name);
            self.display.begin(Step { name, left_s });
            if turn.round >= self.rounds {
                if !self.fits_budget(&turns(wanted, turn.round), turn.round) {
                    return Ok(RoundsOutcome::OutOfBudget);
                }
                self.rounds = turn.round + 1;
            }
            if !self.run_turn(turn, last)? {
                return Ok(RoundsOutcome::Interrupted);
            }
        }
        Ok(RoundsOutcome::Complete)
    }

    /// Waits until the next session begins; false = the user ended it.
    pub(crate) fn pause(&self, session: u32, sessions: u32) -> Result<bool, CommandError> {
        let _watch = ctrl_c::ends_several(&self.control)?;
        if !self.quiet {
            print_line(format_args!(
                "session {session} of {sessions} has ended; the next session begins in {} minutes",
                SESSION_PAUSE / SECOND / 60
            ));
        }
        Ok(self.control.sleep_until(clock::monotonic() + SESSION_PAUSE))
    }

    /// Whether a round fits the budget; the first round always does.
    fn fits_budget(&self, turns: &[SuiteTurn], round: u32) -> bool {
        let Some(budget) = self.budget_s.filter(|_| round > 0) else { return true };
        let of_round = turns.iter().filter(|turn| turn.round == round);
        let needed: f64 = of_round.map(|turn| self.seconds(turn.test)).sum();
        (clock::monotonic() - self.began) as f64 / SECOND as f64 + needed <= budget
    }

    /// Duration of a run of this test in s.
    pub(crate) fn seconds(&self, test: usize) -> f64 {
        let made = self.made[test].last().map(|run| run.seconds);
        made.unwrap_or_else(|| self.tests[test].run.seconds())
    }

    /// Executes a run; false = ended by the user.
    fn run_turn(&mut self, turn: SuiteTurn, last: u32) -> Result<bool, CommandError> {
        let planned = &self.tests[turn.test];
        let name = &planned.test.name;
        let place = format!("round {} of {last}: {name}", turn.round + 1);
        let began = clock::monotonic();
        // No two runs of a suite have the same addresses, today or another day.
        let made: usize = self.made.iter().map(Vec::len).sum();
        let number = self.keeper.before * 1009 + made;
        let run = planned.run.repetition(number);
        let made = run_backend::run_whole(&run, &self.control, self.quiet, &self.display)
            .map_err(|not_done| not_done.at_place(&place))?;
        let Some(made) = made else { return Ok(false) };
        let seconds = (clock::monotonic() - began) as f64 / SECOND as f64;
        let line = made.results.line();
        if !self.quiet {
            print_line(format_args!("{place}: {}", line.as_ref().map_or("not measured".into(), headline)));
        }
        let answer = line.as_ref().map(|line| format!("{name} {:.0} IOPS", line.iops));
        self.display.answer(answer.unwrap_or_default(), Vec::new());
        let id = self.keeper.keep(&made.results, name)?;
        let side = SideRun { test: Some(name.clone()), ..made.results.side(&format!("@{id}")) };
        self.made[turn.test].push(SuiteRun { id, line, side, seconds });
        Ok(true)
    }
}
