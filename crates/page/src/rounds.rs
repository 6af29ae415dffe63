//! Preparation of the target: the rounds of a preconditioning, and the joint result of the last ones.

use super::chart::axis::ChartAxis;
use super::chart::path::{self, Point};
use super::chart::table::FigureTable;
use super::chart::{ChartFigure, Key, Mark};
use super::headline::amount_of;
use super::input::PageSection;
use super::page::heading;
use diskspd_experiments::precondition::{RoundRow, WINDOW, lines, verdict, window};
use diskspd_figures::units::visible;
use diskspd_report::number::{number, plain};
use diskspd_results::{Preconditioning, RoundFigures, RoundWindow};
use maud::{Markup, html};

/// Distance of the marks around the average in the chart's window, as a share of it, as drawn by the PTS.
const MARK_DISTANCE: f64 = 0.1;

pub(crate) fn section(done: &Preconditioning, place: &PageSection) -> Markup {
    html! {
        section.preconditioning {
            (heading(place.level, "Preconditioning"))
            p.lead { (outcome_sentence(done)) }
            p.lead {
                (render_preparation(done)) " The run of this page is the last round: "
                code { (visible::line(&done.command)) }
            }
            @if place.points > 0 && !done.rounds.is_empty() {
                div.charts { (rounds_chart(done, place).markup(place.level + 1)) }
            }
        }
    }
}

fn outcome_sentence(done: &Preconditioning) -> String {
    let verdict = verdict(done);
    let (first, rest) = verdict.split_at(verdict.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}.", first.to_uppercase())
}

fn render_preparation(done: &Preconditioning) -> Markup {
    html! {
        "Standard " code { (visible::line(&done.standard)) } "; before the rounds "
        @if let Some(bytes) = done.purged_bytes { (amount_of(bytes)) " were discarded, and " }
        @match &done.fill {
            Some(fill) => {
                (amount_of(fill.bytes)) " written in " (number(fill.seconds)) " s ("
                code { (visible::line(&fill.command)) } ")."
            }
            None => "no data was written.",
        }
    }
}

/// Returns the chart of I/Os per second by round, with the judged window.
fn rounds_chart(done: &Preconditioning, place: &PageSection) -> ChartFigure {
    let count = done.rounds.len();
    let at = |round: usize| round as f64 + 0.5;
    let highest = done.rounds.iter().map(|round| round.iops).fold(0.0, f64::max);
    let judged = window(&round_rates(&done.rounds));
    // A line that rises beyond the fastest round stays on the chart.
    let end = judged.map_or(0.0, |window| window_ends(&window)[0].max(window_ends(&window)[1]));
    let above = judged.map_or(0.0, |window| window.average_iops * (1.0 + MARK_DISTANCE));
    let x = ChartAxis::places("round", count as f64, round_labels(count));
    let y = ChartAxis::amounts("I/Os per second", highest.max(end).max(above));
    let on = |(at, iops): Point| (x.scale.place(at), y.scale.place(iops));
    let points = done.rounds.iter().enumerate().map(|(number, round)| on((at(number), round.iops)));
    let from = count.saturating_sub(WINDOW);
    let across =
        |iops: [f64; 2]| path::line([Some(on((at(from), iops[0]))), Some(on((at(count - 1), iops[1])))]);
    let drawing = html! {
        @if let Some(window) = &judged {
            @let beside = [1.0 - MARK_DISTANCE, 1.0 + MARK_DISTANCE].map(|share| window.average_iops * share);
            path.band.total d=(path::boxes([(on((at(from), beside[0])), on((at(count - 1), beside[1])))])) {}
            path.level.total d=(across([window.average_iops; 2])) {}
            path.line.write d=(across(window_ends(window))) {}
        }
        path.dots.total d=(path::dots(points)) {}
    };
    let key = match &judged {
        Some(_) => vec![
            Key::line("total", format!("average of the last {WINDOW}")),
            Key::area("band total", "10 % above and below it"),
            Key::line("write", "straight line that fits them best"),
        ],
        None => Vec::new(),
    };
    let mark = |_: RoundWindow| Mark { from: from as f64, to: count as f64, text: outcome_sentence(done) };
    ChartFigure {
        kind: "points",
        id: format!("{}-rounds", place.prefix),
        title: "I/Os per second from round to round".into(),
        summary: format!("{count} rounds, {}. {}", span_of(&done.rounds), outcome_sentence(done)),
        note: String::new(),
        key,
        drawing,
        marks: judged.map(mark).into_iter().collect(),
        table: rounds_table(&done.rounds),
        x,
        y,
    }
}

fn round_rates(rounds: &[RoundFigures]) -> Vec<f64> {
    rounds.iter().map(|round| round.iops).collect()
}

/// The begin and end of the line that fits the rounds of a window best. Its middle is their average.
fn window_ends(window: &RoundWindow) -> [f64; 2] {
    [-0.5, 0.5].map(|half| window.average_iops * (1.0 + half * window.slope))
}

/// Formats `between 953 and 4,768`.
fn span_of(rounds: &[RoundFigures]) -> String {
    let lowest = rounds.iter().map(|round| round.iops).fold(f64::INFINITY, f64::min);
    let highest = rounds.iter().map(|round| round.iops).fold(0.0, f64::max);
    format!("between {} and {}", plain(lowest), plain(highest))
}

/// Returns the numbers of rounds below the chart; every fifth if there are many.
fn round_labels(count: usize) -> Vec<(f64, String)> {
    let step = if count > 12 { 5 } else { 1 };
    let shown = (1..=count).filter(|number| number.is_multiple_of(step) || *number == 1);
    shown.map(|number| (number as f64 - 0.5, number.to_string())).collect()
}

fn rounds_table(rounds: &[RoundFigures]) -> FigureTable {
    let at = |place: usize| (place as f64 + 0.5) / rounds.len() as f64;
    FigureTable::from_rows(RoundRow::COLUMNS, &lines(rounds), at)
}
