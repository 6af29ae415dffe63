//! The figures that are compared, and their values of each run.

use super::Side;
use crate::lab::selection::RunFigure;
use crate::profile::Rate;
use crate::results::{ChartRow, KnownFigures, KnownSpan};
use std::fmt;

/// So many I/Os of a run must have taken longer than a percentile that is compared: fewer are a matter
/// of chance, and move it by more than a tenth.
pub const BEYOND: f64 = 100.0;

/// Which I/Os a figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhichIos {
    /// Both reads and writes.
    Total,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// A figure of some I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metric {
    /// Which figure.
    pub figure: RunFigure,
    /// Of which I/Os.
    pub way: WhichIos,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match self.way {
            WhichIos::Total => "",
            WhichIos::Read => "read-",
            WhichIos::Write => "write-",
        };
        write!(f, "{way}{}", self.figure.name())
    }
}

impl Metric {
    /// The figure of a name: `iops`, `read-p99`.
    pub fn named(name: &str) -> Option<Metric> {
        let (way, name) = [("read-", WhichIos::Read), ("write-", WhichIos::Write)]
            .into_iter()
            .find_map(|(prefix, way)| Some((way, name.strip_prefix(prefix)?)))
            .unwrap_or((WhichIos::Total, name));
        Some(Metric { figure: RunFigure::named(name)?, way })
    }

    /// For people, with its unit.
    pub fn title(self) -> String {
        match self.way {
            WhichIos::Total => self.figure.title().to_owned(),
            WhichIos::Read => format!("reads: {}", self.figure.title()),
            WhichIos::Write => format!("writes: {}", self.figure.title()),
        }
    }

    fn figures(self, span: &KnownSpan) -> &KnownFigures {
        match self.way {
            WhichIos::Total => &span.total,
            WhichIos::Read => &span.read,
            WhichIos::Write => &span.write,
        }
    }

    fn value(self, span: &KnownSpan) -> Option<f64> {
        let figures = self.figures(span);
        let at = |row: ChartRow| match self.way {
            WhichIos::Total => row.total,
            WhichIos::Read => row.read,
            WhichIos::Write => row.write,
        };
        match (self.figure, self.figure.percent()) {
            (_, Some(percent)) => at(span.percentile(percent)?),
            (RunFigure::Iops, _) => figures.iops,
            (RunFigure::MibPerS, _) => figures.mib_per_s,
            _ => figures.mean_ms,
        }
    }
}

const fn total(figure: RunFigure) -> Metric {
    Metric { figure, way: WhichIos::Total }
}

/// What decides: latency where the rate is given, else the rate.
pub(super) fn primary(sides: [&Side; 2], index: usize) -> Metric {
    let mut spans = spans(sides, index);
    let limited = |span: &KnownSpan| {
        let rates = span.parameters.targets.iter().filter_map(|group| group.access.rate);
        span.parameters.rate_total.is_some() || rates.into_iter().any(|rate| rate != Rate::Unlimited)
    };
    let paced = spans.all(|span| limited(span) && total(RunFigure::P99).value(span).is_some());
    total(if paced { RunFigure::P99 } else { RunFigure::Iops })
}

/// What is compared besides: no two that say the same.
pub(super) fn usual(sides: [&Side; 2], index: usize) -> Vec<Metric> {
    let mut metrics = [RunFigure::Iops, RunFigure::Mean, RunFigure::P50, RunFigure::P99, RunFigure::P999]
        .map(total)
        .to_vec();
    let mixed = |figures: &KnownFigures| figures.ios.is_some_and(|ios| ios > 0);
    if spans(sides, index).all(|span| mixed(&span.read) && mixed(&span.write)) {
        metrics.extend([WhichIos::Read, WhichIos::Write].map(|way| Metric { figure: RunFigure::P99, way }));
    }
    metrics.retain(|metric| spans(sides, index).all(|span| metric.value(span).is_some()));
    metrics
}

fn spans(sides: [&Side; 2], index: usize) -> impl Iterator<Item = &KnownSpan> {
    let runs = sides.into_iter().flat_map(|side| &side.runs);
    runs.filter_map(move |run| run.known.time_spans.get(index)?.as_ref())
}

/// The values of a side's runs, all above zero; or why there are none.
pub(super) fn values(side: &Side, index: usize, metric: Metric) -> Result<Vec<f64>, String> {
    let value = |run: &super::SideRun| {
        let name = &run.known.name;
        let span = run.known.time_spans.get(index).and_then(Option::as_ref);
        let span = span.ok_or_else(|| format!("'{name}' ended before it was measured"))?;
        let value = metric.value(span).filter(|value| *value > 0.0);
        let value = value.ok_or_else(|| format!("'{name}' has no figure for it"))?;
        match (metric.figure.percent(), metric.figures(span).ios) {
            (Some(percent), Some(ios)) => {
                let beyond = ios as f64 * (100.0 - percent) / 100.0;
                if beyond + 0.5 < BEYOND {
                    return Err(format!(
                        "only {beyond:.0} I/Os of '{name}' took longer, and {BEYOND:.0} are needed: run \
                        it longer"
                    ));
                }
                Ok(value)
            }
            _ => Ok(value),
        }
    };
    side.runs.iter().map(value).collect()
}
