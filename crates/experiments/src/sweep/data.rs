//! The table of a sweep as data.

use super::PointRow;
use crate::RunRow;
use crate::run_columns::{self, RunContext};
use diskspd_figures::units::table::{self, Cell, TableColumn};

/// Run of a point, or its error.
struct PointRun<'a> {
    row: &'a PointRow,
    number: Option<u64>,
    line: Option<&'a RunRow>,
}

impl<'a> PointRun<'a> {
    fn point_columns() -> Vec<TableColumn<PointRun<'a>>> {
        let point = [
            TableColumn::<PointRun>::number("offered_iops", |run| {
                Cell::number_cell(Some(run.row.load).filter(|_| run.row.by_rate))
            }),
            TableColumn::<PointRun>::number("threads", |run| Cell::Whole(run.row.threads)),
            TableColumn::<PointRun>::number("load", |run| Cell::Whole(run.row.load)),
            TableColumn::<PointRun>::number("run", |run| Cell::number_cell(run.number)),
        ];
        let failure = TableColumn::<PointRun>::words("failure", |run| {
            Cell::text(run.row.failure.as_ref().filter(|_| run.line.is_none()))
        });
        point.into_iter().chain(run_columns::figures()).chain([failure]).collect()
    }
}

impl RunContext for PointRun<'_> {
    fn run_line(&self) -> Option<&RunRow> {
        self.line
    }
}

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
