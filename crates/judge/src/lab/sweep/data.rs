//! The table of a sweep as data.

use super::{Drift, PointRow, SweepAnswer};
use crate::lab::RunLine;
use crate::lab::run_columns::{self, OfRun};
use diskspd_model::units::table::{self, Cell, TableColumn};
use serde::Serialize;

/// A run of a point, or why one failed.
struct PointRun<'a> {
    row: &'a PointRow,
    number: Option<u64>,
    line: Option<&'a RunLine>,
}

impl<'a> PointRun<'a> {
    fn point_columns() -> Vec<TableColumn<PointRun<'a>>> {
        let point = [
            TableColumn::<PointRun>::number("offered_iops", |run| {
                Cell::whole(Some(run.row.load).filter(|_| run.row.by_rate))
            }),
            TableColumn::<PointRun>::number("threads", |run| Cell::Whole(run.row.threads)),
            TableColumn::<PointRun>::number("load", |run| Cell::Whole(run.row.load)),
            TableColumn::<PointRun>::number("run", |run| Cell::whole(run.number)),
        ];
        let failure = TableColumn::<PointRun>::words("failure", |run| {
            Cell::text(run.row.failure.as_ref().filter(|_| run.line.is_none()))
        });
        point.into_iter().chain(run_columns::figures()).chain([failure]).collect()
    }
}

impl OfRun for PointRun<'_> {
    fn run_line(&self) -> Option<&RunLine> {
        self.line
    }
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
    let runs: Vec<PointRun> = rows.iter().flat_map(point_runs).collect();
    table::csv_behind(&names, settings, &PointRun::point_columns(), &runs)
}

fn point_runs(row: &PointRow) -> impl Iterator<Item = PointRun<'_>> {
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
