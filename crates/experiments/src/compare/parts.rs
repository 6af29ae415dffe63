//! Separate comparison of the parts of a mix, because the totals may hide a change of one part.
//!
//! The number of a part's I/Os is its share of the total, so only latency is specific to a part.

use super::allowance::EarlierSteps;
use super::metric::check_tail_count;
use super::missing_value::MissingValueError;
use super::verdict::{self, Basis, Compared, FigureInfo};
use super::{Runs, SideRun, metric};
use crate::selection::RunFigure;
use diskspd_figures::units::Millis;
use diskspd_results::{PartKey, PartSummary, SpanSummary};

const FIGURES: [RunFigure; 2] = [RunFigure::Mean, RunFigure::P99];

/// The figures of all parts that every run of both sides has. They share an error rate, separate from the
/// overall figures, which therefore lose no power to parts.
pub(super) fn compared(sides: Runs, index: usize, on: Basis) -> Vec<Compared> {
    let known = |key: PartKey| metric::spans(sides, index).all(|span| known_part(span, key).is_some());
    let first = metric::spans(sides, index).next();
    let keys = first.into_iter().flat_map(|span| &span.parts).map(|part| part.key).filter(|key| known(*key));
    let figures: Vec<(PartKey, RunFigure)> = keys
        .flat_map(|key| FIGURES.map(|figure| (key, figure)))
        .filter(|(key, figure)| {
            let value = |span: &SpanSummary| read_figure(known_part(span, *key)?, *figure);
            metric::spans(sides, index).all(|span| value(span).is_some())
        })
        .collect();
    let nothing = EarlierSteps::default();
    let on = Basis { figures: figures.len(), known: &nothing, ..on };
    let one = |(key, figure): &(PartKey, RunFigure)| {
        let about = FigureInfo {
            metric: format!("{}-{}", key.name(), figure.name()),
            title: format!("{}: {}", key.title(several_targets(first)), figure.title()),
            more_is_better: figure.more_is_better(),
        };
        let values = sides.map(|side| side.iter().map(|run| value(run, index, *key, *figure)).collect());
        verdict::compared(about, values, on)
    };
    figures.iter().map(one).collect()
}

fn several_targets(span: Option<&SpanSummary>) -> bool {
    span.is_some_and(|span| span.parts.iter().any(|part| part.key.target > 1))
}

fn known_part(span: &SpanSummary, key: PartKey) -> Option<&PartSummary> {
    span.parts.iter().find(|part| part.key == key)
}

fn read_figure(part: &PartSummary, figure: RunFigure) -> Option<f64> {
    let time = if figure == RunFigure::Mean { part.mean_ms } else { part.p99_ms };
    time.map(Millis::ms).filter(|value| *value > 0.0)
}

fn value(run: &SideRun, index: usize, key: PartKey, figure: RunFigure) -> Result<f64, MissingValueError> {
    let name = &run.known.name;
    let span = run.known.time_spans.get(index).and_then(Option::as_ref);
    let span = span.ok_or_else(|| MissingValueError::NotMeasured { run: name.clone() })?;
    let part = known_part(span, key).ok_or_else(|| MissingValueError::NoPart { run: name.clone() })?;
    let value = read_figure(part, figure).ok_or_else(|| MissingValueError::NoFigure { run: name.clone() })?;
    check_tail_count(name, figure, Some(part.ios)).map(|()| value)
}
