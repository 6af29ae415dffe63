//! What a machine may do between two sides that were measured one after the other, and what of a change is
//! left then.
//!
//! Nothing in the runs of two blocks tells a change from a machine that happens to be on another level in the
//! second one. So the interval is widened by what such levels may come to: what neighbouring sessions of the
//! same work differed by on this machine where enough of them are known, else a bound that is said.

use super::SideRun;
use super::order::slope;
use diskspd_model::stats::median;
use serde::Serialize;

/// Where no sessions are known, levels of a machine may lie so far apart: a share.
pub(super) const UNKNOWN_LEVELS: f64 = 0.5;
/// ... and so many times as far as the runs of a side.
const RANGES: f64 = 2.0;
/// Runs that began so long after the one before are another session, ms: 15 minutes.
pub const SESSION_MS: i64 = 15 * 60 * 1000;
/// So many differences of neighbouring sessions tell what the next one may be.
pub(super) const ENOUGH_SESSIONS: usize = 8;
/// So many times the largest of them.
const BEYOND_SESSIONS: f64 = 1.5;

/// What was allowed for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OrderAllowance {
    /// The interval was widened by this, percent of a level, at both ends.
    pub percent: f64,
    /// Differences of neighbouring sessions that it rests on; 0 = too few are known, and a bound was assumed.
    pub sessions: u32,
    /// So many are known, whether or not they are enough.
    #[serde(skip)]
    pub seen: u32,
}

/// A run's time and the logarithm of its figure.
pub(super) type TimedValue = (i64, f64);

/// By how much an interval has to be widened, as a logarithm, and what that rests on.
pub(super) fn allowance(sides: [&[f64]; 2], sessions: &[f64]) -> (f64, OrderAllowance) {
    let finite =
        sides.map(|side| side.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>());
    let known = sessions.len() >= ENOUGH_SESSIONS;
    let levels = match known {
        true => BEYOND_SESSIONS * sessions.iter().copied().fold(0.0, f64::max),
        false => finite.iter().map(|side| RANGES * range(side)).fold(UNKNOWN_LEVELS.ln_1p(), f64::max),
    };
    // What drifts within the sides drifts from one to the other, too.
    let runs = finite.iter().map(Vec::len).sum::<usize>() as f64 / 2.0;
    let drift = finite.iter().map(|side| slope(side) / 2.0).sum::<f64>() * runs;
    let by = levels + drift.abs();
    let seen = u32::try_from(sessions.len()).unwrap_or(u32::MAX);
    let sessions = if known { seen } else { 0 };
    (by, OrderAllowance { percent: by.exp_m1() * 100.0, sessions, seen })
}

fn range(values: &[f64]) -> f64 {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    (high - low).max(0.0)
}

/// What the levels of neighbouring sessions differed by, of runs of the same work in any order. What lies
/// between the sides isn't among them: that is asked for. Nor is the step from earlier runs to the later
/// side: a change since the last time they were made would be taken for one of the machine's own.
pub(super) fn between_sessions(past: Vec<TimedValue>, sides: [Vec<TimedValue>; 2]) -> Vec<f64> {
    let [first, other] = sides;
    let began = |runs: &Vec<TimedValue>| runs.iter().map(|(at, _)| *at).min();
    let later = if began(&first) > began(&other) { 1 } else { 2 };
    let tagged =
        |tag: usize, runs: Vec<TimedValue>| runs.into_iter().map(move |(at, value)| (at, tag, value));
    let mut all: Vec<(i64, usize, f64)> =
        tagged(0, past).chain(tagged(1, first)).chain(tagged(2, other)).collect();
    all.retain(|(_, _, value)| value.is_finite());
    all.sort_by_key(|(at, tag, _)| (*at, *tag));
    let mut sessions: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut before = None;
    for (at, tag, value) in all {
        let goes_on = before.is_some_and(|(then, of)| at - then < SESSION_MS && of == tag);
        match sessions.last_mut().filter(|_| goes_on) {
            Some((_, values)) => values.push(value),
            None => sessions.push((tag, vec![value])),
        }
        before = Some((at, tag));
    }
    let apart = |pair: &&[(usize, Vec<f64>)]| {
        let [one, next] = [pair[0].0, pair[1].0];
        one == next || one.min(next) == 0 && ![one, next].contains(&later)
    };
    let level = |session: &(usize, Vec<f64>)| median(session.1.iter().copied());
    sessions.windows(2).filter(apart).map(|pair| (level(&pair[1]) - level(&pair[0])).abs()).collect()
}

/// The runs of a side that say when they were made, with a figure of each.
pub(super) fn timed(runs: &[&SideRun], value: impl Fn(&SideRun) -> Option<f64>) -> Vec<TimedValue> {
    runs.iter().filter_map(|run| Some((run.began_ms?, value(run)?.ln()))).collect()
}
