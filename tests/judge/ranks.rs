//! Rank statistics against SciPy 1.x (`scipy.stats.mannwhitneyu`, its exact distribution, and simulation); the numbers alone
//! are kept.

use diskspd::stats::ranks::{CONFIDENCE, RankDesign, RankLaw, Shift};

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

fn shift(first: &[f64], other: &[f64]) -> Option<Shift> {
    Shift::estimate_between(first, other, CONFIDENCE)
}

fn power(first: usize, other: usize, deviations: f64) -> f64 {
    RankDesign::Sides(first, other).power(deviations, CONFIDENCE)
}

fn needed(deviations: f64, chance: f64, most: usize) -> Option<usize> {
    RankDesign::needed(|count| RankDesign::Sides(count, count), deviations, chance, CONFIDENCE, most)
}

fn detectable(first: usize, other: usize, chance: f64) -> Option<f64> {
    RankDesign::Sides(first, other).detectable(chance, CONFIDENCE)
}

#[test]
fn rank_sum_distribution_is_exact() {
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
        near(RankLaw::sum(first, other).at_most(u), expected, 1e-12);
        near(RankLaw::sum(other, first).at_most(u), expected, 1e-12);
    }
    // Beyond what is counted out: scipy's exact distribution is 0.02424 here.
    near(RankLaw::sum(60, 60).at_most(1424), 0.02424, 2e-4);
}

#[test]
fn shift_has_interval_and_p_value_of_its_ranks() {
    let first = [10.001, 10.299, 9.726];
    let found = shift(&first, &[9.609, 10.045, 9.508]).unwrap();
    near(found.estimate, -0.254, 1e-9);
    near(found.p_value(), 0.4, 1e-12);
    assert_eq!((found.interval, found.confidence), (None, 0.0), "three and three cannot be so sure");

    let found = shift(&[10.06, 11.34, 9.508, 9.38], &[11.49, 11.357, 11.105, 10.07, 10.971]).unwrap();
    near(found.estimate, 1.171, 1e-9);
    near(found.interval.unwrap().0, -0.369, 1e-9);
    near(found.interval.unwrap().1, 1.982, 1e-9);
    near(found.confidence, 0.9682539682539683, 1e-12);
    near(found.p_value(), 0.1111111111111111, 1e-12);

    let first = [10.695, 8.656, 9.542, 8.099, 8.71, 8.158, 9.765, 8.733];
    let found = shift(&first, &[10.671, 10.557, 10.213, 7.883, 9.861, 10.351, 10.513, 8.87]).unwrap();
    near(found.estimate, 0.993, 1e-9);
    near(found.interval.unwrap().0, -0.216, 1e-9);
    near(found.interval.unwrap().1, 1.901, 1e-9);
    near(found.confidence, 0.9501165501165502, 1e-12);
    near(found.p_value(), 0.13038073038073036, 1e-12);

    let first = [9.522, 9.021, 9.191, 11.061, 9.192, 9.967, 10.884, 9.416, 9.888, 10.11, 10.064, 8.775];
    let found = shift(&first, &[9.276, 10.559, 7.653, 10.059, 9.319, 8.559, 11.2]).unwrap();
    near(found.estimate, -0.1715, 1e-9);
    near(found.interval.unwrap().0, -1.408, 1e-9);
    near(found.interval.unwrap().1, 0.868, 1e-9);
    near(found.p_value(), 0.7732396602365642, 1e-12);
}

#[test]
fn equal_samples_have_no_shift() {
    let same = shift(&[1.0; 6], &[1.0; 6]).unwrap();
    assert_eq!((same.estimate, same.interval, same.p_value()), (0.0, Some((0.0, 0.0)), 1.0));
    assert_eq!(shift(&[], &[1.0]), None);
}

#[test]
fn computed_power_matches_simulation() {
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
    assert_eq!(power(3, 3, 10.0), 0.0, "three and three cannot tell anything");
    near(power(8, 8, 0.0), 0.02494, 0.01);
}

#[test]
fn required_runs_are_the_minimum() {
    for deviations in [0.5, 1.0, 2.0, 5.0] {
        let count = needed(deviations, 0.8, 1000).unwrap();
        assert!(power(count, count, deviations) >= 0.8 && power(count - 1, count - 1, deviations) < 0.8);
    }
    assert_eq!(needed(0.01, 0.8, 1000), None);
    assert_eq!(needed(100.0, 0.8, 1000), Some(4), "fewer cannot be sure of anything");
    near(power(8, 8, detectable(8, 8, 0.8).unwrap()), 0.8, 0.01);
    assert_eq!(detectable(3, 3, 0.8), None);
}

#[test]
fn signed_rank_distribution_matches_tables() {
    // Wilcoxon's tables: the chance of a sum of at most T.
    for (count, sum, expected) in
        [(5, 0, 0.03125), (6, 0, 0.015625), (8, 3, 0.01953125), (8, 4, 0.02734375), (10, 8, 0.0244140625)]
    {
        near(RankLaw::signed(count).at_most(sum), expected, 1e-12);
    }
    let exact = RankLaw::signed(60).at_most(650);
    near(exact, 0.0257, 0.001);
    assert_eq!(RankDesign::Pairs(5).power(10.0, CONFIDENCE), 0.0, "five pairs cannot be so sure");
    near(RankDesign::Pairs(5).surest(), 0.9375, 1e-12);
    // Where games end and the approximation begins they say the same.
    near(RankDesign::Pairs(22).power(0.6, CONFIDENCE), RankDesign::Pairs(23).power(0.6, CONFIDENCE), 0.03);
}

#[test]
fn interval_excludes_0_exactly_if_the_test_is_significant() {
    // Values of few levels, so that most differ from none or are tied; some of them dead.
    let mut random = crate::common::random::Random(7);
    let dead = f64::NEG_INFINITY;
    for _ in 0..3000 {
        let mut draw = |count: usize| -> Vec<f64> {
            (0..count).map(|_| [-1.0, 0.0, 0.0, 1.0, 2.0, dead][(random.uniform() * 6.0) as usize]).collect()
        };
        let (first, other) = (draw(6), draw(8));
        let pairs: Vec<f64> = draw(8).iter().zip(&other).map(|(a, b)| b - a).collect();
        for sure in [0.9, CONFIDENCE, 0.99] {
            for found in [Shift::estimate_between(&first, &other, sure), Shift::estimate_within(&pairs, sure)]
                .into_iter()
                .flatten()
            {
                let Some((low, high)) = found.interval else { continue };
                assert!(low <= high && !low.is_nan() && !high.is_nan(), "{found:?}");
                let clear = low > 0.0 || high < 0.0;
                assert_eq!(
                    clear,
                    found.p_value() <= (1.0 - sure) * (1.0 + 1e-9),
                    "{sure} {found:?} of {pairs:?}"
                );
            }
        }
    }
}

#[test]
fn zero_rate_sides_have_unbounded_or_no_shift() {
    let dead = [f64::NEG_INFINITY; 8];
    let alive = [8.5; 8];
    let found = shift(&alive, &dead).unwrap();
    assert_eq!(
        (found.estimate, found.interval),
        (f64::NEG_INFINITY, Some((f64::NEG_INFINITY, f64::NEG_INFINITY)))
    );
    let none = shift(&dead, &dead).unwrap();
    assert_eq!(
        (none.estimate, none.interval, none.p_value()),
        (0.0, Some((f64::NEG_INFINITY, f64::INFINITY)), 1.0)
    );
}
