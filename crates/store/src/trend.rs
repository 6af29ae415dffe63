//! Runs of the same work on the same machine in order, for trends.

use super::{Fingerprints, MachineNames, StoreEntry};
use diskspd_experiments::selection::RunFigure;
use diskspd_figures::stats::trend::Trend;
use diskspd_machine::fingerprint::Difference;
use diskspd_results::{RunSummary, WhichIos};
use std::collections::BTreeMap;

/// Runs of the same work on the same machine.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub machine: String,
    pub workload: String,
    pub command_line: Option<String>,
    pub time_span: u32,
    /// Runs with this figure, in the order of storage.
    pub points: Vec<TrendPoint>,
    pub trend: Trend,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TrendPoint {
    pub id: String,
    /// Start or storage time in seconds since 1970.
    pub at: i64,
    pub value: f64,
    pub changed: Vec<Difference>,
    /// Seconds by which the clock was set back since the previous run; 0 = not set back.
    pub clock_back_s: i64,
    saved_at: i64,
}

/// Maximum gradual correction of the clock in s.
const CLOCK_SET: i64 = 2;

impl History {
    /// Returns the histories of ordered runs, sorted by descending number of runs.
    pub fn all(entries: &[StoreEntry], figure: RunFigure, fingerprints: &Fingerprints) -> Vec<History> {
        let machines = MachineNames::from_entries(entries);
        // Each with the latest run that tells of its machine.
        let mut found: BTreeMap<(String, &str, u32), (History, Option<&RunSummary>)> = BTreeMap::new();
        for entry in entries {
            let machine = machines.name(entry);
            for (time_span, span) in entry.time_spans() {
                let value = span.and_then(|span| figure.exact_value(span, WhichIos::Total));
                let Some(value) = value else { continue };
                let key = (machine.clone(), entry.workload.as_str(), time_span);
                let (history, before) = found.entry(key).or_insert_with(|| {
                    let history = History {
                        machine: machine.clone(),
                        workload: entry.workload.clone(),
                        command_line: None,
                        time_span,
                        points: Vec::new(),
                        trend: Trend::default(),
                    };
                    (history, None)
                });
                history.command_line = entry.run.command_line.as_ref().map(ToString::to_string);
                let changed = before.map(|before| fingerprints.changes(before, &entry.run));
                history.add(entry, value, changed.unwrap_or_default());
                if entry.run.fingerprint.is_some() {
                    *before = Some(&entry.run);
                }
            }
        }
        let mut all: Vec<History> = found.into_values().map(|(history, _)| history).collect();
        for history in &mut all {
            let values: Vec<f64> = history.points.iter().map(|point| point.value).collect();
            history.trend = Trend::detect(&values);
        }
        all.sort_by_key(|history| std::cmp::Reverse(history.points.len()));
        all
    }

    fn add(&mut self, entry: &StoreEntry, value: f64, changed: Vec<Difference>) {
        let saved_at = entry.about.saved_at;
        // What comes from elsewhere was not kept in the order in which it was run.
        let before = self.points.last().filter(|_| entry.about.imported_from.is_none());
        let back = before.map_or(0, |before| before.saved_at.saturating_sub(saved_at));
        self.points.push(TrendPoint {
            id: entry.id.clone(),
            at: entry.time_of_run(),
            value,
            changed,
            clock_back_s: if back >= CLOCK_SET { back } else { 0 },
            saved_at,
        });
    }
}
