//! The table of a sweep, with a line per point, and its findings, each listed once for all affected
//! points.

use super::PointRow;
use crate::{LatencyRow, RunFinding, RunRow};
use diskspd_base::finding::Severity;
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{self, Cell, TableColumn};

pub struct PointFigures<'a> {
    row: &'a PointRow,
    repeated: bool,
    roles: String,
}

/// Returns the lines of a table; `roles`: the role of each row in the answers, by index.
pub fn lines(rows: &[PointRow], roles: impl Fn(usize) -> String) -> Vec<PointFigures<'_>> {
    let repeated = rows.iter().any(|row| row.runs.len() > 1);
    let line = |(place, row)| PointFigures { row, repeated, roles: roles(place) };
    rows.iter().enumerate().map(line).collect()
}

impl<'a> PointFigures<'a> {
    pub const COLUMNS: &'a [TableColumn<PointFigures<'a>>] = &[
        TableColumn::<PointFigures>::words("point", PointFigures::name).brief_and_paged().with_least_width(5),
        TableColumn::<PointFigures>::number("IOPS", PointFigures::iops_cell)
            .brief_and_paged()
            .with_least_width(12),
        TableColumn::<PointFigures>::number("runs", |line| {
            Cell::number_cell(line.repeated.then_some(line.row.runs.len() as u64))
        })
        .brief_and_paged()
        .spare(5)
        .optional()
        .with_least_width(4),
        TableColumn::<PointFigures>::number("+- %", |line| {
            let share = line.row.iops.filter(|_| line.repeated).and_then(|spread| spread.relative());
            Cell::figure(share.map(|share| 100.0 * share), 2)
        })
        .brief()
        .spare(1)
        .on_page("± %")
        .meaning("the 95 % interval of the mean, to each side")
        .optional()
        .with_least_width(7),
        TableColumn::<PointFigures>::number("MiB/s", |line| line.figure_cell(|run| Some(run.mib_per_s), 2))
            .brief_and_paged()
            .spare(1)
            .with_least_width(10),
        TableColumn::<PointFigures>::number("avg ms", |line| line.response_cell(|felt| felt.mean_ms))
            .brief()
            .spare(3)
            .on_page("mean")
            .with_least_width(9),
        TableColumn::<PointFigures>::number("p99 ms", |line| line.response_cell(|felt| felt.p99_ms))
            .brief()
            .on_page("99 %")
            .meaning("99 of 100 I/Os took no longer")
            .with_least_width(9),
        TableColumn::<PointFigures>::number("p99.9 ms", |line| line.response_cell(|felt| felt.p999_ms))
            .on_page("99.9 %")
            .meaning("999 of 1000 I/Os took no longer"),
        TableColumn::<PointFigures>::number("CPU %", |line| line.figure_cell(|run| run.cpu, 1))
            .brief()
            .spare(4)
            .on_page("CPUs, %")
            .meaning("the mean of all CPUs")
            .with_least_width(6),
        TableColumn::<PointFigures>::number("core %", |line| line.figure_cell(|run| run.hottest, 1))
            .brief()
            .spare(2)
            .on_page("busiest CPU, %")
            .with_least_width(6),
        TableColumn::<PointFigures>::words("limited by", |line| Cell::text(line.row.limit()))
            .optional()
            .paged(),
        TableColumn::<PointFigures>::words("verdict", PointFigures::verdict_cell).brief_and_paged(),
        TableColumn::<PointFigures>::words("severity", PointFigures::severity_cell).brief_and_paged(),
    ];

    fn name(&self) -> Cell {
        Cell::Named { name: label(self.row), beside: self.roles.clone(), link: None, kind: "" }
    }

    fn iops_cell(&self) -> Cell {
        match &self.row.figures {
            Some(figures) => Cell::Figure(figures.iops, 2),
            None => Cell::Failed(
                self.row.failure.as_deref().unwrap_or_default().lines().next().unwrap_or_default().to_owned(),
            ),
        }
    }

    fn figure_cell(&self, of: fn(&RunRow) -> Option<f64>, decimals: usize) -> Cell {
        Cell::figure(self.row.figures.as_ref().and_then(of), decimals)
    }

    fn response_cell(&self, of: fn(&LatencyRow) -> Millis) -> Cell {
        let felt = self.row.figures.as_ref().and_then(RunRow::user_latency);
        felt.map_or(Cell::Missing, |felt| felt.cell(of(felt)))
    }

    fn verdict_cell(&self) -> Cell {
        self.row.figures.as_ref().map_or(Cell::Missing, |figures| figures.verdict.verdict_cell())
    }

    fn severity_cell(&self) -> Cell {
        let Some(figures) = &self.row.figures else { return Cell::Missing };
        match figures.verdict.severity.filter(|_| self.row.failure.is_some()) {
            Some(severity) => Cell::Marked(severity.mark(), "and a run failed".to_owned()),
            None if self.row.failure.is_some() => Cell::Text("a run failed".to_owned()),
            None => figures.verdict.severity_cell(),
        }
    }
}

/// Returns the table in at most `room` columns.
pub fn text(rows: &[PointRow], room: usize) -> String {
    table::text_within(PointFigures::COLUMNS, &lines(rows, |_| String::new()), room)
}

pub fn label(row: &PointRow) -> String {
    let label = row.label();
    if label.is_empty() { "unchanged".to_owned() } else { label }
}

#[derive(Debug, Clone, PartialEq)]
pub struct FindingPoints<'a> {
    pub found: &'a RunFinding,
    pub points: Vec<String>,
    pub at_all: bool,
}

impl FindingPoints<'_> {
    pub fn place(&self) -> String {
        if self.at_all { "at all points".into() } else { format!("at {}", self.points.join(", ")) }
    }
}

/// Returns the findings about the points without duplicates, worst first; `all` includes minor findings.
pub fn told_once(rows: &[PointRow], all: bool) -> Vec<FindingPoints<'_>> {
    let mut told: Vec<FindingPoints> = Vec::new();
    for row in rows {
        for found in row
            .runs
            .iter()
            .flat_map(|line| &line.findings)
            .filter(|found| all || found.severity >= Severity::Wrong)
        {
            let label = label(row);
            let is_it = |other: &&mut FindingPoints| {
                (&other.found.name, other.found.severity) == (&found.name, found.severity)
            };
            match told.iter_mut().find(is_it) {
                Some(other) if other.points.contains(&label) => {}
                Some(other) => other.points.push(label),
                None => told.push(FindingPoints { found, points: vec![label], at_all: false }),
            }
        }
    }
    for one in &mut told {
        one.at_all = rows.len() > 1 && one.points.len() == rows.len();
    }
    told.sort_by_key(|one| std::cmp::Reverse(one.found.severity));
    told
}

pub fn findings(rows: &[PointRow], all: bool) -> String {
    let mut text = String::new();
    for one in told_once(rows, all) {
        let (severity, message) = (one.found.severity.capitals(), &one.found.message);
        text += &format!("{severity}: {message}\n    {}\n", one.place());
        text += &one.found.remedy.as_ref().map(|remedy| format!("    -> {remedy}\n")).unwrap_or_default();
    }
    text
}
