//! Activity of the machine's processors.

use super::chart::ChartFigure;
use super::chart::axis::ChartAxis;
use super::chart::bars::Bars;
use super::chart::table::FigureTable;
use super::span::Span;
use diskspd_report::number::{number, plain};
use diskspd_results::{CpuRow, CpuTable};

/// Maximum number of bars; the busiest CPUs are shown.
const MAX_BARS: usize = 128;

/// The chart; `None` = the record has no processors, or none that did anything (time was simulated).
pub(crate) fn chart(span: &Span, cpu: &CpuTable) -> Option<ChartFigure> {
    let mut rows: Vec<&CpuRow> = cpu.rows.iter().collect();
    if !rows.iter().any(|row| row.usage.usage > 0.0) {
        return None;
    }
    let all = rows.len();
    if all > MAX_BARS {
        rows.sort_by(|a, b| b.usage.usage.total_cmp(&a.usage.usage));
        rows.truncate(MAX_BARS);
        rows.sort_by_key(|row| (row.place.group, row.place.cpu));
    }
    let grouped = cpu.columns.group;
    let name = |row: &&CpuRow| match grouped {
        true => format!("{}:{}", row.place.group, row.place.cpu),
        false => row.place.cpu.to_string(),
    };
    let mut table = FigureTable::new(&["CPU", "in use, %", "programs, %", "kernel, %", "idle, %"]);
    for row in &rows {
        let usage = &row.usage;
        let shares = [usage.usage, usage.user, usage.kernel, usage.idle].map(number);
        table.row(0.0, [name(row)].into_iter().chain(shares));
    }
    let busiest = rows.iter().map(|row| row.usage.usage).fold(0.0, f64::max);
    let note = match all > MAX_BARS {
        true => format!("The {MAX_BARS} busiest of {all} CPUs."),
        false => String::new(),
    };
    let part = |class, words: &str, of: fn(&CpuRow) -> f64| {
        (class, words.to_owned(), rows.iter().map(|row| of(row)).collect::<Vec<f64>>())
    };
    let bars = Bars {
        id: span.id("cpus"),
        title: "Processors: load of all programs on this machine".into(),
        summary: format!(
            "{} % in use on average, the busiest {} %.",
            plain(cpu.average.usage),
            plain(busiest)
        ),
        note,
        of: "CPU".into(),
        names: rows.iter().map(name).collect(),
        y: ChartAxis::percent("in use"),
        parts: vec![
            part("kernel", "kernel", |row| row.usage.kernel),
            part("user", "programs", |row| row.usage.user),
        ],
        table,
    };
    Some(bars.chart())
}
