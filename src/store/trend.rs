//! Runs of the same work on the same machine, in order: what can be followed over time.

use super::{Headline, StoreEntry};
use crate::lab::selection::RunFigure;
use crate::stats::Level;
use crate::stats::trend::Trend;
use std::collections::BTreeMap;

/// Runs that can be followed: the same fingerprint, or where nobody looked the same machine; and the
/// same work.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// What they share: fingerprint or machine.
    pub machine: String,
    /// What they share: [`StoreEntry::workload`].
    pub workload: String,
    /// What was typed for the latest.
    pub command_line: Option<String>,
    /// The time span, from 1.
    pub time_span: u32,
    /// The runs that have the figure, the oldest first.
    pub points: Vec<TrendPoint>,
    /// Where it was how high: at least one, in order.
    pub levels: Vec<Level>,
}

/// A run on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendPoint {
    /// The run.
    pub id: String,
    /// When it began, or was kept, seconds since 1970.
    pub at: i64,
    /// The figure.
    pub value: f64,
}

impl Headline {
    /// One of its figures.
    pub fn figure(&self, figure: RunFigure) -> Option<f64> {
        match figure {
            RunFigure::Iops => self.iops,
            RunFigure::MibPerS => self.mib_per_s,
            RunFigure::Mean => self.mean_ms,
            RunFigure::P50 => self.p50_ms,
            RunFigure::P99 => self.p99_ms,
            RunFigure::P999 => self.p999_ms,
        }
    }
}

impl History {
    /// The histories of runs that are in order of their time; those with the most runs first.
    pub fn all(entries: &[StoreEntry], figure: RunFigure) -> Vec<History> {
        let mut found: BTreeMap<(&str, &str, u32), History> = BTreeMap::new();
        for entry in entries {
            let machine = entry.fingerprint.as_deref().or(entry.computer.as_deref()).unwrap_or_default();
            for line in entry.figures.iter().filter(|line| line.direction == "total") {
                let Some(value) = line.figure(figure) else { continue };
                let key = (machine, entry.workload.as_str(), line.time_span);
                let history = found.entry(key).or_insert_with(|| History {
                    machine: machine.to_owned(),
                    workload: entry.workload.clone(),
                    command_line: None,
                    time_span: line.time_span,
                    points: Vec::new(),
                    levels: Vec::new(),
                });
                history.command_line.clone_from(&entry.command_line);
                let at = entry.started_at.unwrap_or(entry.about.saved_at);
                history.points.push(TrendPoint { id: entry.id.clone(), at, value });
            }
        }
        let mut all: Vec<History> = found.into_values().collect();
        for history in &mut all {
            let values: Vec<f64> = history.points.iter().map(|point| point.value).collect();
            history.levels = Trend::of(&values).levels;
        }
        all.sort_by_key(|history| std::cmp::Reverse(history.points.len()));
        all
    }
}
