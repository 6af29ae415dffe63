//! The conclusion of a sweep. It uses only valid points: their runs did I/O, none failed, and no figures
//! are WRONG. Conclusions need differences larger than the run-to-run variation; otherwise they are marked
//! as uncertain.

use super::hosts::HostsAnswer;
use super::knee::{self, EQUAL_POWER_SHARE, Knee, KneeStatus};
use super::levels::{Enough, Levels, Scatter};
use super::objective::{self, LoadOutcome, SloResult};
use super::{PointRow, Settings};
use crate::RunRow;
use crate::repeat;
use serde::Serialize;

/// Relative difference up to which two figures are equal.
pub(super) const NEGLIGIBLE_SHARE: f64 = 0.02;
/// Usage in percent above which a CPU is a limit.
const BUSY: f64 = 95.0;

/// Interim analyses of a sweep of slices, which share its error rate.
const SLICE_LOOKS: usize = 5;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepAnswer {
    /// Common settings of the points other than the load; empty = none.
    pub common: String,
    pub made_of: Vec<usize>,
    pub left_out: Vec<usize>,
    /// The row with the highest IOPS.
    pub highest: usize,
    /// Rows without a significant difference from the highest; `None` = no repetitions.
    pub as_high: Option<Vec<usize>>,
    /// Whether the largest load is significantly faster than all others, so that more load may be faster
    /// still.
    pub rises_to_the_end: bool,
    /// Knee; `None` = a single load, or no latencies.
    pub knee: Option<Knee>,
    pub knee_row: Option<usize>,
    /// Smallest load within 2 % of the highest IOPS, with row numbers as indexes.
    pub smallest: Enough,
    pub objective: Option<SloResult>,
    pub objective_row: Option<usize>,
    /// Limiting resource at the smallest and the largest load; `None` = not checked.
    pub limits: [Option<String>; 2],
    /// Maximum gain of more threads; `None` = the sweep does not vary `-t` or `-F`.
    pub threads: Option<SufficientThreads>,
    /// Result for several hosts; `None` = no point with several hosts.
    pub hosts: Option<HostsAnswer>,
    /// Rows that need more repetitions; empty = none.
    pub undecided: Vec<usize>,
    /// Number of runs of each of these rows for a likely conclusion, at most [`repeat::MAX_RUNS`]. `None` if
    /// they are about the same, or it is unknown.
    pub would_tell: Option<u32>,
}

/// Smallest number of threads with the full rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SufficientThreads {
    /// Smallest number within 2 % of the best, as indexes into `best`.
    pub enough: Enough,
    /// Threads with their highest IOPS, ascending.
    pub best: Vec<(u64, f64)>,
}

impl SweepAnswer {
    /// The answers of a sweep, one per group that has more than one point, or that has a good point and is
    /// all there is; a curve has one, made of the offered rates.
    pub fn find_answers(rows: &[PointRow], settings: &Settings) -> Vec<SweepAnswer> {
        let groups = groups(rows);
        let several = groups.len() > 1;
        let told = groups.iter().filter(|places| places.len() > 1 || !several);
        told.filter_map(|places| SweepAnswer::of_group(rows, places, settings)).collect()
    }

    /// `all` = row indexes by ascending load.
    fn of_group(rows: &[PointRow], all: &[usize], settings: &Settings) -> Option<SweepAnswer> {
        let is_good = |place: &&usize| rows[**place].trouble().is_none();
        let places: Vec<usize> = all.iter().filter(is_good).copied().collect();
        let left_out = all.iter().filter(|place| !is_good(place)).copied().collect();
        let looks = if settings.slices { SLICE_LOOKS } else { 1 };
        let rates = estimate_levels(rows, &places, looks, |line| Some(line.iops));
        let best = rates.best()?;
        let not_below = rates.not_below();
        let loads: Vec<u64> = places.iter().map(|place| rows[*place].load).collect();
        let differ = loads.windows(2).any(|pair| pair[0] != pair[1]);
        let powers = estimate_levels(rows, &places, looks, RunRow::power);
        let knee = knee::knee(&loads, &powers).filter(|_| differ);
        let in_rows = |enough: Enough| Enough {
            seen: places[enough.seen],
            least: enough.least.map(|at| places[at]),
            most: enough.most.map(|at| places[at]),
        };
        let objective = settings.objective.map(|objective| {
            let tried: Vec<LoadOutcome> =
                places.iter().map(|place| load_outcome(&rows[*place], objective)).collect();
            objective::find_kept(&tried, objective)
        });
        let at_load = |load: f64| places.iter().copied().find(|place| rows[*place].load as f64 == load);
        let threads = compare_threads(rows, &places, looks);
        let mut answer = SweepAnswer {
            common: common_settings(rows, &places),
            left_out,
            highest: places[best],
            rises_to_the_end: differ
                && loads[best] == *loads.last()?
                && not_below.as_ref().is_some_and(|left| left.len() == 1),
            as_high: not_below
                .map(|left| left.into_iter().filter(|at| *at != best).map(|at| places[at]).collect()),
            knee,
            knee_row: knee.map(|knee| places[knee.place]),
            smallest: in_rows(rates.enough(NEGLIGIBLE_SHARE)?),
            objective,
            objective_row: objective.and_then(|kept| kept.surely_kept()).and_then(at_load),
            limits: [places.first(), places.last()].map(|place| rows[*place?].limit()),
            threads,
            hosts: HostsAnswer::from_rows(rows, &places),
            undecided: Vec::new(),
            would_tell: None,
            made_of: places.clone(),
        };
        answer.undecided = answer.undecided_rows(rows, settings, &rates, &powers);
        answer.would_tell = answer.runs_that_would_tell(rows, &powers);
        Some(answer)
    }

    /// Whether the smallest sufficient load is meaningful. It is not for one point, or if more load is
    /// better up to the end of the range.
    pub fn reports_smallest(&self) -> bool {
        self.made_of.len() > 1 && !self.rises_to_the_end
    }

    /// Whether one of its points was repeated. The reference alone does not give a confidence.
    pub fn is_repeated(&self, rows: &[PointRow]) -> bool {
        self.made_of.iter().any(|place| rows[*place].runs.len() > 1)
    }

    /// Returns the row of the knee, if it is known.
    pub fn found_knee(&self) -> Option<usize> {
        self.knee_row.filter(|_| self.knee.is_some_and(|knee| knee.told == KneeStatus::Found))
    }

    /// Returns the recommended row, from the objective, the knee or the highest load. `None` if no load is
    /// certain.
    pub fn chosen_row(&self) -> Option<usize> {
        match (&self.objective, &self.knee) {
            (Some(_), _) => self.objective_row,
            (None, Some(_)) => self.found_knee(),
            (None, None) => {
                let alone = self.as_high.as_ref().is_some_and(Vec::is_empty);
                Some(self.highest).filter(|_| alone && self.made_of.len() > 1)
            }
        }
    }

    fn undecided_rows(
        &self,
        rows: &[PointRow],
        settings: &Settings,
        rates: &Levels,
        powers: &Levels,
    ) -> Vec<usize> {
        let load = |place: &usize| rows[*place].load;
        let mut wanted: Vec<usize> = Vec::new();
        match (&self.objective, &self.knee) {
            (Some(kept), _) => {
                let (from, to) = (kept.surely_kept(), kept.surely_broken);
                let within = |place: &&usize| {
                    let load = load(place) as f64;
                    // More runs of too few I/Os would say no more.
                    let tells = settings.objective.is_none_or(|o| load_outcome(&rows[**place], o).enough_ios);
                    from.is_none_or(|from| load > from) && to.is_none_or(|to| load < to) && tells
                };
                wanted.extend(self.made_of.iter().filter(within));
            }
            (None, Some(Knee { between: Some((low, high)), told, .. })) => {
                let left: Vec<usize> = (0..self.made_of.len())
                    .filter(|at| (*low..=*high).contains(&load(&self.made_of[*at])))
                    .collect();
                let decided = left.len() == 1
                    || *told == KneeStatus::Found
                        && left.iter().all(|at| powers.is_within(*at, EQUAL_POWER_SHARE));
                wanted.extend(left.iter().filter(|_| !decided).map(|at| self.made_of[*at]));
            }
            (None, Some(_)) => wanted.extend(&self.made_of),
            (None, None) => {
                let alike = (0..self.made_of.len()).all(|at| rates.is_within(at, NEGLIGIBLE_SHARE));
                let unsure = self.as_high.as_ref().is_none_or(|others| !others.is_empty());
                wanted.extend(self.made_of.iter().filter(|_| unsure && !alike));
            }
        }
        if let Some(threads) =
            self.threads.as_ref().filter(|threads| threads.enough.certain_level().is_none())
        {
            let counts = threads.best.iter().map(|(count, _)| *count).collect::<Vec<u64>>();
            let from = threads.enough.least.map_or(0, |at| counts[at]);
            let to = threads.enough.most.map_or(u64::MAX, |at| counts[at]);
            wanted.extend(self.made_of.iter().filter(|place| (from..=to).contains(&rows[**place].threads)));
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    fn runs_that_would_tell(&self, rows: &[PointRow], powers: &Levels) -> Option<u32> {
        let knee = self.knee.filter(|_| self.objective.is_none())?;
        let (low, high) = knee.between?;
        let rivals = (0..self.made_of.len()).filter(|at| {
            let load = rows[self.made_of[*at]].load;
            *at != knee.place && (load == low || load == high) && !powers.is_within(*at, EQUAL_POWER_SHARE)
        });
        let runs = rivals.filter_map(|at| powers.runs_to_tell(knee.place, at)).reduce(f64::max)?;
        let done = self.undecided.iter().map(|row| rows[*row].runs.len()).min().unwrap_or(1);
        let runs = runs.max(done as f64 + 1.0);
        (runs <= f64::from(repeat::MAX_RUNS)).then_some(runs as u32)
    }
}

/// Returns the row indices of each group, by rising load; only the offered rates for a curve.
pub(super) fn groups(rows: &[PointRow]) -> Vec<Vec<usize>> {
    let curve = rows.iter().any(PointRow::is_offered);
    let mut numbers: Vec<usize> = rows.iter().map(|row| row.group).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let of_group = |group: usize| {
        let of_it = |place: &usize| rows[*place].group == group && rows[*place].is_offered() == curve;
        let mut places: Vec<usize> = (0..rows.len()).filter(of_it).collect();
        places.sort_by_key(|place| rows[*place].load);
        places
    };
    numbers.into_iter().map(of_group).filter(|places| !places.is_empty()).collect()
}

pub(super) fn load_outcome(row: &PointRow, objective: objective::Objective) -> LoadOutcome {
    let offered = row.by_rate.then_some(row.load as f64);
    LoadOutcome::new(row.load as f64, offered, row.runs.iter(), objective)
}

fn estimate_levels(
    rows: &[PointRow],
    places: &[usize],
    looks: usize,
    figure: impl Fn(&RunRow) -> Option<f64>,
) -> Levels {
    let figures = |runs: &mut dyn Iterator<Item = &RunRow>| runs.filter_map(&figure).collect::<Vec<f64>>();
    let of_runs = |place: &usize| figures(&mut rows[*place].runs.iter());
    let of_all = |row: &PointRow| figures(&mut row.runs.iter().chain(&row.references));
    let own: Vec<Vec<f64>> = places.iter().map(|place| of_all(&rows[*place])).collect();
    let mut scatter = Scatter::estimate(own.iter().map(Vec::as_slice));
    if !scatter.is_known() {
        let offered = places.first().is_some_and(|place| rows[*place].is_offered());
        let alike = rows.iter().filter(|row| row.is_offered() == offered && row.trouble().is_none());
        let others: Vec<Vec<f64>> = alike.map(of_all).collect();
        scatter = Scatter::estimate(others.iter().map(Vec::as_slice));
    }
    Levels::new(&places.iter().map(of_runs).collect::<Vec<_>>(), scatter, looks)
}

/// Returns the settings that do not affect the number of outstanding I/Os.
fn common_settings(rows: &[PointRow], places: &[usize]) -> String {
    let settings = places.first().map(|place| rows[*place].settings.as_slice()).unwrap_or_default();
    let same =
        settings.iter().filter(|setting| places.iter().all(|place| rows[*place].settings.contains(setting)));
    let words: Vec<String> = same.filter(|setting| !setting.is_load()).map(|s| s.written()).collect();
    words.join(" ")
}

impl PointRow {
    pub fn limit(&self) -> Option<String> {
        let figures = self.figures.as_ref()?;
        let words = match figures.limited_by?.words() {
            Some(words) => words,
            None if figures.hottest.is_some_and(|hottest| hottest > BUSY) => "one saturated core",
            None => "an unknown cause",
        };
        Some(words.to_owned())
    }
}

/// Compares the best rows of all numbers of threads.
fn compare_threads(rows: &[PointRow], places: &[usize], looks: usize) -> Option<SufficientThreads> {
    let iops = |place: usize| rows[place].figures.as_ref().map_or(0.0, |line| line.iops);
    let mut best: Vec<usize> = Vec::new();
    for place in places.iter().copied() {
        match best.iter_mut().find(|other| rows[**other].threads == rows[place].threads) {
            Some(other) if iops(*other) < iops(place) => *other = place,
            Some(_) => {}
            None => best.push(place),
        }
    }
    best.sort_by_key(|place| rows[*place].threads);
    let enough = estimate_levels(rows, &best, looks, |line| Some(line.iops)).enough(NEGLIGIBLE_SHARE)?;
    let of = |place: &usize| (rows[*place].threads, iops(*place));
    (best.len() > 1).then(|| SufficientThreads { enough, best: best.iter().map(of).collect() })
}
