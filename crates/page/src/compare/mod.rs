//! The page of a comparison: the changes first, then the figures, the runs, the distributions, other
//! differences, and the commands to repeat it.

mod answer;
mod distribution;
mod figures;
mod page;
mod points;
mod runs;

use super::chart::ChartFigure;
use super::page::{command, heading};
use super::title;
use diskspd_base::platform::PRODUCT;
use diskspd_experiments::compare::{self, SideDifference};
use diskspd_figures::units::count_of;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_figures::units::visible::line;
use diskspd_report::page_table::PageTable;
use maud::{Markup, html};
pub use page::ComparisonPage;
use page::{
    CLASSES, LETTERS, MAX_FULL_FIGURES, MAX_WORKLOADS_WITH_CHARTS, id, name, of_span, runs_of, span_name,
    text,
};

/// Returns the work of both sides and the change.
pub(crate) fn title(page: &ComparisonPage) -> String {
    let runs = || page.sides.iter().flat_map(|side| &side.runs).map(|run| &run.known);
    let answer = answer::in_short(page.comparison);
    match runs().next() {
        Some(_) => title::of_runs(runs(), &answer),
        None => title::of_work(&page.comparison.work, &answer),
    }
}

pub(crate) fn content(page: &ComparisonPage) -> Markup {
    let spans = &page.comparison.time_spans;
    let charted = &spans[..spans.len().min(MAX_WORKLOADS_WITH_CHARTS)];
    let single: Vec<ChartFigure> = charted.iter().flat_map(|span| points::charts(page, span)).collect();
    let distributions: Vec<ChartFigure> =
        charted.iter().flat_map(|span| distribution::charts(page, span)).collect();
    html! {
        header {
            p.kicker { (PRODUCT) " · comparison" }
            h1 { (title(page)) }
            @for (letter, side) in LETTERS.iter().zip(&page.comparison.sides) {
                p.targets {
                    (letter) ": " code { (line(&side.name)) } ", " (count_of(side.runs.len(), "run"))
                }
            }
        }
        section.verdict { (heading(2, "Verdict")) (answer::verdicts(page)) }
        section { (heading(2, "Figures")) (figures::figures(page)) }
        @if !single.is_empty() {
            section { (heading(2, "Single runs")) div.charts { @for chart in &single { (chart.markup(3)) } } }
        }
        @if !distributions.is_empty() {
            section {
                (heading(2, "Latency"))
                div.charts { @for chart in &distributions { (chart.markup(3)) } }
            }
        }
        @if spans.len() > MAX_FULL_FIGURES {
            p.quiet {
                "There are charts of the figure that decides, of the first " (MAX_WORKLOADS_WITH_CHARTS)
                " time spans; of all figures in comparisons of up to " (MAX_FULL_FIGURES) "."
            }
        }
        section { (heading(2, "Other differences")) (render_differences(&page.comparison.differences)) }
        @if page.sides.iter().any(|side| !side.runs.is_empty()) {
            section { (heading(2, "Runs")) (runs::runs(page)) }
        }
        @if !page.command_line.is_empty() {
            section.again {
                (heading(2, "Do it again"))
                (command(page.command_line))
                (runs::command_lines(page))
            }
        }
    }
}

const DIFFERENCES: [TableColumn<SideDifference>; 3] = [
    TableColumn::<SideDifference>::words("what", |one| Cell::name_cell(&one.subject)).paged(),
    TableColumn::<SideDifference>::words("A", |one| Cell::text(one.first.as_ref())).paged(),
    TableColumn::<SideDifference>::words("B", |one| Cell::text(one.second.as_ref())).paged(),
];

fn render_differences(found: &[SideDifference]) -> Markup {
    let both = |one: &&SideDifference| one.first.is_some() && one.second.is_some();
    let both: Vec<SideDifference> = found.iter().filter(both).cloned().collect();
    html! {
        @if found.is_empty() { p { "All other recorded facts are the same on both sides." } }
        @if !both.is_empty() {
            (PageTable::new("differences", "Other differences").high().render(&DIFFERENCES, &both))
        }
        @for told in compare::not_recorded(found) { p.note { (told) } }
        @if !found.is_empty() { p.note { "Everything else recorded is the same on both sides." } }
    }
}
