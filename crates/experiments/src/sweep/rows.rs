//! One row per point, which combines its runs.

use super::{CompletedPoint, Setting, Sweep, SweepAction};
use crate::{LatencyRow, RunRow};
use diskspd_checks::Limiter;
use diskspd_figures::stats::median;
use diskspd_figures::stats::replicates::Spread;
use diskspd_figures::units::Millis;
use diskspd_results::RunVerdict;

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PointRow {
    pub what: SweepAction,
    pub settings: Vec<Setting>,
    /// Outstanding I/Os, or offered I/Os per second.
    pub load: u64,
    /// Whether the load is I/Os per second.
    pub by_rate: bool,
    pub threads: u64,
    /// Group of points that differ only in load.
    pub group: usize,
    pub runs: Vec<RunRow>,
    /// Reference runs of the point, which show the run-to-run variation but do not affect its figures.
    pub references: Vec<RunRow>,
    /// Mean duration of its runs with preparation and cleanup in s.
    pub run_s: f64,
    pub failure: Option<String>,
    /// IOPS over runs; `None` = no successful run.
    pub iops: Option<Spread>,
    /// Combined figures: means of rates and means, medians of percentiles, the worst verdict, and the most
    /// frequent limit. `None` if no run succeeded.
    pub figures: Option<RunRow>,
}

impl PointRow {
    pub fn label(&self) -> String {
        match self.what {
            SweepAction::Rate(rate) => format!("{rate} IOPS offered"),
            _ => self.settings.iter().map(Setting::written).collect::<Vec<_>>().join(" "),
        }
    }

    pub fn unit(&self) -> &'static str {
        if self.by_rate { "IOPS offered" } else { "outstanding" }
    }

    pub fn load_name(&self) -> &'static str {
        if self.by_rate { "I/Os per second offered" } else { "I/Os outstanding" }
    }

    /// Whether it is an offered rate of a curve instead of a grid point.
    pub fn is_offered(&self) -> bool {
        matches!(self.what, SweepAction::Rate(_))
    }

    /// Returns the reason why the row is not usable for the answer; `None` if it is usable.
    pub fn trouble(&self) -> Option<&'static str> {
        let Some(figures) = &self.figures else { return Some("it failed") };
        if self.failure.is_some() {
            return Some("one of its runs failed");
        }
        if self.runs.iter().any(|line| line.iops <= 0.0) {
            return Some("it did no I/O");
        }
        figures.verdict.is_wrong().then_some("its figures are WRONG")
    }
}

/// Returns the rows of a sweep: grid points in order, then offered rates in rising order. Reference runs
/// are excluded.
pub fn rows(sweep: &Sweep, history: &[CompletedPoint]) -> Vec<PointRow> {
    let mut rows: Vec<PointRow> = Vec::new();
    for (number, point) in sweep.points.iter().enumerate() {
        let what = SweepAction::Point(number);
        rows.extend(point_row(sweep, what, history).map(|row| PointRow {
            settings: point.settings.clone(),
            load: point.load,
            by_rate: point.by_rate,
            threads: point.threads,
            group: point.group,
            ..row
        }));
    }
    let mut rates: Vec<u64> = history
        .iter()
        .filter_map(|ran| match ran.what {
            SweepAction::Rate(rate) => Some(rate),
            _ => None,
        })
        .collect();
    rates.sort_unstable();
    rates.dedup();
    let threads = sweep.points.first().map_or(0, |point| point.threads);
    rows.extend(rates.into_iter().filter_map(|rate| {
        point_row(sweep, SweepAction::Rate(rate), history).map(|row| PointRow {
            load: rate,
            by_rate: true,
            threads,
            ..row
        })
    }));
    rows
}

/// Returns `None` if it has not been run.
fn point_row(sweep: &Sweep, what: SweepAction, history: &[CompletedPoint]) -> Option<PointRow> {
    let ran: Vec<&CompletedPoint> = history.iter().filter(|ran| ran.what == what).collect();
    if ran.is_empty() {
        return None;
    }
    let runs: Vec<RunRow> = ran.iter().filter_map(|ran| ran.line.clone()).collect();
    let iops: Vec<f64> = runs.iter().map(|line| line.iops).collect();
    Some(PointRow {
        what,
        settings: Vec::new(),
        references: reference_lines(what, history),
        run_s: ran.iter().map(|ran| ran.seconds).sum::<f64>() / ran.len() as f64,
        load: 0,
        by_rate: false,
        threads: 0,
        group: 0,
        failure: ran.iter().find_map(|ran| ran.failure.clone()),
        iops: sweep.settings.repeat.spread(&iops),
        figures: average_runs(&runs),
        runs,
    })
}

fn reference_lines(what: SweepAction, history: &[CompletedPoint]) -> Vec<RunRow> {
    let SweepAction::Point(number) = what else { return Vec::new() };
    let of_it = history.iter().filter(|ran| ran.what == SweepAction::Reference(number));
    of_it.filter_map(|ran| ran.line.clone()).collect()
}

fn average_runs(runs: &[RunRow]) -> Option<RunRow> {
    if runs.is_empty() {
        return None;
    }
    let mean = |figure: fn(&RunRow) -> f64| runs.iter().map(figure).sum::<f64>() / runs.len() as f64;
    let known_mean = |figure: fn(&RunRow) -> Option<f64>| {
        let known: Vec<f64> = runs.iter().filter_map(figure).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let latency = |of: fn(&RunRow) -> Option<LatencyRow>| {
        let all: Vec<LatencyRow> = runs.iter().filter_map(of).collect();
        let middle = |figure: fn(&LatencyRow) -> Millis| {
            Millis::new(median(all.iter().map(|latency| figure(latency).ms())))
        };
        (!all.is_empty()).then(|| LatencyRow {
            mean_ms: Millis::new(
                all.iter().map(|latency| latency.mean_ms.ms()).sum::<f64>() / all.len() as f64,
            ),
            p99_ms: middle(|latency| latency.p99_ms),
            p999_ms: middle(|latency| latency.p999_ms),
            open_end_ms: all.iter().find_map(|latency| latency.open_end_ms),
        })
    };
    let limits: Vec<Limiter> = runs.iter().filter_map(|line| line.limited_by).collect();
    let often = |limiter: &Limiter| limits.iter().filter(|other| *other == limiter).count();
    Some(RunRow {
        iops: mean(|line| line.iops),
        measured_s: mean(|line| line.measured_s),
        mib_per_s: mean(|line| line.mib_per_s),
        latency: latency(|line| line.latency),
        response: latency(|line| line.response),
        cpu: known_mean(|line| line.cpu),
        hottest: known_mean(|line| line.hottest),
        verdict: RunVerdict::worst(runs.iter().map(|line| line.verdict)),
        limited_by: limits.iter().copied().max_by_key(often),
        findings: runs.iter().flat_map(|line| line.findings.clone()).collect(),
        hosts: Vec::new(),
    })
}
