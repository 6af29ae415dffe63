//! The figures of both sides and their changes: a table, and a chart of the changes.

use super::{ComparisonPage, MOST_WITH_CHARTS, id, name, span_name, text};
use crate::html::chart::ChartFigure;
use crate::html::chart::shifts::{ShiftRow, Shifts};
use crate::html::chart::table::FigureTable;
use crate::html::page::heading;
use crate::html::verdict::Badge;
use crate::number::{NONE, exact, plain};
use diskspd_judge::lab::compare::{self, Compared, SpanCompared, signed};
use diskspd_model::units::visible::line;
use maud::{Markup, html};

const HEAD: [&str; 12] = [
    "A",
    "B",
    "change",
    "interval",
    "sure, %",
    "verdict",
    "chance",
    "corrected",
    "runs scatter by, %",
    "detects 5 % in, % of cases",
    "detected in 80 % of cases",
    "drift of both",
];

const MEANING: &str = "A, B: median of the runs. Change: the Hodges-Lehmann shift, B against A, and the \
    interval that holds the true change. Chance: how often two sides without a difference look so different; \
    corrected: times the number of figures that share an error rate of 5 %. Then how often so many \
    runs detect a change of 5 %, the change that they detect in 80 of 100 cases, and the drift that both sides \
    share, from the first pair to the last.";

/// Table and chart of each time span.
pub fn figures(page: &ComparisonPage) -> Markup {
    let several = page.comparison.time_spans.len() > 1;
    html! {
        @for (number, span) in page.comparison.time_spans.iter().enumerate() {
            @if several { (heading(3, &span_name(page, span))) }
            div.scroll tabindex="0" role="region" aria-label="Figures of both sides" { (table(span)) }
            @if number == 0 { p.note { (MEANING) } }
            @if number < MOST_WITH_CHARTS {
                @if let Some(chart) = changes(page, span) {
                    div.charts { (chart.markup()) }
                }
            }
        }
    }
}

fn table(span: &SpanCompared) -> Markup {
    html! {
        table.figures.compared {
            caption.hidden { "Figures of both sides" }
            thead { tr { th scope="col" { "figure" } @for name in HEAD { th scope="col" { (name) } } } }
            tbody {
                @for (number, metric) in span.all().enumerate() {
                    tr {
                        th.total[number == 0] scope="row" {
                            (name(metric)) @if number == 0 { span.quiet { " decides" } }
                        }
                        @match &metric.sides {
                            Some(sides) => {
                                @for side in sides { td { (exact(Some(side.median), text(metric))) } }
                                (change(metric))
                            }
                            None => td.failed colspan="12" {
                                "not compared: " (line(metric.why_not.as_deref().unwrap_or_default()))
                            },
                        }
                    }
                }
            }
        }
    }
}

fn change(metric: &Compared) -> Markup {
    html! {
        td { (exact(metric.change_percent, signed)) }
        td {
            @match (metric.low_percent, metric.high_percent) {
                (Some(low), Some(high)) => { (exact(Some(low), signed)) " to " (exact(Some(high), signed)) },
                (low, _) => { (exact(low, signed)) @if low.is_some() { " or any higher" } },
            }
        }
        td { (exact(metric.confidence_percent, plain)) }
        td.words {
            (Badge::of_change(metric.verdict).markup())
            @if let Some([first, other]) = metric.more_runs {
                " about " (exact(Some(f64::from(first)), plain)) " more of A, "
                (exact(Some(f64::from(other)), plain)) " of B would tell"
            }
        }
        td { (exact(metric.chance, plain)) }
        td { (exact(metric.corrected_chance, plain)) }
        td { (exact(metric.noise_percent, plain)) }
        td { (exact(metric.finds_5_percent, plain)) }
        td { (exact(metric.detectable_percent, signed)) }
        td { (exact(metric.drift_percent, signed)) }
    }
}

/// All changes below each other, against the zone that counts as the same; `None` = there are none.
fn changes(page: &ComparisonPage, span: &SpanCompared) -> Option<ChartFigure> {
    let same = page.comparison.same_percent;
    let shown: Vec<&Compared> = span.all().filter(|metric| metric.sides.is_some()).collect();
    shown.first()?;
    let mut table = FigureTable::new(&["figure", "change", "interval", "verdict"]);
    for metric in &shown {
        table.row(
            0.0,
            [
                name(metric).to_owned(),
                cell(metric.change_percent),
                between(metric),
                metric.verdict.word().into(),
            ],
        );
    }
    let row = |metric: &&Compared| ShiftRow {
        class: Badge::of_change(metric.verdict).class(),
        name: format!("{} · {}", name(metric), metric.verdict.word()),
        change: metric.change_percent,
        interval: metric.low_percent.zip(metric.high_percent),
    };
    let said = shown
        .iter()
        .map(|metric| format!("{} {}, {}", name(metric), cell(metric.change_percent), metric.verdict.word()));
    let shifts = Shifts {
        id: format!("changes-{}", id(page, span)),
        title: "Change of each figure".into(),
        summary: format!("{}.", said.collect::<Vec<_>>().join("; ")),
        note: "The dot is the estimate, the line its interval, as sure as the table says: figures that \
            share an error rate have longer ones. It is a change when the line doesn't touch 0, and the same \
            when the line lies within the band. Lower latencies are better."
            .into(),
        label: "change of B against A".into(),
        same,
        rows: shown.iter().map(row).collect(),
        table,
    };
    Some(shifts.chart())
}

fn cell(percent: Option<f64>) -> String {
    percent.map_or(NONE.into(), signed)
}

fn between(metric: &Compared) -> String {
    compare::between(metric, "to").unwrap_or_else(|| NONE.into())
}
