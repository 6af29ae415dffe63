//! The page of a sweep: the result first, then the curve, all points, the findings, and the commands to
//! repeat it.

mod answer;
mod charts;
mod page;
mod points;
use super::page::{command, heading};
use super::run::place_and_time;
use super::title::targets;
use super::{environment, verdict};
use diskspd_base::platform::PRODUCT;
use diskspd_checks::Severity;
use diskspd_experiments::sweep::{Drift, PointRow, label, told_once};
use diskspd_figures::units::visible::line;
use diskspd_results::{RunVerdict, Verdict};
use maud::{Markup, html};
pub use page::SweepPage;
use verdict::Badge;

pub(crate) fn title(page: &SweepPage) -> String {
    page.name()
}

pub(crate) fn content(page: &SweepPage) -> Markup {
    let run = page.run.as_ref();
    html! {
        header {
            p.kicker {
                (PRODUCT)
                " · sweep"
                @for text in run.map(|run| place_and_time(&run.known)).unwrap_or_default() { " · " (text) }
            }
            h1 { (page.name()) }
            p.targets { (targets(&page.sweep.work.targets)) }
        }
        (render_judgement(page))
        @if let Some(why) = page.sweep.ended.in_words() {
            p.lead { (Badge::for_severity(Severity::Note).markup()) " " (why) }
        }
        section.answer { (heading(2, "Answer")) (answer::render_answers(page)) }
        @let charts = charts::charts(page);
        @if !charts.is_empty() {
            section {
                (heading(2, "Throughput and latency"))
                div.charts.three { @for (chart, labels) in &charts { (chart.markup_with(3, labels)) } }
            }
        }
        section { (heading(2, "Points")) (points::points(page)) }
        section { (heading(2, "Findings")) (answer_section(page)) }
        @if let Some(drift) = &page.sweep.drift { section { (heading(2, "Drift")) (render_drift(drift)) } }
        section.again {
            (heading(2, "Do it again"))
            (command(&page.sweep.command_line))
        }
        @if let Some(run) = run {
            section.environment {
                (heading(2, "Environment"))
                p.lead {
                    "As of the last run; differences at other points are in their "
                    "records (--dir)."
                }
                (environment::environment(run))
            }
        }
    }
}

/// Renders whether the figures are valid, before the conclusions.
fn render_judgement(page: &SweepPage) -> Markup {
    let troubled: Vec<&PointRow> = page.sweep.points.iter().filter(|row| row.trouble().is_some()).collect();
    let warned = page
        .sweep
        .points
        .iter()
        .filter_map(|row| row.figures.as_ref())
        .filter(|line| line.verdict.severity == Some(Severity::Warning));
    let (all, bad, warned) = (page.sweep.points.len(), troubled.len(), warned.count());
    let drifted = page.sweep.drift.as_ref().is_some_and(Drift::is_much);
    let severity = match (bad, warned, drifted) {
        (0, 0, false) => Severity::Note,
        (0, ..) => Severity::Warning,
        _ => Severity::Wrong,
    };
    let verdicts = page.sweep.points.iter().filter_map(|row| row.figures.as_ref()).map(|line| line.verdict);
    let worst = RunVerdict::worst(verdicts.clone());
    let unconfirmed = verdicts.filter(|verdict| verdict.device != Some(Verdict::Verified)).count();
    let badges = verdict::badges(RunVerdict::new(worst.device, Some(severity)));
    let words = match (bad, warned) {
        (0, 0) if unconfirmed > 0 => {
            format!(
                "the figures of {unconfirmed} of {all} points cannot be compared with the devices' counters"
            )
        }
        (0, 0) => format!("the devices did as much as the run counted, at all of {all} points"),
        (0, some) => format!("the figures of {some} of {all} points carry a warning"),
        (bad, _) => {
            let why = |row: &&PointRow| format!("{} ({})", label(row), row.trouble().unwrap_or_default());
            let names: Vec<String> = troubled.iter().take(MAX_NAMED).map(why).collect();
            let more = if bad > MAX_NAMED { format!(" and {} more", bad - MAX_NAMED) } else { String::new() };
            format!("{bad} of {all} points are left out of the answer: {}{more}", names.join(", "))
        }
    };
    let drifted = if drifted { "; the device changed during the measurement (see Drift)" } else { "" };
    html! { p.lead { (badges) " " (line(&words)) (drifted) } }
}

const MAX_NAMED: usize = 4;

fn answer_section(page: &SweepPage) -> Markup {
    let told = told_once(&page.sweep.points, true);
    html! {
        @if told.is_empty() { p { "No finding limits the figures." } }
        ul.statements {
            @for one in &told {
                @let (message, remedy) = (&one.found.message, one.found.remedy.as_deref());
                (verdict::finding_box(
                    &Badge::for_severity(one.found.severity).markup(), None, &[], message, &[one.place()],
                    remedy,
                ))
            }
        }
    }
}

fn render_drift(drift: &Drift) -> Markup {
    let severity = if drift.is_much() { Severity::Warning } else { Severity::Note };
    html! {
        ul.statements {
                (verdict::finding_box(
                    &Badge::for_severity(severity).markup(), None, &[], &drift.text(), &[], None,
                ))
            }
    }
}
