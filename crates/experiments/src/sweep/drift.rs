//! Drift: changes of the device during a sweep. It is judged by the runs of points that were run more than
//! once.

use super::{CompletedPoint, Sweep, SweepAction};
use diskspd_figures::stats::replicates::student_t;

/// False-positive rate for an unchanged device, of the straight line and of the bend. Together below 5 %.
const CHANCE_OF_LINE: f64 = 0.03;
const CHANCE_OF_BEND: f64 = 0.01;
const MIN_POINTS_FOR_BEND: usize = 4;
/// Maximum irrelevant change, if its interval is within it.
const NEGLIGIBLE_DRIFT: f64 = 0.05;

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Drift {
    pub reference: String,
    /// I/Os per second of the reference runs in order.
    pub iops: Vec<f64>,
    pub runs: usize,
    pub points: usize,
    /// Change from the first run to the last by the straight line through all of them, a share.
    pub change: f64,
    pub between: (f64, f64),
    /// Number of steps between the first and the last run of the sweep.
    pub steps: usize,
    /// Whether the trend, or a bend of it, exceeds the run-to-run variation.
    pub is_sure: bool,
    /// Distance of the middle of the sweep above the straight line, as a share; `None` if not significant.
    pub bend: Option<f64>,
}

/// A run: its group, its time from -1/2 (the first of the sweep) to 1/2, its rate.
struct Timed {
    group: usize,
    time: f64,
    logarithm: f64,
}

impl Drift {
    /// Returns `None` if there are too few repetitions.
    pub fn detect(sweep: &Sweep, history: &[CompletedPoint]) -> Option<Drift> {
        let steps = history.len().checked_sub(1).filter(|steps| *steps > 0)?;
        let timed = history.iter().enumerate().filter_map(|(at, ran)| {
            let (SweepAction::Point(group) | SweepAction::Reference(group)) = ran.what else { return None };
            // A requested rate is reached, even if the device changes.
            let by_rate = sweep.points.get(group).is_some_and(|point| point.by_rate);
            let iops = ran.line.as_ref()?.iops;
            let time = at as f64 / steps as f64 - 0.5;
            (iops > 0.0 && !by_rate).then(|| Timed { group, time, logarithm: iops.ln() })
        });
        let mut timed: Vec<Timed> = timed.collect();
        let runs_of: Vec<usize> =
            timed.iter().map(|one| timed.iter().filter(|other| other.group == one.group).count()).collect();
        let mut runs_of = runs_of.into_iter();
        timed.retain(|_| runs_of.next().is_some_and(|runs| runs > 1));
        let mut groups: Vec<usize> = timed.iter().map(|one| one.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let degrees = timed.len().checked_sub(groups.len() + 1).filter(|degrees| *degrees > 0)?;
        let within = |of: fn(&Timed) -> f64| within_groups(&timed, &groups, of);
        let (time, rate) = (within(|one| one.time), within(|one| one.logarithm));
        let line = FittedLine::fit_points(&time, &rate, degrees)?;
        let sure_line = line.is_sure(CHANCE_OF_LINE);
        let half = student_t(1.0 - CHANCE_OF_LINE / 2.0, degrees as f64) * line.error;
        let share = |logarithm: f64| logarithm.exp_m1();
        let bend = test_bend(&timed, &groups, &time, &line, degrees);
        let references: Vec<(usize, f64)> = history
            .iter()
            .filter_map(|ran| match ran.what {
                SweepAction::Reference(point) => Some((point, ran.line.as_ref()?.iops)),
                _ => None,
            })
            .collect();
        let reference = references.first().and_then(|(point, _)| sweep.points.get(*point));
        Some(Drift {
            reference: reference.map(super::SweepPoint::label).unwrap_or_default(),
            iops: references.iter().map(|(_, iops)| *iops).collect(),
            runs: timed.len(),
            points: groups.len(),
            change: share(line.slope),
            between: (share(line.slope - half), share(line.slope + half)),
            steps,
            is_sure: sure_line || bend.is_some(),
            bend: bend.map(share),
        })
    }

    /// Whether the drift is so large that points at different times cannot be compared.
    pub fn is_much(&self) -> bool {
        self.is_sure
    }

    pub fn text(&self) -> String {
        let (low, high) = self.between;
        let interval = format!("95 %: {:+.1} .. {:+.1} %", 100.0 * low, 100.0 * high);
        let change = format!("{:+.1} % from the first to the last run ({interval}", 100.0 * self.change);
        let small = -NEGLIGIBLE_DRIFT < low && high < NEGLIGIBLE_DRIFT;
        let mut text = match (self.is_sure, small) {
            (true, _) => {
                let a_run = 100.0 * ((1.0 + self.change).powf(1.0 / self.steps as f64) - 1.0);
                format!("drift: {change}; {a_run:+.2} % a run)")
            }
            (false, true) => format!("drift: none seen: {change})"),
            (false, false) => {
                format!("drift: inconclusive, runs scatter too much or are too few: {change})")
            }
        };
        if let Some(bend) = self.bend {
            text += &format!("; in the middle {:+.1} % off that trend", 100.0 * bend);
        }
        text += &format!(", by {} runs of {}", self.runs, points_text(self.points));
        if self.iops.len() > 1 {
            let iops: Vec<String> = self.iops.iter().map(|iops| format!("{iops:.0}")).collect();
            let name = if self.reference.is_empty() { "the command line" } else { &self.reference };
            text += &format!("; the reference {name} reached, in this order, {} IOPS", iops.join(", "));
        }
        text += match (self.is_sure, small) {
            (true, _) => {
                "; the device changed during the sweep: warm up longer (-W, --until-steady) and repeat \
                 points (--repeat)"
            }
            (false, true) => "",
            (false, false) => "; use more repetitions (--repeat)",
        };
        text
    }
}

fn points_text(count: usize) -> String {
    if count == 1 { "1 point".into() } else { format!("{count} points") }
}

/// Returns the distance of the middle from the line as a difference of logarithms, if significant.
fn test_bend(
    timed: &[Timed],
    groups: &[usize],
    time: &[f64],
    line: &FittedLine,
    degrees: usize,
) -> Option<f64> {
    let degrees = Some(degrees).filter(|degrees| *degrees >= MIN_POINTS_FOR_BEND)? - 1;
    // 1 in the middle, 0 at both ends; what of it is a straight line is taken out.
    let hump = within_groups(timed, groups, |one| 1.0 - 4.0 * one.time * one.time);
    let straight = dot(&hump, time) / dot(time, time);
    let hump: Vec<f64> = hump.iter().zip(time).map(|(hump, time)| hump - straight * time).collect();
    let found = FittedLine::fit_points(&hump, &line.rest, degrees)?;
    found.is_sure(CHANCE_OF_BEND).then_some(found.slope)
}

/// Returns the values without the means of their groups.
fn within_groups(timed: &[Timed], groups: &[usize], of: fn(&Timed) -> f64) -> Vec<f64> {
    let means: Vec<f64> = groups
        .iter()
        .map(|group| {
            let values: Vec<f64> = timed.iter().filter(|one| one.group == *group).map(of).collect();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        })
        .collect();
    let mean = |group: usize| groups.iter().position(|other| *other == group).map_or(0.0, |at| means[at]);
    timed.iter().map(|one| of(one) - mean(one.group)).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Least-squares line through the origin.
struct FittedLine {
    slope: f64,
    error: f64,
    degrees: usize,
    rest: Vec<f64>,
}

impl FittedLine {
    /// Returns `None` if all points are at the same position.
    fn fit_points(x: &[f64], y: &[f64], degrees: usize) -> Option<FittedLine> {
        let square = dot(x, x);
        if square <= 1e-12 {
            return None;
        }
        let slope = dot(x, y) / square;
        let rest: Vec<f64> = x.iter().zip(y).map(|(x, y)| y - slope * x).collect();
        let error = (dot(&rest, &rest) / degrees as f64 / square).sqrt();
        Some(FittedLine { slope, error, degrees, rest })
    }

    fn is_sure(&self, chance: f64) -> bool {
        // Figures that are equal to the last digit have no error, and no slope beyond rounding.
        self.slope.abs() > (student_t(1.0 - chance / 2.0, self.degrees as f64) * self.error).max(1e-6)
    }
}
