//! Rank statistics against SciPy 1.x (`scipy.stats.mannwhitneyu`, its exact distribution, and simulation); the numbers alone
//! are kept.

use diskspd::stats::ranks::{RankSum, detectable, holm, needed, power, shift};

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn the_distribution_of_the_rank_sum_is_the_exact_one() {
    for (first, other, u, expected) in [
        (3, 3, 0, 0.05),
        (3, 3, 4, 0.5),
        (4, 4, 0, 0.014285714285714285),
        (4, 4, 8, 0.5571428571428572),
        (8, 8, 13, 0.02494172494172494),
        (8, 8, 14, 0.032478632478632474),
        (5, 9, 7, 0.020979020979020976),
        (5, 9, 20, 0.3986013986013986),
        (20, 30, 199, 0.022933524258800197),
        (50, 50, 962, 0.023582988525930864),
        (50, 50, 1250, 0.5013688955007595),
    ] {
        near(RankSum::of(first, other).at_most(u), expected, 1e-12);
        near(RankSum::of(other, first).at_most(u), expected, 1e-12);
    }
    // Beyond what is counted out: scipy's exact distribution is 0.02424 here.
    near(RankSum::of(60, 60).at_most(1424), 0.02424, 2e-4);
}

#[test]
fn shifts_have_the_interval_and_the_chance_of_their_ranks() {
    let first = [10.001, 10.299, 9.726];
    let found = shift(&first, &[9.609, 10.045, 9.508]).unwrap();
    near(found.estimate, -0.254, 1e-9);
    near(found.chance, 0.4, 1e-12);
    assert_eq!((found.interval, found.confidence), (None, 0.0), "three and three can't be so sure");

    let found = shift(&[10.06, 11.34, 9.508, 9.38], &[11.49, 11.357, 11.105, 10.07, 10.971]).unwrap();
    near(found.estimate, 1.171, 1e-9);
    near(found.interval.unwrap().0, -0.369, 1e-9);
    near(found.interval.unwrap().1, 1.982, 1e-9);
    near(found.confidence, 0.9682539682539683, 1e-12);
    near(found.chance, 0.1111111111111111, 1e-12);

    let first = [10.695, 8.656, 9.542, 8.099, 8.71, 8.158, 9.765, 8.733];
    let found = shift(&first, &[10.671, 10.557, 10.213, 7.883, 9.861, 10.351, 10.513, 8.87]).unwrap();
    near(found.estimate, 0.993, 1e-9);
    near(found.interval.unwrap().0, -0.216, 1e-9);
    near(found.interval.unwrap().1, 1.901, 1e-9);
    near(found.confidence, 0.9501165501165502, 1e-12);
    near(found.chance, 0.13038073038073036, 1e-12);

    let first = [9.522, 9.021, 9.191, 11.061, 9.192, 9.967, 10.884, 9.416, 9.888, 10.11, 10.064, 8.775];
    let found = shift(&first, &[9.276, 10.559, 7.653, 10.059, 9.319, 8.559, 11.2]).unwrap();
    near(found.estimate, -0.1715, 1e-9);
    near(found.interval.unwrap().0, -1.408, 1e-9);
    near(found.interval.unwrap().1, 0.868, 1e-9);
    near(found.chance, 0.7732396602365642, 1e-12);
}

#[test]
fn equal_samples_are_not_different() {
    let same = shift(&[1.0; 6], &[1.0; 6]).unwrap();
    assert_eq!((same.estimate, same.interval, same.chance), (0.0, Some((0.0, 0.0)), 1.0));
    assert_eq!(shift(&[], &[1.0]), None);
}

#[test]
fn power_is_what_simulation_finds() {
    // 200,000 pairs of normal samples each.
    for (first, other, deviations, simulated) in [
        (4, 4, 2.0, 0.489),
        (4, 4, 3.0, 0.833),
        (5, 5, 1.5, 0.435),
        (20, 20, 1.5, 0.994),
        (8, 8, 1.0, 0.441),
        (8, 8, 1.5, 0.771),
        (20, 20, 0.8, 0.667),
        (5, 12, 1.2, 0.521),
    ] {
        near(power(first, other, deviations), simulated, 0.025);
    }
    assert_eq!(power(3, 3, 10.0), 0.0, "three and three can't tell anything");
    near(power(8, 8, 0.0), 0.02494, 0.01);
}

#[test]
fn what_is_needed_is_the_least_that_suffices() {
    for deviations in [0.5, 1.0, 2.0, 5.0] {
        let count = needed(deviations, 0.8, 1000).unwrap();
        assert!(power(count, count, deviations) >= 0.8 && power(count - 1, count - 1, deviations) < 0.8);
    }
    assert_eq!(needed(0.01, 0.8, 1000), None);
    assert_eq!(needed(100.0, 0.8, 1000), Some(4), "fewer can't be sure of anything");
    near(power(8, 8, detectable(8, 8, 0.8).unwrap()), 0.8, 0.01);
    assert_eq!(detectable(3, 3, 0.8), None);
}

#[test]
fn several_chances_are_corrected_for_their_number() {
    // statsmodels' multipletests(method="holm"), worked out by hand.
    let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (found, expected) in corrected.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
        near(found, expected, 1e-12);
    }
    assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
}
