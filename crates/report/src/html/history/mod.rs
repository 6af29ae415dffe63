//! The page of a history: what has changed for good stands first, then the course of each figure of the
//! same work on the same machine, and all runs.

mod answer;
mod courses;
mod list;
mod page;

use super::page::{command, heading};
use maud::{Markup, html};
pub use page::{FollowedCourse, FollowedWork, HistoryPage, ListedRun, ToldOf, ToldRun, change_of};
use page::{figure_name, figure_text};

pub fn title(page: &HistoryPage) -> String {
    match page.figure {
        None => "History".into(),
        Some(figure) => format!("Trend: {}", figure_name(figure)),
    }
}

pub fn content(page: &HistoryPage) -> Markup {
    html! {
        header {
            p.kicker { "DiskSpd for Linux · history" }
            h1 { (title(page)) }
            p.targets { (summary_text(page)) }
        }
        section.verdict { (heading(2, "Verdict")) (answer::verdict(page)) }
        (courses::courses(page))
        section { (heading(2, "All runs")) (list::list(page)) }
        section.again {
            (heading(2, "Do it again"))
            (command(page.command_line))
        }
    }
}

fn summary_text(page: &HistoryPage) -> String {
    use diskspd_model::units::start_time::date_and_time;
    let runs = crate::number::grouped(page.runs.len() as f64);
    let ends = page.runs.first().zip(page.runs.last());
    let ends = ends.and_then(|(first, last)| Some((date_and_time(first.at)?, date_and_time(last.at)?)));
    match ends {
        Some((first, last)) => format!("{runs} runs, {first} to {last}"),
        None => format!("{runs} runs"),
    }
}
