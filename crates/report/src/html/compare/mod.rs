//! The page of a comparison: what has changed stands first, then the figures, the single runs, the
//! distributions, what else differs, and how to do it again.

mod answer;
mod distribution;
mod figures;
mod points;
mod runs;

use super::chart::ChartFigure;
use super::page::heading;
use crate::work_in_words as workload;
use diskspd_judge::lab::compare::{
    self, Compared, RunComparison, Side, SideDifference, SideRun, SpanCompared,
};
use diskspd_model::units::visible::{line, lines};
use maud::{Markup, html};

/// A comparison as its page sees it.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonPage<'a> {
    /// What came out.
    pub comparison: &'a RunComparison,
    /// What was compared.
    pub sides: [&'a Side; 2],
    /// The whole command line, as it can be typed.
    pub command_line: &'a str,
    /// Both sides ask for the same: what differs is noise.
    pub is_noise: bool,
    /// The whole answer in a sentence; `None` = what is said of each time span is enough.
    pub sentence: Option<&'a str>,
}

/// What both sides are called in tables and charts.
const LETTERS: [&str; 2] = ["A", "B"];
/// Their looks.
const CLASSES: [&str; 2] = ["first", "other"];
/// Time spans that have charts of every figure; with more of them the page would become too large.
const MOST_WITH_ALL: usize = 4;
/// Time spans that have charts at all.
const MOST_WITH_CHARTS: usize = 24;

/// For the title of a window.
pub fn title(page: &ComparisonPage) -> String {
    format!("DiskSpd: {} and {} compared", page.sides[0].name, page.sides[1].name)
}

/// The content of the page.
pub fn content(page: &ComparisonPage) -> Markup {
    let spans = &page.comparison.time_spans;
    let charted = &spans[..spans.len().min(MOST_WITH_CHARTS)];
    let single: Vec<ChartFigure> = charted.iter().flat_map(|span| points::charts(page, span)).collect();
    let distributions: Vec<ChartFigure> =
        charted.iter().flat_map(|span| distribution::charts(page, span)).collect();
    html! {
        header {
            p.kicker { "DiskSpd for Linux · comparison" }
            h1 { "B compared with A" }
            @for (letter, side) in LETTERS.iter().zip(page.sides) {
                p.targets { (letter) ": " code { (line(&side.name)) } ", " (counted(side.runs.len())) }
            }
        }
        section.verdict { (heading(2, "Verdict")) (answer::verdicts(page)) }
        section { (heading(2, "Figures")) (figures::figures(page)) }
        @if !single.is_empty() {
            section { (heading(2, "Single runs")) div.charts { @for chart in &single { (chart.markup()) } } }
        }
        @if !distributions.is_empty() {
            section {
                (heading(2, "Latency"))
                div.charts { @for chart in &distributions { (chart.markup()) } }
            }
        }
        @if spans.len() > MOST_WITH_ALL {
            p.quiet {
                "There are charts of the figure that decides, of the first " (MOST_WITH_CHARTS)
                " time spans; of all figures in comparisons of up to " (MOST_WITH_ALL) "."
            }
        }
        section { (heading(2, "What differs besides")) (differences(&page.comparison.differences)) }
        section { (heading(2, "Runs")) (runs::runs(page)) }
        section.again {
            (heading(2, "Do it again"))
            div.command { pre { code { (lines(page.command_line)) } } }
            (runs::command_lines(page))
        }
    }
}

fn counted(runs: usize) -> String {
    if runs == 1 { "1 run".into() } else { format!("{runs} runs") }
}

/// Of several time spans or workloads, which one, by what it does; empty = there is one.
fn span_name(page: &ComparisonPage, span: &SpanCompared) -> String {
    let place = compare::place(page.comparison, span);
    let run = runs_of(page, span, 0).first().map(|run| &run.known);
    let name = run.and_then(|run| workload::names(run).into_iter().nth(span.time_span as usize - 1));
    match name.filter(|_| !place.is_empty() && page.comparison.workloads.len() == 1) {
        Some(name) => format!("{name} ({place})"),
        None => place,
    }
}

/// The same in front of what is told of it.
fn of_span(page: &ComparisonPage, span: &SpanCompared) -> String {
    let name = span_name(page, span);
    if name.is_empty() { name } else { format!("{name}: ") }
}

/// Tells the charts of a time span from those of others.
fn id(page: &ComparisonPage, span: &SpanCompared) -> String {
    match page.comparison.workloads.len() {
        1 => span.time_span.to_string(),
        _ => format!("{}-{}", span.workload, span.time_span),
    }
}

/// The runs of a side that a time span is of.
fn runs_of<'a>(page: &ComparisonPage<'a>, span: &SpanCompared, side: usize) -> Vec<&'a SideRun> {
    let workload = page.comparison.workloads.get(span.workload as usize - 1);
    let places = workload.map(|workload| &workload.places[side]).into_iter().flatten();
    places.filter_map(|place| page.sides[side].runs.get(*place)).collect()
}

/// What a figure is called where each value has its unit.
fn name(metric: &Compared) -> &str {
    metric.title.strip_suffix(", ms").unwrap_or(&metric.title)
}

/// How a figure is written: rates are more if they're better, latencies less.
fn text(metric: &Compared) -> fn(f64) -> String {
    if metric.more_is_better { crate::number::number } else { crate::number::latency }
}

fn differences(found: &[SideDifference]) -> Markup {
    let value = |value: &Option<String>| line(value.as_deref().unwrap_or("not recorded")).into_owned();
    html! {
        @if found.is_empty() { p { "Nothing: all else that was recorded is the same on both sides." } }
        @else {
            div.scroll.high tabindex="0" role="region" aria-label="What differs besides" {
                table.differences {
                    caption.hidden { "What differs besides" }
                    thead { tr { th scope="col" { "what" } th scope="col" { "A" } th scope="col" { "B" } } }
                    tbody {
                        @for one in found {
                            tr {
                                th scope="row" { (line(&one.what)) }
                                td { (value(&one.first)) }
                                td { (value(&one.other)) }
                            }
                        }
                    }
                }
            }
            p.note { "All else that was recorded is the same on both sides." }
        }
    }
}
