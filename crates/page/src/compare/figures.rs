//! The figures of both sides and their changes: a table, and a chart of the changes.

use super::{ComparisonPage, MAX_WORKLOADS_WITH_CHARTS, id, name, span_name};
use crate::chart::ChartFigure;
use crate::chart::change_plot::{ShiftRow, Shifts};
use crate::chart::table::FigureTable;
use crate::page::heading;
use crate::verdict::Badge;
use diskspd_experiments::compare::{self, Compared, FigureRow, SpanCompared};
use diskspd_figures::units::table::signed;
use diskspd_report::number::NONE;
use diskspd_report::page_table::PageTable;
use maud::{Markup, html};

const MEANING: &str = "A, B: median of the runs. Change: the Hodges-Lehmann shift, B against A, and the \
                       interval that holds the true change.";
const STATISTICS_MEAN: &str = "Chance: p-value; corrected: Bonferroni, for 5 % over all figures. Then how \
                               often this number of runs detects a change of 5 %, the change that they \
                               detect in 80 of 100 cases, and the drift that both sides share, from the \
                               first pair to the last.";

/// Renders table and chart of each time span.
pub(super) fn figures(page: &ComparisonPage) -> Markup {
    let several = page.comparison.time_spans.len() > 1;
    html! {
        @for (number, span) in page.comparison.time_spans.iter().enumerate() {
            @if several { (heading(3, &span_name(page, span))) }
            (PageTable::new("compared", "Figures of both sides")
                .render(&FigureRow::columns(["A", "B"]), &compare::lines_of_span(span)))
            @if number == 0 { p.note { (MEANING) } }
            (render_statistics(span))
            @if number < MAX_WORKLOADS_WITH_CHARTS {
                @if let Some(chart) = changes_chart(page, span) {
                    div.charts { (chart.markup(if several { 4 } else { 3 })) }
                }
            }
        }
    }
}

fn render_statistics(span: &SpanCompared) -> Markup {
    let lines: Vec<FigureRow> =
        compare::lines_of_span(span).into_iter().filter(FigureRow::is_compared).collect();
    html! {
        @if !lines.is_empty() {
            details {
                summary { "Statistics" }
                (PageTable::new("compared", "Statistics of the figures")
                    .render(&FigureRow::statistics(), &lines))
                p.note { (STATISTICS_MEAN) }
            }
        }
    }
}

fn changes_chart(page: &ComparisonPage, span: &SpanCompared) -> Option<ChartFigure> {
    let same = span.same_percent;
    let shown: Vec<&Compared> = span.all().filter(|metric| metric.sides.is_some()).collect();
    shown.first()?;
    let mut table = FigureTable::new(&["figure", "change", "interval", "verdict"]);
    for metric in &shown {
        table.row(
            0.0,
            [
                name(metric).to_owned(),
                percent_cell(metric.change_percent),
                interval_text(metric),
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
    let said = shown.iter().map(|metric| {
        format!("{} {}, {}", name(metric), percent_cell(metric.change_percent), metric.verdict.word())
    });
    let shifts = Shifts {
        id: format!("changes-{}", id(page, span)),
        title: "Change of each figure".into(),
        summary: format!("{}.", said.collect::<Vec<_>>().join("; ")),
        note: "The dot is the estimate, the line its confidence interval (column 'sure'). A line that does \
               not touch 0 is a change; a line inside the band means the same. Lower latencies are better."
            .into(),
        label: "change of B against A".into(),
        same,
        rows: shown.iter().map(row).collect(),
        table,
    };
    Some(shifts.chart())
}

fn percent_cell(percent: Option<f64>) -> String {
    percent.map_or(NONE.into(), signed)
}

fn interval_text(metric: &Compared) -> String {
    compare::interval_text(metric, "to").unwrap_or_else(|| NONE.into())
}
