//! One time span in the form that the sections use.

use super::input::PageSection;
use diskspd_checks::JudgedRecord;
use diskspd_figures::units::Millis;
use diskspd_results::{ChartRow, Measured, SpanResults, SpanSummary};

#[derive(Debug)]
pub(crate) struct Span<'a> {
    pub figures: &'a SpanSummary,
    /// Further data; `None` = there is no record.
    pub detail: Option<RecordedSpan<'a>>,
    /// Prefix of the ids of its charts.
    prefix: String,
    pub level: u8,
    /// Maximum number of points of a time chart.
    pub points: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedSpan<'a> {
    pub judged: &'a JudgedRecord<'a>,
    pub index: usize,
    pub measured: &'a Measured,
}

impl<'a> RecordedSpan<'a> {
    /// Returns the raw results; `None` = an edited record.
    pub(crate) fn results(&self) -> Option<&'a SpanResults> {
        self.judged.record.host().results.time_spans.get(self.index)
    }
}

impl<'a> Span<'a> {
    /// Creates time span `index` (from 0) of a run.
    pub(crate) fn new(
        figures: &'a SpanSummary,
        detail: Option<RecordedSpan<'a>>,
        index: usize,
        place: &PageSection,
    ) -> Span<'a> {
        let prefix = format!("{}-{}", place.prefix, index + 1);
        Span { figures, detail, prefix, level: place.level + 1, points: place.points }
    }

    pub(crate) fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }
}

/// Selects a direction of a percentile row.
pub(crate) type PickDirection = fn(&ChartRow) -> Option<Millis>;
