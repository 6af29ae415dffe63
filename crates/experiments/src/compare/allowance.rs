//! Possible machine drift between two sides measured sequentially, and the remaining evidence of a change.
//!
//! The runs of two blocks cannot separate a change from a different level of the machine. The interval is
//! therefore widened by the possible levels. They are the differences between sessions of the same work on
//! this machine, if enough are known; otherwise a reported bound.
//!
//! Sessions of one afternoon do not represent the next week, and sessions of one boot do not represent the
//! next boot. Known sessions must therefore be as far apart in time as the sides. If no boot measured both
//! sides, the unit is a boot, with the level of its sessions.

use super::SideRun;
use super::order::slope;
use diskspd_figures::stats::median;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Maximum distance of a machine's levels without known sessions, as a share.
pub(super) const UNKNOWN_LEVELS: f64 = 0.5;
const RANGES: f64 = 2.0;
/// Minimum pause before a run of another session in ms: 15 minutes.
pub const SESSION_MS: i64 = 15 * 60 * 1000;
pub(super) const MIN_SESSIONS: usize = 8;
const FEW_SESSIONS_FACTOR: f64 = 1.5;
/// Maximum time between compared sessions, as a multiple of the time between the sides. Slower drift
/// cannot explain their difference.
const LONGER: i64 = 2;
/// Maximum time between the sides, as a fraction of the time between the sessions.
const PERIOD_RATIO: (i64, i64) = (3, 2);

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OrderAllowance {
    /// Widening of the interval at both ends, in percent of a level.
    pub percent: f64,
    /// Number of used steps between sessions; 0 = too few are known, so a bound is assumed.
    pub sessions: u32,
    /// Number of known steps, sufficient or not.
    pub seen: u32,
    /// Unit of the steps, and missing data other than more steps.
    pub known_by: AllowanceSource,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "apart_ms")]
pub enum AllowanceSource {
    #[default]
    Sessions,
    /// Sessions closer in time than the sides, whose distance is this number of ms.
    NearerSessions(i64),
    Boots,
    /// No data helps: the sides follow a pattern, so the position may have any effect.
    Position,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct EarlierSteps {
    /// Step from an earlier session or boot to each later one, as a logarithm; the largest of several
    /// comparable ones.
    steps: Vec<f64>,
    by: AllowanceSource,
}

/// Time of a run, with the logarithm of its figure.
pub(super) struct TimedValue<'a> {
    /// Start of the measurement in ms.
    at: i64,
    boot: Option<&'a str>,
    value: f64,
}

pub(super) fn allowance(sides: [&[f64]; 2], known: &EarlierSteps) -> (f64, OrderAllowance) {
    let finite =
        sides.map(|side| side.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>());
    let are_near = matches!(known.by, AllowanceSource::NearerSessions(_));
    let is_known = known.steps.len() >= MIN_SESSIONS && !are_near;
    let levels = match is_known {
        true => FEW_SESSIONS_FACTOR * known.steps.iter().copied().fold(0.0, f64::max),
        false => finite.iter().map(|side| RANGES * value_range(side)).fold(UNKNOWN_LEVELS.ln_1p(), f64::max),
    };
    // What drifts within the sides drifts from one to the other, too.
    let runs = finite.iter().map(Vec::len).sum::<usize>() as f64 / 2.0;
    let drift = finite.iter().map(|side| slope(side) / 2.0).sum::<f64>() * runs;
    let by = levels + drift.abs();
    let seen = u32::try_from(known.steps.len()).unwrap_or(u32::MAX);
    let sessions = if is_known { seen } else { 0 };
    (by, OrderAllowance { percent: by.exp_m1() * 100.0, sessions, seen, known_by: known.by })
}

/// The allowance for sides that follow a pattern: an effect of the position looks like a change.
pub(super) fn for_position() -> (f64, OrderAllowance) {
    let by = UNKNOWN_LEVELS.ln_1p();
    let percent = UNKNOWN_LEVELS * 100.0;
    (by, OrderAllowance { percent, sessions: 0, seen: 0, known_by: AllowanceSource::Position })
}

fn value_range(values: &[f64]) -> f64 {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    (high - low).max(0.0)
}

/// Runs of a session or boot.
struct LevelRuns {
    session: usize,
    /// 0 = earlier runs and the earlier side, 1 = the later side.
    group: usize,
    /// Start times of the first and last run in ms.
    from: i64,
    to: i64,
    values: Vec<f64>,
}

/// Returns the level differences of sessions, or of boots with `by_boots`, for runs of the same work.
/// Steps between the sides are excluded, because they are the question. Steps from earlier runs to the
/// later side are excluded too, because an earlier change would be mistaken for drift.
pub(super) fn known_levels<'a>(
    past: Vec<TimedValue<'a>>,
    sides: [Vec<TimedValue<'a>>; 2],
    by_boots: bool,
) -> EarlierSteps {
    let (later, asked) = between_sides(&sides);
    let [first, other] = sides;
    let levels = run_levels([past, first, other], later, by_boots);
    let longest = asked.max(SESSION_MS).saturating_mul(LONGER);
    let mut steps = Vec::new();
    let mut farthest = 0;
    let mut comparable = [Comparable::default(), Comparable::default()];
    // Of each group, the last session and its value.
    let mut neighbours: [Option<(usize, f64)>; 2] = [None, None];
    for session in levels.chunk_by(|one, other| one.session == other.session) {
        let mut step = None;
        for next in session {
            let value = median(next.values.iter().copied());
            let seen = &mut comparable[next.group];
            let apart = seen.first_ended.map(|first| next.from.saturating_sub(first));
            farthest = farthest.max(apart.unwrap_or(0));
            let far = seen.farthest_from(value, next.from.saturating_sub(longest));
            // Neighbours always count.
            let near = neighbours[next.group].filter(|(before, _)| before + 1 == next.session);
            let near = near.map(|(_, before)| (value - before).abs());
            step = step.into_iter().chain(far).chain(near).reduce(f64::max);
            seen.add(next.to, value);
            neighbours[next.group] = Some((next.session, value));
        }
        steps.extend(step);
    }
    let reach = farthest.saturating_mul(PERIOD_RATIO.0) / PERIOD_RATIO.1;
    let by = match by_boots {
        true => AllowanceSource::Boots,
        false if reach < asked && !steps.is_empty() => AllowanceSource::NearerSessions(asked),
        false => AllowanceSource::Sessions,
    };
    EarlierSteps { steps, by }
}

/// Levels in order of time for queries about recent ones; each is processed once.
#[derive(Debug, Default)]
struct Comparable {
    /// End time of the first level in ms.
    first_ended: Option<i64>,
    high: VecDeque<(i64, f64)>,
    low: VecDeque<(i64, f64)>,
}

impl Comparable {
    fn add(&mut self, ended: i64, value: f64) {
        self.first_ended.get_or_insert(ended);
        self.high.truncate(self.high.partition_point(|(_, before)| *before > value));
        self.low.truncate(self.low.partition_point(|(_, before)| *before < value));
        self.high.push_back((ended, value));
        self.low.push_back((ended, value));
    }

    /// Returns the largest distance from this value among levels that ended at or after `since`; forgets
    /// earlier ones.
    fn farthest_from(&mut self, value: f64, since: i64) -> Option<f64> {
        let apart = [&mut self.high, &mut self.low].map(|ends| {
            ends.drain(..ends.partition_point(|(ended, _)| *ended < since));
            ends.front().map(|(_, end)| (value - end).abs())
        });
        apart.into_iter().flatten().reduce(f64::max)
    }
}

fn between_sides(sides: &[Vec<TimedValue>; 2]) -> (usize, i64) {
    let ends = sides.each_ref().map(|runs| {
        let times = || runs.iter().map(|run| run.at);
        (times().min(), times().max())
    });
    let (later, [earlier, behind]) = match ends[0].0 > ends[1].0 {
        true => (1, [ends[1].1, ends[0].0]),
        false => (2, [ends[0].1, ends[1].0]),
    };
    let asked = earlier.zip(behind).map_or(0, |(earlier, behind)| behind.saturating_sub(earlier).max(0));
    (later, asked)
}

/// Levels in the order of their times. A session ends after [`SESSION_MS`] without a run of any side, so runs
/// of a side that alternate with the other side are one level.
fn run_levels(runs: [Vec<TimedValue<'_>>; 3], later: usize, by_boots: bool) -> Vec<LevelRuns> {
    let mut all: Vec<(usize, TimedValue)> = Vec::new();
    for (tag, runs) in runs.into_iter().enumerate() {
        all.extend(runs.into_iter().filter(|run| run.value.is_finite()).map(|run| (tag, run)));
    }
    all.sort_by_key(|(tag, run)| (run.at, *tag));
    let mut levels: Vec<LevelRuns> = Vec::new();
    let (mut session, mut last) = (0, None);
    for (tag, TimedValue { at, boot, value }) in all {
        let goes_on = last.is_some_and(|(before, last_boot): (i64, Option<&str>)| match by_boots {
            true => last_boot == boot,
            false => at.saturating_sub(before) < SESSION_MS,
        });
        session += usize::from(!goes_on);
        last = Some((at, boot));
        let group = usize::from(tag == later);
        let of_session = levels.iter_mut().rev().take_while(|level| level.session == session);
        match of_session.into_iter().find(|level| by_boots || level.group == group) {
            Some(level) => {
                level.to = at;
                // A boot in which one of the sides was measured is that side's.
                level.group = level.group.max(group);
                level.values.push(value);
            }
            None => levels.push(LevelRuns { session, group, from: at, to: at, values: vec![value] }),
        }
    }
    levels
}

/// The runs of a side that say when they were made, with the logarithm of a figure of each.
pub(super) fn timed<'a>(
    runs: &[&'a SideRun],
    value: impl Fn(&SideRun) -> Option<f64>,
) -> Vec<TimedValue<'a>> {
    let timed = |run: &&'a SideRun| {
        let (at, value) = (run.began_ms?, value(run)?.ln());
        Some(TimedValue { at, boot: run.boot.as_deref(), value })
    };
    runs.iter().filter_map(timed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_plan::workload::Random;
    use std::collections::BTreeMap;

    /// Returns the distances of all pairs of levels, for each session only the largest.
    fn by_pairs(levels: &[LevelRuns], longest: i64) -> Vec<f64> {
        let value = |level: &LevelRuns| median(level.values.iter().copied());
        let mut steps: BTreeMap<usize, f64> = BTreeMap::new();
        for (place, next) in levels.iter().enumerate() {
            let same = levels[..place].iter().filter(|one| one.group == next.group);
            let is_near = |one: &&LevelRuns| one.session + 1 == next.session || next.from - one.to <= longest;
            for step in same.filter(is_near).map(|one| (value(next) - value(one)).abs()) {
                let largest = steps.entry(next.session).or_default();
                *largest = largest.max(step);
            }
        }
        steps.into_values().collect()
    }

    #[test]
    fn alternating_sides_share_one_session() {
        let minutes = |at: i64, value| TimedValue { at: at * 60_000, boot: None, value };
        for (sessions, gap, steps) in [(1, 60, 0), (3, 14, 0), (3, 16, 2), (9, 60, 8)] {
            let [mut first, mut other] = [Vec::new(), Vec::new()];
            let mut at = 0;
            for _ in 0..sessions {
                for _ in 0..4 {
                    first.push(minutes(at, 1.0));
                    other.push(minutes(at + 2, 2.0));
                    at += 4;
                }
                at += gap - 2;
            }
            let found = known_levels(Vec::new(), [first, other], false).steps;
            assert_eq!(found, vec![0.0; steps], "{sessions} sessions, {gap} minutes apart");
        }
    }

    #[test]
    fn fast_step_search_matches_all_pairs() {
        let mut random = Random::new(1);
        let mut draw = |below: u64| random.next_u64() % below;
        for _ in 0..50 {
            let mut at = 0;
            let mut runs: [Vec<TimedValue>; 3] = Default::default();
            for place in 0..60 {
                at += i64::try_from(draw(6)).unwrap() * SESSION_MS / 2;
                let tag = if place < 40 { draw(5) / 4 } else { 2 - draw(5) / 4 };
                let value = draw(1000) as f64 / 1000.0;
                runs[tag as usize].push(TimedValue { at, boot: None, value });
            }
            let [past, first, other] = runs;
            let copy = |runs: &[TimedValue<'static>]| {
                runs.iter().map(|run| TimedValue { boot: None, ..*run }).collect::<Vec<_>>()
            };
            let (later, asked) = between_sides(&[copy(&first), copy(&other)]);
            let all = run_levels([copy(&past), copy(&first), copy(&other)], later, false);
            let longest = asked.max(SESSION_MS) * LONGER;
            let steps = by_pairs(&all, longest);
            assert!(steps.len() > 10);
            assert_eq!(known_levels(past, [first, other], false).steps, steps);
        }
    }
}
