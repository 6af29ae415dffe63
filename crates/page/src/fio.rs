//! Additional content of fio results: scope of the figures, discards and flushes, and the course from log
//! files.

use super::chart::ChartFigure;
use super::chart::axis::ChartAxis;
use super::chart::lines::{LineTimes, Lines, TimeSeries};
use super::chart::table::FigureTable;
use super::downsample::{self, Band};
use super::span::Span;
use diskspd_figures::units::Millis;
use diskspd_report::fio_text;
use diskspd_report::number::{cell, clock, in_ms, latency, plain};
use diskspd_report::page_table::PageTable;
use diskspd_results::{FioFigures, FioLogged, FioSeries, FioSeriesOf};
use maud::{Markup, html};

/// Kinds of series: suffix of the chart's id, and its title.
const KINDS: [(FioSeriesOf, &str, &str); 4] = [
    (FioSeriesOf::Iops, "fio-iops", "IOPS"),
    (FioSeriesOf::MibPerS, "fio-mib", "MiB/s"),
    (FioSeriesOf::Latency, "fio-lat", "Total latency"),
    (FioSeriesOf::CompletionLatency, "fio-clat", "Completion latency"),
];

pub(crate) fn section(fio: &FioFigures) -> Markup {
    let rows = fio_text::aux_figures(fio);
    html! {
        p.quiet { (fio_text::facts(fio).join(" · ")) }
        @if !rows.is_empty() {
            (PageTable::captioned("Discards and flushes").render(&fio_text::FIO_OTHERS, &rows))
        }
    }
}

pub(crate) fn charts(span: &Span) -> Vec<ChartFigure> {
    let Some(fio) = &span.figures.fio else { return Vec::new() };
    let chart = |(of, id, title): (FioSeriesOf, &str, &str)| {
        let courses: Vec<&FioSeries> = fio.series.iter().filter(|series| series.of == of).collect();
        (!courses.is_empty()).then(|| chart(span, &courses, id, title))
    };
    KINDS.into_iter().filter_map(chart).collect()
}

fn chart(span: &Span, courses: &[&FioSeries], id: &str, title: &str) -> ChartFigure {
    let is_latency = matches!(courses[0].of, FioSeriesOf::Latency | FioSeriesOf::CompletionLatency);
    let count = courses.iter().map(|series| series.values.len()).max().unwrap_or(0);
    let interval = courses[0].interval_s;
    let factor = downsample::factor(count, span.points);
    let points = count.div_ceil(factor);
    let seconds = (count as f64 * interval).max(interval);
    let at = |place: usize| ((place * factor) as f64 * interval).min(seconds);
    let times: Vec<(f64, f64)> = (0..points).map(|place| (at(place), at(place + 1))).collect();
    let lines: Vec<TimeSeries> = courses.iter().map(|series| series_line(series, factor)).collect();
    let all = || courses.iter().flat_map(|series| &series.values).flatten().copied();
    let (lowest, highest) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let in_words = if is_latency { latency } else { plain };
    let in_table = |value: Option<f64>| if is_latency { in_ms(value.map(Millis::new)) } else { cell(value) };
    let unit = if is_latency { ", ms" } else { "" };
    let head: Vec<String> = lines.iter().map(|line| format!("{}{unit}", line.name)).collect();
    let mut table = FigureTable::new(&["from"]);
    table.head.extend(head);
    for (place, (from, to)) in times.iter().enumerate() {
        let figures =
            lines.iter().map(|line| in_table(line.values.get(place).copied().flatten().map(|v| v.mean)));
        table.row((from + to) / 2.0 / seconds, [clock(*from, seconds)].into_iter().chain(figures));
    }
    Lines {
        id: span.id(id),
        title: title.into(),
        summary: format!("Between {} and {}.", in_words(lowest), in_words(highest)),
        note: format!(
            "From fio's log files, {} of intervals of {interval} s.",
            logged_text(courses[0].logged)
        ),
        y: if is_latency { ChartAxis::latencies(title, all()) } else { ChartAxis::amounts(title, highest) },
        over: LineTimes { times, seconds, marks: Vec::new() },
        lines,
        table,
    }
    .chart()
}

fn logged_text(logged: FioLogged) -> &'static str {
    match logged {
        FioLogged::Maximum => "maxima",
        FioLogged::Unknown => "means or maxima (the result does not list log_avg_msec)",
        FioLogged::Mean | FioLogged::MeanAndMaximum | FioLogged::SingleIo => "means",
    }
}

fn series_line(series: &FioSeries, factor: usize) -> TimeSeries {
    let mean = |chunk: &[Option<f64>]| downsample::span(chunk.iter().flatten().map(|value| (*value, 1.0)));
    let values: Vec<Option<Band>> = series.values.chunks(factor).map(mean).collect();
    let class = match series.direction.as_str() {
        "read" => "read",
        "write" => "write",
        _ => "total",
    };
    TimeSeries { class, name: series.direction.clone(), values, through: |band| band.mean, band: factor > 1 }
}
