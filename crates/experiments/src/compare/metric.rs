//! The figures that are compared, and their values of each run.

use super::missing_value::{MIN_IOS_ABOVE, MissingValueError};
use super::{Runs, SideRun};
use crate::selection::RunFigure;
use diskspd_figures::units::Millis;
use diskspd_profile::Rate;
use diskspd_results::{DirectionSummary, SpanSummary, WhichIos};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LatencyOrigin {
    Handover,
    /// Response time: the latency from the scheduled time under a rate limit, including the wait before
    /// the start.
    Due,
}

/// Figure with the kind of its I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metric {
    pub figure: RunFigure,
    pub way: WhichIos,
    pub from: LatencyOrigin,
}

const RESPONSE: &str = "response-";

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match self.way {
            WhichIos::Total => "",
            WhichIos::Read => "read-",
            WhichIos::Write => "write-",
        };
        let from = if self.from == LatencyOrigin::Due { RESPONSE } else { "" };
        write!(f, "{way}{from}{}", self.figure.name())
    }
}

impl Metric {
    /// Returns the figure with a name such as `iops`, `read-p99` or `response-p99`.
    pub fn from_name(name: &str) -> Option<Metric> {
        let (way, name) = [("read-", WhichIos::Read), ("write-", WhichIos::Write)]
            .into_iter()
            .find_map(|(prefix, way)| Some((way, name.strip_prefix(prefix)?)))
            .unwrap_or((WhichIos::Total, name));
        let (from, name) = match name.strip_prefix(RESPONSE) {
            Some(name) => (LatencyOrigin::Due, name),
            None => (LatencyOrigin::Handover, name),
        };
        let figure = RunFigure::from_name(name)?;
        (from == LatencyOrigin::Handover || !figure.more_is_better()).then_some(Metric { figure, way, from })
    }

    /// Returns the title with its unit.
    pub fn title(self) -> String {
        let whose = match (self.from, self.way) {
            (LatencyOrigin::Handover, WhichIos::Total) => "",
            (LatencyOrigin::Handover, WhichIos::Read) => "reads: ",
            (LatencyOrigin::Handover, WhichIos::Write) => "writes: ",
            (LatencyOrigin::Due, WhichIos::Total) => "response: ",
            (LatencyOrigin::Due, WhichIos::Read) => "response of reads: ",
            (LatencyOrigin::Due, WhichIos::Write) => "response of writes: ",
        };
        format!("{whose}{}", self.figure.title())
    }

    fn value(self, span: &SpanSummary) -> Option<f64> {
        if self.from == LatencyOrigin::Handover {
            return self.figure.value(span, self.way);
        }
        // Of some I/Os alone they would stand beside figures of all.
        let all = span.figures(self.way).ios;
        let response = span.response.as_ref().filter(|found| Some(found.ios) >= all)?;
        let row = match self.figure.percent() {
            Some(percent) => response.percentile(percent)?,
            None => response.mean_ms,
        };
        row.for_ios(self.way).map(Millis::ms)
    }
}

const fn total(figure: RunFigure) -> Metric {
    Metric { figure, way: WhichIos::Total, from: LatencyOrigin::Handover }
}

const fn response(figure: RunFigure) -> Metric {
    Metric { from: LatencyOrigin::Due, ..total(figure) }
}

/// Returns the decisive metric with an explanation: response time or latency under a rate limit, otherwise
/// the rate.
pub(super) fn primary(sides: Runs, index: usize) -> (Metric, Option<&'static str>) {
    let limited = |span: &SpanSummary| {
        let rates = span.parameters.targets.iter().filter_map(|group| group.access.rate);
        span.parameters.rate_total.is_some() || rates.into_iter().any(|rate| rate != Rate::Unlimited)
    };
    let all_have =
        |metric: Metric| spans(sides, index).all(|span| limited(span) && metric.value(span).is_some());
    let (felt, service) = (response(RunFigure::P99), total(RunFigure::P99));
    match (all_have(felt), all_have(service)) {
        (true, _) => (felt, Some(BY_RESPONSE)),
        (false, true) => (service, Some(BY_SERVICE)),
        (false, false) => (total(RunFigure::Iops), None),
    }
}

const BY_RESPONSE: &str = "A rate is set: response times decide, which count from when each I/O was due.";
const BY_SERVICE: &str = "A rate is set, but not every run has response times: latencies from submission \
                          decide, which mostly omit stalls (coordinated omission).";

pub(super) fn default_metrics(sides: Runs, index: usize) -> Vec<Metric> {
    let latencies = [RunFigure::Mean, RunFigure::P50, RunFigure::P99, RunFigure::P999];
    let p99 = response(RunFigure::P99);
    let felt = spans(sides, index).all(|span| p99.value(span).is_some());
    let mut metrics = vec![total(RunFigure::Iops)];
    match felt {
        // What the storage itself took tells whether it, or waiting for it, has changed.
        true => metrics.extend(latencies.map(response).into_iter().chain([total(RunFigure::P99)])),
        false => metrics.extend(latencies.map(total)),
    }
    let mixed = |figures: &DirectionSummary| figures.ios.is_some_and(|ios| ios > 0);
    if spans(sides, index).all(|span| mixed(&span.read) && mixed(&span.write)) {
        let p99 = if felt { p99 } else { total(RunFigure::P99) };
        metrics.extend([WhichIos::Read, WhichIos::Write].map(|way| Metric { way, ..p99 }));
    }
    metrics.retain(|metric| spans(sides, index).all(|span| metric.value(span).is_some()));
    metrics
}

/// Returns a time span of all runs that measured it.
pub(super) fn spans(sides: Runs<'_>, index: usize) -> impl Iterator<Item = &SpanSummary> {
    let runs = sides.into_iter().flatten();
    runs.filter_map(move |run| run.known.time_spans.get(index)?.as_ref())
}

/// Returns the value of a run, or the reason for its absence. 0 is a value for a run without I/O.
pub(super) fn value(run: &SideRun, index: usize, metric: Metric) -> Result<f64, MissingValueError> {
    let name = &run.known.name;
    let span = run.known.time_spans.get(index).and_then(Option::as_ref);
    let span = span.ok_or_else(|| MissingValueError::NotMeasured { run: name.clone() })?;
    let value = metric.value(span).filter(|value| *value >= 0.0 && value.is_finite());
    let idle = span.figures(metric.way).ios == Some(0) && !metric.figure.more_is_better();
    let value = value.filter(|_| !idle).ok_or_else(|| match idle {
        true => MissingValueError::Idle { run: name.clone() },
        false => MissingValueError::NoFigure { run: name.clone() },
    })?;
    let is_percentile = metric.figure.percent().is_some() && metric.from == LatencyOrigin::Handover;
    if is_percentile && span.is_lower_bound(Millis::new(value)) {
        return Err(MissingValueError::LowerBound {
            run: name.clone(),
            at_least: format!("{} ms", Millis::new(value)),
        });
    }
    check_tail_count(name, metric.figure, span.figures(metric.way).ios).map(|()| value)
}

pub(super) fn check_tail_count(
    run: &str,
    figure: RunFigure,
    ios: Option<u64>,
) -> Result<(), MissingValueError> {
    let Some((percent, ios)) = figure.percent().zip(ios) else { return Ok(()) };
    let beyond = ios as f64 * (100.0 - percent) / 100.0;
    if beyond + 0.5 >= MIN_IOS_ABOVE {
        return Ok(());
    }
    Err(MissingValueError::TooFew { run: run.to_owned(), beyond: format!("{beyond:.0}") })
}
