//! Several runs on one page: a table of all, a chart that compares them, and each run's own sections.

use super::chart::ChartFigure;
use super::chart::axis::ChartAxis;
use super::chart::bars::Bars;
use super::chart::category_bars::CategoryBars;
use super::chart::table::FigureTable;
use super::input::{PageSection, Run};
use super::page::heading;
use super::run::{place_and_time, sections};
use super::span_columns::{SpanRow, cpus, iops, mean, mib_per_s, p99, p999};
use super::title::{self, range, targets, targets_of};
use super::verdict::{run_verdict, span_verdict};
use diskspd_base::platform::PRODUCT;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_figures::units::visible::line;
use diskspd_report::number::{latency, number};
use diskspd_report::page_table::PageTable;
use diskspd_report::workload_text as workload;
use diskspd_results::{RunVerdict, SpanSummary};
use maud::{Markup, html};

/// Maximum number of runs with charts, to limit the size of the page.
const MAX_RUNS_WITH_CHARTS: usize = 24;

const MAX_RUNS_WITH_SECTIONS: usize = 400;

/// Maximum number of bars with names.
const MAX_NAMED: usize = 24;

/// Time span of a run: a row of the table.
struct RunPoint<'a> {
    run: &'a Run<'a>,
    number: usize,
    /// Zero-based index of its time span.
    span: usize,
    name: String,
    figures: Option<&'a SpanSummary>,
}

impl RunPoint<'_> {
    fn title(&self) -> String {
        let run = run_label(&self.name, self.run);
        match self.run.known.time_spans.len() {
            1 => run,
            _ => format!("{run}: {}", self.work_text()),
        }
    }

    fn work_text(&self) -> String {
        match self.run.known.time_spans.len() {
            1 => workload::short(&self.run.known),
            _ => workload::names(&self.run.known).swap_remove(self.span),
        }
    }

    fn verdict(&self) -> RunVerdict {
        match self.run.known.time_spans.len() {
            1 => run_verdict(self.run),
            _ => span_verdict(self.run, self.span + 1),
        }
    }
}

fn run_label(number: &str, run: &Run) -> String {
    match line(run.known.label.as_ref().unwrap_or(&run.known.name)) {
        name if name.is_empty() => format!("Run {number}"),
        name => format!("{number}. {name}"),
    }
}

/// Returns the common work of the runs, their number and their rates.
pub(crate) fn title(runs: &[Run]) -> String {
    let spans = runs.iter().flat_map(|run| run.known.time_spans.iter().flatten());
    let iops = range(spans.filter_map(|span| span.total.iops));
    title::of_runs(runs.iter().map(|run| &run.known), &format!("{} runs, {iops}", runs.len()))
}

pub(crate) fn render_runs(runs: &[Run]) -> Markup {
    html! {
        header {
            p.kicker { (PRODUCT) }
            h1 { (title(runs)) }
        }
        (all(runs))
    }
}

/// Renders the content without a heading, for pages with another heading.
pub(crate) fn all(runs: &[Run]) -> Markup {
    let points: Vec<RunPoint> =
        runs.iter().enumerate().flat_map(|(number, run)| points_of(number, run)).collect();
    html! {
        section {
            (heading(2, "All runs"))
            (PageTable::new("runs", "All runs").high().render(RunPoint::COLUMNS, &points))
        }
        section {
            (heading(2, "Side by side"))
            div.charts.three { @for chart in run_charts(&points) { (chart.markup(3)) } }
        }
        @if runs.len() > MAX_RUNS_WITH_CHARTS {
            p.quiet { "There are charts of each run in pages of up to " (MAX_RUNS_WITH_CHARTS) " runs." }
        }
        @for (number, run) in runs.iter().take(MAX_RUNS_WITH_SECTIONS).enumerate() {
            @let charts = if runs.len() > MAX_RUNS_WITH_CHARTS { 0 } else { runs.len() };
            article.run id={ "r" (number + 1) } {
                h2 { (run_label(&(number + 1).to_string(), run)) }
                p.quiet { (place_and_time(&run.known).join(" · ")) " " (targets(&targets_of(&run.known))) }
                (sections(run, &PageSection::among(number, charts)))
            }
        }
    }
}

fn points_of<'a>(number: usize, run: &'a Run<'a>) -> Vec<RunPoint<'a>> {
    let spans = &run.known.time_spans;
    let name = |span: usize| match spans.len() {
        1 => (number + 1).to_string(),
        _ => format!("{}.{}", number + 1, span + 1),
    };
    let point = |(span, figures): (usize, &'a Option<SpanSummary>)| RunPoint {
        run,
        number,
        span,
        name: name(span),
        figures: figures.as_ref(),
    };
    spans.iter().enumerate().map(point).collect()
}

impl<'a> RunPoint<'a> {
    const COLUMNS: &'a [TableColumn<RunPoint<'a>>] = &[
        TableColumn::<RunPoint>::words("run", |point| Cell::Named {
            name: run_label(&point.name, point.run),
            beside: String::new(),
            link: Some(format!("r{}", point.number + 1)),
            kind: "",
        })
        .paged(),
        TableColumn::<RunPoint>::words("verdict", |point| point.verdict().verdict_cell()).paged(),
        TableColumn::<RunPoint>::words("severity", |point| point.verdict().severity_cell()).paged(),
        TableColumn::<RunPoint>::words("started", |point| {
            Cell::text(point.run.known.started_at.and_then(date_and_time))
        })
        .paged(),
        TableColumn::<RunPoint>::words("workload", |point| Cell::Text(point.work_text())).paged(),
        TableColumn::<RunPoint>::number("threads", |point| {
            Cell::number_cell(point.figures.and_then(|span| span.parameters.threads))
        })
        .paged(),
        TableColumn::<RunPoint>::number("in flight", |point| {
            Cell::number_cell(point.figures.and_then(|span| span.parameters.in_flight))
        })
        .paged(),
        iops(),
        mib_per_s(),
        mean(),
        p99(),
        p999(),
        cpus(),
    ];
}

impl SpanRow for RunPoint<'_> {
    fn span(&self) -> Option<&SpanSummary> {
        self.figures
    }
}

fn run_charts(points: &[RunPoint]) -> Vec<ChartFigure> {
    let rate = |point: &RunPoint| Some((point.figures?.total.iops?, false));
    let p99 = |point: &RunPoint| {
        let (span, time) = (point.figures?, point.figures?.percentile(99.0)?.total?);
        Some((time.ms(), span.is_lower_bound(time)))
    };
    let mean = |point: &RunPoint| Some((point.figures?.total.mean_ms?.ms(), false));
    [
        bar_chart(points, "all-iops", ["I/Os per second", "IOPS"], &rate, number),
        bar_chart(points, "all-mean", ["Mean latency", "ms"], &mean, latency),
        bar_chart(points, "all-p99", ["99th percentile of the latency", "ms"], &p99, latency),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `of` returns a figure and whether it is a lower bound. `None` = none of the runs has it.
fn bar_chart(
    points: &[RunPoint],
    id: &str,
    [title, unit]: [&str; 2],
    of: &dyn Fn(&RunPoint) -> Option<(f64, bool)>,
    text: fn(f64) -> String,
) -> Option<ChartFigure> {
    let known = points.iter().filter_map(|point| Some((of(point)?, point)));
    let ((highest, is_bound), best) = known.max_by(|(a, _), (b, _)| a.0.total_cmp(&b.0))?;
    let mut table = FigureTable::new(&["run", title]);
    for point in points {
        let told = |(figure, is_bound): (f64, bool)| match is_bound {
            true => format!("≥ {}", text(figure)),
            false => text(figure),
        };
        table.row(0.0, [point.title(), of(point).map_or("not recorded".into(), told)]);
    }
    let least = if is_bound { "at least " } else { "" };
    let summary =
        format!("{} runs; the highest is {least}{}, {}.", points.len(), text(highest), best.title());
    let axis = ChartAxis::amounts(unit, highest);
    let amounts = points.iter().map(|point| of(point).map_or(0.0, |(figure, _)| figure)).collect();
    let parts = vec![("total", title.into(), amounts)];
    let (id, title, note) = (id.into(), title.into(), String::new());
    if points.len() <= MAX_NAMED {
        let names = points.iter().map(RunPoint::title).collect();
        return Some(CategoryBars { id, title, summary, note, names, x: axis, parts, table }.chart());
    }
    let names = points.iter().map(|point| point.name.clone()).collect();
    let of = "run, by its number in the table".into();
    Some(Bars { id, title, summary, note, of, names, y: axis, parts, table }.chart())
}
