//! The single runs of both sides as adjacent points. They show the basis of a change, and outliers.

use super::{CLASSES, ComparisonPage, LETTERS, MAX_FULL_FIGURES, id, name, of_span, text};
use crate::chart::ChartFigure;
use crate::chart::axis::{ChartAxis, short_latency};
use crate::chart::points::{PointGroup, Points};
use crate::chart::table::FigureTable;
use diskspd_experiments::compare::{Compared, SideSummary, SpanCompared};
use diskspd_figures::units::count_of;
use diskspd_figures::units::visible::line;
use diskspd_report::number::short;

pub(super) fn charts(page: &ComparisonPage, span: &SpanCompared) -> Vec<ChartFigure> {
    let most = if page.comparison.time_spans.len() > MAX_FULL_FIGURES { 1 } else { usize::MAX };
    let known = span.metrics.iter().take(most).filter_map(|metric| Some((metric, metric.sides.as_ref()?)));
    known.map(|(metric, sides)| points_chart(page, span, metric, sides)).collect()
}

fn points_chart(
    page: &ComparisonPage,
    span: &SpanCompared,
    metric: &Compared,
    sides: &[SideSummary; 2],
) -> ChartFigure {
    let write = text(metric);
    let mut table = FigureTable::new(&["run", name(metric)]);
    let mut groups = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        let from = number as f64;
        let at = |run: usize| from + (run as f64 + 0.5) / side.values.len() as f64;
        let points: Vec<(f64, f64)> =
            side.values.iter().enumerate().map(|(run, value)| (at(run), *value)).collect();
        let workload = page.comparison.workload(span);
        let names = workload.map(|workload| workload.runs[number].as_slice()).unwrap_or_default();
        for ((at, value), run) in points.iter().zip(names) {
            table.row(at / 2.0, [run_name(LETTERS[number], run), write(*value)]);
        }
        groups.push(PointGroup {
            class: CLASSES[number],
            name: format!("{}, line: median", LETTERS[number]),
            points,
            levels: vec![(from, from + 1.0, side.median)],
        });
    }
    let all = sides.iter().flat_map(|side| side.values.iter().copied());
    let ticks = if metric.more_is_better { short } else { short_latency };
    let sides_below = LETTERS.iter().zip(sides).enumerate().map(|(number, (letter, side))| {
        (number as f64 + 0.5, format!("{letter}, {}", count_of(side.values.len(), "run")))
    });
    let points = Points {
        id: format!("runs-{}-{}", id(page, span), metric.metric.replace('.', "-")),
        title: format!("{}{}", of_span(page, span), name(metric)),
        summary: summary_text(sides, write),
        note: String::new(),
        x: ChartAxis::places("runs of each side, in their order", 2.0, sides_below.collect()),
        y: ChartAxis::axis_near(name(metric), all, ticks),
        groups,
        ringed: None,
        marks: Vec::new(),
        table,
    };
    points.chart()
}

pub(super) fn run_name(letter: &str, run: &str) -> String {
    if run.starts_with(letter) { line(run).into_owned() } else { format!("{letter}: {}", line(run)) }
}

fn summary_text(sides: &[SideSummary; 2], write: fn(f64) -> String) -> String {
    let of = |(letter, side): (&&str, &SideSummary)| {
        let low = side.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = side.values.iter().copied().fold(0.0, f64::max);
        format!(
            "{letter}: {}, median {}, {} to {}",
            count_of(side.values.len(), "run"),
            write(side.median),
            write(low),
            write(high)
        )
    };
    format!("{}.", LETTERS.iter().zip(sides).map(of).collect::<Vec<_>>().join("; "))
}
