//! One run: its header, and its sections from the verdict to the commands that repeat it.

use super::input::{PageSection, Run};
use super::page::heading;
use super::span::{RecordedSpan, Span};
use super::title::{self, range, targets, targets_of};
use super::verdict::run_verdict;
use super::{charts, environment, fio, headline, overview, rerun_box, rounds, secondary, slow, verdict};
use diskspd_base::platform::PRODUCT;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_figures::units::visible;
use diskspd_report::number::number;
use diskspd_report::page_table::PageTable;
use diskspd_report::workload_text as workload;
use diskspd_results::{RunSummary, SpanSummary, Throughput, Totals};
use maud::{Markup, html};

/// Renders the content of the page of a single run.
pub(crate) fn render_single(run: &Run) -> Markup {
    html! {
        header {
            p.kicker { (PRODUCT) @for text in place_and_time(&run.known) { " · " (text) } }
            h1 { (title(run)) }
            p.targets { (targets(&targets_of(&run.known))) }
        }
        (sections(run, &PageSection::single_page()))
    }
}

pub(crate) fn place_and_time(run: &RunSummary) -> Vec<String> {
    let name = [run.label.clone(), run.computer()].into_iter().flatten();
    let name = name.map(|name| visible::line(&name).into_owned());
    name.chain(run.started_at.and_then(date_and_time)).collect()
}

/// Returns the work and its result: rate and verdict.
pub(crate) fn title(run: &Run) -> String {
    let spans: Vec<&SpanSummary> = run.known.time_spans.iter().flatten().collect();
    let iops = range(spans.iter().filter_map(|span| span.total.iops));
    title::of_runs(std::iter::once(&run.known), &format!("{iops}, {}", run_verdict(run).in_words()))
}

pub(crate) fn sections(run: &Run, place: &PageSection) -> Markup {
    let Run { known, judged } = run;
    let spans = known.time_spans.len();
    // The charts of many time spans share the room of a few.
    let points = match spans {
        3.. if place.points > 0 => (2 * place.points / spans).max(24),
        _ => place.points,
    };
    let place = PageSection { points, ..place.clone() };
    let names = workload::names(known);
    html! {
        section.verdict { (heading(place.level, "Verdict")) (verdict::verdict(run, &place.prefix)) }
        @if spans > 1 { (overview::section(run, &place)) }
        @if let Some(done) = judged.and_then(|judged| judged.record.preconditioning.as_ref()) {
            (rounds::section(done, &place))
        }
        @for (index, figures) in known.time_spans.iter().enumerate() {
            @let name = if spans > 1 { format!("{}. {}", index + 1, names[index]) } else { "Figures".into() };
            section.span id=(verdict::span_id(&place.prefix, index + 1)) {
                (heading(place.level, &name)) (time_span(run, index, figures.as_ref(), &place))
            }
        }
        @if let Some(totals) = judged.and_then(|judged| judged.summary.totals.as_ref()) {
            (all_spans(totals, place.level))
        }
        section.again { (heading(place.level, "Do it again")) (rerun_box::render_rerun(known)) }
        section.environment { (heading(place.level, "Environment")) (environment::environment(run)) }
    }
}

fn time_span(run: &Run, index: usize, figures: Option<&SpanSummary>, place: &PageSection) -> Markup {
    let Some(figures) = figures else {
        return html! { p { "It ended before measuring began: there are no figures." } };
    };
    let measured = run.judged.and_then(|judged| judged.summary.time_spans.get(index)?.as_ref());
    let detail = run.judged.zip(measured).map(|(judged, measured)| RecordedSpan { judged, index, measured });
    let span = Span::new(figures, detail, index, place);
    html! {
        (headline::figures(&span))
        @if let Some(fio) = &figures.fio { (fio::section(fio)) }
        @if let Some(measured) = measured { (secondary::tables(measured)) }
        @if let Some(detail) = &detail { (slow::section(span.level, detail)) }
        @if place.points > 0 { (charts::sections(&span)) }
    }
}

struct TotalRow<'a> {
    name: &'static str,
    done: &'a Throughput,
}

impl<'a> TotalRow<'a> {
    const COLUMNS: &'a [TableColumn<TotalRow<'a>>] = &[
        TableColumn::<TotalRow>::words("I/Os", |line| Cell::name_cell(line.name)).paged(),
        TableColumn::<TotalRow>::number("amount", |line| Cell::Size(line.done.bytes)).paged(),
        TableColumn::<TotalRow>::number("number", |line| Cell::Whole(line.done.ios)).paged(),
        TableColumn::<TotalRow>::number("IOPS", |line| Cell::Figure(line.done.iops, 2)).paged(),
        TableColumn::<TotalRow>::number("MiB/s", |line| Cell::Figure(line.done.mib_per_s, 2)).paged(),
    ];
}

/// Renders the figures of all time spans together.
fn all_spans(totals: &Totals, level: u8) -> Markup {
    let lines = [("total", &totals.total), ("read", &totals.read), ("write", &totals.write)];
    let lines = lines.map(|(name, done)| TotalRow { name, done });
    let caption = format!("Figures of all time spans, {} s", number(totals.seconds));
    html! {
        section.span {
            (heading(level, "All time spans"))
            (PageTable::new("", &caption).render(TotalRow::COLUMNS, &lines))
        }
    }
}
