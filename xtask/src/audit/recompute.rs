//! Recomputation of every figure of a run from single I/Os, with the simplest possible code.

use super::log::Line;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct Figure {
    pub value: Option<f64>,
    pub others: Vec<f64>,
    pub share: f64,
}

pub type Figures = BTreeMap<String, Figure>;

pub struct Run {
    /// Measured time in ns.
    pub measured: u64,
    pub width: u64,
    pub allocated: u64,
    /// Start of the measurement in ns since the start signal.
    pub begin: u64,
    pub latency: bool,
    pub paths: Vec<String>,
    /// Rows of the tables: thread and target.
    pub rows: Vec<(usize, usize)>,
    pub paced: bool,
}

const EXACT: f64 = 1e-9;
/// ... single latencies have single precision; ...
const SINGLE: f64 = 2e-7;
const PERCENTILE: f64 = 0.001 + SINGLE;
/// ... or of the coarser rounding of an interval.
const OF_INTERVAL: f64 = 0.008;

const DIRECTIONS: [(&str, Option<bool>); 3] = [("Total", None), ("Read", Some(false)), ("Write", Some(true))];

fn exact(value: f64) -> Figure {
    Figure { value: Some(value), others: Vec::new(), share: EXACT }
}

fn maybe(value: Option<f64>, share: f64) -> Figure {
    Figure { value, others: Vec::new(), share }
}

/// Returns mean and population standard deviation in ns.
fn mean_and_deviation(nanos: &[u64]) -> Option<(f64, f64)> {
    if nanos.is_empty() {
        return None;
    }
    let count = nanos.len() as f64;
    let mean = nanos.iter().map(|n| u128::from(*n)).sum::<u128>() as f64 / count;
    let squares: f64 = nanos.iter().map(|n| (*n as f64 - mean).powi(2)).sum();
    Some((mean / 1e6, (squares / count).sqrt() / 1e6))
}

/// Returns the smallest latency that the share `p` of the sorted latencies does not exceed, in ms. If that
/// is a whole number of latencies, the next higher one is also valid, and if the product is inexact, the
/// next lower one.
fn percentile(sorted: &[u64], p: f64, share: f64) -> Figure {
    let rank = p * sorted.len() as f64;
    let at =
        |rank: f64| sorted.get((rank as usize).clamp(1, sorted.len().max(1)) - 1).map(|n| *n as f64 / 1e6);
    let whole = (rank - rank.round()).abs() < 1e-6;
    let others = if whole { [at(rank.round()), at(rank.round() + 1.0)] } else { [None, None] };
    Figure { value: at(rank.ceil()), others: others.into_iter().flatten().collect(), share }
}

fn sorted(lines: &[&Line], of: impl Fn(&Line) -> u64) -> Vec<u64> {
    let mut nanos: Vec<u64> = lines.iter().map(|line| of(line)).collect();
    nanos.sort_unstable();
    nanos
}

pub fn figures(run: &Run, lines: &[Line]) -> Figures {
    let mut figures = Figures::new();
    let seconds = run.measured as f64 / 1e9;
    for (table, write) in DIRECTIONS {
        let of_table: Vec<&Line> =
            lines.iter().filter(|line| write.is_none_or(|write| line.write == write)).collect();
        let rows = run.rows.iter().map(|(thread, target)| {
            let of_row = |line: &&&Line| line.thread == *thread && line.target == *target;
            (format!("{thread} {}", run.paths[*target]), of_table.iter().filter(of_row).copied().collect())
        });
        for (row, lines) in rows.chain([("total".to_owned(), of_table.clone())]) {
            let name = |column: &str| format!("{table} IO of {row}: {column}");
            row_figures(&mut figures, run, &lines, seconds, name);
        }
    }
    charts(&mut figures, run, lines);
    intervals(&mut figures, run, lines);
    if run.paced {
        paced(&mut figures, lines);
    }
    figures
}

fn row_figures(
    figures: &mut Figures,
    run: &Run,
    lines: &[&Line],
    seconds: f64,
    name: impl Fn(&str) -> String,
) {
    let bytes = lines.iter().map(|line| line.size).sum::<u64>() as f64;
    let ios = lines.len() as f64;
    figures.insert(name("bytes"), exact(bytes));
    figures.insert(name("I/Os"), exact(ios));
    figures.insert(name("MiB/s"), exact(bytes / 1_048_576.0 / seconds));
    figures.insert(name("I/O per s"), exact(ios / seconds));
    if run.latency {
        let latencies = sorted(lines, |line| line.latency);
        let both = mean_and_deviation(&latencies);
        figures.insert(name("AvgLat"), maybe(both.map(|both| both.0), EXACT));
        figures.insert(name("LatStdDev"), maybe(both.map(|both| both.1), 1e-7));
    }
    if run.width > 0 {
        figures.insert(name("IopsStdDev"), exact(deviation_of_rate(run, lines)));
    }
}

fn interval(run: &Run, line: &Line) -> Option<u64> {
    let number = line.end().saturating_sub(run.begin) / run.width;
    (number < run.allocated).then_some(number)
}

/// Returns the deviation over the intervals up to the last one with an I/O; 0 without I/Os.
fn deviation_of_rate(run: &Run, lines: &[&Line]) -> f64 {
    let behind = lines.iter().any(|line| interval(run, line).is_none());
    let last = lines.iter().filter_map(|line| interval(run, line)).max().map_or(0, |number| number + 1);
    let valid = if behind { run.allocated } else { last };
    let mut counts = vec![0f64; valid as usize];
    for number in lines.iter().filter_map(|line| interval(run, line)) {
        counts[number as usize] += 1.0;
    }
    if valid == 0 {
        return 0.0;
    }
    let mean = counts.iter().sum::<f64>() / valid as f64;
    let squares: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
    (squares / valid as f64).sqrt() / (run.width as f64 / 1e9)
}

/// Percentiles of the text report's charts with their names.
pub const CHART: [(&str, f64); 13] = [
    ("25th", 0.25),
    ("50th", 0.5),
    ("75th", 0.75),
    ("90th", 0.9),
    ("95th", 0.95),
    ("99th", 0.99),
    ("3-nines", 0.999),
    ("4-nines", 0.9999),
    ("5-nines", 0.99999),
    ("6-nines", 0.999_999),
    ("7-nines", 0.999_999_9),
    ("8-nines", 0.999_999_99),
    ("9-nines", 0.999_999_999),
];

fn charts(figures: &mut Figures, run: &Run, lines: &[Line]) {
    if !run.latency {
        return;
    }
    let mut used: Vec<usize> = run.rows.iter().map(|row| row.1).collect();
    used.sort_unstable();
    used.dedup();
    let paths = used.iter().map(|target| (run.paths[*target].clone(), Some(*target)));
    for (chart, target) in paths.chain([("all".to_owned(), None)]) {
        for (direction, write) in DIRECTIONS {
            let wanted = |line: &&Line| {
                target.is_none_or(|target| line.target == target)
                    && write.is_none_or(|write| line.write == write)
            };
            let lines: Vec<&Line> = lines.iter().filter(wanted).collect();
            let name = |row: &str| format!("latency of {chart}, {direction}: {row}");
            chart_figures(figures, &sorted(&lines, |line| line.latency), name);
            if target.is_none() {
                let all = sorted(&lines, |line| line.latency);
                for percent in (0..100).map(f64::from).chain(NINES) {
                    let figure = match percent {
                        0.0 => maybe(all.first().map(|n| *n as f64 / 1e6), SINGLE),
                        100.0 => maybe(all.last().map(|n| *n as f64 / 1e6), SINGLE),
                        _ => percentile(&all, percent / 100.0, PERCENTILE),
                    };
                    figures.insert(format!("latency, {direction}: {percent} %"), figure);
                }
            }
        }
    }
}

/// Last percentiles of the XML results.
const NINES: [f64; 8] = [99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999_999, 99.999_999_9, 100.0];

fn chart_figures(figures: &mut Figures, sorted: &[u64], name: impl Fn(&str) -> String) {
    figures.insert(name("min"), maybe(sorted.first().map(|n| *n as f64 / 1e6), SINGLE));
    for (row, share) in CHART {
        figures.insert(name(row), percentile(sorted, share, PERCENTILE));
    }
    figures.insert(name("max"), maybe(sorted.last().map(|n| *n as f64 / 1e6), SINGLE));
}

fn intervals(figures: &mut Figures, run: &Run, lines: &[Line]) {
    if run.width == 0 {
        return;
    }
    let rows = run.rows.iter().map(|(thread, target)| {
        let of_row = |line: &&Line| line.thread == *thread && line.target == *target;
        (format!("{thread} {}", run.paths[*target]), lines.iter().filter(of_row).collect::<Vec<_>>())
    });
    for (row, lines) in rows.chain([("total".to_owned(), lines.iter().collect())]) {
        let mut by_interval: BTreeMap<u64, Vec<&Line>> = BTreeMap::new();
        for line in lines {
            if let Some(number) = interval(run, line) {
                by_interval.entry(number).or_default().push(line);
            }
        }
        for number in 0..run.allocated {
            let lines = by_interval.remove(&number).unwrap_or_default();
            // DISKSPD's XML takes the last one for a whole one; the others know how long it was.
            let length = run.measured.saturating_sub(number * run.width).min(run.width).max(1);
            let real = (number * run.width + length) / 1_000_000;
            let whole = (number + 1) * run.width / 1_000_000;
            for (direction, write) in DIRECTIONS {
                let wanted = |line: &&&Line| write.is_none_or(|write| line.write == write);
                let lines: Vec<&Line> = lines.iter().filter(wanted).copied().collect();
                let name = |what: &str| format!("interval to {real} ms of {row}, {direction}: {what}");
                interval_figures(figures, run, &lines, length, name);
                let name = |what: &str| format!("whole interval to {whole} ms of {row}, {direction}: {what}");
                interval_figures(figures, run, &lines, run.width, name);
            }
        }
    }
}

fn interval_figures(
    figures: &mut Figures,
    run: &Run,
    lines: &[&Line],
    length: u64,
    name: impl Fn(&str) -> String,
) {
    let seconds = length as f64 / 1e9;
    let latencies = sorted(lines, |line| line.latency);
    let both = mean_and_deviation(&latencies);
    let bytes = lines.iter().map(|line| line.size).sum::<u64>() as f64;
    figures.insert(name("iops"), exact(lines.len() as f64 / seconds));
    figures.insert(name("MiB/s"), exact(bytes / 1_048_576.0 / seconds));
    figures.insert(name("min"), maybe(latencies.first().map(|n| *n as f64 / 1e6), EXACT));
    figures.insert(name("max"), maybe(latencies.last().map(|n| *n as f64 / 1e6), EXACT));
    figures.insert(name("mean"), maybe(both.map(|both| both.0), EXACT));
    figures.insert(name("deviation"), maybe(both.map(|both| both.1), 1e-7));
    let due: Vec<&Line> = lines.iter().filter(|line| line.due.is_some()).copied().collect();
    let responses = sorted(&due, response);
    // Percentiles are kept by interval with -L alone.
    let (latencies, responses) = if run.latency { (latencies, responses) } else { (Vec::new(), Vec::new()) };
    for (what, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)] {
        figures.insert(name(what), percentile(&latencies, share, OF_INTERVAL));
        figures.insert(name(&format!("response {what}")), percentile(&responses, share, OF_INTERVAL));
    }
    let longest = responses.last().map(|n| *n as f64 / 1e6);
    figures.insert(name("response max"), maybe(longest, OF_INTERVAL));
}

/// Returns the response time in ns.
fn response(line: &Line) -> u64 {
    line.end() - line.due.unwrap_or(line.start)
}

fn paced(figures: &mut Figures, lines: &[Line]) {
    let due: Vec<&Line> = lines.iter().filter(|line| line.due.is_some()).collect();
    let delay = |line: &Line| line.start - line.due.unwrap_or(line.start);
    let delays = sorted(&due, delay);
    let late = delays.iter().filter(|delay| **delay > 1_000_000).count() as f64;
    // Those that share a bucket of the histogram with 1 ms are not late.
    let hardly = delays.iter().filter(|delay| **delay > 1_002_000).count() as f64;
    figures.insert("paced: ios".into(), exact(due.len() as f64));
    let others = (hardly as u64..late as u64).map(|count| count as f64).collect();
    figures.insert("paced: late".into(), Figure { value: Some(late), others, share: EXACT });
    let mean = mean_and_deviation(&delays).map(|both| both.0);
    figures.insert("paced: mean_delay".into(), maybe(mean, EXACT));
    figures.insert("paced: max_delay".into(), maybe(delays.last().map(|n| *n as f64 / 1e6), EXACT));
    for (direction, write) in DIRECTIONS {
        let wanted = |line: &&&Line| write.is_none_or(|write| line.write == write);
        let lines: Vec<&Line> = due.iter().filter(wanted).copied().collect();
        for (kind, nanos) in
            [("service", sorted(&lines, |line| line.latency)), ("response", sorted(&lines, response))]
        {
            let name = |row: &str| format!("{kind} of paced I/Os, {direction}: {row}");
            chart_figures(figures, &nanos, name);
            let both = mean_and_deviation(&nanos);
            figures.insert(name("mean"), maybe(both.map(|both| both.0), EXACT));
            figures.insert(name("deviation"), maybe(both.map(|both| both.1), 1e-7));
        }
    }
}
