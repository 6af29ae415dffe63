//! The page of a repetition: the mean, how sure it is, the verdict, and all runs.

use super::headline::tile;
use super::input::Run;
use super::page::{command, heading};
use super::run::{place_and_time, targets};
use super::several;
use super::table::PageTable;
use super::verdict::Badge;
use crate::number::{exact, number};
use diskspd_judge::lab::repetition::{FigureRow, Repetition};
use diskspd_model::units::count_of;
use diskspd_model::units::visible::line;
use maud::{Markup, html};

/// The work and its answer.
pub fn title(repetition: &Repetition) -> String {
    let work = line(&repetition.work.workload).into_owned();
    match repetition.figures.get("iops") {
        Some(iops) => format!("{work}: {} IOPS", number(iops.mean)),
        None => work,
    }
}

/// The content of the page.
pub fn content(repetition: &Repetition, runs: &[Run]) -> Markup {
    let rows = repetition.rows();
    let count = repetition.runs.len();
    html! {
        header {
            p.kicker {
                "DiskSpd for Linux"
                @for text in runs.first().map(|run| place_and_time(&run.known)).unwrap_or_default() {
                    " · " (text)
                }
            }
            h1 { (title(repetition)) }
            @match runs.first().filter(|run| run.judged.is_some()) {
                Some(run) => p.targets { (targets(&run.known)) },
                None => p.targets {
                    @for target in &repetition.work.targets { code { (line(target)) } " " }
                },
            }
        }
        section.verdict {
            (heading(2, "Verdict"))
            p.lead { (Badge(repetition.mark()).markup()) " " (line(&repetition.of_runs())) }
        }
        section.answer {
            (heading(2, &format!("Mean of {}", count_of(count, "run"))))
            dl.tiles {
                @for row in &rows { (tile(row.name, "", exact(Some(row.figure.mean), number))) }
            }
            (PageTable::new("means", "Means over runs").render(FigureRow::COLUMNS, &rows))
            ul { @for note in repetition.notes() { li { (line(&note)) } } }
        }
        (several::all(runs))
        section.again { (heading(2, "Do it again")) (command(&repetition.command_line)) }
    }
}
