//! Tests of outages: periods with no or far fewer completions, and periods that are not outages.

#![allow(clippy::unwrap_used, clippy::panic)]
// One stretch of several is meant.
#![allow(clippy::single_range_in_vec_init)]

use crate::common::random::Random;
use crate::common::recorded;
use crate::common::samples::is_sample;
use diskspd::checks::{JudgedRecord, Judgement, Outage};
use diskspd::engines::{Direction, EngineKind};
use diskspd::machine::threads::ThreadTimes;
use diskspd::profile::TargetId;
use diskspd::results::{
    CompletionGap, IoErrors, Observations, OutageObservations, Record, ResourceUsage, TargetTicks,
    TickCounts, WatcherGap, WorkerUsage, summarize,
};
use diskspd::stats::PackedCounts;
use diskspd::stats::outages::{self, WatchedIos};
use std::ops::Range;

/// Start and end in s, and I/Os.
type Found = (f64, f64, u64);

fn find_outages(counts: &[u64], width_s: f64, in_flight: u64, unseen: &[Range<usize>]) -> Vec<Found> {
    let found = outages::detect(WatchedIos { counts, width_s, in_flight, unseen });
    let hundredths = |seconds: f64| (seconds * 100.0).round() / 100.0;
    found.iter().map(|one| (hundredths(one.begin_s), hundredths(one.end_s), one.ios)).collect()
}

/// Finds outages in ticks of 20 ms, with a few outstanding I/Os.
fn beats(counts: &[u64]) -> Vec<Found> {
    find_outages(counts, 0.02, 4, &[])
}

fn steady(each: u64, beats: usize, out: &[Range<usize>]) -> Vec<u64> {
    (0..beats).map(|beat| if out.iter().any(|out| out.contains(&beat)) { 0 } else { each }).collect()
}

#[test]
fn outages_are_found_at_any_position() {
    for (out, expected) in [
        (vec![], vec![]),
        (vec![620..836], vec![(12.4, 16.72, 0)]),
        (vec![0..100], vec![(0.0, 2.0, 0)]),
        (vec![1400..1500], vec![(28.0, 30.0, 0)]),
        (vec![100..200, 700..1200], vec![(2.0, 4.0, 0), (14.0, 24.0, 0)]),
        (vec![20..1500], vec![(0.4, 30.0, 0)]),
        // Shorter than a second: a pause.
        (vec![100..149], vec![]),
        (vec![100..150], vec![(2.0, 3.0, 0)]),
    ] {
        assert_eq!(beats(&steady(20, 1500, &out)), expected, "{out:?}");
    }
    // Nothing at all, for as long as it was looked at.
    assert_eq!(beats(&[0; 1500]), [(0.0, 30.0, 0)]);
    assert_eq!(beats(&[0; 49]), []);
    assert_eq!(beats(&[]), []);
    assert_eq!(find_outages(&[1, 2], 0.0, 1, &[]), []);
    assert_eq!(find_outages(&[1, 2], f64::NAN, 1, &[]), []);
    // One I/O, or each request once, shows nothing of what is usual.
    let mut one = vec![0; 1500];
    one[700] = 1;
    assert_eq!(beats(&one), []);
    one[700] = 31;
    assert_eq!(beats(&one), []);
    // Intervals of a second, as -D has them.
    let mut seconds = vec![5000; 30];
    seconds[12..16].fill(0);
    assert_eq!(find_outages(&seconds, 1.0, 32, &[]), [(12.0, 16.0, 0)]);
    assert_eq!(find_outages(&[u64::MAX; 100], 0.02, u64::MAX, &[]), []);
}

#[test]
fn deep_drop_is_an_outage_if_the_rate_returns() {
    let with = |level: u64, low: Range<usize>| -> Vec<u64> {
        (0..1500).map(|beat| if low.contains(&beat) { level } else { 1000 }).collect()
    };
    assert_eq!(beats(&with(20, 500..700)), [(10.0, 14.0, 4000)]);
    // A tenth is slow.
    assert_eq!(beats(&with(100, 500..700)), []);
    // Another level, from then on or until then; a cliff, a cache that is full.
    assert_eq!(beats(&with(20, 500..1500)), []);
    assert_eq!(beats(&with(20, 0..500)), []);
    // Of few I/Os one can't say that they are far fewer.
    let few: Vec<u64> =
        (0..1500).map(|beat| u64::from(!(500..560).contains(&beat) && beat % 20 == 0)).collect();
    assert_eq!(beats(&few), []);
    // A stray I/O doesn't make two of one.
    let mut stray = steady(1000, 1500, &[500..700]);
    stray[600] = 1;
    assert_eq!(beats(&stray), [(10.0, 14.0, 1)]);
    // Silent, and a slow beginning behind it.
    let mut slow = steady(1000, 1500, &[500..600]);
    slow[600..660].fill(30);
    assert_eq!(beats(&slow), [(10.0, 13.2, 1800)]);
}

#[test]
fn two_levels_drift_and_limits_are_not_outages() {
    let levels: Vec<u64> = (0..1500).map(|beat| if beat < 400 { 2000 } else { 15 }).collect();
    let drift: Vec<u64> = (0..3000).map(|beat| 1000 - beat * 999 / 3000).collect();
    // A limit that lets a few I/Os go every 250 ms, and one that does every two seconds.
    let slices: Vec<u64> = (0..3000).map(|beat| u64::from(beat % 12 == 0) * 250).collect();
    let rare: Vec<u64> = (0..3000).map(|beat| u64::from(beat % 100 < 2) * 4).collect();
    let paced: Vec<u64> = (0..6000).map(|beat| u64::from(beat % 75 == 0)).collect();
    // Half of the time it collects its garbage, a second and a half each.
    let habit: Vec<u64> = (0..3000).map(|beat| u64::from(beat % 150 < 75) * 500).collect();
    for (name, counts) in [
        ("levels", levels),
        ("drift", drift),
        ("slices", slices),
        ("rare", rare),
        ("paced", paced),
        ("habit", habit),
    ] {
        assert_eq!(beats(&counts), [], "{name}");
    }
}

#[test]
fn unobserved_time_is_not_an_outage() {
    let counts = steady(20, 1500, &[500..900]);
    assert_eq!(find_outages(&counts, 0.02, 4, &[500..900]), []);
    assert_eq!(find_outages(&counts, 0.02, 4, &[480..860]), []);
    // A part of it was seen.
    assert_eq!(find_outages(&counts, 0.02, 4, &[600..700]), [(10.0, 12.0, 0), (14.0, 18.0, 0)]);
    // The few that completed in a stop of the whole program, spread over it.
    let mut stopped = steady(1000, 1500, &[]);
    (500..900).for_each(|beat| stopped[beat] = u64::from(beat % 40 == 0));
    assert_eq!(beats(&stopped), [(10.0, 18.0, 10)]);
    assert_eq!(find_outages(&stopped, 0.02, 4, &[499..901]), []);
}

fn random_times(
    random: &mut Random,
    seconds: f64,
    distance: f64,
    spread: Option<f64>,
    at_once: u64,
) -> Vec<u64> {
    let mut counts = vec![0; (seconds * 50.0) as usize];
    let mut at = 0.0;
    loop {
        at += distance
            * match spread {
                None => -(1.0 - random.uniform()).ln(),
                Some(spread) => (random.normal() * spread).exp(),
            };
        let Some(beat) = counts.get_mut((at * 50.0) as usize) else { return counts };
        *beat += at_once;
    }
}

#[test]
fn slow_irregular_targets_have_no_outage() {
    let mut random = Random(26);
    let (mut runs, mut found) = (0, Vec::new());
    for distance in [0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0] {
        for spread in [None, Some(0.2), Some(0.7), Some(1.0)] {
            for at_once in [1, 8] {
                for _ in 0..12 {
                    let counts = random_times(&mut random, 60.0, distance, spread, at_once);
                    let named = find_outages(&counts, 0.02, at_once, &[]);
                    runs += 1;
                    found.extend((!named.is_empty()).then_some((distance, spread, at_once, named)));
                }
            }
        }
    }
    // By the rule less than one in a thousand of those whose times are exponentially distributed.
    assert!(found.len() <= runs / 300, "{} of {runs}: {found:?}", found.len());
}

#[test]
fn slow_target_has_an_outage_after_a_long_gap() {
    let mut random = Random(7);
    for (distance, out) in [(0.02, 2.0), (0.1, 8.0), (0.5, 25.0)] {
        for _ in 0..20 {
            let mut counts = random_times(&mut random, 120.0, distance, None, 1);
            let (begin, end) = (2000, 2000 + (out * 50.0) as usize);
            counts[begin..end].fill(0);
            let named = find_outages(&counts, 0.02, 1, &[]);
            assert_eq!(named.len(), 1, "{distance}: {named:?}");
            assert!(named[0].1 - named[0].0 >= out, "{named:?}");
        }
    }
}

#[test]
fn real_runs_have_no_outage() {
    for run in include_str!("../data/beats-of-real-runs.txt").lines().filter(|line| !line.starts_with('#')) {
        let [_, in_flight, packed, what] = *run.splitn(4, ' ').collect::<Vec<_>>() else { panic!("{run}") };
        let beats: PackedCounts = serde_json::from_str(&format!("\"{packed}\"")).unwrap();
        let found = find_outages(&beats.0, 0.02, in_flight.parse().unwrap(), &[]);
        assert!(found.iter().all(|(begin, end, _)| end - begin < 2.1), "{what}: {found:?}");
    }
}

fn simulated(line: &str) -> Record {
    recorded(&format!("-c1G -r -b4K -W0 {line}"))
}

fn judge(record: &Record) -> Judgement {
    diskspd::checks::judge(record, &summarize(record))
}

fn outages_of(record: &Record) -> Vec<Outage> {
    judge(record).outages[0].clone().unwrap()
}

fn observed_record(line: &str, observed: Observations) -> Record {
    let mut record = simulated(&format!("--engine sim:throttle -d1 -o1 {line}"));
    record.hosts[0].results.time_spans[0].observed = Some(observed);
    record
}

fn of_beats(counts: Vec<u64>, quiet: Option<OutageObservations>) -> Observations {
    let beats = Some(TickCounts { width_us: 20_000, ios: PackedCounts(counts) });
    Observations { ticks: beats, outage_observations: quiet, ..Observations::default() }
}

fn message(record: &Record) -> Option<String> {
    let findings = judge(record).findings;
    findings.into_iter().find(|finding| finding.name == "outage").map(|finding| finding.message)
}

#[test]
fn a_simulated_outage_is_named_to_the_interval() {
    let record = simulated("--engine sim:outage -d12 -o1 -D20 x");
    let expected = "longest outage 4.30 s (at 5.00 s: nothing completed)";
    assert_eq!(message(&record).as_deref(), Some(expected));
    let [outage] = &outages_of(&record)[..] else { panic!() };
    assert_eq!((outage.ios, outage.errors, outage.at_end, outage.start_utc_ms), (0, 0, false, None));
    // Ended in it, and in whole seconds.
    let record = simulated("--engine sim:outage -d8 -o1 -D x");
    let expected = "longest outage 3.00 s (at 5.00 s: nothing completed, until the end)";
    assert_eq!(message(&record).as_deref(), Some(expected));
    // Each target has a device of its own.
    let record = simulated("--engine sim:outage -d10 -o1 -t1 -D100 x y");
    assert_eq!(outages_of(&record).len(), 2);
    let said = message(&record).unwrap();
    assert!(
        said.starts_with("longest outage 4.30 s of '") && said.contains("; 2 outages take 8.60 s of 10.00 s"),
        "{said}"
    );
    // Without intervals nobody knows.
    assert_eq!(judge(&simulated("--engine sim:outage -d7 -o1 x")).outages, [None]);
    for quiet in ["sim", "sim:cliff", "sim:throttle", "sim:drift"] {
        let record = simulated(&format!("--engine {quiet} -d4 -o1 -w30 -D20 x"));
        assert_eq!(judge(&record).outages, [Some(Vec::new())], "{quiet}");
    }
    let record = simulated("--engine sim -d6 -o2 -g40 -D20 x");
    assert_eq!(outages_of(&record), [], "limited to a rate");
}

#[test]
fn record_has_stuck_and_failed_io() {
    let silence = CompletionGap {
        start_us: 4_010_000,
        end_us: 7_050_000,
        in_flight: Some(32),
        ..CompletionGap::default()
    };
    let quiet = OutageObservations { gaps: vec![silence], ..OutageObservations::default() };
    let counts = steady(20, 500, &[200..352]);
    let mut record = observed_record("x", of_beats(counts.clone(), Some(quiet.clone())));
    let errors = IoErrors {
        target: TargetId(0),
        direction: Direction::Read,
        errno: 5,
        count: 4,
        first_offset: 0,
        at_us: vec![3_000_000, 5_000_000, 6_000_000, 7_041_000],
    };
    record.hosts[0].results.time_spans[0].errors = vec![errors];
    let expected = "longest outage 3.04 s (at 4.00 s: nothing completed, 32 in flight, 3 errors)";
    assert_eq!(message(&record).as_deref(), Some(expected));
    // Asked for: with think times and replays it takes I/Os in flight to be one.
    let paused =
        observed_record("-i10 -j100 x", of_beats(counts.clone(), Some(OutageObservations::default())));
    assert_eq!(outages_of(&paused), []);
    let hung = observed_record("-i10 -j100 x", of_beats(counts.clone(), Some(quiet.clone())));
    assert_eq!(outages_of(&hung).len(), 1);
    let mut idle = quiet.clone();
    idle.gaps[0].in_flight = Some(0);
    assert_eq!(
        outages_of(&observed_record("x", of_beats(counts.clone(), Some(idle)))),
        [],
        "nothing was asked of it"
    );
    // The program itself was stopped.
    let unseen = vec![WatcherGap { start_us: 3_990_000, end_us: 7_060_000 }];
    let stopped = OutageObservations { watcher_gaps: unseen, ..OutageObservations::default() };
    assert_eq!(outages_of(&observed_record("x", of_beats(counts, Some(stopped)))), []);
}

#[test]
fn unused_target_has_no_known_outage() {
    let worker =
        WorkerUsage { engine: EngineKind::Uring, depth: 4, cpu: None, affinity_change: None, times: None };
    let told = |count: u64| {
        let effort = Some(ResourceUsage { workers: vec![worker.clone()], ..ResourceUsage::default() });
        let mut record = observed_record(
            "-d10 x",
            Observations { resource_usage: effort, ..of_beats(steady(20, 500, &[100..500]), None) },
        );
        record.hosts[0].results.time_spans[0].errors = vec![IoErrors {
            target: TargetId(0),
            direction: Direction::Read,
            errno: 5,
            count,
            first_offset: 0,
            at_us: vec![2_010_000, 2_500_000],
        }];
        judge(&record).findings.into_iter().find(|finding| finding.name == "outage").unwrap().to_string()
    };
    is_sample("cases", "outage without requests", &told(4));
    is_sample("cases", "outage with requests", &told(3));
}

#[test]
fn cpu_starvation_is_reported_before_outage() {
    let beats = steady(20, 500, &[100..300]);
    let told = |waiting_ns: u64| {
        let busy = 1_000_000;
        let times = ThreadTimes { busy, run_delay: Some(waiting_ns), user: busy, system: 0 };
        let worker = WorkerUsage {
            engine: EngineKind::Uring,
            depth: 1,
            cpu: None,
            affinity_change: None,
            times: Some(times),
        };
        let effort = Some(ResourceUsage { workers: vec![worker], ..ResourceUsage::default() });
        let record = observed_record(
            "-d10 x",
            Observations { resource_usage: effort, ..of_beats(beats.clone(), None) },
        );
        judge(&record).findings.into_iter().find(|finding| finding.name == "outage").unwrap().to_string()
    };
    is_sample("cases", "outage of threads without a CPU", &told(9_000_000_000));
    is_sample("cases", "outage of the storage", &told(100_000_000));
}

#[test]
fn outage_of_one_of_several_targets_is_found() {
    let of = |target, out: &[Range<usize>]| TargetTicks {
        target: TargetId(target),
        ticks: TickCounts { width_us: 20_000, ios: PackedCounts(steady(20, 500, out)) },
    };
    let targets = vec![of(0, &[]), of(1, &[100..200])];
    let quiet = OutageObservations { targets, ..OutageObservations::default() };
    let all = steady(40, 500, &[]);
    let record = observed_record("x y", of_beats(all, Some(quiet)));
    let found = outages_of(&record);
    let found: Vec<(String, f64)> =
        found.iter().map(|one| (one.target.as_ref().unwrap().to_string(), one.length_s)).collect();
    assert_eq!(found, [("y".to_owned(), 2.0)]);
    assert_eq!(
        message(&record).as_deref(),
        Some("longest outage 2.00 s of 'y' (at 2.00 s: nothing completed)")
    );
}

#[test]
fn stored_records_have_no_outage() {
    let folders = ["tests/data/synth", "tests/data/records"];
    let mut judged = 0;
    for path in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten()) {
        let Ok(record) = diskspd::formats::json::read(&std::fs::read(path.path()).unwrap_or_default()) else {
            continue;
        };
        let found = JudgedRecord::new(&record).judgement.outages;
        assert!(found.iter().flatten().all(Vec::is_empty), "{}: {found:?}", path.path().display());
        judged += 1;
    }
    assert!(judged > 0);
}
