//! Tests of checks against a baseline of four tests. Only a lost performance of one test is reported, with
//! sessions known before or after the baseline, matched by test name.

#![allow(clippy::unwrap_used)]

use crate::common::noise::{Noise, STATIONARY, TREACHEROUS};
use crate::common::random::Random as Draws;
use crate::common::samples::is_sample;
use crate::judge::comparison::{normal, run, side, text};
use diskspd::experiments::compare::{
    ChangeVerdict, Compared, ComparisonQuery, InterimAnalyses, RunComparison, Side, SideRun, TestQuestion,
    answer_sentence, compare, compare_knowing,
};
use diskspd::workload::Random;

const DAY: i64 = 24 * 3600 * 1000;
const TESTS: [(&str, f64); 4] = [("reads", 200e3), ("writes", 500e3), ("mixed", 150e3), ("scan", 13e3)];

fn session(day: i64, lost: Option<&str>, random: &mut Random) -> Vec<SideRun> {
    let mut runs = Vec::new();
    for (test, usual) in TESTS {
        let level = usual * (0.004 * normal(random)).exp() * if lost == Some(test) { 0.9 } else { 1.0 };
        for round in 0..5 {
            let run = run(level * (0.005 * normal(random)).exp(), |span| {
                // What tells the work of the tests apart.
                span.parameters.threads = Some(usual as u64);
            });
            runs.push(SideRun {
                began_ms: Some(day * DAY + round * 1000),
                test: Some(test.to_owned()),
                ..run
            });
        }
    }
    runs
}

fn checked(seed: u64, before: i64, after: i64, lost: Option<&str>) -> RunComparison {
    let mut random = Random::new(seed);
    let days = (-before..0).chain(1..=after);
    let past: Vec<SideRun> = days.flat_map(|day| session(day, None, &mut random)).collect();
    let baseline = side(session(0, None, &mut random));
    let now = side(session(after + 1, lost, &mut random));
    compare_knowing(&baseline, &now, &past, &ComparisonQuery::default()).unwrap()
}

fn changed(comparison: &RunComparison) -> Vec<&str> {
    let changed = comparison.time_spans.iter().filter(|span| span.metrics[0].is_change());
    changed.map(|span| comparison.workload_name(span)).collect()
}

#[test]
fn ten_percent_loss_in_one_test_is_named() {
    for (before, after) in [(12, 0), (0, 12), (6, 6)] {
        for seed in 0..20 {
            let what = format!("{before} before, {after} after, try {seed}");
            let lost = checked(seed, before, after, Some("mixed"));
            assert_eq!(changed(&lost), ["mixed"], "{what}");
            if seed == 0 {
                let said = answer_sentence(&lost, &|_| 1.0);
                is_sample("answers", &format!("baseline: one test worse, {before} before"), &said);
            }
            assert!(changed(&checked(seed, before, after, None)).is_empty(), "{what}");
        }
    }
}

#[test]
fn loss_of_tenth_needs_more_sessions() {
    let comparison = checked(1, 2, 0, Some("mixed"));
    assert!(changed(&comparison).is_empty());
    is_sample("answers", "baseline: too few sessions", &answer_sentence(&comparison, &|_| 1.0));
}

fn of_one(at_ms: i64, boot: &str, level: f64, random: &mut Draws) -> Vec<SideRun> {
    let mut one = |round: i64| SideRun {
        began_ms: Some(at_ms + round * 60_000),
        boot: Some(boot.to_owned()),
        ..run(5000.0 * level * (1.0 + 0.005 * random.normal()), |_| ())
    };
    (0..5).map(&mut one).collect()
}

fn verdict(comparison: &RunComparison) -> ChangeVerdict {
    comparison.primary().next().unwrap().verdict
}

/// Returns the number of false alarms in `tries`: nine sessions, the last of which is the baseline, and a
/// check `later` sessions after it. The sessions between are all known or unknown.
fn alarms(tries: u64, noise: Noise, later: usize, are_known: bool) -> u32 {
    const KNOWN: usize = 9;
    let mut alarms = 0;
    for seed in 0..tries {
        let mut random = Draws(seed * 6007 + 9);
        let levels = noise.runs(KNOWN + later, &mut random);
        let mut at = |day: usize| of_one(day as i64 * DAY, "one", levels[day], &mut random);
        let mut past: Vec<SideRun> = (0..KNOWN - 1).flat_map(&mut at).collect();
        let baseline = side(at(KNOWN - 1));
        if are_known {
            past.extend((KNOWN..KNOWN + later - 1).flat_map(&mut at));
        }
        let now = side(at(KNOWN + later - 1));
        let comparison = compare_knowing(&baseline, &now, &past, &ComparisonQuery::default()).unwrap();
        alarms += u32::from(comparison.primary().any(Compared::is_change));
    }
    alarms
}

#[test]
fn correlated_sessions_raise_no_later_alarm() {
    for noise in [Noise::Autocorrelated(0.8, 0.03), Noise::Autocorrelated(0.97, 0.03), Noise::Wander(0.03)] {
        for (later, are_known) in [(1, false), (30, true), (100, false)] {
            let alarms = alarms(100, noise, later, are_known);
            assert!(alarms <= 11, "{noise:?}, {later} later: {alarms} of 100");
        }
    }
}

/// Makes the table of docs/design/false-alarms.md.
#[test]
#[ignore = "takes minutes without optimization"]
fn baseline_false_alarm_rate_over_thousand_checks() {
    let all = STATIONARY.iter().chain(&TREACHEROUS).chain(&[SLOWEST]);
    // A session in which nothing was done at all is a change, whatever the reason.
    for (name, noise) in all.filter(|(_, noise)| !matches!(noise, Noise::DeadRuns(_))) {
        let share = |later, are_known| f64::from(alarms(1000, *noise, later, are_known)) / 10.0;
        let shares = [(1, false), (10, false), (100, false), (10, true), (30, true)];
        let shares = shares.map(|(later, are_known)| format!("{:.1}", share(later, are_known)));
        println!("| {name} | {} |", shares.join(" | "));
    }
}

const SLOWEST: (&str, Noise) = ("AR(1) 0.97", Noise::Autocorrelated(0.97, 0.03));

#[test]
fn close_sessions_do_not_predict_later_ones() {
    let mut random = Draws(5);
    let apart = 25 * 60_000;
    let past: Vec<SideRun> = (0..9).flat_map(|at| of_one(at * apart, "one", 1.0, &mut random)).collect();
    let baseline = side(of_one(9 * apart, "one", 1.0, &mut random));
    for (at, told) in [(10 * apart, ChangeVerdict::Worse), (8 * DAY, ChangeVerdict::CantTell)] {
        let now = side(of_one(at, "one", 0.9, &mut random));
        let comparison = compare_knowing(&baseline, &now, &past, &ComparisonQuery::default()).unwrap();
        assert_eq!(verdict(&comparison), told, "{at}");
        let said = answer_sentence(&comparison, &|_| 1.0);
        let closer = "closer together than the two sides, 7 days: run these tests in sessions over as long";
        assert_eq!(said.contains(closer), told == ChangeVerdict::CantTell, "{said}");
    }
}

#[test]
fn sessions_of_one_boot_do_not_predict_the_next() {
    let mut random = Draws(7);
    let check = |boots: i64, loss: f64, random: &mut Draws| {
        let boot = |day: i64| format!("boot {}", day * boots / 10);
        let mut past: Vec<SideRun> =
            (0..10).flat_map(|day| of_one(day * DAY, &boot(day), 1.0, random)).collect();
        let baseline = side(past.split_off(past.len() - 5));
        let now = side(of_one(10 * DAY, "another", 1.0 - loss, random));
        compare_knowing(&baseline, &now, &past, &ComparisonQuery::default()).unwrap()
    };
    let of_one_boot = check(1, 0.1, &mut random);
    assert_eq!(verdict(&of_one_boot), ChangeVerdict::CantTell);
    let said = answer_sentence(&of_one_boot, &|_| 1.0) + "\n" + &text(&of_one_boot);
    is_sample("answers", "baseline: sessions of one boot", &said);
    assert_eq!(verdict(&check(10, 0.1, &mut random)), ChangeVerdict::Worse);
    assert_eq!(verdict(&check(1, 0.6, &mut random)), ChangeVerdict::Worse);
}

#[test]
fn tests_are_compared_by_their_names() {
    let of = |tests: &[(&str, f64)]| -> Side {
        let run = |(test, iops): &(&str, f64)| SideRun { test: Some((*test).into()), ..run(*iops, |_| ()) };
        side(tests.iter().map(run).collect())
    };
    let first = of(&[("a", 100.0), ("b", 900.0), ("gone", 1.0)]);
    let other = of(&[("b", 900.0), ("a", 100.0), ("new", 1.0)]);
    let comparison = compare(&first, &other, &ComparisonQuery::default()).unwrap();
    let names: Vec<&str> = comparison.workloads.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(comparison.unmatched, [vec!["gone".to_owned()], vec!["new".to_owned()]]);
    is_sample("answers", "baseline: tests of one side", &answer_sentence(&comparison, &|_| 1.0));
    let mut without = comparison;
    let decides = &mut without.time_spans[0].metrics[0];
    (decides.verdict, decides.reason) = (ChangeVerdict::NotCompared, Some("only 2 I/Os".into()));
    is_sample("answers", "baseline: a test that is not compared", &answer_sentence(&without, &|_| 1.0));
}

#[test]
fn each_test_fails_by_its_allowance() {
    let question = |worse| ComparisonQuery {
        tests: [("mixed".to_owned(), TestQuestion { worse, ..TestQuestion::default() })].into(),
        ..ComparisonQuery::default()
    };
    let comparison = checked(3, 12, 0, Some("mixed"));
    let fails = |question: &ComparisonQuery, by| {
        comparison.time_spans.iter().any(|span| question.exceeds_limit(&comparison, span, by))
    };
    for (worse, by, expected) in [(0.0, 0.0, true), (0.05, 0.0, true), (0.2, 0.0, false), (0.0, 0.2, false)] {
        assert_eq!(fails(&question(worse), by), expected, "{worse} {by}");
    }
}

#[test]
fn repeated_analyses_share_the_error_rate() {
    let mut random = Random::new(5);
    let runs = |day, random: &mut Random| side(session(day, None, random));
    let (first, other) = (runs(0, &mut random), runs(0, &mut random));
    let sure = |looks| {
        let question = ComparisonQuery { looks: InterimAnalyses::Equal(looks), ..ComparisonQuery::default() };
        let comparison = compare(&first, &other, &question).unwrap();
        assert!(comparison.primary().all(|metric| metric.verdict != ChangeVerdict::Worse));
        comparison.primary().next().unwrap().corrected_p_value.unwrap()
    };
    assert!(sure(4) >= sure(1));
}
