//! What a sweep was run for.

use super::SweepPage;
use crate::lab::RunLine;
use crate::lab::sweep::{SweepAnswer, answer_lines, chosen};
use crate::report::html::headline::tile;
use crate::report::html::number::{exact, grouped, latency, number};
use crate::units::visible::{line, lines};
use maud::{Markup, html};

/// All answers, those of the groups one below the other.
pub fn answers(page: &SweepPage) -> Markup {
    html! {
        @if page.answers.is_empty() { p { "No point has figures, so there is no answer." } }
        @for answer in page.answers {
            @if !answer.common.is_empty() { h3 { "With " (line(&answer.common)) } }
            (tiles(page, answer))
            div.group {
                dl.list {
                    @for said in answer_lines(answer, page.rows, page.settings) {
                        div { dt { (said.name) } dd { (line(&said.words)) } }
                    }
                }
            }
            @match chosen(answer, page.settings) {
                Some(row) => {
                    p.name { "From now on" }
                    div.command { pre { code { (lines(&(page.command)(&page.rows[row]))) } } }
                }
                None => p { "No load that was tried keeps the objective." },
            }
        }
    }
}

fn tiles(page: &SweepPage, answer: &SweepAnswer) -> Markup {
    let figures = |row: usize| page.rows[row].figures.as_ref();
    let iops = |row: usize| exact(figures(row).map(|line| line.iops), number);
    let load = |row: usize| exact(Some(page.rows[row].load as f64), grouped);
    let felt = |row: usize| figures(row).and_then(RunLine::felt).map(|felt| felt.mean_ms);
    let unit = page.rows[answer.highest].unit();
    html! {
        dl.tiles {
            (tile("highest, I/Os per second", "", iops(answer.highest)))
            @if let Some(knee) = answer.knee_row {
                (tile(&format!("knee, {unit}"), "", load(knee)))
                (tile("I/Os per second there", "", iops(knee)))
                (tile("mean latency there", "", exact(felt(knee), latency)))
                (tile(&format!("smallest that is as good, {unit}"), "", load(answer.smallest)))
            }
            @if let Some(objective) = page.settings.objective {
                @match answer.objective_row {
                    Some(row) => (tile(&format!("highest with {objective}, {unit}"), "", load(row))),
                    None => (tile(&objective.to_string(), "", html! { "not kept" })),
                }
            }
        }
    }
}
