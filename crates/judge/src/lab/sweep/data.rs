//! The table of a sweep as data.

use super::{Drift, PointRow, SweepAnswer};
use crate::lab::{LatencyLine, RunLine};
use diskspd_model::units::Millis;
use diskspd_model::units::table::{self, Cell, TableColumn};
use serde::Serialize;

/// A run of a point, or why one failed.
struct PointRun<'a> {
    row: &'a PointRow,
    number: Option<u64>,
    line: Option<&'a RunLine>,
}

impl<'a> PointRun<'a> {
    const COLUMNS: &'a [TableColumn<PointRun<'a>>] = &[
        TableColumn::<PointRun>::number("offered_iops", |run| {
            Cell::whole(Some(run.row.load).filter(|_| run.row.by_rate))
        }),
        TableColumn::<PointRun>::number("threads", |run| Cell::Whole(run.row.threads)),
        TableColumn::<PointRun>::number("load", |run| Cell::Whole(run.row.load)),
        TableColumn::<PointRun>::number("run", |run| Cell::whole(run.number)),
        TableColumn::<PointRun>::number("iops", |run| run.figure(|line| line.iops, 3)),
        TableColumn::<PointRun>::number("mib_per_s", |run| run.figure(|line| line.mib_per_s, 3)),
        TableColumn::<PointRun>::number("avg_latency_ms", |run| run.service(|of| of.mean_ms)),
        TableColumn::<PointRun>::number("p99_latency_ms", |run| run.service(|of| of.p99_ms)),
        TableColumn::<PointRun>::number("p99_9_latency_ms", |run| run.service(|of| of.p999_ms)),
        TableColumn::<PointRun>::number("avg_response_ms", |run| run.response(|of| of.mean_ms)),
        TableColumn::<PointRun>::number("p99_response_ms", |run| run.response(|of| of.p99_ms)),
        TableColumn::<PointRun>::number("p99_9_response_ms", |run| run.response(|of| of.p999_ms)),
        TableColumn::<PointRun>::number("cpu_percent", |run| run.figure(|line| line.cpu, 2)),
        TableColumn::<PointRun>::number("hottest_cpu_percent", |run| run.figure(|line| line.hottest, 2)),
        TableColumn::<PointRun>::words("limited_by", |run| {
            Cell::text(run.line.and_then(|line| Some(line.limited_by?.name())))
        }),
        TableColumn::<PointRun>::words("verdict", |run| Cell::text(run.line.map(|line| line.verdict.word()))),
        TableColumn::<PointRun>::words("failure", |run| {
            Cell::text(run.row.failure.as_ref().filter(|_| run.line.is_none()))
        }),
    ];

    fn figure(&self, of: fn(&RunLine) -> f64, decimals: usize) -> Cell {
        self.line.map_or(Cell::Missing, |line| Cell::Rounded(of(line), decimals))
    }

    fn service(&self, of: fn(LatencyLine) -> Millis) -> Cell {
        in_full(self.line.and_then(|line| line.latency).map(of))
    }

    fn response(&self, of: fn(LatencyLine) -> Millis) -> Cell {
        in_full(self.line.and_then(|line| line.response).map(of))
    }
}

fn in_full(time: Option<Millis>) -> Cell {
    Cell::text(time.map(Millis::in_full))
}

/// One line of CSV per run, with a line of names above them: what failed has no figures.
pub fn csv(rows: &[PointRow]) -> String {
    let mut options: Vec<&str> = Vec::new();
    for setting in rows.iter().flat_map(|row| &row.settings) {
        if !options.contains(&setting.option.as_str()) {
            options.push(&setting.option);
        }
    }
    let names: Vec<&str> = options.iter().map(|option| option.trim_start_matches('-')).collect();
    let settings = |run: &PointRun| {
        let value = |option: &&str| run.row.settings.iter().find(|setting| setting.option == **option);
        options.iter().map(|option| value(option).map_or(String::new(), |set| set.value.clone())).collect()
    };
    let runs: Vec<PointRun> = rows.iter().flat_map(runs).collect();
    table::csv_behind(&names, settings, PointRun::COLUMNS, &runs)
}

fn runs(row: &PointRow) -> impl Iterator<Item = PointRun<'_>> {
    let run = move |(line, number)| PointRun { row, number: Some(number), line: Some(line) };
    let failed = row.failure.as_ref().map(|_| PointRun { row, number: None, line: None });
    row.runs.iter().zip(1..).map(run).chain(failed)
}

#[derive(Serialize)]
struct Document<'a> {
    format: DocumentForm,
    command_line: &'a str,
    points: &'a [PointRow],
    answers: &'a [SweepAnswer],
    drift: Option<&'a Drift>,
}

#[derive(Serialize)]
struct DocumentForm {
    name: &'static str,
    version: u32,
}

/// The whole sweep as JSON: points with all their runs, answers (which name points by their places), drift.
pub fn json(
    command_line: &str,
    points: &[PointRow],
    answers: &[SweepAnswer],
    drift: Option<&Drift>,
) -> String {
    let format = DocumentForm { name: "diskspd sweep", version: 2 };
    let document = Document { format, command_line, points, answers, drift };
    // Can't fail: there are no maps in it, and memory takes everything.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}
