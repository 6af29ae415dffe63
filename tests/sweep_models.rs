//! Sweeps of devices whose answers are known, without any run: how often knee and objective lie where the answer says, and
//! what the order of runs does to it when the device drifts.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::random::Random;
use diskspd::lab::repeat::Repeat;
use diskspd::lab::sweep::{
    Objective, Ran, Settings, Sweep, SweepAnswer, SweepOrder, SweepPoint, Upcoming, What, curve, estimate,
    next, rows,
};
use diskspd::lab::{LatencyLine, RunLine};

/// A device: I/Os per second at a depth without noise, how much runs vary, how much slower each run is than the one before.
struct Model {
    iops: fn(f64) -> f64,
    noise: f64,
    slower: f64,
}

/// I/Os per second that a device gets nearer to with depth: its knee is at 12.
fn saturating(depth: f64) -> f64 {
    100_000.0 * depth / (depth + 12.0)
}

/// In proportion to depth until one core is busy: its knee is at 8.
fn core_bound(depth: f64) -> f64 {
    (10_000.0 * depth).min(80_000.0)
}

/// A disk that sorts its queue: more depth always brings a little.
fn disk_like(depth: f64) -> f64 {
    80.0 * (depth / (0.35 * depth + 0.65).powf(1.25))
}

const MODELS: [Model; 5] = [
    Model { iops: saturating, noise: 0.02, slower: 0.0 },
    Model { iops: core_bound, noise: 0.03, slower: 0.0 },
    Model { iops: disk_like, noise: 0.02, slower: 0.0 },
    Model { iops: saturating, noise: 0.10, slower: 0.0 },
    Model { iops: core_bound, noise: 0.02, slower: 0.002 },
];

fn line(iops: f64, mean_ms: f64, p99_ms: f64) -> RunLine {
    RunLine {
        iops,
        measured_s: 10.0,
        mib_per_s: iops / 256.0,
        latency: Some(LatencyLine { mean_ms, p99_ms, p999_ms: p99_ms * 2.0 }),
        response: None,
        cpu: 0.0,
        hottest: 0.0,
        verdict: "ok".into(),
        limited_by: None,
        findings: Vec::new(),
    }
}

fn walked(sweep: &Sweep, mut run: impl FnMut(What, usize) -> RunLine) -> Vec<Ran> {
    let mut history: Vec<Ran> = Vec::new();
    while let Upcoming::Run(what) = next(sweep, &history) {
        let line = Some(run(what, history.len()));
        history.push(Ran { what, seconds: 1.0, line, failure: None });
        assert!(history.len() < 1000, "it comes to no end");
    }
    history
}

fn depths(depths: impl IntoIterator<Item = u64>, settings: Settings) -> Sweep {
    let point = |load| SweepPoint { load, threads: 1, seconds: 1.0, ..SweepPoint::default() };
    Sweep { points: depths.into_iter().map(point).collect(), settings }
}

/// Closed loop: what is outstanding is rate times latency.
fn closed(model: &Model, sweep: &Sweep, random: &mut Random) -> Vec<Ran> {
    walked(sweep, |what, number| {
        let (What::Point(point) | What::Reference(point)) = what else { panic!("{what:?}") };
        let depth = sweep.points[point].load as f64;
        let factor = (random.normal() * model.noise - number as f64 * model.slower).exp();
        let iops = (model.iops)(depth) * factor;
        line(iops, 1000.0 * depth / iops, 3000.0 * depth / iops)
    })
}

/// The load with the greatest power without noise.
fn true_knee(model: &Model, sweep: &Sweep) -> u64 {
    let power = |load: u64| (model.iops)(load as f64).powi(2) / load as f64;
    sweep.points.iter().map(|p| p.load).max_by(|a, b| power(*a).total_cmp(&power(*b))).unwrap()
}

/// Whether the true knee lies in the interval, and how many loads that has.
fn knee_found(model: &Model, settings: Settings, seed: u64) -> (bool, usize) {
    let sweep = depths((1..=16).chain([20, 24, 32]), settings);
    let history = closed(model, &sweep, &mut Random(seed));
    let answer = SweepAnswer::of(&rows(&sweep, &history), &sweep.settings).remove(0);
    let (low, high) = answer.knee.unwrap().between.unwrap();
    let truth = true_knee(model, &sweep);
    let within = |load: u64| (low..=high).contains(&load);
    (within(truth), sweep.points.iter().filter(|point| within(point.load)).count())
}

/// An open queue: response times grow without bound as the rate comes near what the device can do.
fn objective_found(seed: u64) -> bool {
    const MOST: f64 = 50_000.0;
    let objective = Objective::parse("p99=5ms").unwrap();
    let mut random = Random(seed ^ 0x5105);
    let at_rest = 0.2 + 0.6 * random.uniform();
    let noise = 0.02 + 0.08 * random.uniform();
    let settings = Settings {
        curve: curve("10%..100%").unwrap(),
        objective: Some(objective),
        repeat: Repeat::Times(4),
        ..Settings::default()
    };
    let sweep = depths([32], settings);
    let history = walked(&sweep, |what, _| {
        let mut factor = |noise: f64| (random.normal() * noise).exp();
        match what {
            What::Rate(rate) => {
                let free = 1.0 - rate as f64 / MOST;
                let p99 = if free > 0.001 { 4.6 * at_rest / free } else { 5000.0 };
                line((rate as f64).min(MOST), at_rest, p99 * factor(noise))
            }
            _ => line(MOST * factor(0.01), 1.0, 2.0),
        }
    });
    let answer = SweepAnswer::of(&rows(&sweep, &history), &sweep.settings).remove(0);
    let kept = answer.objective.unwrap();
    let truth = MOST * (1.0 - 4.6 * at_rest / 5.0);
    kept.surely_kept.unwrap_or(0.0) <= truth && truth <= kept.surely_broken.unwrap_or(f64::MAX)
}

/// Sweeps in which the truth lies in the stated interval: of knees, of objectives; and how many loads the intervals of knees
/// have on average.
fn found(sweeps: u64) -> (u64, u64, f64) {
    let settings = || Settings { repeat: Repeat::Times(4), ..Settings::default() };
    let knees: Vec<(bool, usize)> =
        (0..sweeps).map(|seed| knee_found(&MODELS[seed as usize % MODELS.len()], settings(), seed)).collect();
    let right = knees.iter().filter(|(right, _)| *right).count() as u64;
    let width = knees.iter().map(|(_, width)| *width).sum::<usize>() as f64 / knees.len() as f64;
    (right, (0..sweeps).filter(|seed| objective_found(*seed)).count() as u64, width)
}

#[test]
fn knee_and_objective_lie_in_the_stated_interval() {
    let (knees, objectives, width) = found(200);
    assert!(knees >= 186, "{knees} of 200 knees");
    assert!(objectives >= 186, "{objectives} of 200 objectives");
    // All 19 loads would be right every time.
    assert!(width < 10.0, "an interval has {width} loads");
}

#[test]
#[ignore = "takes a while; docs/sweep.md has its outcome"]
fn knee_and_objective_lie_in_the_stated_interval_in_1000_sweeps() {
    let (knees, objectives, width) = found(1000);
    println!(
        "{knees} of 1000 knees, {objectives} of 1000 objectives; an interval has {width:.1} of 19 loads"
    );
    assert!(knees >= 930 && objectives >= 930);
}

#[test]
fn under_drift_the_interleaved_order_finds_the_knee_and_the_given_order_does_not() {
    let drifting = Model { iops: saturating, noise: 0.01, slower: 0.01 };
    let right = |order| {
        let settings = || Settings { order, repeat: Repeat::Times(4), ..Settings::default() };
        (0..100).filter(|seed| knee_found(&drifting, settings(), *seed).0).count()
    };
    let (interleaved, given) = (right(SweepOrder::Interleaved), right(SweepOrder::Given));
    println!("{interleaved} of 100 knees interleaved, {given} of 100 in the given order");
    assert!(interleaved >= 93, "{interleaved} of 100 interleaved");
    assert!(given < 10, "{given} of 100 in the given order");
}

#[test]
fn a_killed_sweep_goes_on_as_if_nothing_had_been() {
    let sweep = depths([1, 2, 4, 8], Settings { repeat: Repeat::Times(2), ..Settings::default() });
    let history = closed(&MODELS[0], &sweep, &mut Random(7));
    assert_eq!(history.len(), 4 * 2 + 3);
    for kept in 0..history.len() {
        assert_eq!(next(&sweep, &history[..kept]), Upcoming::Run(history[kept].what));
    }
    let mut strange = history.clone();
    strange.swap(2, 3);
    assert_eq!(next(&sweep, &strange), Upcoming::Astray(2));
}

#[test]
fn an_adaptive_sweep_runs_a_part_of_the_points_and_finds_the_same_knee() {
    for model in &MODELS[..3] {
        let settings = Settings { adaptive: true, order: SweepOrder::Given, ..Settings::default() };
        let sweep = depths(1..=64, settings);
        let quiet = Model { noise: 0.0, ..*model };
        let history = closed(&quiet, &sweep, &mut Random(1));
        let answer = SweepAnswer::of(&rows(&sweep, &history), &sweep.settings).remove(0);
        assert_eq!(answer.knee.unwrap().load, true_knee(model, &sweep));
        assert!(history.len() <= 16, "{} runs", history.len());
    }
}

#[test]
fn a_point_that_failed_is_run_once_and_the_others_as_often_as_asked() {
    let sweep = depths([1, 2, 4, 8], Settings { repeat: Repeat::Times(3), ..Settings::default() });
    let mut history: Vec<Ran> = Vec::new();
    while let Upcoming::Run(what) = next(&sweep, &history) {
        let failed = matches!(what, What::Point(1));
        let line = (!failed).then(|| line(1.0, 1.0, 1.0));
        history.push(Ran { what, seconds: 1.0, line, failure: failed.then(|| "no".into()) });
    }
    let runs = |point| history.iter().filter(|ran| ran.what == What::Point(point)).count();
    assert_eq!([runs(0), runs(1), runs(2), runs(3)], [3, 1, 3, 3]);
}

#[test]
fn a_budget_ends_a_sweep_behind_a_whole_pass_and_the_last_reference() {
    let settings = Settings { repeat: Repeat::Times(5), budget_s: Some(14.0), ..Settings::default() };
    let sweep = depths([1, 2, 4, 8], settings);
    let mut history: Vec<Ran> = Vec::new();
    let ended = loop {
        match next(&sweep, &history) {
            Upcoming::Run(what) => {
                history.push(Ran { what, seconds: 1.0, line: Some(line(1.0, 1.0, 1.0)), failure: None });
            }
            ended => break ended,
        }
    };
    assert_eq!(ended, Upcoming::Done { out_of_budget: true });
    assert!(matches!(history.last().unwrap().what, What::Reference(_)));
    let runs = |point| history.iter().filter(|ran| ran.what == What::Point(point)).count();
    assert_eq!([runs(0), runs(1), runs(2), runs(3)], [2; 4], "another pass would end after 15 s");
    assert_eq!(estimate(&sweep, &[]).runs, history.len());
}
