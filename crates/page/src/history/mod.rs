//! The page of a history: lasting changes first, then the course of each figure of the same work on the
//! same machine, and all runs.

mod answer;
mod courses;
mod list;
mod page;

use super::page::{command, heading};
use super::title;
use diskspd_base::platform::PRODUCT;
use maud::{Markup, html};
pub use page::{HistoryPage, ListedRun, NoteKind, RunNote, RunSeries, WorkloadSeries, change_of};
use page::{figure_name, figure_text};

/// Returns the work, its targets, the machine, and the verdict of all runs.
pub(crate) fn title(page: &HistoryPage) -> String {
    let works = title::distinct(page.runs.iter().flat_map(|run| run.work.iter().cloned()));
    let machines = title::distinct(page.runs.iter().filter_map(|run| run.run.computer()));
    let targets = title::distinct(page.runs.iter().flat_map(|run| run.targets.iter().cloned()));
    let what = page.figure.map_or_else(String::new, |figure| format!("{} ", figure_name(figure)));
    let runs = format!("{} runs", diskspd_report::number::grouped(page.runs.len() as f64));
    let answer = format!("{what}{}, {runs}", answer::badge(page).word().to_lowercase());
    title::of_work(&title::of_all(&works, targets, &machines), &answer)
}

pub(crate) fn content(page: &HistoryPage) -> Markup {
    html! {
        header {
            p.kicker { (PRODUCT) " · history" }
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
    use diskspd_figures::units::start_time::date_and_time;
    let runs = diskspd_report::number::grouped(page.runs.len() as f64);
    let ends = page.runs.first().zip(page.runs.last());
    let ends = ends.and_then(|(first, last)| Some((date_and_time(first.at)?, date_and_time(last.at)?)));
    match ends {
        Some((first, last)) => format!("{runs} runs, {first} to {last}"),
        None => format!("{runs} runs"),
    }
}
