//! Selection of the next run, a pure function of the completed runs. It is recomputed from the beginning
//! each time, as straight code that requests one run after another. The first missing result is the next
//! run.

use super::answer::SweepAnswer;
use super::objective::{self, LoadOutcome};
use super::order::pass;
use super::rows::rows;
use super::settings::SweepOrder;
use super::slices;
use super::{CompletedPoint, Settings, Sweep, SweepAction};
use std::collections::HashMap;

/// Minimum number of points for reference runs, which would otherwise be the majority.
const MIN_POINTS_FOR_REFERENCES: usize = 4;
/// Precision of the objective as a share of the maximum.
const PRECISION: f64 = 0.02;
/// Maximum number of rates tried for it.
const MAX_TRIED_LOADS: usize = 12;
const COARSE: usize = 5;

/// Assumed I/Os per second of hypothetical runs.
const INVENTED_IOPS: f64 = 10_000.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextPoint {
    Run(SweepAction),
    Done {
        /// Whether something was omitted because of the budget.
        out_of_budget: bool,
    },
    /// The completed runs differ from this sweep, from this run on, counted from 0.
    Astray(usize),
}

pub fn next(sweep: &Sweep, history: &[CompletedPoint]) -> NextPoint {
    let mut replay = Replay::new(sweep, history);
    match replay.replay_all() {
        Err(Stop::Run(what)) => NextPoint::Run(what),
        Err(Stop::Budget) => NextPoint::Done { out_of_budget: true },
        Err(Stop::Astray) => NextPoint::Astray(replay.at),
        Ok(()) => NextPoint::Done { out_of_budget: replay.cut_short },
    }
}

/// Returns the remaining runs if every run succeeds with the same result. Rates of a curve are then shares
/// of an unknown maximum.
pub(super) fn forecast(sweep: &Sweep, history: &[CompletedPoint]) -> Vec<SweepAction> {
    let mut replay = Replay::new(sweep, history);
    replay.invents = true;
    // Whatever ends it, that is what would be run.
    let _ = replay.replay_all();
    replay.invented
}

enum Stop {
    /// Next action, not started yet.
    Run(SweepAction),
    Budget,
    Astray,
}

#[derive(Default)]
struct PointTally {
    iops: Vec<f64>,
    worths: Vec<f64>,
    failed: bool,
}

struct Replay<'a> {
    sweep: &'a Sweep,
    history: &'a [CompletedPoint],
    at: usize,
    tallies: HashMap<SweepAction, PointTally>,
    spent_s: f64,
    invents: bool,
    invented: Vec<SweepAction>,
    reference: Option<usize>,
    /// Number of runs before the reference run in the middle; `None` = that run is done.
    middle: Option<usize>,
    cut_short: bool,
}

impl<'a> Replay<'a> {
    fn new(sweep: &'a Sweep, history: &'a [CompletedPoint]) -> Replay<'a> {
        Replay {
            sweep,
            history,
            at: 0,
            tallies: HashMap::new(),
            spent_s: 0.0,
            invents: false,
            invented: Vec::new(),
            reference: None,
            middle: None,
            cut_short: false,
        }
    }

    fn replay_all(&mut self) -> Result<(), Stop> {
        let settings = &self.sweep.settings;
        if !settings.curve.is_empty() {
            return self.run_curve();
        }
        let count = self.sweep.points.len();
        let repeated = count * settings.repeat.fewest() as usize;
        self.warm_up(count)?;
        // The highest load: what limits the device from some time on shows there, if anywhere.
        self.set_reference(count.saturating_sub(1), count, repeated / 2);
        self.run_reference()?;
        let points = match self.sweep.settings.adaptive {
            true => self.run_adaptive(),
            false => self.run_passes(&(0..count).map(SweepAction::Point).collect::<Vec<_>>()),
        };
        self.unless_cut_short(points)?;
        self.run_reference()?;
        let sure = self.until_sure();
        self.unless_cut_short(sure)
    }

    /// Runs slices of the highest load until the storage has settled.
    fn warm_up(&mut self, count: usize) -> Result<(), Stop> {
        let Some(last) = count.checked_sub(1).filter(|_| self.sweep.settings.slices) else { return Ok(()) };
        let what = SweepAction::WarmUp(last);
        for _ in 0..slices::MAX_WARM_UPS {
            let failed = self.tallies.get(&what).is_some_and(|tally| tally.failed);
            if failed || slices::has_settled(self.measured_iops(what)) {
                break;
            }
            self.run(what)?;
        }
        Ok(())
    }

    /// Runs uncertain points one time, each pass followed by the reference. Ends when the answer is
    /// certain, or its interval is narrow in a sweep of slices, the budget is used up, or each point has the
    /// most runs.
    fn until_sure(&mut self) -> Result<(), Stop> {
        let settings = &self.sweep.settings;
        while (settings.until_sure || settings.slices) && !self.cut_short && !self.invents {
            let so_far = &self.history[..self.at];
            let rows = rows(self.sweep, so_far);
            let answers = SweepAnswer::find_answers(&rows, settings);
            let is_open = |answer: &&SweepAnswer| {
                let loads: Vec<u64> = answer.made_of.iter().map(|row| rows[*row].load).collect();
                settings.until_sure || !slices::is_narrow(answer, &loads)
            };
            let open = answers.iter().filter(is_open);
            let mut wanted: Vec<SweepAction> =
                open.flat_map(|answer| &answer.undecided).map(|row| rows[*row].what).collect();
            wanted.retain(|what| self.measured_iops(*what).len() < slices::max_slices(settings));
            if wanted.is_empty() {
                break;
            }
            let number = if settings.slices { so_far.len() } else { so_far.len() % 2 };
            self.check_budget(&wanted)?;
            for place in self.pass_order(wanted.len(), number) {
                self.run(wanted[place])?;
            }
            self.run_reference()?;
        }
        Ok(())
    }

    fn set_reference(&mut self, point: usize, of: usize, middle: usize) {
        let settings = &self.sweep.settings;
        if (settings.slices || settings.order == SweepOrder::Interleaved) && of >= MIN_POINTS_FOR_REFERENCES {
            self.reference = Some(point);
            self.middle = Some(self.at + middle);
        }
    }

    fn run(&mut self, what: SweepAction) -> Result<(), Stop> {
        let tally = self.tallies.entry(what).or_default();
        match self.history.get(self.at) {
            Some(ran) if ran.what != what => return Err(Stop::Astray),
            Some(ran) => {
                self.spent_s += ran.seconds;
                tally.failed |= ran.line.is_none();
                tally.iops.extend(ran.line.as_ref().map(|line| line.iops));
                tally.worths.extend(ran.line.as_ref().map(|line| line.power().unwrap_or(line.iops)));
            }
            None if self.invents => {
                self.spent_s += self.sweep.seconds_of(what, self.history);
                tally.iops.push(INVENTED_IOPS);
                tally.worths.push(INVENTED_IOPS);
                self.invented.push(what);
            }
            None => return Err(Stop::Run(what)),
        }
        self.at += 1;
        Ok(())
    }

    /// The positions of a pass. With slices every second pass runs in reverse order, so that a steady drift
    /// affects all points equally.
    fn pass_order(&self, count: usize, number: usize) -> Vec<usize> {
        let Settings { order, slices, .. } = self.sweep.settings;
        let mirrored = slices && number % 2 == 1;
        let mut places = pass(order, count, if mirrored { number - 1 } else { number });
        if mirrored {
            places.reverse();
        }
        places
    }

    fn measured_iops(&self, what: SweepAction) -> &[f64] {
        self.tallies.get(&what).map_or(&[], |tally| &tally.iops)
    }

    fn run_reference(&mut self) -> Result<(), Stop> {
        match self.reference {
            Some(point) => self.run(SweepAction::Reference(point)),
            None => Ok(()),
        }
    }

    fn unless_cut_short(&mut self, result: Result<(), Stop>) -> Result<(), Stop> {
        match result {
            Err(Stop::Budget) => {
                self.cut_short = true;
                Ok(())
            }
            result => result,
        }
    }

    fn is_wanted(&self, what: SweepAction) -> bool {
        let failed = self.tallies.get(&what).is_some_and(|tally| tally.failed);
        !failed && self.sweep.settings.repeat.another(self.measured_iops(what))
    }

    fn check_budget(&self, runs: &[SweepAction]) -> Result<(), Stop> {
        let behind = self.reference.map(SweepAction::Reference);
        let among = behind.filter(|_| self.middle.is_some());
        let all = runs.iter().chain(&among).chain(&behind);
        let so_far = &self.history[..self.at.min(self.history.len())];
        let more: f64 = all.map(|what| self.sweep.seconds_of(*what, so_far)).sum();
        match self.sweep.settings.budget_s {
            Some(budget) if self.spent_s + more > budget => Err(Stop::Budget),
            _ => Ok(()),
        }
    }

    /// Runs all actions with their repetitions.
    fn run_passes(&mut self, items: &[SweepAction]) -> Result<(), Stop> {
        let order = self.sweep.settings.order;
        if order == SweepOrder::Given {
            for item in items {
                let mut first = true;
                while self.is_wanted(*item) {
                    if !std::mem::take(&mut first) {
                        self.check_budget(&[*item])?;
                    }
                    self.run(*item)?;
                }
            }
            return Ok(());
        }
        for number in 0.. {
            let places = self.pass_order(items.len(), number).into_iter();
            let wanted: Vec<SweepAction> =
                places.map(|at| items[at]).filter(|item| self.is_wanted(*item)).collect();
            if wanted.is_empty() {
                break;
            }
            if number > 0 {
                self.check_budget(&wanted)?;
            }
            for item in wanted {
                self.run(item)?;
                if self.middle.is_some_and(|middle| self.at >= middle) {
                    self.middle = None;
                    self.run_reference()?;
                }
            }
        }
        Ok(())
    }

    /// Runs a few points across each group, then the points halfway to the neighbours of the best one
    /// until there are no more.
    fn run_adaptive(&mut self) -> Result<(), Stop> {
        let groups = self.sweep.points.iter().map(|point| point.group + 1).max().unwrap_or(0);
        for group in 0..groups {
            let mut points: Vec<usize> =
                (0..self.sweep.points.len()).filter(|p| self.sweep.points[*p].group == group).collect();
            points.sort_by_key(|point| self.sweep.points[*point].load);
            let last = points.len().saturating_sub(1);
            let mut tried: Vec<usize> = (0..COARSE).map(|part| last * part / (COARSE - 1)).collect();
            tried.dedup();
            let mut new = tried.clone();
            while !new.is_empty() {
                let items: Vec<SweepAction> = new.iter().map(|at| SweepAction::Point(points[*at])).collect();
                if new != tried {
                    self.check_budget(&items)?;
                }
                self.run_passes(&items)?;
                new = self.halfway_places(&tried, &points);
                tried.extend(&new);
                tried.sort_unstable();
            }
        }
        Ok(())
    }

    /// Returns the indexes halfway between the best tried one and its neighbours.
    fn halfway_places(&self, tried: &[usize], points: &[usize]) -> Vec<usize> {
        let worth = |at: usize| {
            let tally = self.tallies.get(&SweepAction::Point(points[at]));
            tally.map_or(0.0, |tally| mean(&tally.worths))
        };
        let Some(best) = (0..tried.len()).max_by(|a, b| worth(tried[*a]).total_cmp(&worth(tried[*b]))) else {
            return Vec::new();
        };
        let sides = [best.checked_sub(1), (best + 1 < tried.len()).then_some(best + 1)];
        let gaps = sides.into_iter().flatten().filter(|side| tried[*side].abs_diff(tried[best]) > 1);
        let mut new: Vec<usize> = gaps.map(|side| tried[side].midpoint(tried[best])).collect();
        new.sort_unstable();
        new
    }

    /// Measures the maximum, then shares of it as offered rates, then rates around the objective.
    fn run_curve(&mut self) -> Result<(), Stop> {
        let settings = &self.sweep.settings;
        self.run_passes(&[SweepAction::Point(0)])?;
        let maximum = mean(self.measured_iops(SweepAction::Point(0)));
        if maximum < 1.0 {
            return Ok(());
        }
        let mut rates: Vec<u64> =
            settings.curve.iter().map(|share| ((share * maximum).round() as u64).max(1)).collect();
        rates.dedup();
        let repeated = rates.len() * settings.repeat.fewest() as usize;
        self.set_reference(0, rates.len(), repeated / 2);
        self.run_reference()?;
        let parts = self.run_passes(&rates.iter().map(|rate| SweepAction::Rate(*rate)).collect::<Vec<_>>());
        self.unless_cut_short(parts)?;
        if !self.cut_short {
            let refined = self.refine_rates(rates, maximum);
            self.unless_cut_short(refined)?;
        }
        self.run_reference()?;
        let sure = self.until_sure();
        self.unless_cut_short(sure)
    }

    /// Halves the distance between the highest rate that meets the objective and the next higher rate.
    fn refine_rates(&mut self, mut rates: Vec<u64>, maximum: f64) -> Result<(), Stop> {
        let Some(objective) = self.sweep.settings.objective else { return Ok(()) };
        for _ in 0..MAX_TRIED_LOADS {
            let of_rate = |rate: &u64| {
                let runs = self.history[..self.at.min(self.history.len())].iter();
                let lines = runs
                    .filter(|ran| ran.what == SweepAction::Rate(*rate))
                    .filter_map(|ran| ran.line.as_ref());
                LoadOutcome::new(*rate as f64, Some(*rate as f64), lines, objective)
            };
            let tried: Vec<LoadOutcome> = rates.iter().map(of_rate).collect();
            let (kept, broken) = objective::edge(&tried, objective);
            let (below, above) = (kept.unwrap_or(0.0), broken.unwrap_or(0.0));
            let middle = ((below + above) / 2.0).round() as u64;
            if above - below <= PRECISION * maximum || middle == 0 || rates.contains(&middle) {
                break;
            }
            self.check_budget(&[SweepAction::Rate(middle)])?;
            self.run_passes(&[SweepAction::Rate(middle)])?;
            rates.push(middle);
            rates.sort_unstable();
        }
        Ok(())
    }
}

/// Returns the mean; 0 without values.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
