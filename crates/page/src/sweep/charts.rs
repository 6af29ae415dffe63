//! The charts of a sweep: gain and cost of more load for each group of points. Points with equal load show
//! their rates next to each other.

use super::SweepPage;
use crate::chart::axis::ChartAxis;
use crate::chart::bars::Bars;
use crate::chart::curve::{Curve, CurveKnee, CurveObjective, CurvePoint};
use crate::chart::table::FigureTable;
use crate::chart::{ChartFigure, PointLabel};
use diskspd_experiments::sweep::{Measure, Objective, PointRow, Setting, SweepAnswer, label};
use diskspd_experiments::{LatencyRow, RunRow};
use diskspd_figures::stats::ranks::MAX_INFORMATIVE_INTERVAL;
use diskspd_figures::stats::replicates::{Bounds, Spread};
use diskspd_report::number::number;

/// Maximum number of groups with a chart, to limit the size of the page.
const MAX_CHARTS: usize = 24;

pub(super) fn charts(page: &SweepPage) -> Vec<(ChartFigure, Vec<PointLabel>)> {
    let of_group = |(number, answer): (usize, &SweepAnswer)| {
        let rows = rows_of(page, answer);
        let differ = rows.windows(2).any(|pair| pair[0].1.load != pair[1].1.load);
        match differ
            && rows.iter().any(|(_, row)| row.figures.as_ref().and_then(RunRow::user_latency).is_some())
        {
            true => {
                let curve = group_curve(page, answer, &rows, number);
                let by_load = curve.by_load().map(|chart| (chart, Vec::new()));
                by_load.into_iter().chain([curve.chart()]).collect()
            }
            false => vec![(bar_chart(answer, &rows, number).chart(), Vec::new())],
        }
    };
    page.sweep.answers.iter().take(MAX_CHARTS).enumerate().flat_map(of_group).collect()
}

/// Returns the rows of an answer with their indexes, by ascending load.
fn rows_of<'a>(page: &SweepPage<'a>, answer: &SweepAnswer) -> Vec<(usize, &'a PointRow)> {
    let Some(of) = page.sweep.points.get(answer.highest) else { return Vec::new() };
    let is_of_it = |row: &PointRow| {
        row.group == of.group && row.is_offered() == of.is_offered() && row.figures.is_some()
    };
    let mut rows: Vec<(usize, &PointRow)> =
        page.sweep.points.iter().enumerate().filter(|(_, row)| is_of_it(row)).collect();
    rows.sort_by_key(|(_, row)| row.load);
    rows
}

fn chart_title(what: &str, answer: &SweepAnswer) -> String {
    if answer.common.is_empty() { what.to_owned() } else { format!("{what}, {}", answer.common) }
}

fn group_curve(page: &SweepPage, answer: &SweepAnswer, rows: &[(usize, &PointRow)], number: usize) -> Curve {
    let objective = page.sweep.settings.objective;
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
        title: chart_title("Latency by throughput", answer),
        latency_name: latency_name(rows, objective),
        load_name: rows.first().map_or(String::new(), |(_, row)| row.load_name().into()),
        points: rows.iter().map(|(_, row)| curve_point(row, rows, objective)).collect(),
        knee,
        objective: objective.map(|objective| CurveObjective {
            latency_ms: objective.limit_ms,
            label: objective.to_string(),
            iops: answer.objective_row.map(|row| iops(&page.sweep.points[row])),
        }),
    }
}

/// Returns the name of the objective's latency, otherwise of the mean latency.
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
    let of = |latency: &LatencyRow| {
        objective.map_or(latency.mean_ms, |objective| objective.read_from(latency)).ms()
    };
    let values: Vec<f64> = row.runs.iter().filter_map(|line| line.user_latency()).map(of).collect();
    CurvePoint {
        label: label_in_group(row, of_group),
        load: row.load,
        threads: row.threads,
        iops: row.figures.as_ref().map_or(0.0, |line| line.iops),
        iops_interval: row.iops.and_then(|iops| iops.interval(Bounds::Positive)),
        latency_ms: row.figures.as_ref().and_then(RunRow::user_latency).map(of),
        latency_interval_ms: mean_factors(&values),
    }
}

/// Returns the interval of the geometric mean, which decides the objective, because latencies vary by
/// factors.
fn mean_factors(values: &[f64]) -> Option<(f64, f64)> {
    let logarithms: Vec<f64> = values.iter().filter(|value| **value > 0.0).map(|value| value.ln()).collect();
    let spread = Spread::from_values(&logarithms)?;
    let width = spread.half_width.filter(|width| 2.0 * width < MAX_INFORMATIVE_INTERVAL)?;
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
