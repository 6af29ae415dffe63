//! The answer of `--repeat`: runs of the same work, their mean and its uncertainty. The program prints it,
//! writes it as JSON, and reads it again (`record::answers`).

use super::repeat::{Repeat, Trend};
use super::run_columns::{self, RunContext};
use super::{AnswerFormat, RunRow, StoredAnswer};
use diskspd_figures::stats::replicates::{Bounds, Spread, outliers};
use diskspd_figures::units::count_of;
use diskspd_figures::units::table::{self, Cell, TableColumn};
use diskspd_figures::units::visible::line;
use diskspd_profile::SEED_STEP;
use diskspd_results::{RunSummary, RunVerdict, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

impl StoredAnswer for Repetition {
    const TITLE: &'static str = "a repetition (--repeat)";
    const NAME: &'static str = "diskspd repetition";
    const VERSION: u32 = 2;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    pub format: AnswerFormat,
    pub command_line: String,
    #[serde(flatten)]
    pub work: RepeatedWork,
    pub requested: Repeat,
    /// The worst verdict and the worst severity of the runs.
    #[serde(flatten)]
    pub verdict: RunVerdict,
    /// Means over the runs, by name in [`FIGURES`].
    pub figures: BTreeMap<String, RepeatedFigure>,
    /// Random difference of two single runs in percent of the IOPS; `None` = one run.
    pub two_runs_differ_percent: Option<f64>,
    /// Trend of the IOPS from run to run; `None` = random.
    pub trend: Option<Trend>,
    pub runs: Vec<RepeatedRun>,
}

/// The severity of runs without findings.
pub const NOTHING_FOUND: &str = "none: no finding limits the figures";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedWork {
    pub workload: String,
    pub targets: Vec<String>,
    /// Computer, or number of computers; `None` = unknown.
    #[serde(default)]
    pub machine: Option<String>,
}

impl fmt::Display for RepeatedWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&line(&self.workload))?;
        match self.targets.as_slice() {
            [] => Ok(()),
            [one] => write!(f, ": {}", line(one)),
            [one, more @ ..] => write!(f, ": {} and {} more", line(one), more.len()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepeatedFigure {
    pub runs: usize,
    pub mean: f64,
    /// Standard deviation of single runs; `None` = one run.
    pub deviation: Option<f64>,
    /// 95 % interval of the mean; `None` = one run.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Distance from the mean to the farther end of the interval, in percent of the mean.
    pub uncertainty_percent: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepeatedRun {
    /// Counted from 1.
    pub number: u32,
    /// Random seed (`-z`).
    pub seed: u32,
    /// The record of the run, a file in the folder of the repetition; `None` = there is no record.
    pub file: Option<String>,
    pub identity: Option<String>,
    /// Seconds since 1970-01-01 00:00 UTC.
    pub started_at: Option<i64>,
    /// Whether its IOPS are too far from the median.
    pub outlier: bool,
    /// Differences between the machine in an outlier and in most runs.
    pub differences: Vec<String>,
    pub figures: RunRow,
}

/// A figure: its key in JSON, its name with the unit, its range, and how to get it.
type Figure = (&'static str, &'static str, Bounds, fn(&RunRow) -> Option<f64>);

pub const FIGURES: [Figure; 5] = [
    ("iops", "IOPS", Bounds::Positive, |line| Some(line.iops)),
    ("mib_per_s", "MiB/s", Bounds::Positive, |line| Some(line.mib_per_s)),
    ("mean_latency_ms", "average ms", Bounds::Positive, |line| Some(line.latency?.mean_ms.ms())),
    ("p99_latency_ms", "p99 ms", Bounds::Positive, |line| {
        let latency = line.latency.filter(|latency| !latency.is_lower_bound(latency.p99_ms))?;
        Some(latency.p99_ms.ms())
    }),
    ("cpu_percent", "CPU %", Bounds::Percent, |line| line.cpu),
];

pub struct FigureRow<'a> {
    pub name: &'static str,
    pub figure: &'a RepeatedFigure,
}

impl<'a> FigureRow<'a> {
    pub const COLUMNS: &'a [TableColumn<FigureRow<'a>>] = &[
        TableColumn::<FigureRow>::words("over runs", |row| Cell::name_cell(row.name))
            .brief_and_paged()
            .with_least_width(12),
        TableColumn::<FigureRow>::number("mean", |row| Cell::Figure(row.figure.mean, 3))
            .brief_and_paged()
            .with_least_width(12),
        TableColumn::<FigureRow>::number("deviation", |row| Cell::figure(row.figure.deviation, 3))
            .brief_and_paged()
            .spare(1)
            .with_least_width(12),
        TableColumn::<FigureRow>::words("95 % interval of the mean", |row| Cell::Text(row.figure.interval()))
            .brief_and_paged(),
    ];
}

impl RepeatedFigure {
    fn new(values: &[f64], bounds: Bounds, how: Repeat) -> Option<RepeatedFigure> {
        let spread = how.spread(values)?;
        let (low, high) = spread.interval(bounds).unzip();
        let relative = spread.relative().filter(|_| bounds == Bounds::Positive);
        Some(RepeatedFigure {
            runs: spread.count,
            mean: spread.mean,
            deviation: spread.deviation,
            low,
            high,
            uncertainty_percent: relative.map(|share| 100.0 * share),
        })
    }

    /// Formats the 95 % interval.
    pub fn interval(&self) -> String {
        let (Some(low), Some(high)) = (self.low, self.high) else {
            let why = if self.runs == 1 { "one run" } else { "wider than a factor of ten" };
            return format!("- ({why})");
        };
        let percent = self.uncertainty_percent.map_or(String::new(), |percent| format!(" ({percent:.2} %)"));
        format!("{low:.3} .. {high:.3}{percent}")
    }
}

impl RepeatedRun {
    const COLUMNS: &'static [TableColumn<RepeatedRun>] = &[
        TableColumn::<RepeatedRun>::number("run", |run| Cell::Whole(run.number.into())).brief(),
        TableColumn::<RepeatedRun>::number("IOPS", |run| Cell::Figure(run.figures.iops, 2)).brief(),
        TableColumn::<RepeatedRun>::number("MiB/s", |run| Cell::Figure(run.figures.mib_per_s, 2))
            .brief()
            .spare(3),
        TableColumn::<RepeatedRun>::number("average ms", |run| {
            Cell::time(run.figures.user_latency().map(|latency| latency.mean_ms))
        })
        .brief()
        .spare(1),
        TableColumn::<RepeatedRun>::number("p99 ms", |run| {
            run.figures.user_latency().map_or(Cell::Missing, |latency| latency.cell(latency.p99_ms))
        })
        .brief(),
        TableColumn::<RepeatedRun>::number("CPU %", |run| Cell::figure(run.figures.cpu, 1)).brief().spare(2),
        TableColumn::<RepeatedRun>::words("verdict", |run| run.figures.verdict.verdict_cell()).brief(),
        TableColumn::<RepeatedRun>::words("severity", |run| run.figures.verdict.severity_cell()).brief(),
    ];

    fn summary(&self, name: &str) -> RunSummary {
        RunSummary {
            identity: self.identity.clone(),
            started_at: self.started_at,
            ..self.figures.summary(name)
        }
    }
}

impl RunContext for RepeatedRun {
    fn run_line(&self) -> Option<&RunRow> {
        Some(&self.figures)
    }
}

impl Repetition {
    /// The answer of these runs, at least one; `differences` names the differences between the surroundings
    /// of a run and of most others, by its place.
    pub fn new(
        command_line: String,
        work: RepeatedWork,
        requested: Repeat,
        mut runs: Vec<RepeatedRun>,
        differences: impl Fn(usize) -> Vec<String>,
    ) -> Repetition {
        let values = |of: fn(&RunRow) -> Option<f64>| -> Vec<f64> {
            runs.iter().filter_map(|run| of(&run.figures)).collect()
        };
        let iops = values(|line| Some(line.iops));
        let figures = FIGURES.into_iter().filter_map(|(key, _, bounds, of)| {
            Some((key.to_owned(), RepeatedFigure::new(&values(of), bounds, requested)?))
        });
        let figures = figures.collect();
        let apart = Spread::from_values(&iops).filter(|spread| spread.mean > 0.0);
        let apart = apart.and_then(|spread| Some(spread.between_two_runs()? / spread.mean));
        for place in outliers(&iops) {
            runs[place].outlier = true;
            runs[place].differences = differences(place);
        }
        let verdicts = runs.iter().map(|run| run.figures.verdict);
        Repetition {
            format: Repetition::format(),
            command_line,
            work,
            requested,
            verdict: RunVerdict::worst(verdicts),
            figures,
            // Two rates differ by a factor.
            two_runs_differ_percent: apart.map(|apart| 100.0 * (apart.exp() - 1.0)),
            trend: Trend::find(&iops),
            runs,
        }
    }

    pub fn rows(&self) -> Vec<FigureRow<'_>> {
        let row = |(key, name, ..): Figure| Some(FigureRow { name, figure: self.figures.get(key)? });
        FIGURES.into_iter().filter_map(row).collect()
    }

    /// The report: figures, notes, and a row for each run, in tables of at most `room` columns.
    pub fn text(&self, room: usize) -> String {
        let runs = count_of(self.runs.len(), "run");
        let figures = table::text_within(FigureRow::COLUMNS, &self.rows(), room);
        let table = table::text_within(RepeatedRun::COLUMNS, &self.runs, room);
        let notes: String = self.notes().iter().map(|note| format!("{note}\n")).collect();
        let verdict =
            format!("verdict: {}\nseverity: {}\n", self.verdict_in_words(), self.severity_in_words());
        format!("{runs}: {}\n\n{figures}{notes}\n{table}\n{verdict}", self.work)
    }

    /// Returns one CSV line per run.
    pub fn csv(&self) -> String {
        let run = [
            TableColumn::<RepeatedRun>::number("run", |run| Cell::Whole(run.number.into())),
            TableColumn::<RepeatedRun>::number("seed", |run| Cell::Whole(run.seed.into())),
            TableColumn::<RepeatedRun>::words("file", |run| Cell::text(run.file.as_ref())),
        ];
        let columns: Vec<TableColumn<RepeatedRun>> = run.into_iter().chain(run_columns::figures()).collect();
        table::csv(&columns, &self.runs)
    }

    pub fn json(&self) -> String {
        // It has no maps but those of texts, and memory takes everything.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Formats `UNKNOWN in run 2 of 3`.
    pub fn verdict_in_words(&self) -> String {
        format!("{} {}", self.verdict.device.map_or("NOT CHECKED", Verdict::word), self.verdict_runs())
    }

    /// Formats `WARNING in runs 2, 3 of 3: not-steady`.
    pub fn severity_in_words(&self) -> String {
        match self.verdict.severity {
            Some(severity) => format!("{} {}", severity.capitals(), self.severity_runs()),
            None => NOTHING_FOUND.to_owned(),
        }
    }

    pub fn verdict_runs(&self) -> String {
        self.place_text(&self.runs_with(|one| one.device == self.verdict.device))
    }

    /// Returns the runs with the worst severity, and the names of their findings.
    pub fn severity_runs(&self) -> String {
        let same = self.runs_with(|one| one.severity == self.verdict.severity);
        let mut names: Vec<&str> = Vec::new();
        for found in same.iter().flat_map(|run| &run.figures.findings) {
            if !names.contains(&found.name.as_str()) {
                names.push(&found.name);
            }
        }
        let place = self.place_text(&same);
        if names.is_empty() { place } else { format!("{place}: {}", names.join(", ")) }
    }

    fn runs_with(&self, is_same: impl Fn(RunVerdict) -> bool) -> Vec<&RepeatedRun> {
        self.runs.iter().filter(|run| is_same(run.figures.verdict)).collect()
    }

    fn place_text(&self, same: &[&RepeatedRun]) -> String {
        const MAX_LISTED: usize = 5;
        match (same.len(), self.runs.len()) {
            (1, 1) => "(one run)".to_owned(),
            (some, all) if some == all => format!("in all {all} runs"),
            (some, all) if some > MAX_LISTED => format!("in {some} of {all} runs"),
            (1, all) => format!("in run {} of {all}", same[0].number),
            (_, all) => {
                let numbers: Vec<String> = same.iter().map(|run| run.number.to_string()).collect();
                format!("in runs {} of {all}", numbers.join(", "))
            }
        }
    }

    /// Returns statements about the differences between runs, and about the seeds.
    pub fn notes(&self) -> Vec<String> {
        let apart = self.two_runs_differ_percent;
        let apart = apart
            .map(|percent| format!("two runs like these differ by up to {percent:.1} % (IOPS, 95 % sure)"));
        let outliers = self.runs.iter().filter(|run| run.outlier).map(|run| {
            let different = match run.differences.as_slice() {
                [] => "its recorded environment was the same".to_owned(),
                some => format!("different there: {}", some.join("; ")),
            };
            format!("outlier: run {} with {:.2} IOPS; {different}", run.number, run.figures.iops)
        });
        let trend = self.trend.zip(self.runs.first().zip(self.runs.last()));
        let trend = trend.map(|(trend, (first, last))| {
            format!(
                "IOPS {} from run to run ({:.2} in the first, {:.2} in the last): the interval does \
                 not allow for this trend; reach a steady state first (diskspd precondition, -W, \
                 --until-steady)",
                if trend == Trend::Rising { "rose" } else { "fell" },
                first.figures.iops,
                last.figures.iops
            )
        });
        let seed = self.runs.first().map_or(0, |run| run.seed);
        let seeds = match self.runs.len() {
            1 => format!("random seed: {seed} (-z)"),
            _ => format!("random seeds: run 1 uses {seed} (-z), each later run {SEED_STEP} more"),
        };
        apart.into_iter().chain(trend).chain(outliers).chain([seeds]).collect()
    }

    /// Returns the runs in the form of lists and comparisons, with their numbers after `name`.
    pub fn summaries(&self, name: &str) -> Vec<RunSummary> {
        self.runs.iter().map(|run| run.summary(&format!("{name}#{}", run.number))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::finding::Severity;

    fn sample_work() -> RepeatedWork {
        let targets = vec!["x".into(), "y".into()];
        RepeatedWork { workload: "Random reads of 4 KiB".into(), targets, machine: Some("lab".into()) }
    }

    fn sample_line(iops: f64, verdict: RunVerdict) -> RunRow {
        RunRow {
            iops,
            measured_s: 1.0,
            mib_per_s: iops / 256.0,
            latency: None,
            response: None,
            cpu: Some(3.0),
            hottest: Some(5.0),
            verdict,
            limited_by: None,
            findings: Vec::new(),
            hosts: Vec::new(),
        }
    }

    fn sample_repetition(runs: &[(f64, RunVerdict)]) -> Repetition {
        let run = |(place, (iops, verdict)): (usize, &(f64, RunVerdict))| RepeatedRun {
            number: place as u32 + 1,
            seed: place as u32 * SEED_STEP,
            file: Some(format!("r-{}.json", place + 1)),
            identity: Some(format!("{place:016x}")),
            started_at: Some(1_700_000_000),
            outlier: false,
            differences: Vec::new(),
            figures: sample_line(*iops, *verdict),
        };
        let count = runs.len() as u32;
        let runs = runs.iter().enumerate().map(run).collect();
        let different = |place: usize| vec![format!("kernel of {place}")];
        Repetition::new("diskspd x".into(), sample_work(), Repeat::Times(count), runs, different)
    }

    const VERIFIED: RunVerdict = RunVerdict { device: Some(Verdict::Verified), severity: None };

    #[test]
    fn repetition_survives_its_json() {
        let runs = [100.0, 101.0, 99.5, 100.5, 50.0].map(|iops| (iops, VERIFIED));
        for count in [1, 2, 5] {
            let written = sample_repetition(&runs[..count]);
            assert_eq!(serde_json::from_str::<Repetition>(&written.json()).unwrap(), written);
            let summaries = written.summaries("r.json");
            assert_eq!(summaries.len(), count);
            assert_eq!(summaries[count - 1].name, format!("r.json#{count}"));
            assert_eq!(summaries[0].identity, written.runs[0].identity);
        }
    }

    #[test]
    fn worst_verdict_and_severity_name_their_runs() {
        let unknown = RunVerdict { device: Some(Verdict::Unknown), severity: None };
        let warned = RunVerdict { severity: Some(Severity::Warning), ..VERIFIED };
        let wrong = RunVerdict { device: Some(Verdict::Cached), severity: Some(Severity::Wrong) };
        let none = "none: no finding limits the figures";
        for (verdicts, verdict, severity) in [
            (&[VERIFIED][..], "VERIFIED (one run)", none),
            (&[VERIFIED, VERIFIED], "VERIFIED in all 2 runs", none),
            (&[VERIFIED, unknown], "UNKNOWN in run 2 of 2", none),
            (&[unknown, warned, warned], "UNKNOWN in run 1 of 3", "WARNING in runs 2, 3 of 3"),
            (&[warned, wrong], "CACHED in run 2 of 2", "WRONG in run 2 of 2"),
        ] {
            let runs: Vec<(f64, RunVerdict)> = verdicts.iter().map(|verdict| (100.0, *verdict)).collect();
            let repetition = sample_repetition(&runs);
            assert_eq!(repetition.verdict_in_words(), verdict);
            assert_eq!(repetition.severity_in_words(), severity);
        }
    }

    #[test]
    fn outlier_names_its_differences() {
        let runs = [100.0, 101.0, 99.5, 100.5, 50.0].map(|iops| (iops, VERIFIED));
        let told = sample_repetition(&runs);
        let outliers: Vec<bool> = told.runs.iter().map(|run| run.outlier).collect();
        assert_eq!(outliers, [false, false, false, false, true]);
        assert_eq!(told.runs[4].differences, ["kernel of 4"]);
        let mean = told.figures["iops"].mean;
        assert!((mean - 90.2).abs() < 1e-9 && told.figures["iops"].low.unwrap() < mean);
    }

    #[test]
    fn one_run_has_no_interval() {
        let told = sample_repetition(&[(100.0, VERIFIED)]);
        let iops = &told.figures["iops"];
        assert_eq!((iops.runs, iops.mean, iops.low, iops.deviation), (1, 100.0, None, None));
        assert_eq!(told.two_runs_differ_percent, None);
    }

    #[test]
    fn csv_has_a_line_for_each_run() {
        let csv = sample_repetition(&[
            (100.0, VERIFIED),
            (101.0, RunVerdict { severity: Some(Severity::Warning), ..VERIFIED }),
        ])
        .csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines[0].starts_with("run,seed,file,iops,") && lines[2].starts_with("2,65537,r-2.json,101.000,")
        );
    }
}
