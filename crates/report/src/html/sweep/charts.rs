//! The charts of a sweep: for each group of points what more load brings and what it costs; where points
//! don't differ in load, their rates side by side.

use super::SweepPage;
use crate::html::chart::axis::ChartAxis;
use crate::html::chart::bars::Bars;
use crate::html::chart::curve::{Curve, CurveKnee, CurveObjective, CurvePoint};
use crate::html::chart::table::FigureTable;
use crate::html::chart::{ChartFigure, PointLabel};
use crate::number::number;
use diskspd_judge::lab::sweep::{Measure, Objective, PointRow, Setting, SweepAnswer, label};
use diskspd_judge::lab::{LatencyLine, RunLine};
use diskspd_model::stats::replicates::{Bounds, Spread};

/// Groups that have a chart; with more of them the page would become too large.
const MOST: usize = 24;

pub fn charts(page: &SweepPage) -> Vec<(ChartFigure, Vec<PointLabel>)> {
    let chart = |(number, answer): (usize, &SweepAnswer)| {
        let rows = of_group(page, answer);
        let differ = rows.windows(2).any(|pair| pair[0].1.load != pair[1].1.load);
        match differ && rows.iter().any(|(_, row)| row.figures.as_ref().and_then(RunLine::felt).is_some()) {
            true => group_curve(page, answer, &rows, number).chart(),
            false => (bar_chart(answer, &rows, number).chart(), Vec::new()),
        }
    };
    page.answers.iter().take(MOST).enumerate().map(chart).collect()
}

/// The rows that an answer speaks of with their places, by rising load.
fn of_group<'a>(page: &SweepPage<'a>, answer: &SweepAnswer) -> Vec<(usize, &'a PointRow)> {
    let Some(of) = page.rows.get(answer.highest) else { return Vec::new() };
    let is_of_it = |row: &PointRow| {
        row.group == of.group && row.is_offered() == of.is_offered() && row.figures.is_some()
    };
    let mut rows: Vec<(usize, &PointRow)> =
        page.rows.iter().enumerate().filter(|(_, row)| is_of_it(row)).collect();
    rows.sort_by_key(|(_, row)| row.load);
    rows
}

fn chart_title(what: &str, answer: &SweepAnswer) -> String {
    if answer.common.is_empty() { what.to_owned() } else { format!("{what}, {}", answer.common) }
}

fn group_curve(page: &SweepPage, answer: &SweepAnswer, rows: &[(usize, &PointRow)], number: usize) -> Curve {
    let objective = page.settings.objective;
    let place_of = |place: usize| rows.iter().position(|(other, _)| *other == place);
    let iops = |row: &PointRow| row.figures.as_ref().map_or(0.0, |line| line.iops);
    let knee = answer.knee.zip(answer.found_knee().and_then(place_of)).map(|(knee, point)| {
        let within = |(low, high): (u64, u64)| {
            let rates = rows.iter().filter(|(_, row)| (low..=high).contains(&row.load));
            let rates = rates.map(|(_, row)| iops(row));
            rates.fold((f64::MAX, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)))
        };
        CurveKnee { point, iops_interval: knee.between.filter(|(low, high)| low < high).map(within) }
    });
    Curve {
        id: format!("curve-{}", number + 1),
        title: chart_title("Throughput and latency", answer),
        latency_name: latency_name(rows, objective),
        points: rows.iter().map(|(_, row)| curve_point(row, rows, objective)).collect(),
        knee,
        objective: objective.map(|objective| CurveObjective {
            latency_ms: objective.limit_ms,
            label: objective.to_string(),
            iops: answer.objective_row.map(|row| iops(&page.rows[row])),
        }),
    }
}

/// The latency that the objective is about, else the mean.
fn latency_name(rows: &[(usize, &PointRow)], objective: Option<Objective>) -> String {
    let name = match objective.map(|objective| objective.measure) {
        None | Some(Measure::Average) => "mean latency",
        Some(Measure::P99) => "99th percentile",
        Some(Measure::P999) => "99.9th percentile",
    };
    let due = rows.iter().any(|(_, row)| row.figures.as_ref().is_some_and(|line| line.response.is_some()));
    if due { format!("{name}, from when I/Os were due") } else { name.to_owned() }
}

fn label_in_group(row: &PointRow, of_group: &[(usize, &PointRow)]) -> String {
    let common = |setting: &&Setting| of_group.iter().all(|(_, other)| other.settings.contains(setting));
    let own = row.settings.iter().filter(|setting| !common(setting)).map(Setting::written);
    let own = own.collect::<Vec<_>>().join(" ");
    if own.is_empty() { label(row) } else { own }
}

fn curve_point(row: &PointRow, of_group: &[(usize, &PointRow)], objective: Option<Objective>) -> CurvePoint {
    let of = |latency: &LatencyLine| {
        objective.map_or(latency.mean_ms, |objective| objective.read_from(latency)).ms()
    };
    let values: Vec<f64> = row.runs.iter().filter_map(|line| line.felt()).map(of).collect();
    CurvePoint {
        label: label_in_group(row, of_group),
        threads: row.threads,
        iops: row.figures.as_ref().map_or(0.0, |line| line.iops),
        iops_interval: row.iops.and_then(|iops| iops.interval(Bounds::Positive)),
        latency_ms: row.figures.as_ref().and_then(RunLine::felt).map(of),
        latency_interval_ms: mean_factors(&values),
    }
}

/// The interval of the geometric mean, by which the objective is judged: latencies vary by factors.
fn mean_factors(values: &[f64]) -> Option<(f64, f64)> {
    let logarithms: Vec<f64> = values.iter().filter(|value| **value > 0.0).map(|value| value.ln()).collect();
    let spread = Spread::from_values(&logarithms)?;
    let width = spread.half_width?;
    Some(((spread.mean - width).exp(), (spread.mean + width).exp()))
}

fn bar_chart(answer: &SweepAnswer, rows: &[(usize, &PointRow)], count: usize) -> Bars {
    let rates: Vec<f64> =
        rows.iter().map(|(_, row)| row.figures.as_ref().map_or(0.0, |line| line.iops)).collect();
    let highest = rates.iter().copied().fold(0.0, f64::max);
    let mut table = FigureTable::new(&["point", "IOPS"]);
    for ((_, row), rate) in rows.iter().zip(&rates) {
        table.row(0.0, [label(row), number(*rate)]);
    }
    Bars {
        id: format!("rates-{}", count + 1),
        title: chart_title("I/Os per second", answer),
        summary: format!("{} points; the highest is {}.", rows.len(), number(highest)),
        note: String::new(),
        of: "point".into(),
        names: rows.iter().map(|(_, row)| label(row)).collect(),
        y: ChartAxis::amounts("IOPS", highest),
        parts: vec![("total", "IOPS".into(), rates)],
        table,
    }
}
