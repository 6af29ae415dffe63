//! Tests with the tables of a published series of sweeps (`tests/data/published-sweeps`, with its source):
//! the answers of a sweep equal the author's conclusions.

#![allow(clippy::unwrap_used)]

use crate::common::samples::is_sample;
use diskspd::experiments::repeat::Repeat;
use diskspd::experiments::sweep::{
    CompletedPoint, PointRow, Setting, Settings, Sweep, SweepAction, SweepAnswer, SweepPoint, answer_text,
    rows,
};
use diskspd::experiments::{LatencyRow, RunRow};
use diskspd::results::RunVerdict;
use diskspd::stats::replicates::{Spread, outliers};
use diskspd::units::Millis;

struct Published {
    threads: u64,
    depth: u64,
    line: RunRow,
}

fn table(name: &str) -> Vec<Published> {
    let text = include_str!("../data/published-sweeps/published-sweeps.csv");
    let lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let of_it = lines.filter(|fields| fields[0] == name);
    let read = |fields: Vec<&str>| {
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        let mean_ms = number(6);
        Published {
            threads: fields[1].parse().unwrap_or(1),
            depth: fields[2].parse().unwrap_or(8),
            line: RunRow {
                iops: number(4),
                measured_s: 0.0,
                mib_per_s: number(5),
                // Percentiles were not published.
                latency: Some(LatencyRow {
                    mean_ms: Millis::new(mean_ms),
                    p99_ms: Millis::new(f64::NAN),
                    p999_ms: Millis::new(f64::NAN),
                    open_end_ms: None,
                }),
                response: None,
                cpu: Some(number(7)),
                hottest: None,
                verdict: RunVerdict::default(),
                limited_by: None,
                findings: Vec::new(),
                hosts: Vec::new(),
            },
        }
    };
    of_it.map(read).collect()
}

fn swept(tables: &[&str]) -> (Vec<PointRow>, SweepAnswer) {
    let published: Vec<Published> = tables.iter().flat_map(|name| table(name)).collect();
    let setting = |option: &str, value: u64| Setting { option: option.into(), value: value.to_string() };
    let point = |p: &Published| SweepPoint {
        settings: vec![setting("-t", p.threads), setting("-o", p.depth)],
        load: p.threads * p.depth,
        threads: p.threads,
        ..SweepPoint::default()
    };
    let settings = Settings { repeat: Repeat::Times(1), ..Settings::default() };
    let sweep = Sweep { points: published.iter().map(point).collect(), settings };
    let ran = |(number, p): (usize, Published)| CompletedPoint {
        what: SweepAction::Point(number),
        seconds: 15.0,
        line: Some(p.line),
        failure: None,
    };
    let history: Vec<CompletedPoint> = published.into_iter().enumerate().map(ran).collect();
    let rows = rows(&sweep, &history);
    let answer = SweepAnswer::find_answers(&rows, &sweep.settings).remove(0);
    (rows, answer)
}

#[test]
fn knee_of_sequential_disk_reads_matches_published_depth() {
    let (rows, answer) = swept(&["A"]);
    assert_eq!(answer.knee.unwrap().load, 6);
    assert_eq!(rows[answer.highest].load, 12);
    // "10 gives 8 % more": within 2 % of the highest is what comes shortly before it.
    assert_eq!(rows[answer.smallest.seen].load, 9);
}

#[test]
fn knee_of_random_disk_reads_matches_published_depth() {
    let (rows, answer) = swept(&["C"]);
    assert_eq!(answer.knee.unwrap().load, 10);
    assert_eq!((rows[answer.highest].load, rows[answer.smallest.seen].load), (10, 10));
}

#[test]
fn published_sweep_shows_no_gain_of_second_thread() {
    let (rows, answer) = swept(&["A", "B"]);
    let threads = answer.threads.clone().unwrap();
    assert_eq!(threads.best[threads.enough.seen].0, 1);
    assert_eq!(threads.best, [(1, 344.98), (2, 342.45)]);
    assert_eq!(answer.knee.unwrap().load, 6, "whoever makes it");
    let text = answer_text(&[answer], &rows, &Settings::default(), |row| rows[row].label());
    // As far as one run each shows: nothing in it says how much runs scatter, so nothing is recommended.
    is_sample("answers", "sweep: one run per thread count", &text);
}

#[test]
fn mean_of_ten_runs_matches_publication() {
    let runs = table("E2");
    let of = |figure: fn(&RunRow) -> f64| {
        Spread::from_values(&runs.iter().map(|p| figure(&p.line)).collect::<Vec<f64>>()).unwrap()
    };
    assert_eq!(format!("{:.3}", of(|line| line.iops).mean), "35762.296");
    assert_eq!(format!("{:.3}", of(|line| line.mib_per_s).mean), "279.393");
    assert_eq!(format!("{:.4}", of(|line| line.latency.unwrap().mean_ms.ms()).mean), "0.2234");
    assert_eq!(format!("{:.3}", of(|line| line.cpu.unwrap()).mean), "28.499");
    let iops: Vec<f64> = runs.iter().map(|p| p.line.iops).collect();
    assert_eq!(outliers(&iops), [0; 0]);
}

#[test]
fn small_differences_of_single_runs_are_inconclusive() {
    let iops = |name: &str| table(name).iter().map(|p| p.line.iops).collect::<Vec<f64>>();
    // Best and worst of D differ by 7 %, repetitions of one of its points by 13 %: "run again, they vary".
    let (best, worst) =
        (iops("D").into_iter().fold(0.0, f64::max), iops("D").into_iter().fold(1e9, f64::min));
    let repeated = Spread::from_values(&iops("E2")).unwrap();
    let telling = repeated.between_two_runs().unwrap();
    assert!(best - worst < telling, "{best} - {worst} against {telling}");
    assert!((telling / repeated.mean - 0.13).abs() < 0.005, "{}", telling / repeated.mean);
    // With D alone the answer says that one run each can't tell.
    let (_, answer) = swept(&["D"]);
    assert_eq!(answer.as_high, None);
    assert_eq!(answer.knee, None, "threads x depth is the same everywhere");
    // What it can tell: ten runs know the mean to 3 %, so two times 2 x 4 and 1 x 8 would need about as many each.
    assert!((repeated.relative().unwrap() - 0.029).abs() < 0.002, "{:?}", repeated.relative());
}
