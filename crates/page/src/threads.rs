//! The work of each thread and each target.

use super::chart::ChartFigure;
use super::chart::axis::ChartAxis;
use super::chart::bars::Bars;
use super::chart::category_bars::CategoryBars;
use super::chart::table::FigureTable;
use super::span::Span;
use diskspd_figures::units::visible::line;
use diskspd_report::number::{number, plain};
use diskspd_results::{Measured, Row, SpanResults};
use std::collections::BTreeMap;

const MAX_BARS: usize = 256;
/// Maximum number of bars with names.
const MAX_NAMED: usize = 24;

#[derive(Debug, Clone, Default)]
struct RowSum {
    name: String,
    iops: [f64; 2],
    mib_per_s: [f64; 2],
}

/// Returns a chart of threads and one of targets, if there are several.
pub(crate) fn charts(span: &Span, measured: &Measured) -> Vec<ChartFigure> {
    let bound = span.detail.and_then(|detail| detail.results()).map(bound_to).unwrap_or_default();
    let named = |row: &Row| {
        let on: String = bound.get(&row.thread).map(|cpu| format!(" on CPU {cpu}")).unwrap_or_default();
        format!("{}{on}", row.thread)
    };
    let threads = row_sums(measured, |row| (u64::from(row.thread), named(row)));
    let mut paths: Vec<&[u8]> = Vec::new();
    for row in &measured.total.rows {
        if !paths.contains(&row.path.as_bytes()) && paths.len() < MAX_BARS {
            paths.push(row.path.as_bytes());
        }
    }
    let place =
        |row: &Row| paths.iter().position(|path| *path == row.path.as_bytes()).unwrap_or(MAX_BARS) as u64;
    let targets = row_sums(measured, |row| (place(row), line(&row.path.to_string()).into_owned()));
    let mut charts = Vec::new();
    if threads.len() > 1 {
        charts.push(sums_chart(span, ("Threads", "threads", "thread"), &threads));
    }
    if targets.len() > 1 {
        charts.push(sums_chart(span, ("Targets", "targets", "target"), &targets));
    }
    charts
}

/// Returns the sums of rows with the same key.
fn row_sums(measured: &Measured, key: impl Fn(&Row) -> (u64, String)) -> Vec<RowSum> {
    let mut sums: BTreeMap<u64, RowSum> = BTreeMap::new();
    for (place, table) in [&measured.read, &measured.write].into_iter().enumerate() {
        for row in &table.rows {
            let (number, name) = key(row);
            let sum = sums.entry(number).or_insert_with(|| RowSum { name, ..RowSum::default() });
            sum.iops[place] += row.figures.throughput.iops;
            sum.mib_per_s[place] += row.figures.throughput.mib_per_s;
        }
    }
    sums.into_values().take(MAX_BARS).collect()
}

/// The processor that each thread was bound to all the time, by the thread's number; empty = not recorded.
fn bound_to(results: &SpanResults) -> BTreeMap<u32, u32> {
    let workers = results.observed.as_ref().and_then(|observed| observed.resource_usage.as_ref());
    let workers = workers.map(|effort| &effort.workers[..]).unwrap_or_default();
    // Of a merged record the threads of several hosts would share these numbers.
    let whole = workers.len() == results.threads.len();
    (0..)
        .zip(workers)
        .filter(|_| whole)
        .filter_map(|(thread, worker)| Some((thread, worker.bound_to()?)))
        .collect()
}

fn sums_chart(span: &Span, (title, id, of): (&str, &str, &str), sums: &[RowSum]) -> ChartFigure {
    let mut table = FigureTable::new(&[of, "read IOPS", "write IOPS", "read MiB/s", "write MiB/s"]);
    for sum in sums {
        let figures = [sum.iops[0], sum.iops[1], sum.mib_per_s[0], sum.mib_per_s[1]].map(number);
        table.row(0.0, [sum.name.clone()].into_iter().chain(figures));
    }
    let total = |sum: &RowSum| sum.iops[0] + sum.iops[1];
    let highest = sums.iter().map(total).fold(0.0, f64::max);
    let lowest = sums.iter().map(total).fold(f64::INFINITY, f64::min);
    let part = |class, name: &str, place: usize| {
        (class, name.to_owned(), sums.iter().map(|sum| sum.iops[place]).collect::<Vec<_>>())
    };
    let done = |(_, _, amounts): &(&str, String, Vec<f64>)| amounts.iter().any(|amount| *amount > 0.0);
    let parts = [part("read", "read", 0), part("write", "write", 1)].into_iter().filter(done).collect();
    let of_threads = of == "thread";
    let (id, title) = (span.id(id), format!("{title}: I/Os per second"));
    let summary = format!("{} of them, between {} and {} IOPS.", sums.len(), plain(lowest), plain(highest));
    let note =
        if sums.len() == MAX_BARS { format!("The first {MAX_BARS} are shown.") } else { String::new() };
    let axis = ChartAxis::amounts("I/Os per second", highest);
    let named = |sum: &RowSum| if of_threads { format!("thread {}", sum.name) } else { sum.name.clone() };
    let names = sums.iter().map(named).collect();
    if sums.len() <= MAX_NAMED {
        return CategoryBars { id, title, summary, note, names, x: axis, parts, table }.chart();
    }
    let names = (1..=sums.len()).map(|number| number.to_string()).collect();
    let of = format!("{of}, by its place in the table");
    Bars { id, title, summary, note, of, names, y: axis, parts, table }.chart()
}
