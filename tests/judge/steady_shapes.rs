//! Tests of courses within seconds, of latencies, and of repeated runs: synthetic courses, and the false
//! alarm rate of steady noise of many kinds.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::random::Random;
use crate::common::recorded;
use crate::common::samples::is_sample;
use diskspd::checks::{Finding, Judgement, LatencyVerdict, SteadyVerdict};
use diskspd::finding::Severity;
use diskspd::machine::tracer::Tracer;
use diskspd::results::{Observations, Record, Sample, TickCounts, summarize};
use diskspd::stats::{LatencySeries, LatencySums, PackedCounts, SeriesShape, Shape, stalls};

fn judged(line: &str, seconds: usize, observed: Observations) -> Judgement {
    let mut record = simulated(&format!("-c1G -r -W0 -L -d{seconds} {line}"));
    record.hosts[0].results.time_spans[0].observed = Some(observed);
    diskspd::checks::judge(&record, &summarize(&record))
}

fn simulated(line: &str) -> Record {
    recorded(&format!("{line} --engine sim x"))
}

fn finding<'a>(judgement: &'a Judgement, name: &str) -> &'a Finding {
    let found = judgement.findings.iter().find(|finding| finding.name == name);
    found.unwrap_or_else(|| panic!("no {name}: {:?}", judgement.findings))
}

fn text(finding: &Finding) -> String {
    format!(
        "{}; {}; {}",
        finding.message,
        finding.evidence.join("; "),
        finding.remedy.clone().unwrap_or_default()
    )
}

fn observed(beats: Vec<u64>) -> Observations {
    let second = |(number, beats): (usize, &[u64])| Sample {
        end_us: (number as u64 + 1) * 1_000_000,
        ios: beats.iter().sum(),
        bytes: 0,
    };
    let samples = beats.chunks_exact(50).enumerate().map(second).collect();
    Observations {
        samples,
        ticks: Some(TickCounts { width_us: 20_000, ios: PackedCounts(beats) }),
        ..Observations::default()
    }
}

fn varying(seconds: u64, by: f64) -> Observations {
    let random = &mut Random(7);
    let samples = (0..seconds).map(|second| Sample {
        end_us: (second + 1) * 1_000_000,
        ios: (1000.0 * (1.0 + by * random.normal())).max(1.0) as u64,
        bytes: 0,
    });
    Observations { samples: samples.collect(), ..Observations::default() }
}

#[test]
fn strongly_varying_seconds_are_undetermined_until_enough() {
    for (seconds, by, verdict) in [
        (12, 0.03, SteadyVerdict::Steady),
        (12, 0.35, SteadyVerdict::Unclear),
        (1200, 0.35, SteadyVerdict::Steady),
    ] {
        let judgement = judged("-o1", seconds as usize, varying(seconds, by));
        let steady = judgement.steadiness[0].as_ref().unwrap();
        assert_eq!(steady.verdict, verdict, "{seconds} s that vary by {by}: {steady:?}");
        assert_eq!(steady.steady_from.is_some(), verdict == SteadyVerdict::Steady, "{steady:?}");
        if verdict == SteadyVerdict::Unclear {
            let found = finding(&judgement, "steady-unclear");
            assert_eq!(found.severity, Severity::Note);
            let remedy = found.remedy.as_ref().unwrap();
            let longer: u64 = remedy.split(' ').find_map(|word| word.parse().ok()).unwrap();
            assert!((24..2400).contains(&longer), "{remedy}");
        }
    }
}

/// Returns ticks of 20 ms at 1000 I/Os per second, with pauses of `length` ms every `period` ms.
fn paused(seconds: usize, period: u64, length: u64) -> Vec<u64> {
    let done = |ms: u64| ms / period * (period - length) + (ms % period).min(period - length);
    (0..seconds as u64 * 50).map(|beat| done(beat * 20 + 20) - done(beat * 20)).collect()
}

#[test]
fn short_pauses_are_reported_with_cost() {
    for (seconds, period, length, words) in [
        (
            30,
            3000,
            500,
            &["17 % of the time in stalls of 0.50 s, every 3.0 s (10 times)", "1000 IOPS between the stalls"]
                [..],
        ),
        (51, 1700, 400, &["24 % of the time in stalls of 0.40 s, every 1.7 s", "the longest took 0.40 s"]),
        (
            30,
            500,
            80,
            &[
                "16 % of the time in stalls of 80 ms, every 0.50 s (60 times)",
                "samples of 20 ms",
                "-eDISK_IO",
            ],
        ),
    ] {
        let judgement = judged("-o1", seconds, observed(paused(seconds, period, length)));
        let found = text(finding(&judgement, "stalling"));
        for words in words {
            assert!(found.contains(words), "{words}: {found}");
        }
        let steadiness = judgement.steadiness[0].as_ref().unwrap();
        assert_eq!(steadiness.verdict, SteadyVerdict::Stalling);
        assert!(!judgement.findings.iter().any(|finding| finding.name == "steady"));
    }
    // A tenth of the time, or less, changes no conclusion.
    for (period, length) in [(3000, 250), (10_000, 500), (500, 40)] {
        let judgement = judged("-o1", 30, observed(paused(30, period, length)));
        assert_eq!(
            judgement.steadiness[0].as_ref().unwrap().verdict,
            SteadyVerdict::Steady,
            "{length} of {period}"
        );
    }
    // Asked for.
    let judgement = judged("-o1 -i10 -j100", 30, observed(paused(30, 500, 100)));
    assert_eq!(judgement.steadiness[0].as_ref().unwrap().stalls, None);
    // A cliff with stalls: both are said.
    let mut beats = paused(30, 1700, 400);
    beats[800..].iter_mut().for_each(|beat| *beat /= 2);
    let judgement = judged("-o1", 30, observed(beats));
    is_sample("cases", "changed, with stalls", &finding(&judgement, "changed").to_string());
}

#[test]
fn repeated_rise_and_fall_is_periodic() {
    let saw = |second: usize| 1000 - 50 * (second % 10) as u64;
    let wave = |second: usize| (1000.0 + 400.0 * (second as f64 / 2.0).sin()) as u64;
    for (course, seconds, words) in [
        (&saw as &dyn Fn(usize) -> u64, 40, "periodic, between 5"),
        (&saw, 60, "every 10 s (6 times)"),
        (&wave, 60, "every 1"),
    ] {
        let samples = (0..seconds).map(|second| Sample {
            end_us: (second as u64 + 1) * 1_000_000,
            ios: course(second),
            bytes: 0,
        });
        let judgement =
            judged("-o1", seconds, Observations { samples: samples.collect(), ..Observations::default() });
        let found = text(finding(&judgement, "periodic"));
        assert!(found.contains(words) && found.contains("below the highest part"), "{words}: {found}");
    }
}

fn latencies(ios: f64, ms: f64, share: f64, tail_ms: f64) -> LatencySums {
    let few = (ios * share).round();
    let sum = (ios - few) * ms + few * tail_ms;
    let squares = (ios - few) * ms * ms + few * tail_ms * tail_ms;
    LatencySums { ios: ios as u64, sum_ns: (sum * 1e6) as u64, squares_us2: (squares * 1e6) as u64 }
}

fn with_latencies(line: &str, intervals: Vec<LatencySums>) -> Judgement {
    let seconds = intervals.len();
    let samples =
        (1..=seconds as u64).map(|second| Sample { end_us: second * 1_000_000, ios: 1000, bytes: 0 });
    let observed = Observations {
        samples: samples.collect(),
        latencies: Some(LatencySeries { width_us: 1_000_000, intervals }),
        ..Observations::default()
    };
    judged(line, seconds, observed)
}

#[test]
fn latency_change_under_steady_rate_is_reported() {
    type Shape = fn(usize, f64) -> LatencySums;
    let step: Shape =
        |second, noise| latencies(1000.0, if second < 15 { 1.0 } else { 6.0 } * noise, 0.0, 0.0);
    let back: Shape = |second, noise| latencies(1000.0, if second < 9 { 6.0 } else { 1.0 } * noise, 0.0, 0.0);
    let drift: Shape = |second, noise| latencies(1000.0, (1.0 + second as f64 / 10.0) * noise, 0.0, 0.0);
    let tail: Shape =
        |second, noise| latencies(1000.0, 10.0 * noise, if second < 15 { 0.0 } else { 0.01 }, 80.0);
    let short_tail: Shape =
        |second, noise| latencies(1000.0, noise, if second < 15 { 0.0 } else { 0.01 }, 80.0);
    for (shape, name, words) in [
        (step, "latency-changed", &["it changed at second 15, from 1.0", "-g", "find the cause"][..]),
        (back, "latency-changed", &["it changed at second 9, from ", "warm up longer (-W9)"]),
        (drift, "latency-drift", &["still rising when it ended"]),
        (tail, "latency-tail", &["from second 15 on 0.9 % of the I/Os took about 85 ms"]),
        (
            short_tail,
            "latency-changed",
            &["consistent with this: after the change 1.0 % of the I/Os took about 80 ms"],
        ),
    ] {
        let random = &mut Random(7);
        let intervals: Vec<LatencySums> =
            (0..30).map(|second| shape(second, 1.0 + 0.02 * random.normal())).collect();
        let judgement = with_latencies("-o1 -g1000i", intervals);
        let found = text(finding(&judgement, name));
        for words in words {
            assert!(found.contains(words), "{words}: {found}");
        }
    }
    let flat: Vec<LatencySums> = (0..30).map(|_| latencies(1000.0, 1.0, 0.01, 80.0)).collect();
    let judgement = with_latencies("-o1 -g1000i", flat);
    let latency = judgement.steadiness[0].as_ref().unwrap().latency.as_ref().unwrap();
    assert_eq!(latency.verdict, LatencyVerdict::Steady);
    assert!(!judgement.findings.iter().any(|finding| finding.name.starts_with("latency-")));
}

#[test]
fn measured_run_keeps_latencies_by_second() {
    let record = simulated("-c1G -r -W0 -L -d12 -o4");
    let span = &record.hosts[0].results.time_spans[0];
    let course = span.observed.as_ref().unwrap().latencies.as_ref().unwrap();
    let summary = summarize(&record);
    let total = &summary.time_spans[0].as_ref().unwrap().total.total;
    let ios: u64 = course.intervals.iter().map(|sums| sums.ios).sum();
    assert_eq!((course.width_us, ios), (1_000_000, total.throughput.ios));
    let sum: f64 = course.intervals.iter().map(|sums| sums.sum_ns as f64).sum();
    let mean = span.threads[0].targets[0].read.latency.as_ref().unwrap().moments().mean().unwrap() / 1e6;
    assert!((sum / ios as f64 / 1e6 / mean - 1.0).abs() < 1e-3, "{sum} {ios} {mean}");
    assert!((12..=13).contains(&course.intervals.len()));
    let without = simulated("-c1G -r -W0 -d12 -o4");
    assert_eq!(without.hosts[0].results.time_spans[0].observed.as_ref().unwrap().latencies, None);
}

#[test]
fn tracing_program_is_named() {
    let tracer =
        Tracer { pid: 4711, name: "strace".into(), traced_checks: 2, checks: 4, ..Tracer::default() };
    let judgement = judged("-o1", 12, Observations { tracer: Some(tracer), ..Observations::default() });
    let found = text(finding(&judgement, "traced"));
    for words in ["strace (process 4711) traced the program", "seen in 2 of 4 checks", "end strace"] {
        assert!(found.contains(words), "{words}: {found}");
    }
    for (stopped, us, severity) in
        [(0, 1, Severity::Note), (1, 1, Severity::Warning), (0, 30, Severity::Warning)]
    {
        let (name, call_ns) = ("gdb".into(), Some(1000 * us));
        let tracer = Tracer { pid: 4711, name, traced_checks: 2, checks: 2, samples: 24, stopped, call_ns };
        let judgement = judged("-o1", 12, Observations { tracer: Some(tracer), ..Observations::default() });
        assert_eq!(finding(&judgement, "traced").severity, severity);
    }
}

#[test]
fn final_stall_is_not_reported_as_missed_depth() {
    use diskspd::machine::threads::ThreadTimes;
    use diskspd::results::{ResourceUsage, WorkerUsage};
    for (silent, stuck) in [(0, 0), (6, 4), (6, 0)] {
        let mut record = simulated("-c1G -r -W0 -L -d12 -o4");
        let span = &mut record.hosts[0].results.time_spans[0];
        span.measured += silent * 1_000_000_000;
        span.threads[0].targets[0].unfinished = vec![silent * 1_000_000_000; stuck];
        let times = Some(ThreadTimes { busy: 1_000_000_000, run_delay: Some(0), user: 0, system: 0 });
        let engine = diskspd::engines::EngineKind::Uring;
        let workers = vec![WorkerUsage { engine, depth: 4, cpu: None, affinity_change: None, times }];
        let effort = Some(ResourceUsage { workers, ..ResourceUsage::default() });
        span.observed = Some(Observations { resource_usage: effort, ..Observations::default() });
        let judgement = diskspd::checks::judge(&record, &summarize(&record));
        let told = judgement.findings.iter().any(|finding| finding.name == "depth-not-reached");
        // Six seconds that are in no latency and no age are a queue that was not full.
        assert_eq!(told, silent > 0 && stuck == 0, "{silent}, {stuck}: {:?}", judgement.findings);
    }
}

#[test]
fn requested_burst_pauses_are_the_limit() {
    use diskspd::machine::threads::ThreadTimes;
    use diskspd::results::{ResourceUsage, WorkerUsage};
    for (options, limited) in [("-o1 -i10 -j100", true), ("-o1 -i1000 -j1", false)] {
        let mut record = simulated(&format!("-c1G -r -W0 -L -d12 {options}"));
        let span = &mut record.hosts[0].results.time_spans[0];
        let times = Some(ThreadTimes { busy: 1_000_000_000, run_delay: Some(0), user: 0, system: 0 });
        let engine = diskspd::engines::EngineKind::Uring;
        let workers = vec![WorkerUsage { engine, depth: 1, cpu: None, affinity_change: None, times }];
        let effort = Some(ResourceUsage { workers, ..ResourceUsage::default() });
        span.observed = Some(Observations { resource_usage: effort, ..Observations::default() });
        let judgement = diskspd::checks::judge(&record, &summarize(&record));
        let told = judgement.findings.iter().any(|finding| finding.name == "limited-by-profile");
        assert_eq!(told, limited, "{options}: {:?}", judgement.findings);
    }
}

const SEEDS: u64 = 1000;

fn scatters(random: &mut Random, count: usize, kind: &str) -> Vec<f64> {
    let mut error = random.normal();
    let mut level = 1.0;
    let value = |_| match kind {
        "white" => 1.0 + 0.2 * random.normal(),
        "ar" => {
            error = 0.8 * error + 0.6 * random.normal();
            1.0 + 0.05 * error
        }
        "bursts" => {
            if random.uniform() < 0.05 {
                1.5 + random.uniform()
            } else {
                1.0 + 0.05 * random.normal()
            }
        }
        "dips" => {
            if random.uniform() < 0.03 {
                0.3
            } else {
                1.0 + 0.05 * random.normal()
            }
        }
        "levels" => {
            if random.uniform() < 0.2 {
                level = if level > 1.0 { 0.95 } else { 1.05 };
            }
            level + 0.02 * random.normal()
        }
        _ => (0.15 * random.normal()).exp(),
    };
    (0..count).map(value).map(|value| f64::max(value, 0.0)).collect()
}

const KINDS: [&str; 6] = ["white", "ar", "bursts", "dips", "levels", "lognormal"];

#[test]
fn noise_below_a_second_has_no_stalls() {
    for kind in KINDS {
        for per_beat in [3.0, 100.0] {
            let mut alarms = Vec::new();
            for seed in 0..SEEDS {
                let random = &mut Random(seed);
                let beats = 500 + (random.uniform() * 500.0) as usize;
                let counts: Vec<u64> = scatters(random, beats, kind)
                    .into_iter()
                    // What is counted scatters by its root besides.
                    .map(|level| {
                        (level * per_beat + (level * per_beat).sqrt() * random.normal()).max(0.0) as u64
                    })
                    .collect();
                alarms.extend(stalls::detect(&counts, 0.02, 4).filter(|found| found.share > 0.1));
            }
            assert!(alarms.len() < 10, "{kind} at {per_beat} a beat: {}: {:?}", alarms.len(), alarms.first());
        }
    }
}

#[test]
fn noise_of_latencies_is_steady() {
    for kind in KINDS {
        for tail in [0.0, 0.002, 0.02] {
            let mut alarms = Vec::new();
            for seed in 0..SEEDS {
                let random = &mut Random(seed);
                let count = 10 + (random.uniform() * 111.0) as usize;
                let of_second = |level: f64, random: &mut Random| {
                    let ios = 100.0;
                    // Some slow ones, as many as chance makes; how slow is by chance, too.
                    let slow = (0..ios as usize).filter(|_| random.uniform() < tail).count() as f64;
                    let far = 5.0 / random.uniform().max(0.02);
                    latencies(ios, level, slow / ios, level * far)
                };
                let levels = scatters(random, count, kind);
                let intervals: Vec<LatencySums> =
                    levels.into_iter().map(|level| of_second(level, random)).collect();
                let course = LatencySeries { width_us: 1_000_000, intervals };
                let found = diskspd::checks::latency_steadiness(&course, count).unwrap();
                alarms.extend((found.verdict != LatencyVerdict::Steady).then_some((seed, found)));
            }
            assert!(alarms.len() < 10, "{kind}, tail of {tail}: {}: {:?}", alarms.len(), alarms.first());
        }
    }
}

/// Latencies that rise by half, or a new tail of 1 %, in noise of 10 % between seconds.
#[test]
fn changes_of_latency_are_found_in_noise() {
    for (ms, share) in [(1.5, 0.0), (0.5, 0.0), (1.0, 0.01)] {
        let mut lost = Vec::new();
        for seed in 0..200 {
            let random = &mut Random(seed);
            let count = 30 + (random.uniform() * 91.0) as usize;
            let at = 12 + (random.uniform() * (count - 24) as f64) as usize;
            let intervals = (0..count).map(|second| {
                let noise = (0.1 * random.normal()).exp();
                match second < at {
                    true => latencies(1000.0, noise, 0.0, 0.0),
                    false => latencies(1000.0, ms * noise, share, 80.0),
                }
            });
            let course = LatencySeries { width_us: 1_000_000, intervals: intervals.collect() };
            let found = diskspd::checks::latency_steadiness(&course, count).unwrap();
            let near = found.at.is_some_and(|found| (found - at as f64).abs() <= 2.0);
            lost.extend((!near).then_some((seed, at, found)));
        }
        assert!(lost.len() <= 4, "{ms} ms, {share}: {} of 200: {:?}", lost.len(), lost.first());
    }
}

#[test]
fn slow_wander_is_rarely_periodic() {
    let mut periodic = 0;
    for seed in 0..SEEDS {
        let random = &mut Random(seed);
        let mut level = 1000.0;
        let rates: Vec<f64> = (0..60)
            .map(|_| {
                if random.uniform() < 0.1 {
                    level = 500.0 + 1000.0 * random.uniform();
                }
                level + 10.0 * random.normal()
            })
            .collect();
        periodic += usize::from(matches!(SeriesShape::classify(&rates).unwrap().shape, Shape::Periodic(_)));
    }
    assert!(periodic < SEEDS as usize / 20, "{periodic}");
}

#[test]
fn stalls_of_real_runs_have_no_completions() {
    let runs = include_str!("../data/beats-of-real-runs.txt").lines().filter(|line| !line.starts_with('#'));
    let mut seen = 0;
    for run in runs {
        let [kind, in_flight, packed, what] = *run.splitn(4, ' ').collect::<Vec<_>>() else {
            panic!("{run}")
        };
        let beats: PackedCounts = serde_json::from_str(&format!("\"{packed}\"")).unwrap();
        let found = stalls::detect(&beats.0, 0.02, in_flight.parse().unwrap());
        let share = found.as_ref().map_or(0.0, |found| found.share);
        match kind {
            "stalls" => assert!(share > 0.3, "{what}: {found:?}"),
            _ => assert!(share < 0.05, "{what}: {found:?}"),
        }
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn stalls_do_not_fail_strict_runs() {
    for beats in [paused(30, 500, 80), paused(30, 1700, 400)] {
        let judgement = judged("-o1", 30, observed(beats));
        assert_eq!(finding(&judgement, "stalling").severity.word(), "warning");
        assert!(!judgement.is_doubtful());
    }
}
