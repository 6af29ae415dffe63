//! Results of a suite, one row for each test.

use super::SuiteTest;
use crate::RunRow;
use crate::repeat::Repeat;
use diskspd_figures::stats::median;
use diskspd_figures::stats::replicates::Spread;
use diskspd_figures::units::Millis;
use diskspd_figures::units::table::{self, Cell, TableColumn};
use diskspd_results::RunVerdict;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteRow {
    pub test: String,
    pub about: String,
    pub command: String,
    /// Names of its runs in the history, in order.
    pub runs: Vec<String>,
    pub lines: Vec<RunRow>,
    /// Mean I/Os per second of all runs; `None` = no runs.
    pub iops: Option<f64>,
    /// Median of the 2^20 bytes per second.
    pub mib_per_s: Option<f64>,
    /// 99 % of the I/Os took no longer, ms, the median; of response times where I/Os were due at a time.
    pub p99_ms: Option<f64>,
    /// The 95 % interval of the mean IOPS, percent to each side; `None` = of fewer than two runs.
    pub spread_percent: Option<f64>,
    /// Worst verdict and worst severity of the runs.
    #[serde(flatten)]
    pub verdict: RunVerdict,
}

impl SuiteRow {
    /// Creates the row of a test with these runs; `how` = rule for their number.
    pub fn new(
        test: &SuiteTest,
        command: String,
        runs: Vec<String>,
        lines: Vec<RunRow>,
        how: Repeat,
    ) -> SuiteRow {
        let iops: Vec<f64> = lines.iter().map(|line| line.iops).collect();
        let spread = how.spread(&iops);
        let middle = |values: Vec<f64>| (!values.is_empty()).then(|| median(values));
        let felt = || lines.iter().filter_map(RunRow::user_latency);
        SuiteRow {
            test: test.name.clone(),
            about: test.about.clone(),
            command,
            runs,
            iops: spread.as_ref().map(|spread| spread.mean),
            mib_per_s: middle(lines.iter().map(|line| line.mib_per_s).collect()),
            p99_ms: middle(felt().map(|latency| latency.p99_ms.ms()).collect()),
            spread_percent: spread.as_ref().and_then(Spread::relative).map(|share| 100.0 * share),
            verdict: RunVerdict::worst(lines.iter().map(|line| line.verdict)),
            lines,
        }
    }
}

impl SuiteRow {
    fn p99(&self) -> Cell {
        let Some(median) = self.p99_ms.map(Millis::new) else { return Cell::Missing };
        let open =
            self.lines.iter().filter_map(RunRow::user_latency).find(|latency| latency.open_end_ms.is_some());
        open.map_or(Cell::Time(median), |latency| latency.cell(median))
    }
}

impl SuiteRow {
    pub const COLUMNS: &[TableColumn<SuiteRow>] = &[
        TableColumn::<SuiteRow>::words("test", |row| Cell::name_cell(&row.test))
            .brief_and_paged()
            .with_least_width(4),
        TableColumn::<SuiteRow>::number("runs", |row| Cell::Whole(row.lines.len() as u64))
            .brief_and_paged()
            .with_least_width(4),
        TableColumn::<SuiteRow>::number("IOPS", |row| Cell::figure(row.iops, 2))
            .brief_and_paged()
            .meaning("the mean of all runs")
            .with_least_width(12),
        TableColumn::<SuiteRow>::number("+- %", |row| Cell::figure(row.spread_percent, 2))
            .brief()
            .on_page("± %")
            .meaning("the 95 % interval of the mean IOPS, to each side")
            .with_least_width(6),
        TableColumn::<SuiteRow>::number("MiB/s", |row| Cell::figure(row.mib_per_s, 2))
            .brief_and_paged()
            .meaning("the median of all runs")
            .with_least_width(10),
        TableColumn::<SuiteRow>::number("p99 ms", SuiteRow::p99)
            .brief()
            .on_page("99 %")
            .meaning("99 of 100 I/Os took no longer: the median of all runs")
            .with_least_width(9),
        TableColumn::<SuiteRow>::words("verdict", |row| match row.lines.as_slice() {
            [] => Cell::Text("no run".to_owned()),
            _ => row.verdict.verdict_cell(),
        })
        .brief_and_paged(),
        TableColumn::<SuiteRow>::words("severity", |row| row.verdict.severity_cell()).brief_and_paged(),
        TableColumn::<SuiteRow>::words("purpose", |row| match row.about.as_str() {
            "" => Cell::Missing,
            about => Cell::Text(about.to_owned()),
        })
        .paged()
        .optional(),
    ];
}

/// Returns the table in at most `room` columns.
pub fn suite_text(rows: &[SuiteRow], room: usize) -> String {
    table::text_within(SuiteRow::COLUMNS, rows, room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::TestQuestion;
    use diskspd_base::finding::Severity;
    use diskspd_results::Verdict;

    fn sample_test() -> SuiteTest {
        let name = "log".to_owned();
        SuiteTest {
            name,
            about: String::new(),
            command: vec!["-r".into()],
            repeat: None,
            question: TestQuestion::default(),
        }
    }

    fn sample_run(iops: f64, verdict: RunVerdict) -> RunRow {
        RunRow {
            iops,
            measured_s: 1.0,
            mib_per_s: iops / 256.0,
            latency: None,
            response: None,
            cpu: Some(1.0),
            hottest: Some(1.0),
            verdict,
            limited_by: None,
            findings: Vec::new(),
            hosts: Vec::new(),
        }
    }

    #[test]
    fn suite_row_has_mean_spread_and_worst_verdict() {
        let one = |lines: Vec<RunRow>| {
            SuiteRow::new(&sample_test(), "diskspd -r".into(), Vec::new(), lines, Repeat::Times(5))
        };
        let none = one(Vec::new());
        assert_eq!((none.iops, none.spread_percent, none.verdict), (None, None, RunVerdict::default()));
        let single = one(vec![sample_run(100.0, RunVerdict::default())]);
        assert_eq!((single.iops, single.spread_percent), (Some(100.0), None));
        let verified = RunVerdict::new(Some(Verdict::Verified), None);
        let wrong = RunVerdict::new(Some(Verdict::Unknown), Some(Severity::Wrong));
        let two = one(vec![sample_run(100.0, verified), sample_run(105.0, wrong)]);
        assert_eq!((two.iops, two.verdict), (Some(102.5), wrong));
        assert!(two.spread_percent.is_some_and(|percent| percent > 10.0));
        let text = suite_text(&[none, two], usize::MAX);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[2].starts_with("log ") && lines[2].contains("102.50"), "{text}");
    }
}
