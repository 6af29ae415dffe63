//! Accuracy of stated certainties: whether an interval contains the mean, and whether the suggested number of
//! runs decides a comparison. These tests print the tables of docs/design/false-alarms.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::comparison::{run, side};
use crate::common::noise::{Noise, STATIONARY};
use crate::common::random::Random;
use diskspd::experiments::compare::{ChangeVerdict, Compared, ComparisonQuery, SideRun, compare, draw_order};
use diskspd::experiments::repeat::Repeat;
use diskspd::stats::replicates::{Bounds, Spread};

const LEVEL: f64 = 5000.0;

/// Whether the interval of these runs' mean holds a figure.
fn holds(spread: &Spread, truth: f64) -> bool {
    let (low, high) = spread.interval(Bounds::Positive).unwrap();
    (low..=high).contains(&truth)
}

fn held(noise: Noise, series: u64, count: usize) -> usize {
    let mut random = Random(1);
    let many = noise.runs(400_000, &mut random);
    let truth = many.iter().sum::<f64>() / many.len() as f64;
    let of =
        |seed: u64| Spread::from_values(&noise.runs(count, &mut Random(seed * 7919 + count as u64))).unwrap();
    (0..series).filter(|seed| holds(&of(*seed), truth)).count()
}

#[test]
fn interval_of_dependent_runs_covers_the_mean() {
    for (count, series) in [(3, 400), (10, 400)] {
        let held = held(Noise::White(0.03), series, count);
        assert!((365..=395).contains(&held), "{held} of {series} series of {count} runs");
    }
}

/// Makes the table of docs/reference/sweep.md.
#[test]
#[ignore = "takes minutes without optimization"]
fn mean_intervals_have_stated_coverage() {
    for (name, noise) in STATIONARY.iter().filter(|(_, noise)| !matches!(noise, Noise::DeadRuns(_))) {
        let share = |count| format!("{:.1}", held(*noise, 3000, count) as f64 / 30.0);
        println!("| {name} | {} |", [3, 5, 10, 20].map(share).join(" | "));
    }
}

fn until_known(noise: f64, series: u64) -> (usize, usize) {
    let (mut held, mut near) = (0, 0);
    for seed in 0..series {
        let mut random = Random(seed * 7919 + 3);
        let mut values = Vec::new();
        let until = Repeat::Until(0.02);
        while until.another(&values) {
            values.push(LEVEL * (1.0 + noise * random.normal()));
        }
        let spread = until.spread(&values).unwrap();
        held += usize::from(holds(&spread, LEVEL));
        near += usize::from((spread.mean / LEVEL - 1.0).abs() <= 0.02);
    }
    (held, near)
}

#[test]
fn sequential_stopping_covers_the_mean() {
    let (held, near) = until_known(0.03, 200);
    assert!(held >= 184 && near >= 188, "{held} intervals and {near} means of 200");
}

/// Computes the figures of `until=2%` in docs/reference/sweep.md.
#[test]
#[ignore = "takes minutes without optimization"]
fn unknown_means_are_estimated() {
    for noise in [0.02, 0.03, 0.04] {
        let (held, near) = until_known(noise, 1500);
        println!("noise of {noise}: {:.1} % held, {:.1} % near", held as f64 / 15.0, near as f64 / 15.0);
    }
}

fn in_turn(runs: &mut Vec<(usize, SideRun)>, pairs: usize, noise: f64, times: f64, random: &mut Random) {
    for which in draw_order(pairs, runs.len() as u64) {
        let place = runs.len();
        let level = if which == 1 { LEVEL * times } else { LEVEL };
        let run = run(level * (noise * random.normal()).exp(), |span| {
            (span.total.mean_ms, span.read.mean_ms) = (None, None);
            span.percentiles.clear();
        });
        runs.push((which, SideRun { began_ms: Some(place as i64 * 10_000), ..run }));
    }
}

fn compared(runs: &[(usize, SideRun)]) -> Compared {
    let [first, other] = [0, 1].map(|which| {
        side(runs.iter().filter(|(side, _)| *side == which).map(|(_, run)| run.clone()).collect())
    });
    compare(&first, &other, &ComparisonQuery::default()).unwrap().primary().next().unwrap().clone()
}

fn with_more_runs(pairs: usize, noise: f64, times: f64, comparisons: u64) -> [usize; 4] {
    let mut found = [0; 4];
    for seed in 0..comparisons {
        let mut random = Random(seed * 7919 + pairs as u64 * 31 + (noise * 1000.0) as u64);
        let mut runs = Vec::new();
        in_turn(&mut runs, pairs, noise, times, &mut random);
        let mut answer = compared(&runs);
        found[2] += usize::from(answer.is_change());
        let more = answer.more_runs.map_or(u32::MAX, |[first, other]| first.max(other));
        if answer.verdict == ChangeVerdict::CantTell && more <= 100 {
            found[0] += 1;
            in_turn(&mut runs, more as usize, noise, times, &mut random);
            answer = compared(&runs);
            found[1] += usize::from(answer.verdict != ChangeVerdict::CantTell);
        }
        found[3] += usize::from(answer.is_change());
    }
    found
}

/// Makes the table of docs/design/false-alarms.md.
#[test]
#[ignore = "takes minutes without optimization"]
fn additional_runs_are_planned_and_executed() {
    for (pairs, noise) in [(4, 0.03), (8, 0.03), (4, 0.1), (8, 0.1)] {
        let shares = [1.0, 0.97, 0.95, 0.9].map(|times| {
            let [asked, decided, at_once, in_the_end] = with_more_runs(pairs, noise, times, 400);
            let share = |part: usize, of: usize| part as f64 * 100.0 / of.max(1) as f64;
            let changes =
                format!("{:.0} at once, {:.0} in the end", share(at_once, 400), share(in_the_end, 400));
            format!("{:.0} ({changes})", share(decided, asked))
        });
        println!("| {pairs}, {:.0} % | {} |", noise * 100.0, shares.join(" | "));
    }
}
