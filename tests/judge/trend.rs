//! Tests of lasting changes over many runs: the rate of false changes from noise, and of detected ones.

#![allow(clippy::unwrap_used)]

use crate::common::noise::{Noise, STATIONARY, changed, drifting, published};
use crate::common::random::Random;
use diskspd::stats::trend::{MAX_RUNS, MIN_LEVEL, MIN_RUNS, Trend};

const HISTORIES: u64 = 200;

fn changes(values: &[f64]) -> usize {
    changes_of(&Trend::detect(values))
}

fn changes_of(trend: &Trend) -> usize {
    trend.levels.len() - 1 + usize::from(trend.slope.is_some())
}

fn seen_to_change(runs: usize, make: impl Fn(&mut Random) -> Vec<f64>) -> f64 {
    let changes = (0..HISTORIES).filter(|seed| changes(&make(&mut Random(seed * 7919 + runs as u64))) > 0);
    changes.count() as f64 * 100.0 / HISTORIES as f64
}

#[test]
fn stable_histories_rarely_show_a_change() {
    for (name, noise) in STATIONARY {
        let share = seen_to_change(40, |random| noise.runs(40, random));
        assert!(share < 2.0, "{name}: {share} % seem to change");
    }
    let runs: Vec<f64> = published().iter().map(|share| share * 35_762.0).collect();
    assert_eq!(changes(&runs), 0, "the published runs change by themselves");
}

#[test]
fn real_changes_are_found_in_forty_runs() {
    for (factor, at, least) in
        [(0.9, 20, 95.0), (0.9, 30, 80.0), (0.8, 20, 99.0), (0.8, 30, 99.0), (0.5, 32, 99.0), (1.1, 20, 85.0)]
    {
        let found = seen_to_change(40, |random| changed(Noise::White(0.03).runs(40, random), at, factor));
        assert!(found >= least, "times {factor} from run {at} on: found in {found} %");
    }
}

#[test]
fn lasting_change_is_located_and_sized() {
    let runs = changed(Noise::White(0.02).runs(60, &mut Random(3)), 40, 0.9);
    let trend = Trend::detect(&runs);
    assert_eq!(trend.levels.len(), 2, "{trend:?}");
    assert!(trend.levels[0].end.abs_diff(40) <= 1, "{trend:?}");
    let change = trend.levels[1].change_percent(&trend.levels[0]).unwrap();
    assert!((change + 10.0).abs() < 2.0, "{change}");
    let stairs = changed(changed(changed(runs, 15, 0.8), 30, 0.7), 50, 0.6);
    let begins: Vec<usize> = Trend::detect(&stairs).levels.iter().map(|level| level.begin).collect();
    assert_eq!(begins, [0, 15, 30, 40, 50]);
}

#[test]
fn empty_run_is_an_outlier_and_keeps_detection_active() {
    let mut runs = changed(Noise::White(0.01).runs(40, &mut Random(5)), 20, 0.5);
    (0..40).for_each(|run| runs[run] *= 10_000.0);
    runs[25] = 0.0;
    let trend = Trend::detect(&runs);
    assert_eq!((trend.levels.len(), trend.levels[1].begin), (2, 20), "{trend:?}");
    assert_eq!(trend.apart, [25]);
    assert!(trend.levels[1].variation < 0.02, "{trend:?}");
    // A dead path is a level like others, also where it's most of the runs, and an end of it too.
    for (dead, levels) in [(30..40, 2), (10..40, 2), (0..20, 2), (0..40, 1)] {
        let mut runs = Noise::White(0.03).runs(40, &mut Random(7));
        dead.clone().for_each(|run| runs[run] = 0.0);
        let trend = Trend::detect(&runs);
        assert_eq!(trend.levels.len(), levels, "{dead:?}: {trend:?}");
        assert!(trend.levels.iter().any(|level| level.rate == 0.0) && trend.apart.is_empty(), "{trend:?}");
        let from_nothing = trend.levels[0].rate == 0.0 && levels > 1;
        let change = trend.levels.last().unwrap().change_percent(&trend.levels[0]);
        assert_eq!(change.is_none(), from_nothing || dead.len() == 40, "{dead:?}: {change:?}");
    }
}

#[test]
fn outlying_runs_are_named_not_changes() {
    let mut runs = Noise::White(0.02).runs(50, &mut Random(11));
    runs[20] *= 0.3;
    runs[33] *= 1.5;
    let trend = Trend::detect(&runs);
    assert_eq!((trend.levels.len(), trend.apart), (1, vec![20, 33]));
}

#[test]
fn latest_deviating_runs_are_reported_before_level_change() {
    for last in 1..MIN_LEVEL - 1 {
        let runs = changed(Noise::White(0.02).runs(40, &mut Random(13)), 40 - last, 0.7);
        let trend = Trend::detect(&runs);
        let latest = trend.latest.unwrap_or_else(|| panic!("{last}: {trend:?}"));
        assert_eq!((trend.levels.len(), latest.runs), (1, last));
        assert!((latest.rate - 0.7).abs() < 0.03 && trend.apart.is_empty(), "{trend:?}");
    }
    // Also of few runs: five of ten.
    let runs = changed(Noise::White(0.02).runs(10, &mut Random(19)), 5, 0.5);
    assert_eq!(Trend::detect(&runs).latest.map(|latest| latest.runs), Some(5));
    assert_eq!(Trend::detect(&Noise::White(0.02).runs(40, &mut Random(13))).latest, None);
    let two_levels = (0..HISTORIES)
        .filter(|seed| Trend::detect(&Noise::TwoLevels(0.07).runs(40, &mut Random(*seed))).latest.is_some());
    assert!(two_levels.count() <= 2);
}

#[test]
fn any_number_of_runs_and_any_figures_are_judged() {
    assert_eq!(Trend::detect(&[]), Trend::default());
    for runs in [1, 2, MIN_RUNS - 1, MIN_RUNS, 100] {
        assert_eq!(changes(&vec![5.0; runs]), 0);
        assert_eq!(changes(&vec![0.0; runs]), 0);
    }
    assert_eq!(changes(&[1.0, f64::NAN, 2.0].repeat(20)), 0);
    assert_eq!(changes(&[1.0, f64::INFINITY, 2.0].repeat(20)), 0);
    assert_eq!(changes(&[-1.0, 2.0].repeat(20)), 0);
    let halves = |runs: usize| [vec![2.0; runs], vec![1.0; runs]].concat();
    assert_eq!(changes(&halves(MIN_LEVEL)), 1);
    assert_eq!(changes(&halves(MIN_LEVEL - 1)), 0);
    // Of very long histories the latest are looked at, and the first level reaches back to the first run.
    let long = [vec![3.0; MAX_RUNS], halves(50)].concat();
    let levels = Trend::detect(&long).levels;
    assert_eq!((levels.len(), levels[0].begin, levels[2].end), (3, 0, MAX_RUNS + 100));
}

#[test]
fn steady_decline_is_a_slope() {
    let runs = drifting(Noise::White(0.02).runs(60, &mut Random(17)), -0.01);
    let trend = Trend::detect(&runs);
    let slope = trend.slope.unwrap_or_else(|| panic!("{trend:?}"));
    assert!(slope.from > 0.95 && (slope.to / slope.from - 0.41).abs() < 0.1, "{slope:?}");
}

/// Outliers in histories of 40 runs with noise of 1 %.
#[test]
fn outliers_do_not_hide_losses_or_drift() {
    let single: [&[usize]; 9] = [&[0], &[1], &[10], &[19], &[20], &[30], &[39], &[5, 25], &[3, 14, 27, 35]];
    let seeds = 0..20;
    let history = |seed, change: &dyn Fn(Vec<f64>) -> Vec<f64>, places: &[usize], factor: f64| {
        let mut runs = change(Noise::White(0.01).runs(40, &mut Random(seed)));
        places.iter().for_each(|place| runs[*place] *= factor);
        Trend::detect(&runs)
    };
    for (factor, places) in [0.0, 0.3, 3.0].into_iter().flat_map(|factor| single.map(|at| (factor, at))) {
        let is_named = |trend: &Trend| places.iter().all(|place| trend.apart.contains(place));
        for loss in [0.9, 0.8, 0.5, 1.25] {
            let loses = |runs| changed(runs, 20, loss);
            let trends: Vec<Trend> =
                seeds.clone().map(|seed| history(seed, &loses, places, factor)).collect();
            let is_found =
                |trend: &&Trend| trend.levels.len() == 2 && trend.levels[1].begin.abs_diff(20) <= 1;
            let found = trends.iter().filter(is_found).count();
            assert!(found >= 18, "times {loss}, {places:?} times {factor}: found in {found} of 20");
            // The latest run is reported as the latest instead.
            let named = trends.iter().filter(|trend| is_named(trend) || places.contains(&39)).count();
            assert!(named >= 18, "times {loss}, {places:?} times {factor}: named in {named} of 20");
        }
        let slope = |seed| history(seed, &|runs| drifting(runs, -0.01), places, factor).slope.is_some();
        assert!(seeds.clone().filter(|seed| slope(*seed)).count() >= 18, "drift, {places:?} times {factor}");
        let steady = |seed| changes_of(&history(seed, &|runs| runs, places, factor));
        assert_eq!(seeds.clone().map(steady).sum::<usize>(), 0, "no change, {places:?} times {factor}");
    }
}

/// Two or three bad runs in a row, at the ends and in the middle of 40 runs with a noise of 1 %.
#[test]
fn bad_runs_in_a_row_hide_no_large_loss() {
    let rows: [&[usize]; 6] = [&[0, 1], &[0, 1, 2], &[12, 13], &[12, 13, 14], &[38, 39], &[37, 38, 39]];
    for (places, factor) in rows.into_iter().flat_map(|places| [0.0, 0.3].map(|factor| (places, factor))) {
        let change_count = |seed: u64, loss: f64| {
            let mut runs = changed(Noise::White(0.01).runs(40, &mut Random(seed)), 20, loss);
            places.iter().for_each(|place| runs[*place] *= factor);
            changes(&runs)
        };
        for loss in [0.8, 0.5] {
            let found = (0..20).filter(|seed| change_count(*seed, loss) == 1).count();
            assert!(found >= 18, "times {loss}, {places:?} times {factor}: found in {found} of 20");
        }
        let false_calls: usize = (0..20).map(|seed| change_count(seed, 1.0)).sum();
        assert_eq!(false_calls, 0, "no change, {places:?} times {factor}");
    }
}

/// Runs that return to the previous level repeatedly are normal for the device, not outliers.
#[test]
fn alternating_levels_do_not_raise_false_alarms() {
    for noise in [Noise::TwoLevels(0.3), Noise::StickyLevels(0.3, 3.0), Noise::Bursts(0.3)] {
        let share = seen_to_change(40, |random| {
            let mut runs = noise.runs(40, random);
            runs[11] = 0.0;
            runs
        });
        assert!(share < 2.0, "{noise:?}: {share} % seem to change");
    }
}
