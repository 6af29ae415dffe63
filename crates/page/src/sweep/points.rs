//! The table of all points.

use super::SweepPage;
use diskspd_experiments::sweep::{PointFigures, point_lines};
use diskspd_report::page_table::PageTable;
use maud::{Markup, html};

pub(super) fn points(page: &SweepPage) -> Markup {
    let lines = point_lines(&page.sweep.points, |place| point_roles(page, place));
    html! {
        (PageTable::new("points", "All points").high().render(PointFigures::COLUMNS, &lines))
        p.note { (table_meaning(page)) }
    }
}

fn table_meaning(page: &SweepPage) -> &'static str {
    let repeated = page.sweep.points.iter().any(|row| row.runs.len() > 1);
    let due =
        page.sweep.points.iter().filter_map(|row| row.figures.as_ref()).any(|line| line.response.is_some());
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

fn point_roles(page: &SweepPage, place: usize) -> String {
    let mut roles = Vec::new();
    for answer in &page.sweep.answers {
        let named = [
            ("highest", Some(answer.highest)),
            ("knee", answer.found_knee()),
            ("smallest as good", answer.smallest.certain_level().filter(|_| answer.reports_smallest())),
            ("objective", answer.objective_row),
        ];
        if answer.left_out.contains(&place) {
            roles.push("left out");
        }
        roles.extend(named.into_iter().filter(|(_, row)| *row == Some(place)).map(|(name, _)| name));
    }
    roles.join(", ")
}
