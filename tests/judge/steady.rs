//! Tests of steadiness: simulated devices whose speed changes, and courses of numbers.

#![allow(clippy::unwrap_used)]

use crate::common::random::Random;
use crate::common::{Ended, diskspd, read_json};
use diskspd::engines::Direction;
use diskspd::profile::TargetId;
use diskspd::results::IoErrors;
use diskspd::stats::{SeriesShape, Shape};
use serde_json::Value;
use std::path::Path;

/// Findings of an unsteady rate.
const SHAPES: [&str; 6] = ["changed", "rising", "falling", "interrupted", "periodic", "uneven"];

fn simulate(line: &str) -> (String, Value) {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("r.json");
    let line = format!("-v -c1G -D --out {} {line} x", record.display());
    let ended = diskspd(&line, Path::new("")).succeeds();
    let record: Value = read_json(record);
    (ended.stderr, record["judgement"]["steadiness"][0].clone())
}

#[test]
fn speed_changes_of_devices_are_detected() {
    for (line, verdict, words) in [
        ("--engine sim -r -o4 -W0 -d20", "steady", &["NOTE: steady for 20 s"][..]),
        ("--engine sim -r -o1 -g500i -W0 -d20", "steady", &["500 IOPS"]),
        (
            "--engine sim:cliff -w100 -b1M -o1 -W0 -d40",
            "changed",
            &["WARNING: not steady: the rate changed at second 15", "a fast write cache", "-> ", "-W15"],
        ),
        // What is read never fills a write cache.
        ("--engine sim:cliff -w0 -b1M -o1 -W0 -d40", "steady", &[]),
        (
            "--engine sim:throttle -r -o1 -W0 -d40",
            "changed",
            &["the rate changed at second 19", "3000 IOPS, a round number"],
        ),
        ("--engine sim:throttle -r -o1 -g2000i -W0 -d40", "steady", &[]),
        (
            "--engine sim:drift -r -o1 -W0 -d30",
            "falling",
            &["the rate still fell at the end", "--until-steady"],
        ),
        ("--engine sim:drift -r -o1 -W0 -d120", "falling", &["the rate fell until second"]),
    ] {
        let (stderr, steadiness) = simulate(line);
        assert_eq!(steadiness["verdict"], verdict, "{line}: {stderr}");
        for word in words {
            assert!(stderr.contains(word), "{word:?} is not in what {line} says: {stderr}");
        }
        assert_eq!(stderr.contains("WARNING"), verdict != "steady", "{line}: {stderr}");
    }
}

#[test]
fn proposed_warm_up_makes_the_run_steady() {
    for (line, least) in [
        ("--engine sim:cliff -w100 -b1M -o1", 14),
        ("--engine sim:throttle -r -o1", 18),
        ("--engine sim:drift -r -o1", 45),
    ] {
        let (_, steadiness) = simulate(&format!("{line} -W0 -d120"));
        let proposed = steadiness["warm_up"].as_u64().unwrap();
        assert!((least..=62).contains(&proposed), "{line}: {proposed}");
        let (stderr, steadiness) = simulate(&format!("{line} -W{proposed} -d60"));
        assert_eq!(steadiness["verdict"], "steady", "{line} -W{proposed}: {stderr}");
    }
}

#[test]
fn proposed_warm_up_includes_the_actual_one() {
    let (_, steadiness) = simulate("--engine sim:throttle -r -o1 -W8 -d40");
    assert_eq!(steadiness["warm_up"], 19, "{steadiness}");
}

#[test]
fn short_runs_have_no_verdict() {
    let (stderr, steadiness) = simulate("--engine sim -r -W0 -d9");
    assert_eq!(steadiness, Value::Null);
    assert!(!stderr.contains("steady"), "{stderr}");
}

#[test]
fn until_steady_starts_measuring_at_steady_state() {
    let directory = tempfile::tempdir().unwrap();
    let run = |options: &str| -> (Ended, Value) {
        let record = directory.path().join(options);
        let line = format!("-c1M -W0 -d1 -g4000i --engine null --out json:{} {options} x", record.display());
        let ended = diskspd(&line, Path::new("")).succeeds();
        let stored: Value = read_json(&record);
        (ended, stored["hosts"][0]["results"]["time_spans"][0]["observed"]["warm_up"].clone())
    };
    // It takes ten seconds to be sure.
    let ((ended, warm_up), (sure, until_sure)) = std::thread::scope(|scope| {
        let sure = scope.spawn(|| run("--until-steady=120"));
        (run("--until-steady=2"), sure.join().unwrap())
    });
    // Too short for any verdict: it measures all the same, and says so.
    assert_eq!(warm_up, serde_json::json!({ "seconds": 2, "limit": 2, "steady": false }));
    assert!(ended.stderr.lines().any(|line| line.starts_with("WARNING: ")), "{}", ended.stderr);
    assert_eq!(until_sure["steady"], true, "{}", sure.stderr);
    assert!(until_sure["seconds"].as_u64() >= Some(10), "{until_sure}");
    assert!(sure.stderr.contains("steady-after"), "{}", sure.stderr);
}

#[test]
fn until_steady_is_refused_in_simulated_time() {
    let ended = diskspd("-c1M -d1 --engine sim:drift --until-steady x", Path::new(""));
    ended.fails(3, &["--until-steady", "simulated", "-W<seconds>"]);
}

/// Variation of a steady device.
#[derive(Debug, Clone, Copy)]
struct Noise {
    /// Standard deviation of an interval, as a share of the rate.
    deviation: f64,
    /// Correlation of consecutive intervals.
    autocorrelation: f64,
    /// Share of the intervals with a stall, at 20 to 70 % of the rate.
    stalls: f64,
}

const NOISES: [Noise; 8] = [
    Noise { deviation: 0.0, autocorrelation: 0.0, stalls: 0.0 },
    Noise { deviation: 0.01, autocorrelation: 0.0, stalls: 0.0 },
    Noise { deviation: 0.03, autocorrelation: 0.0, stalls: 0.0 },
    Noise { deviation: 0.05, autocorrelation: 0.0, stalls: 0.0 },
    Noise { deviation: 0.02, autocorrelation: 0.6, stalls: 0.0 },
    Noise { deviation: 0.03, autocorrelation: 0.5, stalls: 0.0 },
    Noise { deviation: 0.02, autocorrelation: 0.8, stalls: 0.0 },
    Noise { deviation: 0.02, autocorrelation: 0.0, stalls: 0.03 },
];

fn series(random: &mut Random, count: usize, noise: Noise) -> Vec<f64> {
    let Noise { deviation, autocorrelation: a, stalls } = noise;
    let mut error = random.normal();
    let rate = |_| {
        error = a * error + (1.0 - a * a).sqrt() * random.normal();
        let stall = if random.uniform() < stalls { 0.2 + 0.5 * random.uniform() } else { 1.0 };
        10_000.0 * (1.0 + deviation * error) * stall
    };
    (0..count).map(rate).collect()
}

const SEEDS: u64 = 1000;

#[test]
fn noise_alone_is_steady() {
    // Noise of 10 and 20 % too: it changes no mean, however much it scatters. What it may hide is another question.
    let wild = [0.1, 0.2].map(|deviation| Noise { deviation, autocorrelation: 0.0, stalls: 0.0 });
    let cases = NOISES.map(|noise| (noise, false)).into_iter().chain(wild.map(|noise| (noise, true)));
    for (noise, may_hide) in cases {
        let alarms: Vec<(u64, SeriesShape)> = (0..SEEDS)
            .filter_map(|seed| {
                let random = &mut Random(seed);
                let count = 10 + (random.uniform() * 111.0) as usize;
                let course = SeriesShape::classify(&series(random, count, noise)).unwrap();
                let is_level = if may_hide { course.shape == Shape::Level } else { course.is_steady() };
                (!is_level).then_some((seed, course))
            })
            .collect();
        assert!(alarms.len() < SEEDS as usize / 100, "{noise:?}: {} false alarms: {alarms:?}", alarms.len());
    }
}

#[test]
fn interruptions_in_noise_are_found_with_period() {
    type RateShape = fn(usize) -> f64;
    let dip: RateShape = |second| if (5..8).contains(&second) { 0.4 } else { 1.0 };
    let first: RateShape = |second| if second < 2 { 0.2 } else { 1.0 };
    let stalls: RateShape = |second| if second % 4 == 2 { 0.02 } else { 1.0 };
    let alternating: RateShape = |second| if second % 2 == 0 { 0.5 } else { 1.0 };
    let bursts: RateShape = |second| if second % 6 == 2 { 3.0 } else { 1.0 };
    for (name, course, count, period, settles) in [
        ("dip", dip, 12, None, None),
        ("slow start", first, 12, None, Some(2)),
        ("stalls", stalls, 20, Some(4.0), None),
        ("stalls", stalls, 600, Some(4.0), None),
        ("alternating", alternating, 12, Some(2.0), None),
        ("alternating", alternating, 300, Some(2.0), None),
        ("bursts", bursts, 60, Some(6.0), None),
    ] {
        for noise in NOISES.into_iter().filter(|noise| noise.deviation < 0.04 && noise.stalls == 0.0) {
            let mut others = Vec::new();
            for seed in 0..100 {
                let rates = series(&mut Random(seed), count, noise);
                let rates: Vec<f64> = rates.iter().enumerate().map(|(i, rate)| rate * course(i)).collect();
                let found = diskspd::stats::SeriesShape::classify(&rates).unwrap();
                let right = match &found.shape {
                    Shape::Interrupted(found) => found.period == period,
                    _ => false,
                };
                if !right || found.is_steady() || found.settles_at() != settles {
                    others.push((seed, found));
                }
            }
            assert!(others.len() <= 1, "{name}, {noise:?}: {} of 100: {:?}", others.len(), others.first());
        }
    }
}

#[test]
fn interruption_is_reported_with_its_share_of_mean() {
    for (course, words) in [
        (
            (|second| if (5..8).contains(&second) { 400 } else { 1000 }) as fn(u64) -> u64,
            &[
                "not steady: it was interrupted from second 5 to 8: for 3 of 12 s at 400 instead of 1000 IOPS (-60 %)",
                "the overall mean, 850 IOPS, is 15 % below the rate between the interruptions",
            ][..],
        ),
        (
            |second| if second % 4 == 3 { 0 } else { 1000 },
            &["interrupted every 4 s: for 3 of 12 s at 0 instead of 1000 IOPS (-100 %)"],
        ),
        (
            |second| 1000 * (1 + second % 2),
            &["interrupted every 2 s: for 6 of 12 s at 1000 instead of 2000 IOPS (-50 %)"],
        ),
        (
            |second| if second < 2 { 100 } else { 1000 },
            &["interrupted from second 0 to 2", "warm up until it is steady: -W2"],
        ),
    ] {
        let judgement = with_samples((0..12).map(course));
        let finding = judgement.findings.iter().find(|finding| finding.name == "interrupted").unwrap();
        let text = format!("{}; {}; {:?}", finding.message, finding.evidence.join("; "), finding.remedy);
        for words in words {
            assert!(text.contains(words), "{words}: {text}");
        }
        let steadiness = judgement.steadiness[0].as_ref().unwrap();
        assert!(
            steadiness.interruptions.is_some() && steadiness.mean_iops < 0.9 * steadiness.iops,
            "{steadiness:?}"
        );
    }
    assert!(with_samples([1000; 12].into_iter()).findings.iter().any(|finding| finding.name == "steady"));
}

#[test]
fn collapse_is_not_warm_up() {
    let error = IoErrors {
        target: TargetId(0),
        direction: Direction::Read,
        errno: 5,
        count: 2,
        first_offset: 0,
        at_us: Vec::new(),
    };
    let dies = [1800, 1700, 1500, 1300, 400, 0, 0, 0, 0, 0, 0, 0];
    let at_once = [760, 340, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let halves = [1000, 1000, 1000, 1000, 1000, 1000, 500, 500, 500, 500, 500, 500];
    for (ios, errors, words) in [
        (dies, vec![], ["to 0 IOPS", "find out why I/O almost stopped: see dmesg"]),
        (
            at_once,
            vec![],
            [
                "from second 2 on next to nothing was completed: 0 IOPS instead of 550",
                "find out why I/O almost stopped: see dmesg",
            ],
        ),
        (halves, vec![error], ["at second 6: from 1000 to 500 IOPS", "find out why I/Os failed"]),
        (halves, vec![], ["at second 6: from 1000 to 500 IOPS", "-W6, or --until-steady"]),
    ] {
        let judgement = with_errors(ios.into_iter(), errors);
        let finding = judgement.findings.iter().find(|finding| SHAPES.contains(&finding.name)).unwrap();
        let text = format!("{} -> {}", finding.message, finding.remedy.as_deref().unwrap());
        for words in words {
            assert!(text.contains(words), "{words}: {text}");
        }
        let warm_up = judgement.steadiness[0].as_ref().unwrap().warm_up;
        assert_eq!(warm_up.is_some(), text.contains("-W"), "{text}");
    }
}

/// A flat rate after a burst indicates a limit. Almost no I/O after a burst is a breakdown.
#[test]
fn a_flat_rate_after_a_burst_is_a_limit() {
    let burst = |before: &[u64], after: &dyn Fn(u64) -> u64| -> Vec<u64> {
        before.iter().copied().chain((0..28).map(after)).collect()
    };
    for (course, verdict, remedy) in [
        (burst(&[577_000, 500_000], &|_| 3000), "changed", Some("credits")),
        (burst(&[577_000, 500_000], &|second| 3100 + second % 7), "changed", Some("credits")),
        (burst(&[90_000], &|_| 100), "changed", Some("credits")),
        (burst(&[577_000, 500_000], &|_| 0), "interrupted", Some("almost stopped")),
        (burst(&[577_000, 500_000], &|second| second % 3), "interrupted", Some("almost stopped")),
        (burst(&[577_000, 500_000], &|second| if second % 9 == 0 { 400 } else { 2 }), "interrupted", None),
    ] {
        let judgement = with_samples(course.iter().copied());
        let finding = judgement.findings.iter().find(|finding| finding.name == verdict).unwrap();
        let said = finding.remedy.as_deref().unwrap();
        assert!(remedy.is_none_or(|remedy| said.contains(remedy)), "{course:?}: {said}");
        assert_eq!(said.contains("dmesg"), verdict == "interrupted", "{course:?}: {said}");
    }
}

#[test]
fn low_io_counts_are_not_interruptions() {
    let spread = |period: usize, ios: u64| -> Vec<u64> {
        (0..60).map(|second| if second % period == 0 { ios } else { 0 }).collect()
    };
    let random = || {
        let mut random = Random(3);
        (0..60).map(|_| u64::from(random.uniform() < 0.3)).collect::<Vec<u64>>()
    };
    for (course, verdict) in [
        // One I/O in 5 s, one a second, four at once; a device that works for a second and rests.
        (spread(5, 1), None),
        (random(), None),
        (spread(1, 1), None),
        (spread(7, 4), None),
        (spread(2, 9), Some("steady")),
        (spread(4, 4000), Some("periodic")),
        (spread(1, 500), Some("steady")),
    ] {
        let judgement = with_samples(course.iter().copied());
        let found = judgement.steadiness[0].as_ref().map(|steady| steady.verdict);
        let found = found.map(|verdict| serde_json::to_value(verdict).unwrap().as_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), verdict, "{course:?}");
        let texts = serde_json::to_string(&judgement.findings).unwrap();
        assert!(!texts.contains("inf") && !texts.contains("NaN"), "{texts}");
    }
}

/// Requested pauses do not count as unsteadiness. A lasting change does, except in a replay.
#[test]
fn requested_pauses_are_not_interruptions() {
    let pauses = |second: u64| if second % 4 < 2 { 0 } else { 4000 };
    let falls = |second: u64| if second < 20 { 4000 } else { 1000 };
    for (think_time, replays, course, verdict) in [
        (None, false, pauses as fn(u64) -> u64, Some("interrupted")),
        (Some(2000), false, pauses, None),
        (None, true, pauses, None),
        (Some(2000), false, falls, Some("changed")),
        (None, true, falls, None),
        (None, true, |_| 4000, Some("steady")),
    ] {
        let mut record = sampled((0..40).map(course), Vec::new());
        let target = &mut record.profile.time_spans[0].targets[0];
        (target.think_time, target.burst_size) = (think_time, think_time.map(|_| 8000));
        record.run_options.as_mut().unwrap().replay = replays.then(Default::default);
        let judgement = diskspd::checks::judge(&record, &diskspd::results::summarize(&record));
        let found = judgement.steadiness[0].as_ref().map(|steady| steady.verdict);
        let found = found.map(|verdict| serde_json::to_value(verdict).unwrap().as_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), verdict, "{think_time:?} {replays}");
    }
}

/// A warm-up that ended in a steady state is also checked in short runs, and an outage is never steady.
#[test]
fn steady_runs_have_no_stalls_or_outages() {
    use diskspd::results::{TickCounts, WarmUp, summarize};
    use diskspd::stats::PackedCounts;
    let beats = |seconds: u64, works: &dyn Fn(u64) -> bool| {
        let counts = (0..seconds * 50).map(|beat| if works(beat) { 100 } else { 0 });
        TickCounts { width_us: 20_000, ios: PackedCounts(counts.collect()) }
    };
    let steady = WarmUp { seconds: 10, limit: 60, steady: true };
    for (seconds, warm_up, works, verdict) in [
        (5, Some(steady), (|_| true) as fn(u64) -> bool, Some("steady")),
        (5, None, |_| true, None),
        (5, Some(WarmUp { steady: false, ..steady }), |_| true, None),
        (5, Some(steady), |beat| beat % 50 > 12, Some("stalling")),
        (5, Some(steady), |beat| beat < 120, Some("changed")),
        (30, None, |_| true, Some("steady")),
        (30, Some(steady), |beat| beat % 50 > 12, Some("stalling")),
        // The last seconds are silent: too few to change the mean by what matters.
        (30, None, |beat| beat < 1400, Some("interrupted")),
        (30, Some(steady), |beat| beat < 1400, Some("interrupted")),
        (30, None, |beat| !(700..790).contains(&beat), Some("interrupted")),
    ] {
        let beats = beats(seconds, &works);
        let samples = beats.ios.0.chunks(50).map(|second| second.iter().sum());
        let mut record = sampled(samples, Vec::new());
        let span = &mut record.hosts[0].results.time_spans[0];
        span.measured = seconds * 1_000_000_000;
        let observed = span.observed.as_mut().unwrap();
        (observed.warm_up, observed.ticks) = (warm_up, Some(beats));
        let judgement = diskspd::checks::judge(&record, &summarize(&record));
        let found = judgement.steadiness[0].as_ref().map(|steady| steady.verdict);
        let found = found.map(|verdict| serde_json::to_value(verdict).unwrap().as_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), verdict, "{seconds} s, {warm_up:?}: {:?}", judgement.outages);
        let is_steady = judgement.findings.iter().any(|finding| finding.name == "steady-after");
        let expected = warm_up.is_some_and(|warm_up| warm_up.steady) && verdict == Some("steady");
        assert_eq!(is_steady, expected, "{seconds} s, {warm_up:?}");
    }
}

#[test]
fn level_between_two_changes_is_reported() {
    let seconds = |iops: u64, seconds: usize| std::iter::repeat_n(iops, seconds);
    let judgement = with_samples(seconds(1000, 6).chain(seconds(10, 6)).chain(seconds(980, 8)));
    let expected = "not steady: the rate changed at second 6, 12: from 1000 to 10 to 980 IOPS";
    let messages: Vec<&str> = judgement.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert!(messages.contains(&expected), "{messages:?}");
}

/// Judges a run with these I/Os per second.
fn with_samples(ios: impl Iterator<Item = u64>) -> diskspd::checks::Judgement {
    with_errors(ios, Vec::new())
}

/// Judges a run with these I/Os per second and failed I/Os.
fn with_errors(ios: impl Iterator<Item = u64>, errors: Vec<IoErrors>) -> diskspd::checks::Judgement {
    let record = sampled(ios, errors);
    diskspd::checks::judge(&record, &diskspd::results::summarize(&record))
}

/// Returns the record of a run with these I/Os per second.
fn sampled(ios: impl Iterator<Item = u64>, errors: Vec<IoErrors>) -> diskspd::results::Record {
    use diskspd::results::{Observations, Sample};
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("r.json");
    diskspd(&format!("-c1G -r -W0 -d12 --engine sim --out {} x", file.display()), Path::new("")).succeeds();
    let mut record = diskspd::formats::json::read(&std::fs::read(file).unwrap()).unwrap();
    let sample =
        |(second, ios): (usize, u64)| Sample { end_us: (second as u64 + 1) * 1_000_000, ios, bytes: 0 };
    let samples = ios.enumerate().map(sample).collect();
    let span = &mut record.hosts[0].results.time_spans[0];
    span.observed = Some(Observations { samples, ..Observations::default() });
    span.errors = errors;
    record
}

/// Cliff of 30 % between the fifth and the fifth-last interval.
#[test]
fn cliffs_are_located_in_noise() {
    for noise in NOISES.into_iter().filter(|noise| noise.deviation < 0.04) {
        let mut lost = 0;
        let mut misplaced = 0;
        for seed in 0..SEEDS {
            let random = &mut Random(seed);
            let count = 15 + (random.uniform() * 106.0) as usize;
            let mut rates = series(random, count, noise);
            let at = 5 + (random.uniform() * (count - 10) as f64) as usize;
            rates[at..].iter_mut().for_each(|rate| *rate *= 0.7);
            let course = SeriesShape::classify(&rates).unwrap();
            lost += usize::from(course.is_steady());
            let near =
                |levels: &[diskspd::stats::Level]| levels.iter().any(|level| level.begin.abs_diff(at) <= 2);
            misplaced += usize::from(!matches!(&course.shape, Shape::Steps { levels } if near(levels)));
        }
        assert!(lost < SEEDS as usize / 100, "{noise:?}: {lost} cliffs were not found");
        assert!(misplaced < SEEDS as usize / 20, "{noise:?}: {misplaced} cliffs were found elsewhere");
    }
}

#[test]
fn shape_does_not_depend_on_unit() {
    for seed in 0..100 {
        let rates = series(&mut Random(seed), 40, NOISES[3]);
        let twice: Vec<f64> = rates.iter().map(|rate| rate * 1024.0).collect();
        let (one, other) = (SeriesShape::classify(&rates).unwrap(), SeriesShape::classify(&twice).unwrap());
        assert_eq!(one.is_steady(), other.is_steady());
        assert!((one.excursion - other.excursion).abs() < 1e-9 && (one.slope - other.slope).abs() < 1e-9);
    }
}

#[test]
fn empty_run_has_no_steadiness() {
    assert_eq!(SeriesShape::classify(&[5.0; 9]), None);
    assert_eq!(SeriesShape::classify(&[0.0; 50]), None);
    assert_eq!(SeriesShape::classify(&[f64::NAN; 50]), None);
    assert_eq!(SeriesShape::classify(&[]), None);
}
