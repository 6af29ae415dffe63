//! All charts of a time span, by section.

use super::chart::ChartFigure;
use super::page::heading;
use super::series::Timeline;
use super::span::Span;
use super::{distribution, fio, hosts, processors, threads};
use maud::{Markup, html};

const NO_LATENCY_TEXT: &str = "Latencies are not recorded; -L measures them.";
const NO_SERIES_TEXT: &str = "No values over time: record them with -D, with -L also latencies.";

pub(crate) fn sections(span: &Span) -> Markup {
    let course = span.detail.and_then(|detail| Timeline::from_span(&detail));
    let course = course.iter().zip(span.detail);
    let recorded = course.flat_map(|(course, detail)| course.charts(span, &detail));
    let over_time: Vec<ChartFigure> = recorded.chain(fio::charts(span)).collect();
    let without = if span.detail.is_some() { NO_SERIES_TEXT } else { "No values over time were recorded." };
    html! {
        (render_section(span.level, "Latency", &distribution::charts(span), NO_LATENCY_TEXT))
        (render_section(span.level, "Over time", &over_time, without))
        (render_section(span.level, "Processors and threads", &part_charts(span), ""))
        @if let Some(hosts) = hosts::section(span) { (hosts) }
    }
}

fn part_charts(span: &Span) -> Vec<ChartFigure> {
    let Some(detail) = &span.detail else { return Vec::new() };
    let threads = threads::charts(span, detail.measured);
    processors::chart(span, &detail.measured.cpu).into_iter().chain(threads).collect()
}

/// `without` = text if there are no charts; empty = nothing.
fn render_section(level: u8, title: &str, charts: &[ChartFigure], without: &str) -> Markup {
    html! {
        @if !charts.is_empty() || !without.is_empty() {
            render_section {
                (heading(level, title))
                @if charts.is_empty() { p.quiet { (without) } }
                div.charts { @for chart in charts { (chart.markup(level + 1)) } }
            }
        }
    }
}
