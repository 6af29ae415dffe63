//! Comparisons that end when they are sure: their limits, errors, ends and reports.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::comparison::{laid_out, text};
use crate::common::look_study::{Condition, POSITIONS, make_limits, study_comparisons};
use crate::common::noise::Noise;
use crate::common::samples::is_sample;
use diskspd::experiments::compare::{
    ANALYSIS_RUNS, ComparisonQuery, DEFAULT_MARGIN, InterimAnalyses, LEVELS, MAX_PAIRS, RunComparison,
    SequentialDesign, SequentialOutcome, compare, draw_look_order, judge_look, look_after, spent_after,
};

/// Compares the first pairs of a condition; returns the end of the comparison.
fn judged(pairs: usize, factor: f64, loss: Option<f64>) -> (RunComparison, Option<SequentialDesign>) {
    let shares: Vec<f64> = (0..2 * MAX_PAIRS).map(|at| 1.0 + 0.001 * ((at * 5) % 7) as f64).collect();
    let order = draw_look_order(1);
    let [first, other] = laid_out(&shares[..2 * pairs], &order[..2 * pairs], factor);
    let question =
        ComparisonQuery { looks: InterimAnalyses::AfterPairs(pairs), ..ComparisonQuery::default() };
    let comparison = compare(&first, &other, &question).unwrap();
    let end = judge_look(&comparison, pairs, loss);
    (comparison, end)
}

#[test]
fn load_levels_follow_simulated_limits() {
    let count = 20_000;
    let limits = make_limits(count, 5);
    for (limit, level) in limits.iter().zip(LEVELS) {
        let permitted = spent_after(limit.pairs);
        assert!(limit.ended <= permitted, "{limit:?}");
        // A smaller simulation may find a neighbouring value.
        let law_of_level = (limit.level - level).abs() <= 0.15 * level;
        assert!(law_of_level, "{limit:?} {level}");
    }
    assert!((spent_after(MAX_PAIRS) - 0.05).abs() < 1e-12 && spent_after(0) == 0.0);
    assert_eq!(ANALYSIS_RUNS.map(look_after), [1, 2, 3, 4, 5, 6].map(Some));
    assert_eq!([0, 4, 6, 29, 31].map(look_after), [None; 5]);
}

#[test]
fn confidence_grows_with_the_number_of_figures() {
    for pairs in 1..=MAX_PAIRS {
        let of_figures = [1, 2, 5, 50].map(|figures| InterimAnalyses::AfterPairs(pairs).confidence(figures));
        assert!(of_figures.is_sorted() && of_figures[0] > 0.95 && of_figures[3] < 1.0, "{pairs}");
    }
    // All looks together keep the rate of each figure.
    for figures in [2, 7, 50] {
        let rest = ANALYSIS_RUNS.map(|pairs| 1.0 - InterimAnalyses::AfterPairs(pairs).confidence(figures));
        assert!((rest.iter().sum::<f64>() - 0.05 / figures as f64).abs() < 1e-9, "{rest:?}");
    }
    assert_eq!(InterimAnalyses::Equal(0).confidence(0), 0.95);
    assert_eq!((InterimAnalyses::Equal(4).count(), InterimAnalyses::AfterPairs(5).count()), (4, 6));
}

#[test]
fn large_difference_ends_at_first_analysis() {
    let (comparison, end) = judged(5, 0.5, None);
    let end = end.unwrap();
    assert_eq!((end.pairs, end.look, end.ended), (5, Some(1), SequentialOutcome::Difference));
    let comparison = RunComparison { until_sure: Some(end), ..comparison };
    let found = comparison.primary().next().unwrap();
    assert!(found.confidence_percent.unwrap() > 99.0 && found.corrected_p_value <= Some(0.05));
    assert_eq!(comparison.looks, 6);
    is_sample("answers", "compare: until sure", &text(&comparison));
    let csv = diskspd::experiments::compare::csv(&comparison);
    let ends = |line: &str, end: &str| line.trim_end().ends_with(end);
    assert!(ends(csv.lines().next().unwrap(), "pairs,look,ended"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| ends(line, "5,1,difference")), "{csv}");
}

#[test]
fn equal_sides_end_as_equivalent() {
    let ends: Vec<SequentialOutcome> =
        ANALYSIS_RUNS.iter().filter_map(|pairs| Some(judged(*pairs, 1.0, None).1?.ended)).collect();
    assert_eq!(ends.first(), Some(&SequentialOutcome::Equivalence), "{ends:?}");
    let (_, never) = judged(5, 0.97, None);
    assert!(never.is_none_or(|end| end.ended == SequentialOutcome::Difference));
}

#[test]
fn bisection_ends_when_its_judgement_is_certain() {
    for (factor, loss) in [(1.0, 0.2), (0.8, 0.2), (0.97, 0.5)] {
        let (_, end) = judged(5, factor, Some(loss));
        assert_eq!(end.unwrap().ended, SequentialOutcome::Bisected, "{factor} {loss}");
    }
    // Halfway between both.
    assert_eq!(judged(5, 0.8_f64.sqrt(), Some(0.2)).1, None);
    assert_eq!(judged(MAX_PAIRS, 0.8_f64.sqrt(), Some(0.2)).1.unwrap().ended, SequentialOutcome::MaxPairs);
}

#[test]
fn uncertain_comparison_ends_after_all_pairs() {
    let all: Vec<f64> = Noise::White(0.1).runs(2 * MAX_PAIRS, &mut crate::common::random::Random(8));
    let order = draw_look_order(4);
    for pairs in ANALYSIS_RUNS {
        let [first, other] = laid_out(&all[..2 * pairs], &order[..2 * pairs], 0.99);
        let question =
            ComparisonQuery { looks: InterimAnalyses::AfterPairs(pairs), ..ComparisonQuery::default() };
        let comparison = compare(&first, &other, &question).unwrap();
        let end = judge_look(&comparison, pairs, None).map(|end| end.ended);
        assert_eq!(end, (pairs == MAX_PAIRS).then_some(SequentialOutcome::MaxPairs), "{pairs}");
    }
}

#[test]
fn stopped_comparison_has_wider_intervals() {
    for pairs in [1, 4, 6, 7, 29] {
        assert_eq!(SequentialDesign::stopped(pairs).look, None);
        let confidence = InterimAnalyses::AfterPairs(pairs).confidence(1);
        assert!((0.95..1.0).contains(&confidence), "{pairs}: {confidence}");
    }
    assert_eq!(SequentialDesign::stopped(8).look, Some(2));
    assert!(judged(7, 0.5, None).1.is_none(), "no look");
}

#[test]
fn figures_without_values_end_at_once() {
    let order = draw_look_order(1);
    let [first, other] = laid_out(&[0.0; 10], &order[..10], 1.0);
    let question = ComparisonQuery { looks: InterimAnalyses::AfterPairs(5), ..ComparisonQuery::default() };
    let comparison = compare(&first, &other, &question).unwrap();
    assert_eq!(judge_look(&comparison, 5, None).unwrap().ended, SequentialOutcome::NoFigure);
}

#[test]
fn repeated_analyses_keep_false_alarm_rate() {
    let noises = [
        (Noise::White(0.03), 0.0),
        (Noise::StickyLevels(0.07, 6.0), 0.0),
        (Noise::Bursts(0.3), 0.0),
        (Noise::DeadRuns(0.03), 0.0),
        (Noise::White(0.03), 0.03),
    ];
    let conditions = noises.map(|(noise, drift)| Condition::Noise(noise, drift)).into_iter();
    let positions = POSITIONS.into_iter().map(|position| Condition::Position(position, 0.005));
    let count = 40;
    let mut called = 0.0;
    let all: Vec<Condition> = conditions.chain(positions).collect();
    for condition in &all {
        let found = study_comparisons(*condition, 1.0, DEFAULT_MARGIN, count);
        // Five of 40: beyond three standard deviations of 5 %.
        assert!(found.different <= 0.16, "{condition:?}: {found:?}");
        called += found.different;
    }
    assert!(called / all.len() as f64 <= 0.08, "{called}");
    let lost = study_comparisons(Condition::Noise(Noise::White(0.03), 0.0), 0.8, DEFAULT_MARGIN, count);
    assert!(lost.different == 1.0 && lost.mean_pairs < 7.0, "{lost:?}");
}
