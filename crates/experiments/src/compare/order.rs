//! The order of both sides' runs, which determines the possible conclusions.
//!
//! Machines drift over time. Alternating runs have the same drift in both sides, and are compared pair by
//! pair. Sequential sides have the drift in one of them, where it looks like a change.
//!
//! Two kernels cannot alternate within a boot, and each boot has a separate level. The boots then
//! alternate and are the unit, because runs of one boot do not predict the next boot.

use super::SideRun;
use super::schedule::{MIN_PAIRS, find_period};
use diskspd_figures::stats::median;
use diskspd_figures::stats::ranks::{RankDesign, Shift};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Minimum number of boots in random pairs, which gives the certainty of runs in random pairs.
pub const MIN_BOOTS: u32 = 2 * MIN_PAIRS as u32;

/// Number of blocks above which a change can be distinguished from drift.
const MAX_DISTANCE: usize = 2 * MIN_PAIRS;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunOrder {
    layout: RunLayout,
    /// Indices of each side's runs by boot, ordered by time, if no boot measured both sides; `None`
    /// otherwise, or if unknown.
    boots: Option<[Vec<Vec<usize>>; 2]>,
    /// Sides of the units in order of time.
    sides: Vec<usize>,
    /// Period of the pattern of the sides, in units: an effect of the position cannot be separated from a
    /// change.
    period: Option<usize>,
}

/// Order of the units: runs, or boots with one measured side each.
#[derive(Debug, Clone, PartialEq)]
enum RunLayout {
    /// Pairs in order of time, each side first about equally often.
    InTurn(Vec<RunPair>),
    /// Alternating blocks of units, with the same first side each time or several units at a time.
    Alternating(Vec<RunBlock>),
    /// 82 All runs of one side before the other side.
    Apart,
    Unknown,
}

/// Two consecutive units, one of each side.
#[derive(Debug, Clone, PartialEq)]
struct RunPair {
    /// Indexes of the units of A and B.
    places: [usize; 2],
    /// Side of the first unit.
    first: usize,
}

impl RunPair {
    fn change(&self, [first, other]: [&[f64]; 2]) -> f64 {
        other[self.places[1]] - first[self.places[0]]
    }

    /// Returns the effect of the position: the second unit compared with the first.
    fn position_effect(&self, values: [&[f64]; 2]) -> f64 {
        if self.first == 0 { self.change(values) } else { -self.change(values) }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct RunBlock {
    /// 0 = A, 1 = B.
    side: usize,
    runs: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderKind {
    InTurn,
    /// Alternating with the same first side, or with several runs at a time.
    Alternating,
    /// In a fixed pattern of at most four runs or boots, such as A B A B or A B B A.
    Periodic,
    /// All runs of a side before the runs of the other side.
    Apart,
    Unknown,
}

impl RunLayout {
    fn from_order(order: &[(usize, usize)]) -> RunLayout {
        let mut pairs = Vec::new();
        let mut rest = order;
        while let [one, other, behind @ ..] = rest {
            if one.0 == other.0 {
                rest = &rest[1..];
                continue;
            }
            let places = if one.0 == 0 { [one.1, other.1] } else { [other.1, one.1] };
            pairs.push(RunPair { places, first: one.0 });
            rest = behind;
        }
        // A run that got lost leaves another one alone.
        let most_paired = 4 * 2 * pairs.len() >= 3 * order.len();
        let first_a = pairs.iter().filter(|pair| pair.first == 0).count();
        let balanced = 3 * first_a.min(pairs.len() - first_a) >= pairs.len().min(3);
        if most_paired && balanced && pairs.len() > 1 {
            return RunLayout::InTurn(pairs);
        }
        let mut blocks: Vec<RunBlock> = Vec::new();
        for (side, run) in order.iter().copied() {
            match blocks.last_mut().filter(|block| block.side == side) {
                Some(block) => block.runs.push(run),
                None => blocks.push(RunBlock { side, runs: vec![run] }),
            }
        }
        match blocks.len() > MAX_DISTANCE {
            true => RunLayout::Alternating(blocks),
            false => RunLayout::Apart,
        }
    }
}

impl RunOrder {
    pub(super) fn detect(sides: [&[&SideRun]; 2]) -> RunOrder {
        let Some(order) = in_time(sides) else {
            return RunOrder { layout: RunLayout::Unknown, boots: None, sides: Vec::new(), period: None };
        };
        let (order, boots) = match by_boots(sides, &order) {
            Some((order, boots)) => (order, Some(boots)),
            None => (order, None),
        };
        let layout = match RunLayout::from_order(&order) {
            // The levels of so few boots say little about the next one.
            RunLayout::InTurn(pairs) if boots.is_some() && pairs.len() < MIN_PAIRS => RunLayout::Apart,
            layout => layout,
        };
        let sides: Vec<usize> = order.iter().map(|(side, _)| *side).collect();
        let period = find_period(&sides);
        RunOrder { layout, boots, sides, period }
    }

    /// Returns the compared values: one per run, or the median of each boot.
    pub(super) fn of_units(&self, values: [Vec<f64>; 2]) -> [Vec<f64>; 2] {
        let Some(boots) = self.boots.as_ref().filter(|_| self.goes_by_units()) else { return values };
        [0, 1].map(|side| {
            let of_boot = |runs: &Vec<usize>| median(runs.iter().map(|run| values[side][*run]));
            boots[side].iter().map(of_boot).collect()
        })
    }

    /// Returns the mean number of runs per unit of [`RunOrder::of_units`], at least one.
    pub(super) fn runs_per_unit(&self) -> f64 {
        let Some(boots) = self.boots.as_ref().filter(|_| self.goes_by_units()) else { return 1.0 };
        let units = boots.iter().flatten().count().max(1);
        (boots.iter().flatten().map(Vec::len).sum::<usize>() as f64 / units as f64).max(1.0)
    }

    fn goes_by_units(&self) -> bool {
        matches!(self.layout, RunLayout::InTurn(_) | RunLayout::Alternating(_))
    }

    /// Returns the number of boots per side if no boot measured both sides.
    pub(super) fn boots(&self) -> Option<[u32; 2]> {
        let boots = self.boots.as_ref()?;
        Some([0, 1].map(|side| u32::try_from(boots[side].len()).unwrap_or(u32::MAX)))
    }

    /// Returns the sides of the boots in order of time, if boots are the units.
    pub(super) fn boot_order(&self) -> Option<String> {
        let letters = || self.sides.iter().map(|side| ["A", "B"][*side]).collect();
        self.boots.is_some().then(letters)
    }

    pub(super) fn is_in_turn(&self) -> bool {
        matches!(self.layout, RunLayout::InTurn(_))
    }

    /// Returns the design of the comparison; `None` = it cannot give probabilities.
    pub(super) fn design(&self, [first, other]: [usize; 2]) -> Option<RankDesign> {
        match &self.layout {
            _ if self.period.is_some() => None,
            RunLayout::InTurn(pairs) if pairs.len() >= MIN_PAIRS => Some(RankDesign::Pairs(pairs.len())),
            RunLayout::InTurn(_) => Some(RankDesign::Sides(first, other)),
            RunLayout::Alternating(blocks) => Some(RankDesign::Pairs((blocks.len() - 1) / 2)),
            RunLayout::Apart | RunLayout::Unknown => None,
        }
    }

    pub(super) fn kind(&self) -> OrderKind {
        match &self.layout {
            _ if self.period.is_some() => OrderKind::Periodic,
            RunLayout::InTurn(_) => OrderKind::InTurn,
            RunLayout::Alternating(_) => OrderKind::Alternating,
            RunLayout::Apart => OrderKind::Apart,
            RunLayout::Unknown => OrderKind::Unknown,
        }
    }

    /// Returns the shift of the values, logarithms of each run. The procedure depends on the order, never
    /// on the values. For sequential sides it does not include drift between them.
    pub(super) fn shift(&self, [first, other]: [&[f64]; 2], sure: f64) -> Option<Shift> {
        match &self.layout {
            RunLayout::InTurn(pairs) if pairs.len() >= MIN_PAIRS => {
                let changes: Vec<f64> = pairs.iter().map(|pair| pair.change([first, other])).collect();
                Shift::estimate_within(&changes, sure)
            }
            RunLayout::Alternating(blocks) => {
                // A drift is upward in the one and downward in the other: a change is the same in both.
                let [there, back] = [0, 1].map(|from| block_steps(blocks, [first, other], from));
                Some(Shift::estimate_within(&there, sure)?.combine_with(Shift::estimate_within(&back, sure)?))
            }
            _ => Shift::estimate_between(first, other, sure),
        }
    }

    /// Returns the scatter of runs apart from shared drift, as a standard deviation of the finite values.
    /// `None` for fewer than two.
    pub(super) fn scatter(&self, values: [&[f64]; 2]) -> Option<f64> {
        let [first, other] = values;
        match &self.layout {
            RunLayout::InTurn(pairs) if pairs.len() >= MIN_PAIRS => {
                deviation(&[pairs.iter().map(|pair| pair.change(values)).collect()])
            }
            RunLayout::Alternating(blocks) => {
                deviation(&[0, 1].map(|from| block_steps(blocks, values, from)))
            }
            _ => deviation(&[first.to_vec(), other.to_vec()]),
        }
    }

    /// Effect of the position: the second run of each pair against the first, as a logarithm. `None` if pairs
    /// are few, or follow a pattern.
    pub(super) fn position(&self, values: [&[f64]; 2], sure: f64) -> Option<Shift> {
        let RunLayout::InTurn(pairs) = &self.layout else { return None };
        let effects: Vec<f64> = pairs.iter().map(|pair| pair.position_effect(values)).collect();
        let can_tell = pairs.len() >= MIN_PAIRS && self.period.is_none();
        Shift::estimate_within(&effects, sure).filter(|_| can_tell)
    }

    /// Returns the period of a pattern of the sides, in runs.
    pub(super) fn period(&self) -> Option<usize> {
        self.period
    }

    /// Returns the shared drift from the first to the last pair, as a logarithm. It is the median slope
    /// between all pairs (Theil and Sen), times their number. `None` if the sides did not alternate, or a
    /// run has no I/O.
    pub(super) fn drift(&self, [first, other]: [&[f64]; 2]) -> Option<f64> {
        let RunLayout::InTurn(pairs) = &self.layout else { return None };
        let level = |pair: &RunPair| (first[pair.places[0]] + other[pair.places[1]]) / 2.0;
        let levels: Vec<f64> = pairs.iter().map(level).collect();
        if levels.len() < 3 || levels.iter().any(|level| !level.is_finite()) {
            return None;
        }
        Some(slope(&levels) * (levels.len() - 1) as f64)
    }
}

/// Returns boots as units, with side and index in order of time, and the runs of each. `None` if a boot
/// measured both sides, a boot is unknown, or there are several machines.
#[allow(clippy::type_complexity)]
fn by_boots(
    sides: [&[&SideRun]; 2],
    order: &[(usize, usize)],
) -> Option<(Vec<(usize, usize)>, [Vec<Vec<usize>>; 2])> {
    let mut computers = sides.into_iter().flatten().map(|run| &run.known.hosts);
    let computer = computers.next()?;
    if computers.any(|other| other != computer) {
        return None;
    }
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut units, mut boots) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (side, run) in order.iter().copied() {
        let boot = sides[side][run].boot.as_deref()?;
        let (of, place) = *places.entry(boot).or_insert_with(|| {
            let place = (side, boots[side].len());
            boots[side].push(Vec::new());
            units.push(place);
            place
        });
        if of != side {
            return None;
        }
        boots[side][place].push(run);
    }
    Some((units, boots))
}

fn block_steps(blocks: &[RunBlock], values: [&[f64]; 2], from: usize) -> Vec<f64> {
    let level = |block: &RunBlock| median(block.runs.iter().map(|run| values[block.side][*run]));
    let neighbours = blocks.windows(2).filter(|pair| pair[0].side == from);
    let step = |pair: &[RunBlock]| level(&pair[1]) - level(&pair[0]);
    neighbours.map(|pair| if from == 0 { step(pair) } else { -step(pair) }).collect()
}

/// Returns the standard deviation of values around the means of their groups, without infinite values.
/// `None` if no group has two values.
fn deviation(groups: &[Vec<f64>]) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0);
    for group in groups {
        let finite: Vec<f64> = group.iter().copied().filter(|value| value.is_finite()).collect();
        let mean = finite.iter().sum::<f64>() / finite.len().max(1) as f64;
        squares += finite.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        freedom += finite.len().saturating_sub(1);
    }
    (freedom > 0).then(|| (squares / freedom as f64).sqrt())
}

/// The median of the slopes between all values, per step (Theil and Sen); 0 of fewer than two.
pub(super) fn slope(values: &[f64]) -> f64 {
    let later = |from: usize| {
        let behind = values.iter().enumerate().skip(from + 1);
        behind.map(move |(at, value)| (value - values[from]) / (at - from) as f64)
    };
    median((0..values.len()).flat_map(later))
}

/// Side and place of each run, in the order of their times. `None` if a time is missing, or if runs of both
/// sides began at the same time.
fn in_time(sides: [&[&SideRun]; 2]) -> Option<Vec<(usize, usize)>> {
    let mut timed = Vec::new();
    for (side, runs) in sides.into_iter().enumerate() {
        for (place, run) in runs.iter().enumerate() {
            timed.push((run.began_ms?, side, place));
        }
    }
    timed.sort_unstable();
    let is_unclear = timed.windows(2).any(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1);
    (!is_unclear).then(|| timed.into_iter().map(|(_, side, place)| (side, place)).collect())
}
