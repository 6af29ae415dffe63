//! What each thread and each target did.

use super::chart::ChartFigure;
use super::chart::axis::ChartAxis;
use super::chart::bars::Bars;
use super::chart::table::FigureTable;
use super::number::{number, plain};
use super::span::Span;
use crate::results::{Measured, Row};
use std::collections::BTreeMap;

/// Bars at most.
const MOST: usize = 256;

/// What several rows did together; rates per second.
#[derive(Debug, Clone, Default)]
struct RowSum {
    name: String,
    /// Read, write.
    iops: [f64; 2],
    mib_per_s: [f64; 2],
}

/// A chart of threads and one of targets, each where there are several.
pub fn charts(span: &Span, measured: &Measured) -> Vec<ChartFigure> {
    let threads = sums(measured, |row| (u64::from(row.thread), row.thread.to_string()));
    let mut paths: Vec<&[u8]> = Vec::new();
    for row in &measured.total.rows {
        if !paths.contains(&row.path.as_bytes()) && paths.len() < MOST {
            paths.push(row.path.as_bytes());
        }
    }
    let place = |row: &Row| paths.iter().position(|path| *path == row.path.as_bytes()).unwrap_or(MOST) as u64;
    let targets = sums(measured, |row| (place(row), row.path.to_string()));
    let several = |sums: &[RowSum]| sums.len() > 1;
    let mut charts = Vec::new();
    if several(&threads) {
        let names = threads.iter().map(|sum| sum.name.clone()).collect();
        charts.push(chart(span, ("Threads", "threads", "thread"), names, &threads));
    }
    if several(&targets) {
        let names = (1..=targets.len()).map(|number| number.to_string()).collect();
        charts.push(chart(
            span,
            ("Targets", "targets", "target, by number: the table has the names"),
            names,
            &targets,
        ));
    }
    charts
}

/// Rows of the same key, added up.
fn sums(measured: &Measured, key: impl Fn(&Row) -> (u64, String)) -> Vec<RowSum> {
    let mut sums: BTreeMap<u64, RowSum> = BTreeMap::new();
    for (place, table) in [&measured.read, &measured.write].into_iter().enumerate() {
        for row in &table.rows {
            let (number, name) = key(row);
            let sum = sums.entry(number).or_insert_with(|| RowSum { name, ..RowSum::default() });
            sum.iops[place] += row.figures.throughput.iops;
            sum.mib_per_s[place] += row.figures.throughput.mib_per_s;
        }
    }
    sums.into_values().take(MOST).collect()
}

fn chart(
    span: &Span,
    (title, id, of): (&str, &str, &str),
    names: Vec<String>,
    sums: &[RowSum],
) -> ChartFigure {
    let numbered = names.iter().zip(sums).any(|(name, sum)| *name != sum.name);
    let mut table = FigureTable::new(&[
        of.split(',').next().unwrap_or(of),
        "read IOPS",
        "write IOPS",
        "read MiB/s",
        "write MiB/s",
    ]);
    for (name, sum) in names.iter().zip(sums) {
        let first = if numbered { format!("{name}: {}", sum.name) } else { name.clone() };
        let figures = [sum.iops[0], sum.iops[1], sum.mib_per_s[0], sum.mib_per_s[1]].map(number);
        table.row(0.0, [first].into_iter().chain(figures));
    }
    let total = |sum: &RowSum| sum.iops[0] + sum.iops[1];
    let highest = sums.iter().map(total).fold(0.0, f64::max);
    let lowest = sums.iter().map(total).fold(f64::INFINITY, f64::min);
    let part = |class, name: &str, place: usize| {
        (class, name.to_owned(), sums.iter().map(|sum| sum.iops[place]).collect::<Vec<_>>())
    };
    let parts = [part("read", "read", 0), part("write", "write", 1)];
    let done = |(_, _, amounts): &(&str, String, Vec<f64>)| amounts.iter().any(|amount| *amount > 0.0);
    let bars = Bars {
        id: span.id(id),
        title: format!("{title}: I/Os per second"),
        summary: format!("{} of them, between {} and {} IOPS.", sums.len(), plain(lowest), plain(highest)),
        note: if sums.len() == MOST { format!("The first {MOST} are shown.") } else { String::new() },
        of: of.to_owned(),
        names,
        y: ChartAxis::amounts("I/Os per second", highest),
        parts: parts.into_iter().filter(done).collect(),
        table,
    };
    bars.chart()
}
