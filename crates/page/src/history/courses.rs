//! The course of each figure over the runs of the same work, with the detected changes.

use super::answer::changes;
use super::{HistoryPage, ListedRun, NoteKind, RunSeries, WorkloadSeries, figure_name, figure_text};
use crate::chart::axis::{ChartAxis, short_latency};
use crate::chart::points::{PointGroup, Points};
use crate::chart::table::FigureTable;
use crate::chart::{ChartFigure, Mark};
use crate::page::{command, heading};
use crate::title;
use diskspd_figures::units::start_time::{date_and_time, day_or_time};
use diskspd_figures::units::visible::line;
use diskspd_report::number::short;
use maud::{Markup, html};

/// Maximum number of workloads with charts, to limit the size of the page.
const MAX_WORKLOADS: usize = 24;
/// Maximum number of points of all charts, and of one; the latest runs are shown.
const MAX_POINTS: usize = 9000;
const MAX_SERIES_POINTS: usize = 1000;
const MAX_LABELS: usize = 8;

/// Renders a section for each workload with at least two runs.
pub(super) fn courses(page: &HistoryPage) -> Markup {
    let works: Vec<&WorkloadSeries> = page.works.iter().filter(|work| work.runs() > 1).collect();
    let shown = &works[..works.len().min(MAX_WORKLOADS)];
    let charts = shown.iter().map(|work| work.courses.len()).sum::<usize>().max(1);
    let room = (MAX_POINTS / charts).clamp(40, MAX_SERIES_POINTS);
    html! {
        @if !shown.is_empty() {
            section {
                (heading(2, "From run to run"))
                @for (number, work) in shown.iter().enumerate() {
                    article.work {
                        h3 { (line(&name(page, work))) }
                        p.lead { (work_text(work)) }
                        @if let Some(line) = &work.command_line { (command(line)) }
                        div.charts {
                            @for course in &work.courses {
                                (course_chart(page, course, room, number).markup(4))
                            }
                        }
                    }
                }
                @if works.len() > MAX_WORKLOADS {
                    p.quiet {
                        (works.len() - MAX_WORKLOADS) " more workloads have no charts here; select fewer "
                        "with --target, --label and --since."
                    }
                }
            }
        }
    }
}

/// Returns the work of the latest run and its targets.
fn name(page: &HistoryPage, work: &WorkloadSeries) -> String {
    let latest = work.courses.iter().filter_map(|course| course.points.last()).map(|(run, _)| *run).max();
    let span = (work.time_span as usize).saturating_sub(1);
    let words = latest.and_then(|run| page.runs.get(run)?.work.get(span)).filter(|words| !words.is_empty());
    let words = words.map_or("Work of the runs", String::as_str);
    title::title(words, &work.targets, None, "")
}

fn work_text(work: &WorkloadSeries) -> String {
    let machine = if work.machine.is_empty() { "not recorded" } else { &work.machine };
    let span = if work.time_span > 1 { format!(", time span {}", work.time_span) } else { String::new() };
    format!("{} runs{span}, machine {}", work.runs(), line(machine))
}

fn course_chart(page: &HistoryPage, course: &RunSeries, room: usize, number: usize) -> ChartFigure {
    let left = course.points.len().saturating_sub(room);
    let runs: Vec<(&ListedRun, f64)> = course.points[left..]
        .iter()
        .filter_map(|(run, value)| Some((page.runs.get(*run)?, *value)))
        .collect();
    let points: Vec<(f64, f64)> =
        runs.iter().enumerate().map(|(place, (_, value))| (place as f64 + 0.5, *value)).collect();
    let behind = |place: usize| place.saturating_sub(left) as f64;
    let levels = course.levels.iter().filter(|level| level.end > left);
    let levels = levels.map(|level| (behind(level.begin), behind(level.end), level.rate)).collect();
    let pinned: Vec<(f64, f64)> =
        points.iter().zip(&runs).filter(|(_, (run, _))| run.pinned).map(|(at, _)| *at).collect();
    let marks = changes(page, course).into_iter().filter(|change| change.place > left);
    let marks = marks.map(|change| {
        let at = behind(change.place);
        Mark { from: at, to: at, text: change.words }
    });
    // Where the machine changed, and no level with it.
    let machine = course.told.iter().filter(|run| run.of == NoteKind::Machine && run.place > left);
    let machine = machine.filter(|run| !course.levels.iter().skip(1).any(|level| run.is_at(level.begin)));
    let machine = machine.map(|run| {
        let at = behind(run.place);
        Mark { from: at, to: at, text: format!("Changed: {}", line(&run.words)) }
    });
    let ticks = if course.figure.more_is_better() { short } else { short_latency };
    let name = figure_name(course.figure);
    let points = Points {
        id: format!("course-{}-{}", number + 1, course.figure.name().replace('.', "-")),
        title: name.into(),
        summary: summary_text(course),
        note: [latest_text(course, left), trend_sentence(course), label_text(&runs)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        x: ChartAxis::places("runs in the order of time, UTC", runs.len() as f64, date_marks(&runs)),
        y: ChartAxis::axis_near(name, points.iter().map(|(_, value)| *value), ticks),
        table: course_table(course, &runs, left),
        groups: vec![PointGroup { class: "total", name: "run; line: level".into(), points, levels }],
        ringed: (!pinned.is_empty()).then(|| ("pinned".into(), pinned)),
        marks: marks.chain(machine).collect(),
    };
    points.chart()
}

fn summary_text(course: &RunSeries) -> String {
    let write = figure_text(course.figure);
    let levels: Vec<String> = course
        .levels
        .iter()
        .map(|level| format!("{} in {} runs", write(level.rate), level.end - level.begin))
        .collect();
    format!("{} runs; {}.", course.points.len(), levels.join(", then "))
}

fn latest_text(course: &RunSeries, left: usize) -> Option<String> {
    let all = course.points.len();
    (left > 0).then(|| format!("The latest {} of {all} runs are drawn.", all - left))
}

fn trend_sentence(course: &RunSeries) -> Option<String> {
    let sentence = |words: &String| {
        let mut letters = words.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    };
    (!course.said.is_empty()).then(|| course.said.iter().map(sentence).collect::<Vec<_>>().join(" "))
}

fn label_text(runs: &[(&ListedRun, f64)]) -> Option<String> {
    let mut stretches: Vec<(&str, usize, usize)> = Vec::new();
    for (place, (run, _)) in runs.iter().enumerate() {
        let Some(label) = run.label else { continue };
        match stretches.last_mut() {
            Some((last, _, end)) if *last == label && *end == place => *end = place + 1,
            _ => stretches.push((label, place, place + 1)),
        }
    }
    let told = |(label, begin, end): &(&str, usize, usize)| match end - begin {
        1 => format!("{} (run {end})", line(label)),
        _ => format!("{} (runs {} to {end})", line(label), begin + 1),
    };
    let words: Vec<String> = stretches.iter().take(MAX_LABELS).map(told).collect();
    let more = stretches.len().saturating_sub(MAX_LABELS);
    match (words.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(format!("Labels: {}.", words.join(", "))),
        _ => Some(format!("Labels: {}; the others are in the table.", words.join(", "))),
    }
}

fn date_marks(runs: &[(&ListedRun, f64)]) -> Vec<(f64, String)> {
    let Some(((first, _), (last, _))) = runs.first().zip(runs.last()) else { return Vec::new() };
    let end = runs.len() - 1;
    // One in the middle where there is room for it.
    let middle = Some(end / 2).filter(|_| end >= 4 && (end.is_multiple_of(2) || end >= 9));
    let mut places: Vec<usize> = [Some(0), middle, Some(end)].into_iter().flatten().collect();
    places.dedup();
    let named = |place: usize| Some((place as f64 + 0.5, day_or_time(runs[place].0.at, first.at, last.at)?));
    places.into_iter().filter_map(named).collect()
}

fn course_table(course: &RunSeries, runs: &[(&ListedRun, f64)], left: usize) -> FigureTable {
    let write = figure_text(course.figure);
    let mut table = FigureTable::new(&["run", figure_name(course.figure), "began", "label", "told"]);
    for (place, (run, value)) in runs.iter().enumerate() {
        let pinned = run.pinned.then_some("pinned");
        let label = run.label.into_iter().chain(pinned).collect::<Vec<_>>().join(", ");
        let cells = [
            format!("{}. @{}", place + 1, line(&run.id)),
            write(*value),
            date_and_time(run.at).unwrap_or_default(),
            line(&label).into_owned(),
            run_tooltip(course, left + place),
        ];
        table.row((place as f64 + 0.5) / runs.len() as f64, cells);
    }
    table
}

fn run_tooltip(course: &RunSeries, place: usize) -> String {
    let of_it = course.told.iter().filter(|run| run.place == place);
    let words = of_it.map(|run| match run.of {
        NoteKind::Machine => format!("changed: {}", run.words),
        NoteKind::Apart => format!("outlier, {}", run.words),
        NoteKind::Clock => run.words.clone(),
    });
    line(&words.collect::<Vec<_>>().join("; ")).into_owned()
}
