//! The answer of a sweep: what it was run for.

use super::knee::{self, Knee};
use super::objective::{self, Kept, Tried};
use super::{PointRow, Settings};
use crate::stats::replicates::Spread;
use serde::Serialize;

/// Within this share two figures count as the same.
pub const SAME: f64 = 0.02;
/// A CPU that is busy for more than this, percent, limits.
const BUSY: f64 = 95.0;

/// The answer for one group of points: those that differ in load alone. Rows are named by their places.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepAnswer {
    /// What its points have in common, of what the sweep goes through; empty = everything.
    pub common: String,
    /// The row with the highest IOPS.
    pub highest: usize,
    /// Highest and second highest can't be told apart by the repetitions, or by a single run each.
    pub highest_is_unsure: bool,
    /// The knee; `None` = there is but one load, or no latency.
    pub knee: Option<Knee>,
    /// The row of the knee.
    pub knee_row: Option<usize>,
    /// The row of the smallest load within 2 % of the highest IOPS.
    pub smallest: usize,
    /// What became of `--slo`; `None` = none was given.
    pub objective: Option<Kept>,
    /// The row of the highest load that keeps it.
    pub objective_row: Option<usize>,
    /// What limits at the smallest load, and at the largest; `None` = nobody looked.
    pub limits: [Option<String>; 2],
    /// What more threads bring at most; `None` = the sweep doesn't go through `-t` or `-F`.
    pub threads: Option<SameThreads>,
}

/// How few threads are as good as any number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SameThreads {
    /// The fewest that come within 2 % of the best.
    pub enough: u64,
    /// Threads, and the highest IOPS with them; rising.
    pub best: Vec<(u64, f64)>,
}

impl SweepAnswer {
    /// The answers of a sweep, one per group; a curve has one, made of the offered rates.
    pub fn of(rows: &[PointRow], settings: &Settings) -> Vec<SweepAnswer> {
        let curve = rows.iter().any(PointRow::is_offered);
        let mut groups: Vec<usize> = rows.iter().map(|row| row.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let of_group = |group: &usize| {
            let of_it = |place: &usize| {
                let row = &rows[*place];
                row.group == *group && row.is_offered() == curve && row.figures.is_some()
            };
            let mut places: Vec<usize> = (0..rows.len()).filter(of_it).collect();
            places.sort_by_key(|place| rows[*place].load);
            SweepAnswer::of_group(rows, &places, settings)
        };
        groups.iter().filter_map(of_group).collect()
    }

    /// `places` by rising load.
    fn of_group(rows: &[PointRow], places: &[usize], settings: &Settings) -> Option<SweepAnswer> {
        let iops = |place: usize| rows[place].figures.as_ref().map_or(0.0, |line| line.iops);
        let mut by_iops = places.to_vec();
        by_iops.sort_by(|a, b| iops(*b).total_cmp(&iops(*a)));
        let highest = *by_iops.first()?;
        let loads: Vec<knee::LoadPowers> = places.iter().map(|place| rows[*place].powers()).collect();
        let differ = loads.windows(2).any(|pair| pair[0].load != pair[1].load);
        let knee = knee::knee(&loads).filter(|_| differ);
        let smallest = places.iter().copied().find(|place| iops(*place) >= (1.0 - SAME) * iops(highest));
        let objective = settings.objective.map(|objective| {
            let tried: Vec<Tried> = places
                .iter()
                .map(|place| {
                    let row = &rows[*place];
                    let offered = row.by_rate.then_some(row.load as f64);
                    Tried::new(row.load as f64, offered, row.runs.iter(), objective)
                })
                .collect();
            objective::kept(&tried, objective)
        });
        let at_load = |load: f64| places.iter().copied().find(|place| rows[*place].load as f64 == load);
        Some(SweepAnswer {
            common: common(rows, places),
            highest,
            highest_is_unsure: by_iops.get(1).is_some_and(|second| !differs(&rows[highest], &rows[*second])),
            knee,
            knee_row: knee.map(|knee| places[knee.place]),
            smallest: smallest.unwrap_or(highest),
            objective,
            objective_row: objective.and_then(|kept| kept.highest).and_then(at_load),
            limits: [places.first(), places.last()].map(|place| rows[*place?].limit()),
            threads: threads(rows, places),
        })
    }
}

/// Whether repetitions tell two points apart: their intervals have nothing in common.
fn differs(one: &PointRow, other: &PointRow) -> bool {
    let edges =
        |spread: Option<Spread>| spread.and_then(|s| Some((s.mean - s.half_width?, s.mean + s.half_width?)));
    match (edges(one.iops), edges(other.iops)) {
        (Some(one), Some(other)) => one.0 > other.1 || other.0 > one.1,
        _ => false,
    }
}

/// The settings that don't say how much is outstanding.
fn common(rows: &[PointRow], places: &[usize]) -> String {
    let settings = places.first().map(|place| rows[*place].settings.as_slice()).unwrap_or_default();
    let same =
        settings.iter().filter(|setting| places.iter().all(|place| rows[*place].settings.contains(setting)));
    let words: Vec<String> = same.filter(|setting| !setting.is_load()).map(|s| s.written()).collect();
    words.join(" ")
}

impl PointRow {
    /// What limited it, in words; `None` = nobody looked.
    pub fn limit(&self) -> Option<String> {
        let figures = self.figures.as_ref()?;
        let words = match figures.limited_by.as_deref()? {
            "profile" => "the rate that was asked for",
            "cpu_quota" => "the CPU quota of a control group",
            "io_limit" => "the I/O limit of a control group",
            "hypervisor" => "the hypervisor, which took the CPUs",
            "interrupts" => "interrupts on one CPU",
            "tool" => "this program itself",
            "cpu" => "the CPU: threads were busy all the time",
            "busy_cpus" => "too few free CPUs",
            "kernel" => "the kernel above the device",
            "depth" => "the depth: one I/O at a time",
            "storage" => "the storage, at this depth",
            _ if figures.hottest > BUSY => "one core, which was busy all the time",
            _ => "what was observed doesn't tell",
        };
        Some(words.to_owned())
    }
}

fn threads(rows: &[PointRow], places: &[usize]) -> Option<SameThreads> {
    let mut best: Vec<(u64, f64)> = Vec::new();
    for row in places.iter().map(|place| &rows[*place]) {
        let iops = row.figures.as_ref().map_or(0.0, |line| line.iops);
        match best.iter_mut().find(|(threads, _)| *threads == row.threads) {
            Some((_, highest)) => *highest = highest.max(iops),
            None => best.push((row.threads, iops)),
        }
    }
    best.sort_by_key(|(threads, _)| *threads);
    let most = best.iter().map(|(_, iops)| *iops).fold(0.0, f64::max);
    let enough = best.iter().find(|(_, iops)| *iops >= (1.0 - SAME) * most)?.0;
    (best.len() > 1).then_some(SameThreads { enough, best })
}
