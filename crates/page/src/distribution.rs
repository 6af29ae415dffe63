//! Latency distributions by nines, of service and of response.

use super::chart::ChartFigure;
use super::chart::percentile_chart::{self, PercentileSeries};
use super::chart::table::FigureTable;
use super::span::{PickDirection, Span};
use diskspd_figures::units::Millis;
use diskspd_report::number::in_ms;
use diskspd_results::{
    ChartRow, DirectionSummary, PERCENTILES, PacedFigures, PacedLatency, SpanSummary, TEXT_PERCENTS,
};

/// Returns the chart; empty = latencies were not measured.
pub(crate) fn charts(span: &Span) -> Vec<ChartFigure> {
    let known = span.figures;
    let rows = [
        ("total", &known.total, (|row| row.total) as PickDirection),
        ("write", &known.write, |row| row.write),
        ("read", &known.read, |row| row.read),
    ];
    let paced = span.detail.and_then(|detail| detail.measured.paced.as_ref());
    let response = paced.and_then(|paced| Some((paced, paced.response.as_ref()?)));
    let mut distributions: Vec<PercentileSeries> = response.and_then(of_response).into_iter().collect();
    let all: Vec<PercentileSeries> =
        rows.into_iter().filter_map(|(name, figures, of)| of_direction(known, name, figures, of)).collect();
    // With one direction alone, the total is that direction.
    distributions.extend(if all.len() == 2 { all.into_iter().take(1).collect() } else { all });
    if distributions.is_empty() {
        return Vec::new();
    }
    let table = percentile_table(
        known,
        response.map(|(_, response)| response),
        percentile_chart::axis_of(&distributions),
    );
    vec![percentile_chart::chart(span.id("nines"), summary_text(known), &distributions, table)]
}

fn of_direction(
    known: &SpanSummary,
    name: &'static str,
    figures: &DirectionSummary,
    of: PickDirection,
) -> Option<PercentileSeries> {
    let ios = figures.ios.filter(|ios| *ios > 0)?;
    let max = figures.max_ms?.ms();
    let first = figures.min_ms.map(|min| (0.0, min.ms()));
    let rows = known.percentiles.iter().filter(|row| row.percent < 100.0);
    // The line ends at the first percentile of which only a lower bound is known.
    let known_times = rows.filter_map(|row| Some((row.percent / 100.0, of(&row.latency)?)));
    let steps = known_times.take_while(|(_, time)| !known.is_lower_bound(*time));
    let steps = steps.map(|(share, time)| (share, time.ms()));
    Some(PercentileSeries {
        class: name,
        name: name.into(),
        ios,
        steps: first.into_iter().chain(steps).collect(),
        max,
    })
}

fn of_response((paced, response): (&PacedFigures, &PacedLatency)) -> Option<PercentileSeries> {
    let chart = &response.chart;
    let first = (0.0, chart.min.total?.ms());
    let rows = PERCENTILES.into_iter().zip(&chart.percentiles);
    let steps = rows.filter_map(|(share, row)| Some((share, row.total?.ms())));
    Some(PercentileSeries {
        class: "response",
        name: "total, response (from when it was due)".into(),
        ios: paced.ios,
        steps: [first].into_iter().chain(steps).collect(),
        max: chart.max.total?.ms(),
    })
}

fn summary_text(known: &SpanSummary) -> String {
    let told = |time: Millis| match known.is_lower_bound(time) {
        true => format!("at least {}", time.readable()),
        false => time.readable(),
    };
    let at = |percent| known.percentile(percent).and_then(|row| row.total).map(told);
    match (at(50.0), at(99.0), at(99.9)) {
        (Some(half), Some(hundredth), Some(thousandth)) => {
            format!("Half of the I/Os took no longer than {half}, 99 % {hundredth}, 99.9 % {thousandth}.")
        }
        _ => "The percentiles are in the table.".into(),
    }
}

fn percentile_table(known: &SpanSummary, response: Option<&PacedLatency>, axis: f64) -> FigureTable {
    let mut table = FigureTable::new(&["percentile", "read, ms", "write, ms", "total, ms"]);
    if response.is_some() {
        table.head.push("response, ms".into());
    }
    let response = response.map(|response| &response.chart);
    // The longest time is known even if its bin has no end.
    let is_bound = |share: f64, time: Millis| share < 1.0 && known.is_lower_bound(time);
    let mut add = |share: f64, name: String, row: ChartRow, response: Option<Option<ChartRow>>| {
        let told = |time: Option<Millis>| match time.filter(|time| is_bound(share, *time)) {
            Some(bound) => format!("≥ {}", in_ms(Some(bound))),
            None => in_ms(time),
        };
        let figures = [row.read, row.write, row.total].map(told);
        let response = response.map(|row| in_ms(row.and_then(|row| row.total)));
        let at = (percentile_chart::nines(share) / axis).min(1.0);
        table.row(at, [name].into_iter().chain(figures).chain(response));
    };
    let ends = |of: fn(&DirectionSummary) -> Option<Millis>| {
        let [read, write, total] = [&known.read, &known.write, &known.total].map(of);
        ChartRow { read, write, total }
    };
    add(0.0, "shortest".into(), ends(|figures| figures.min_ms), response.map(|chart| Some(chart.min)));
    for (percent, share) in TEXT_PERCENTS.into_iter().zip(PERCENTILES) {
        let Some(row) = known.percentile(percent) else { continue };
        let at = response.map(|chart| chart.percentile(percent));
        add(share, format!("{percent} %"), row, at);
    }
    add(1.0, "longest".into(), ends(|figures| figures.max_ms), response.map(|chart| Some(chart.max)));
    table
}
