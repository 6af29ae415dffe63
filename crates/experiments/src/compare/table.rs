//! The figures of a comparison as lines of a table.

use super::{Compared, RunComparison, SequentialDesign, SpanCompared};
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{self, Cell, TableColumn};
use diskspd_figures::units::visible::line;

/// Figure of both sides.
pub struct FigureRow<'a> {
    place: String,
    pub(super) metric: &'a Compared,
    decides: bool,
    until_sure: Option<&'a SequentialDesign>,
}

pub fn lines_of_span(span: &SpanCompared) -> Vec<FigureRow<'_>> {
    let line =
        |(place, metric)| FigureRow { place: String::new(), metric, decides: place == 0, until_sure: None };
    span.all().enumerate().map(line).collect()
}

pub(super) fn lines_that_decide(comparison: &RunComparison) -> Vec<FigureRow<'_>> {
    let line = |span| FigureRow::deciding_line(comparison, span);
    comparison.time_spans.iter().filter_map(line).collect()
}

impl<'a> FigureRow<'a> {
    fn deciding_line(comparison: &RunComparison, span: &'a SpanCompared) -> Option<FigureRow<'a>> {
        let place = place(comparison, span);
        Some(FigureRow { place, metric: span.metrics.first()?, decides: false, until_sure: None })
    }

    pub fn is_compared(&self) -> bool {
        self.metric.sides.is_some()
    }

    pub fn columns([first, other]: [&'static str; 2]) -> [TableColumn<FigureRow<'a>>; 11] {
        let number = TableColumn::<FigureRow>::number;
        [
            TableColumn::<FigureRow>::words("", |line| {
                Cell::text(Some(&line.place).filter(|place| !place.is_empty()))
            })
            .optional()
            .brief(),
            TableColumn::<FigureRow>::words("", |line| Cell::Text(line.metric.title.clone())).brief(),
            TableColumn::<FigureRow>::words("figure", FigureRow::name).paged(),
            number(first, |line| line.side_cell(0)).brief_and_paged().meaning("median of its runs"),
            number(other, |line| line.side_cell(1)).brief_and_paged().meaning("median of its runs"),
            number("change", |line| Cell::change(line.metric.change_percent))
                .brief_and_paged()
                .meaning("median over pairs of runs (Hodges-Lehmann), not the ratio of the medians"),
            number("interval", |line| match line.metric.confidence_percent {
                Some(_) => Cell::Between(line.metric.low_percent, line.metric.high_percent),
                None => Cell::Missing,
            })
            .brief_and_paged()
            .spare(1)
            .meaning("range that holds the true change (confidence interval)"),
            number("sure, %", |line| Cell::figure(line.metric.confidence_percent, 2)).paged(),
            TableColumn::<FigureRow>::words("verdict", |line| {
                Cell::Text(line.metric.verdict.word().to_owned())
            })
            .brief(),
            TableColumn::<FigureRow>::words("verdict", |line| {
                Cell::Marked(line.metric.verdict.mark(), String::new())
            })
            .paged(),
            TableColumn::<FigureRow>::words("to decide", FigureRow::more_runs).optional().paged(),
        ]
    }

    fn data() -> [TableColumn<FigureRow<'a>>; 13] {
        let number = TableColumn::<FigureRow>::number;
        let words = TableColumn::<FigureRow>::words;
        [
            words("workload", |line| Cell::Text(line.place.clone())),
            words("figure", |line| Cell::Text(line.metric.metric.clone())),
            number("a_median", |line| Cell::figure(line.median(0), 3)),
            number("b_median", |line| Cell::figure(line.median(1), 3)),
            number("change_percent", |line| Cell::figure(line.metric.change_percent, 3)),
            number("low_percent", |line| Cell::figure(line.metric.low_percent, 3)),
            number("high_percent", |line| Cell::figure(line.metric.high_percent, 3)),
            number("confidence_percent", |line| Cell::figure(line.metric.confidence_percent, 3)),
            number("p_value", |line| Cell::figure(line.metric.p_value, 3)),
            words("verdict", |line| Cell::Text(line.metric.verdict.mark().word)),
            number("pairs", |line| Cell::figure(line.until_sure.map(|sure| sure.pairs as f64), 0)),
            number("look", |line| {
                Cell::figure(line.until_sure.and_then(|sure| sure.look).map(|look| look as f64), 0)
            }),
            words("ended", |line| Cell::text(line.until_sure.map(|sure| sure.ended.name()))),
        ]
    }

    fn median(&self, side: usize) -> Option<f64> {
        Some(self.metric.sides.as_ref()?[side].median)
    }

    pub fn statistics() -> [TableColumn<FigureRow<'a>>; 7] {
        let number = TableColumn::<FigureRow>::number;
        [
            TableColumn::<FigureRow>::words("figure", FigureRow::name).paged(),
            number("chance", |line| Cell::figure(line.metric.p_value, 3))
                .paged()
                .meaning("p-value: chance of such a difference between equal sides"),
            number("corrected", |line| Cell::figure(line.metric.corrected_p_value, 3))
                .paged()
                .meaning("p-value times the number of figures (Bonferroni, 5 % in all)"),
            number("runs scatter by, %", |line| Cell::figure(line.metric.noise_percent, 1)).paged(),
            number("power for a 5 % change, %", |line| Cell::figure(line.metric.power_5_percent, 0)).paged(),
            number("change detected with 80 % power", |line| Cell::change(line.metric.detectable_percent))
                .paged(),
            number("drift of both", |line| Cell::change(line.metric.drift_percent))
                .paged()
                .meaning("change of both sides from the first pair to the last"),
        ]
    }

    fn name(&self) -> Cell {
        let title = &self.metric.title;
        Cell::Named {
            name: title.strip_suffix(", ms").unwrap_or(title).to_owned(),
            beside: if self.decides { "decides" } else { "" }.to_owned(),
            link: None,
            kind: if self.decides { "total" } else { "" },
        }
    }

    fn side_cell(&self, which: usize) -> Cell {
        let Some(sides) = &self.metric.sides else {
            let why = self.metric.reason.as_deref().unwrap_or_default();
            return Cell::Instead(format!("not compared: {why}"));
        };
        let median = sides[which].median;
        // Rates are more if they're better, latencies less.
        match self.metric.more_is_better {
            true => Cell::Figure(median, if median >= 100.0 { 0 } else { 3 }),
            false => Cell::Time(Millis::new(median)),
        }
    }

    fn more_runs(&self) -> Cell {
        Cell::text(
            self.metric.more_runs.map(|[first, other]| format!("about {first} more of A, {other} of B")),
        )
    }
}

/// Returns all figures of all time spans as CSV.
pub fn csv(comparison: &RunComparison) -> String {
    let of_span = |span| {
        let place = place(comparison, span);
        lines_of_span(span).into_iter().map(move |line| FigureRow {
            place: place.clone(),
            until_sure: comparison.until_sure.as_ref(),
            ..line
        })
    };
    let lines: Vec<FigureRow> = comparison.time_spans.iter().flat_map(of_span).collect();
    table::csv(&FigureRow::data(), &lines)
}

pub fn place(comparison: &RunComparison, span: &SpanCompared) -> String {
    let name = comparison.workload_name(span);
    let spans = comparison.time_spans.iter().filter(|other| other.workload == span.workload).count();
    let number = (spans > 1).then(|| format!("time span {}", span.time_span));
    let words: Vec<String> =
        [line(name).into_owned()].into_iter().filter(|name| !name.is_empty()).chain(number).collect();
    words.join(": ")
}
