//! Several time spans on one page: a row for each, by what it does, with a link to its section.

use super::input::{PagePlace, Run};
use super::page::heading;
use super::verdict::{Badge, span_id};
use crate::number::{exact, exact_time, number};
use crate::work_in_words as workload;
use diskspd_model::results::SpanSummary;
use maud::{Markup, html};

const HEAD: [&str; 5] = ["IOPS", "MiB/s", "mean", "99 %", "verdict"];

/// The whole section.
pub fn section(run: &Run, place: &PagePlace) -> Markup {
    let names = workload::names(&run.known);
    html! {
        section.overview {
            (heading(place.level, "Workloads"))
            div.scroll tabindex="0" role="region" aria-label="Workloads" {
                table.figures.workloads {
                    caption.hidden { "Figures of each workload" }
                    thead { tr {
                        th scope="col" { "workload" }
                        @for name in HEAD { th scope="col" { (name) } }
                    } }
                    tbody { @for (number, name) in (1..).zip(&names) { (row(run, place, number, name)) } }
                }
            }
        }
    }
}

/// That of a time span, from 1.
fn row(run: &Run, place: &PagePlace, number: usize, name: &str) -> Markup {
    let figures = run.known.time_spans.get(number - 1).and_then(Option::as_ref);
    let link = format!("#{}", span_id(&place.prefix, number));
    html! {
        tr {
            th scope="row" { a href=(link) { (number) ". " (name) } }
            @match figures {
                Some(figures) => {
                    (cells(figures))
                    td { (Badge::of_span(run, number).markup()) }
                },
                None => td.failed colspan=(HEAD.len()) { "ended before measuring began" },
            }
        }
    }
}

fn cells(figures: &SpanSummary) -> Markup {
    let total = &figures.total;
    let p99 = figures.percentile(99.0).and_then(|row| row.total);
    html! {
        td { (exact(total.iops, number)) }
        td { (exact(total.mib_per_s, number)) }
        @for ms in [total.mean_ms, p99] { td { (exact_time(ms)) } }
    }
}
