//! The table of all points.

use super::SweepPage;
use crate::html::verdict::Badge;
use crate::number::{exact, exact_time, number};
use diskspd_judge::lab::sweep::{PointRow, label};
use diskspd_judge::lab::{LatencyLine, RunLine};
use diskspd_model::units::Millis;
use diskspd_model::units::visible::line;
use maud::{Markup, html};

const HEAD: [&str; 11] = [
    "runs",
    "IOPS",
    "+- %, 95 %",
    "MiB/s",
    "mean",
    "99 %",
    "99.9 %",
    "CPUs, %",
    "busiest CPU, %",
    "limited by",
    "verdict",
];

/// All of them, in the order of the command line; what was answered stands beside the name.
pub fn points(page: &SweepPage) -> Markup {
    html! {
        div.scroll.high tabindex="0" role="region" aria-label="All points" {
            table.figures.points {
                caption.hidden { "All points" }
                thead { tr { th scope="col" { "point" } @for name in HEAD { th scope="col" { (name) } } } }
                tbody {
                    @for (place, row) in page.rows.iter().enumerate() {
                        (table_row(row, &roles(page, place)))
                    }
                }
            }
        }
        p.note { (meaning(page)) }
    }
}

/// What the figures of a row are.
fn meaning(page: &SweepPage) -> &'static str {
    let repeated = page.rows.iter().any(|row| row.runs.len() > 1);
    let due = page.rows.iter().filter_map(|row| row.figures.as_ref()).any(|line| line.response.is_some());
    match (repeated, due) {
        (true, true) => {
            "Rates and means are means of the runs, percentiles the median of theirs. Latencies count from \
             when an I/O was due, if it had a due time."
        }
        (true, false) => "Rates and means are means of the runs, percentiles the median of theirs.",
        (false, true) => "Latencies count from when an I/O was due, if it had a due time.",
        (false, false) => "Latencies count from submission.",
    }
}

/// What a row is to the answers.
fn roles(page: &SweepPage, place: usize) -> String {
    let mut roles = Vec::new();
    for answer in page.answers {
        let named = [
            ("highest", Some(answer.highest)),
            ("knee", answer.knee_row),
            ("smallest as good", answer.smallest.sure().filter(|_| answer.tells_smallest())),
            ("objective", answer.objective_row),
        ];
        if answer.left_out.contains(&place) {
            roles.push("left out");
        }
        roles.extend(named.into_iter().filter(|(_, row)| *row == Some(place)).map(|(name, _)| name));
    }
    roles.join(", ")
}

fn table_row(row: &PointRow, roles: &str) -> Markup {
    html! {
        tr {
            th scope="row" {
                (line(&label(row)))
                @if !roles.is_empty() { span.quiet { " " (roles) } }
            }
            td { (row.runs.len()) }
            @match &row.figures {
                Some(figures) => (of_figures(row, figures)),
                None => td.failed colspan="10" {
                    (Badge::failed().markup()) " "
                    (line(row.failure.as_deref().unwrap_or_default()))
                },
            }
        }
    }
}

fn of_figures(row: &PointRow, figures: &RunLine) -> Markup {
    let felt = |of: fn(&LatencyLine) -> Millis| exact_time(figures.felt().map(of));
    let share = row.iops.and_then(|spread| spread.relative()).map(|share| 100.0 * share);
    html! {
        td { (exact(Some(figures.iops), number)) }
        td { (exact(share, number)) }
        td { (exact(Some(figures.mib_per_s), number)) }
        td { (felt(|latency| latency.mean_ms)) }
        td { (felt(|latency| latency.p99_ms)) }
        td { (felt(|latency| latency.p999_ms)) }
        td { (exact(Some(figures.cpu), number)) }
        td { (exact(Some(figures.hottest), number)) }
        td.words { (row.limit().unwrap_or_default()) }
        td.words {
            (Badge::of_summary(figures.verdict).markup())
            @if row.failure.is_some() { " a run failed" }
        }
    }
}
