//! Latency distributions of both sides by nines: the median of the runs at each percentile, and the band
//! between their lowest and highest values. Percentiles are never averaged.

use super::{CLASSES, ComparisonPage, LETTERS, MAX_FULL_FIGURES, id, of_span, runs_of};
use crate::chart::axis::ChartAxis;
use crate::chart::percentile_chart::nines;
use crate::chart::table::FigureTable;
use crate::chart::{ChartFigure, Key, path};
use crate::downsample::Band;
use crate::span::PickDirection;
use diskspd_experiments::compare::{SideRun, SpanCompared};
use diskspd_figures::stats::median;
use diskspd_figures::units::Millis;
use diskspd_report::number::{in_ms, latency};
use diskspd_results::{DirectionSummary, SpanSummary, TEXT_PERCENTS, find_percentile, is_listed};
use maud::html;

type SideDirection = ([&'static str; 2], fn(&SpanSummary) -> &DirectionSummary, PickDirection);

const DIRECTIONS: [SideDirection; 3] = [
    (["all", "all I/Os"], |span| &span.total, |row| row.total),
    (["reads", "reads"], |span| &span.read, |row| row.read),
    (["writes", "writes"], |span| &span.write, |row| row.write),
];

/// Percentile in percent, with the band of a side's runs, whose `mean` is the median.
type SideStep = (f64, Band);

/// Returns a chart of all I/Os, and one each of reads and writes if there are both.
pub(super) fn charts(page: &ComparisonPage, span: &SpanCompared) -> Vec<ChartFigure> {
    let index = span.time_span as usize - 1;
    let of = |direction: SideDirection| distribution_chart(page, span, index, direction);
    let [all, reads, writes] = DIRECTIONS.map(of);
    match (reads, writes) {
        (Some(reads), Some(writes)) if page.comparison.time_spans.len() <= MAX_FULL_FIGURES => {
            all.into_iter().chain([reads, writes]).collect()
        }
        _ => all.into_iter().collect(),
    }
}

fn distribution_chart(
    page: &ComparisonPage,
    span: &SpanCompared,
    index: usize,
    direction: SideDirection,
) -> Option<ChartFigure> {
    let steps = [0, 1].map(|side| side_steps(&runs_of(page, span, side), index, direction));
    if steps.iter().any(|steps| steps.len() < 2) {
        return None;
    }
    let furthest = steps.iter().flatten().map(|(percent, _)| nines(percent / 100.0)).fold(2.0, f64::max);
    let x = ChartAxis::nines(furthest);
    let y = ChartAxis::latencies("latency", steps.iter().flatten().flat_map(|(_, ms)| [ms.min, ms.max]));
    let at = |percent: f64| x.scale.place(nines(percent / 100.0));
    let line = |steps: &[SideStep]| {
        path::line(steps.iter().map(|(percent, ms)| Some((at(*percent), y.scale.place(ms.mean)))))
    };
    let band = |(percent, ms): &SideStep| Some((at(*percent), y.scale.place(ms.min), y.scale.place(ms.max)));
    let band = |steps: &[SideStep]| path::area(&steps.iter().map(band).collect::<Vec<_>>());
    let drawing = html! {
        @for (class, steps) in CLASSES.iter().zip(&steps) { path.band.{(class)} d=(band(steps)) {} }
        @for (class, steps) in CLASSES.iter().zip(&steps) { path.line.{(class)} d=(line(steps)) {} }
    };
    let repeated = page.sides.iter().any(|side| side.runs.len() > 1);
    let note = match repeated {
        true => {
            "The line is the median of the runs at each percentile, the band goes from the lowest to the \
            highest of them."
        }
        false => "",
    };
    Some(ChartFigure {
        kind: "lines",
        id: format!("nines-{}-{}", id(page, span), direction.0[0]),
        title: format!("{}Latency distribution, {}", of_span(page, span), direction.0[1]),
        summary: summary_text(&steps),
        note: note.into(),
        key: CLASSES.into_iter().zip(LETTERS).map(|(class, letter)| Key::line(class, letter)).collect(),
        drawing,
        marks: Vec::new(),
        table: percentile_table(&steps, repeated, &at),
        x,
        y,
    })
}

/// Returns the percentiles that all runs of the side have exactly and with enough I/Os.
fn side_steps(runs: &[&SideRun], index: usize, (_, figures, of): SideDirection) -> Vec<SideStep> {
    let spans: Option<Vec<&SpanSummary>> =
        runs.iter().map(|run| run.known.time_spans.get(index)?.as_ref()).collect();
    let Some(spans) = spans.filter(|spans| !spans.is_empty()) else { return Vec::new() };
    let fewest = spans.iter().map(|span| figures(span).ios.unwrap_or(0)).min().unwrap_or(0);
    let shortest =
        spans.iter().map(|span| figures(span).min_ms.map(Millis::ms)).collect::<Option<Vec<f64>>>();
    let step = |percent: f64| {
        let exact =
            |span: &SpanSummary| of(&span.percentile(percent)?).filter(|time| !span.is_lower_bound(*time));
        let values = spans.iter().map(|span| exact(span).map(Millis::ms));
        Some((percent, value_band(&values.collect::<Option<Vec<f64>>>()?)))
    };
    let percents = spans[0].percentiles.iter().map(|row| row.percent);
    let told = percents.filter(|percent| fewest as f64 * (100.0 - percent) / 100.0 >= 1.0 - 1e-9);
    let first = shortest.filter(|_| fewest > 0).map(|values| (0.0, value_band(&values)));
    first.into_iter().chain(told.filter_map(step)).collect()
}

fn value_band(values: &[f64]) -> Band {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    Band { min: low, mean: median(values.iter().copied()), max: high }
}

fn summary_text(steps: &[Vec<SideStep>; 2]) -> String {
    let at = |percent: f64| {
        let of = |steps: &Vec<SideStep>| find_percentile(steps.clone(), percent).map(|ms| latency(ms.mean));
        let [first, other] = [&steps[0], &steps[1]].map(of);
        Some(format!("{percent} %: A {}, B {}", first?, other?))
    };
    let told: Vec<String> = [50.0, 99.0, 99.9].into_iter().filter_map(at).collect();
    if told.is_empty() { "The percentiles are in the table.".into() } else { format!("{}.", told.join("; ")) }
}

/// Renders the percentiles of the text report.
fn percentile_table(steps: &[Vec<SideStep>; 2], repeated: bool, at: &impl Fn(f64) -> f64) -> FigureTable {
    let mut table = FigureTable::new(&["percentile"]);
    for letter in LETTERS {
        table.head.push(format!("{letter}, ms"));
        if repeated {
            table.head.extend([format!("{letter}, lowest"), format!("{letter}, highest")]);
        }
    }
    let mut percents: Vec<f64> = steps.iter().flatten().map(|(percent, _)| *percent).collect();
    percents.retain(|percent| *percent == 0.0 || is_listed(&TEXT_PERCENTS, *percent));
    percents.sort_by(f64::total_cmp);
    percents.dedup();
    for percent in percents {
        let name = if percent == 0.0 { "shortest".into() } else { format!("{percent} %") };
        let mut cells = vec![name];
        for steps in steps {
            let found = find_percentile(steps.iter().copied(), percent);
            cells.push(in_ms(found.map(|ms| Millis::new(ms.mean))));
            if repeated {
                cells.extend(
                    [found.map(|ms| ms.min), found.map(|ms| ms.max)].map(|ms| in_ms(ms.map(Millis::new))),
                );
            }
        }
        table.row(at(percent), cells);
    }
    table
}
