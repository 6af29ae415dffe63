//! The figures that everybody looks for: rates and latencies, by direction.

use super::span::{PickDirection, Span};
use crate::number::{exact, exact_time, grouped, number};
use crate::work_in_words as workload;
use diskspd_model::results::{KnownFigures, SpanSummary};
use diskspd_model::units::amount;
use maud::{Markup, html};

/// Tiles for the most important figures, and the table of all.
pub fn figures(span: &Span) -> Markup {
    let said = workload::of_span(&span.figures.parameters);
    html! {
        @if !said.is_empty() { p.lead { (said) } }
        (tiles(span))
        div.scroll tabindex="0" role="region" aria-label="Figures by direction" { (table(span.figures)) }
    }
}

fn tiles(span: &Span) -> Markup {
    let known = span.figures;
    let total = &known.total;
    let at = |percent| known.percentile(percent).and_then(|row| row.total);
    let measured = span.detail.map(|detail| detail.measured);
    let response = measured.and_then(|measured| measured.paced.as_ref()?.response.as_ref());
    let response = response.and_then(|response| response.chart.percentiles.get(5)?.total);
    let failed = measured.map(|measured| measured.failed).filter(|failed| *failed > 0);
    html! {
        dl.tiles {
            (tile("I/Os per second", "", exact(total.iops, number)))
            (tile("MiB per second", "", exact(total.mib_per_s, number)))
            (tile("mean latency", "", exact_time(total.mean_ms)))
            (tile("99th percentile", "", exact_time(at(99.0))))
            (tile("99.9th percentile", "", exact_time(at(99.9))))
            (tile("longest", "", exact_time(total.max_ms)))
            @if response.is_some() { (tile("99th percentile, response", "", exact_time(response))) }
            (tile("CPUs in use", " %", exact(known.cpu_percent, number)))
            @if let Some(failed) = failed { (tile("I/Os failed", "", count(failed))) }
        }
    }
}

/// One figure, large, with its name.
pub fn tile(name: &str, unit: &str, figure: Markup) -> Markup {
    html! { div { dt { (name) } dd { (figure) (unit) } } }
}

const HEAD: [&str; 10] =
    ["IOPS", "MiB/s", "mean", "50 %", "99 %", "99.9 %", "longest", "IOPS deviation", "I/Os", "amount"];

fn table(known: &SpanSummary) -> Markup {
    let rows = [
        ("total", &known.total, (|row| row.total) as PickDirection),
        ("read", &known.read, |row| row.read),
        ("write", &known.write, |row| row.write),
    ];
    let done = |figures: &KnownFigures| figures.ios != Some(0);
    let both = done(&known.read) == done(&known.write);
    // With one direction alone, the total is that direction.
    let shown = rows.iter().filter(|(name, figures, _)| if *name == "total" { both } else { done(figures) });
    html! {
        table.figures {
            caption.hidden { "Figures by direction" }
            thead { tr {
                th scope="col" { span.hidden { "direction" } }
                @for name in HEAD { th scope="col" { (name) } }
            } }
            tbody {
                @for (name, figures, of) in shown {
                    tr { th.{(name)} scope="row" { (name) } (row(known, figures, *of)) }
                }
            }
        }
    }
}

fn row(known: &SpanSummary, figures: &KnownFigures, of: PickDirection) -> Markup {
    let at = |percent| known.percentile(percent).and_then(|row| of(&row));
    let latencies = [figures.mean_ms, at(50.0), at(99.0), at(99.9), figures.max_ms];
    html! {
        td { (exact(figures.iops, number)) }
        td { (exact(figures.mib_per_s, number)) }
        @for ms in latencies { td { (exact_time(ms)) } }
        td { (exact(figures.iops_std_dev, number)) }
        td { @if let Some(ios) = figures.ios { (count(ios)) } }
        td { @if let Some(bytes) = figures.bytes { (amount_of(bytes)) } }
    }
}

fn count(count: u64) -> Markup {
    html! { data value=(count) { (grouped(count as f64)) } }
}

/// Bytes, with the exact number for programs.
pub fn amount_of(bytes: u64) -> Markup {
    html! { data value=(bytes) { (amount(bytes)) } }
}
