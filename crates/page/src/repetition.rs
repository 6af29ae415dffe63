//! The page of a repetition: the mean, its uncertainty, the verdict, and all runs.

use super::headline::tile;
use super::input::Run;
use super::page::{command, heading};
use super::run::place_and_time;
use super::verdict::{severity_badge, verdict_badge};
use super::{several, title};
use diskspd_base::platform::PRODUCT;
use diskspd_experiments::repetition::{FigureRow, Repetition};
use diskspd_figures::units::count_of;
use diskspd_figures::units::visible::line;
use diskspd_report::number::{number, render_exact};
use diskspd_report::page_table::PageTable;
use maud::{Markup, html};

/// Returns the work, its targets, the machine, and the mean.
pub(crate) fn title(repetition: &Repetition) -> String {
    let mean = repetition.figures.get("iops").map(|iops| {
        let within = iops.uncertainty_percent.map(|percent| format!(" ± {percent:.1} %")).unwrap_or_default();
        format!("mean {} IOPS{within}", number(iops.mean))
    });
    title::of_work(&repetition.work, &mean.unwrap_or_default())
}

pub(crate) fn content(repetition: &Repetition, runs: &[Run]) -> Markup {
    let rows = repetition.rows();
    let count = repetition.runs.len();
    html! {
        header {
            p.kicker {
                (PRODUCT)
                @for text in runs.first().map(|run| place_and_time(&run.known)).unwrap_or_default() {
                    " · " (text)
                }
            }
            h1 { (title(repetition)) }
            p.targets { (title::targets(&repetition.work.targets)) }
        }
        section.verdict {
            (heading(2, "Verdict"))
            p.lead { (verdict_badge(repetition.verdict.device)) " " (line(&repetition.verdict_runs())) }
            p.lead {
                (severity_badge(repetition.verdict.severity))
                @if repetition.verdict.severity.is_some() { " " (line(&repetition.severity_runs())) }
            }
        }
        section.answer {
            (heading(2, &format!("Mean of {}", count_of(count, "run"))))
            dl.tiles {
                @for row in &rows { (tile(row.name, "", render_exact(Some(row.figure.mean), number))) }
            }
            (PageTable::new("means", "Means over runs").render(FigureRow::COLUMNS, &rows))
            ul { @for note in repetition.notes() { li { (line(&note)) } } }
        }
        (several::all(runs))
        section.again { (heading(2, "Do it again")) (command(&repetition.command_line)) }
    }
}
