//! The table of a sweep: one line per point; and what was found, told once for all points that have it.

use super::PointRow;
use crate::lab::{LatencyLine, RunFinding, RunLine};
use diskspd_model::units::Millis;

/// The table, with a line of names above it.
pub fn text(rows: &[PointRow]) -> String {
    let repeated = rows.iter().any(|row| row.runs.len() > 1);
    let width = rows.iter().map(|row| label(row).chars().count()).max().unwrap_or(0).max(5);
    let runs = if repeated { format!("{:>6}{:>9}", "runs", "+- %") } else { String::new() };
    let mut text = format!(
        "{:<width$}{:>14}{runs}{:>12}{:>11}{:>11}{:>8}{:>8}  verdict\n",
        "point", "IOPS", "MiB/s", "avg ms", "p99 ms", "CPU %", "core %"
    );
    for row in rows {
        text += &line(row, width, repeated);
    }
    text
}

/// What makes a point, in words also where that is nothing.
pub fn label(row: &PointRow) -> String {
    let label = row.label();
    if label.is_empty() { "as it is".to_owned() } else { label }
}

fn line(row: &PointRow, width: usize, repeated: bool) -> String {
    let label = label(row);
    let Some(figures) = &row.figures else {
        let why = row.failure.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
        return format!("{label:<width$}  failed: {why}\n");
    };
    let runs = match (repeated, row.iops.and_then(|spread| spread.relative())) {
        (false, _) => String::new(),
        (true, Some(share)) => format!("{:>6}{:>9.2}", row.runs.len(), 100.0 * share),
        (true, None) => format!("{:>6}{:>9}", row.runs.len(), "-"),
    };
    let latency = |figure: fn(&LatencyLine) -> Millis| {
        figures.felt().map_or("-".to_owned(), |latency| figure(latency).to_string())
    };
    let RunLine { iops, mib_per_s, cpu, hottest, verdict, .. } = figures;
    let (mean, p99) = (latency(|latency| latency.mean_ms), latency(|latency| latency.p99_ms));
    let failed = if row.failure.is_some() { ", and a run failed" } else { "" };
    let latencies = format!("{mean:>11}{p99:>11}");
    let rest = format!("{latencies}{cpu:>8.1}{hottest:>8.1}  {}{failed}", verdict.word());
    format!("{label:<width$}{iops:>14.2}{runs}{mib_per_s:>12.2}{rest}\n")
}

/// A finding with the points that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAtPoints<'a> {
    /// What was found, in the words of the first run that has it.
    pub found: &'a RunFinding,
    /// The points, by what makes them.
    pub points: Vec<String>,
    /// These are all there are, and more than one.
    pub at_all: bool,
}

impl FoundAtPoints<'_> {
    /// Where it was found.
    pub fn place(&self) -> String {
        if self.at_all { "at all points".into() } else { format!("at {}", self.points.join(", ")) }
    }
}

/// What was found about the points, each thing once, the worst first; `all`: not only what is wrong.
pub fn told_once(rows: &[PointRow], all: bool) -> Vec<FoundAtPoints<'_>> {
    let mut told: Vec<FoundAtPoints> = Vec::new();
    for row in rows {
        for found in row.runs.iter().flat_map(|line| &line.findings).filter(|found| all || found.wrong) {
            let label = label(row);
            let is_it = |other: &&mut FoundAtPoints| {
                (&other.found.name, other.found.wrong) == (&found.name, found.wrong)
            };
            match told.iter_mut().find(is_it) {
                Some(other) if other.points.contains(&label) => {}
                Some(other) => other.points.push(label),
                None => told.push(FoundAtPoints { found, points: vec![label], at_all: false }),
            }
        }
    }
    for one in &mut told {
        one.at_all = rows.len() > 1 && one.points.len() == rows.len();
    }
    told.sort_by_key(|one| !one.found.wrong);
    told
}

/// The same as lines.
pub fn findings(rows: &[PointRow], all: bool) -> String {
    let mut text = String::new();
    for one in told_once(rows, all) {
        let (severity, message) = (if one.found.wrong { "WRONG" } else { "WARNING" }, &one.found.message);
        text += &format!("{severity}: {message}\n    {}\n", one.place());
        text += &one.found.remedy.as_ref().map(|remedy| format!("    -> {remedy}\n")).unwrap_or_default();
    }
    text
}
