//! The answer of a sweep.

use super::SweepPage;
use crate::headline::tile;
use crate::page::command;
use diskspd_experiments::RunRow;
use diskspd_experiments::sweep::{SweepAnswer, answer_lines, unanswered};
use diskspd_figures::units::visible::line;
use diskspd_report::number::{exact_time, grouped, number, render_exact};
use maud::{Markup, html};

pub(super) fn render_answers(page: &SweepPage) -> Markup {
    html! {
        @for why in unanswered(&page.sweep.answers, &page.sweep.points) {
            p { "Undetermined: " (line(&why)) }
        }
        @for answer in &page.sweep.answers {
            @if !answer.common.is_empty() { h3 { "With " (line(&answer.common)) } }
            (render_tiles(page, answer))
            div.group {
                dl.list {
                    @for said in answer_lines(answer, &page.sweep.points, &page.sweep.settings) {
                        div { dt { (said.name) } dd { (line(&said.words)) } }
                    }
                }
            }
            @match answer.chosen_row() {
                Some(row) => {
                    p.name { "From now on" }
                    (command(&page.sweep.command(row)))
                }
                None => p { "No load is recommended: the answer above is not unique." },
            }
        }
    }
}

fn render_tiles(page: &SweepPage, answer: &SweepAnswer) -> Markup {
    let figures = |row: usize| page.sweep.points[row].figures.as_ref();
    let iops = |row: usize| render_exact(figures(row).map(|line| line.iops), number);
    let load = |row: usize| render_exact(Some(page.sweep.points[row].load as f64), grouped);
    let felt = |row: usize| figures(row).and_then(RunRow::user_latency).map(|felt| felt.mean_ms);
    let unit = page.sweep.points[answer.highest].unit();
    let found = answer.found_knee();
    html! {
        dl.tiles {
            @if answer.knee.is_some() && found.is_none() {
                (tile(&format!("knee, {unit}"), "", html! { "unknown" }))
            } @else {
                (tile("highest, I/Os per second", "", iops(answer.highest)))
            }
            @if let Some(knee) = found {
                (tile(&format!("knee, {unit}"), "", load(knee)))
                (tile("I/Os per second there", "", iops(knee)))
                (tile("mean latency there", "", exact_time(felt(knee))))
            }
            @let certain = answer.reports_smallest().then(|| answer.smallest.certain_level()).flatten();
            @if let Some(smallest) = certain {
                (tile(&format!("smallest that is as good, {unit}"), "", load(smallest)))
            }
            @if let Some(objective) = page.sweep.settings.objective {
                @match answer.objective_row {
                    Some(row) => (tile(&format!("highest with {objective}, {unit}"), "", load(row))),
                    None => (tile(&objective.to_string(), "", html! { "not confirmed" })),
                }
            }
        }
    }
}
