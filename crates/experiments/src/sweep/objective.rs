//! The objective (`--slo p99=5ms`): the highest load that keeps it.

use crate::{LatencyRow, RunRow};
use diskspd_figures::stats::replicates::Spread;
use diskspd_figures::units::Millis;

const MIN_ACHIEVED_SHARE: f64 = 0.98;
/// Tolerance for random arrivals, in standard deviations.
const CHANCE: f64 = 3.0;

/// Minimum number of I/Os above a percentile in each run for a certain result. With fewer, the slow I/Os
/// may randomly all be in one run.
const MIN_IOS_ABOVE: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    Average,
    P99,
    P999,
}

/// Latency limit.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Objective {
    pub measure: Measure,
    /// Maximum permitted latency in ms.
    pub limit_ms: f64,
}

impl Measure {
    fn slower(self) -> Option<f64> {
        match self {
            Measure::Average => None,
            Measure::P99 => Some(0.01),
            Measure::P999 => Some(0.001),
        }
    }
}

impl Objective {
    /// Parses `p99=5ms`, `p99.9=500us`, `avg=1s`.
    ///
    /// # Errors
    /// Fails with the expected values.
    pub fn parse(text: &str) -> Result<Objective, &'static str> {
        let expected = "avg, p99 or p99.9 with a time, as in p99=5ms or avg=500us";
        let (measure, limit) = text.split_once('=').ok_or(expected)?;
        let measure = match measure {
            "avg" => Measure::Average,
            "p99" => Measure::P99,
            "p99.9" => Measure::P999,
            _ => return Err(expected),
        };
        let units = [("us", 0.001), ("ms", 1.0), ("s", 1000.0)];
        let number = units.iter().find_map(|(unit, ms)| Some((limit.strip_suffix(unit)?, ms)));
        let (digits, ms) = number.ok_or(expected)?;
        let number: f64 = digits.parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0).ok_or(expected)?;
        Ok(Objective { measure, limit_ms: number * ms })
    }

    /// Returns the number of I/Os of a run that suffice for a certain result.
    pub fn min_ios(self) -> f64 {
        self.measure.slower().map_or(MIN_IOS_ABOVE, |share| MIN_IOS_ABOVE / share)
    }

    pub fn read_from(self, latency: &LatencyRow) -> Millis {
        match self.measure {
            Measure::Average => latency.mean_ms,
            Measure::P99 => latency.p99_ms,
            Measure::P999 => latency.p999_ms,
        }
    }
}

impl std::fmt::Display for Objective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.measure {
            Measure::Average => "average",
            Measure::P99 => "p99",
            Measure::P999 => "p99.9",
        };
        write!(f, "{name} <= {} ms", self.limit_ms)
    }
}

/// Load with the results of its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOutcome {
    /// Load: an offered rate, or outstanding I/Os.
    pub load: f64,
    /// The objective's figure of each run in ms.
    pub values_ms: Vec<f64>,
    /// Whether the offered rate was achieved on average; true without an offered rate.
    pub kept_up: bool,
    /// Whether each run had enough I/Os for the figure.
    pub enough_ios: bool,
}

impl LoadOutcome {
    /// Creates the figures from the runs of a load with `offered` I/Os per second, if any.
    pub fn new<'a>(
        load: f64,
        offered: Option<f64>,
        runs: impl Iterator<Item = &'a RunRow>,
        objective: Objective,
    ) -> LoadOutcome {
        let runs: Vec<&RunRow> = runs.collect();
        let felt: Vec<&LatencyRow> = runs.iter().filter_map(|line| line.user_latency()).collect();
        // A lower bound above the limit breaks the objective; below it, the value is unknown.
        let is_unknown = |latency: &&LatencyRow| {
            let value = objective.read_from(latency);
            objective.measure.slower().is_some()
                && latency.is_lower_bound(value)
                && value.ms() <= objective.limit_ms
        };
        let values: Vec<f64> = match felt.iter().any(is_unknown) {
            true => Vec::new(),
            false => felt.iter().map(|latency| objective.read_from(latency).ms()).collect(),
        };
        let done = runs.iter().map(|line| line.iops).sum::<f64>() / runs.len().max(1) as f64;
        let seconds: f64 = runs.iter().map(|line| line.measured_s).sum();
        // Of n I/Os on average there are n, give or take the root of n.
        let chance = |offered: f64| if seconds > 0.0 { CHANCE * (offered / seconds).sqrt() } else { 0.0 };
        let kept_up = offered.is_none_or(|offered| done >= MIN_ACHIEVED_SHARE * offered - chance(offered));
        // Where the time isn't known, of runs that an older version kept, nothing is held against them.
        let enough = |line: &&RunRow| {
            let ios = if line.measured_s > 0.0 { line.iops * line.measured_s } else { f64::INFINITY };
            // A run that has a little less than its rate offers.
            objective.measure.slower().is_none_or(|slower| (ios * slower).round() >= MIN_IOS_ABOVE)
        };
        let enough_ios = runs.iter().all(enough);
        LoadOutcome { load, values_ms: values, kept_up, enough_ios }
    }

    /// Returns logarithms, because latencies vary by factors.
    fn log_figures(&self) -> Vec<f64> {
        self.values_ms.iter().map(|value| value.max(1e-9).ln()).collect()
    }

    /// Whether it apparently meets the objective; `None` = not measured.
    fn keeps_objective(&self, objective: Objective) -> Option<bool> {
        let logarithms = self.log_figures();
        let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
        (!logarithms.is_empty()).then(|| mean <= objective.limit_ms.ln() && self.kept_up)
    }
}

/// Highest load that meets an objective.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct SloResult {
    /// Highest load that meets it, below the first that does not; `None` = none.
    pub highest: Option<f64>,
    /// First load that does not meet it; `None` = all do.
    pub broken: Option<f64>,
    /// Highest load that certainly meets it, by the repetitions; `None` if there is no such load, or no
    /// repetitions.
    pub surely_kept: Option<f64>,
    /// Lowest load that certainly fails it; `None` = none, or no repetitions.
    pub surely_broken: Option<f64>,
    pub repeated: bool,
    /// Number of loads without a certain result, whose runs had too few I/Os for the percentile.
    #[serde(skip)]
    pub too_few_ios: u32,
}

impl SloResult {
    /// Returns the highest load that certainly meets it, below the first that apparently fails.
    pub fn surely_kept(&self) -> Option<f64> {
        self.surely_kept.filter(|_| self.repeated).and_then(|sure| Some(sure.min(self.highest?)))
    }
}

/// Returns the highest load that meets the objective below the first failing load, and the failing load.
/// Loads must be in rising order.
pub(super) fn edge(tried: &[LoadOutcome], objective: Objective) -> (Option<f64>, Option<f64>) {
    let mut highest = None;
    for load in tried {
        match load.keeps_objective(objective) {
            Some(true) => highest = Some(load.load),
            Some(false) => return (highest, Some(load.load)),
            None => {}
        }
    }
    (highest, None)
}

/// Judges loads in rising order. A load meets the objective if the geometric mean over runs is within the
/// limit, and the offered rate was achieved. It is certain if the 95 % interval of the mean is within the
/// limit too.
pub fn find_kept(tried: &[LoadOutcome], objective: Objective) -> SloResult {
    let limit = objective.limit_ms.ln();
    let (highest, broken) = edge(tried, objective);
    let mut kept = SloResult { highest, broken, repeated: true, ..SloResult::default() };
    let mut doubtful = false;
    for load in tried {
        let Some(spread) = Spread::from_values(&load.log_figures()) else { continue };
        let Some(width) = spread.half_width else {
            kept.repeated = false;
            continue;
        };
        // A rate that isn't kept up with is broken whatever the percentile.
        kept.too_few_ios += u32::from(!load.enough_ios && load.kept_up);
        let surely_kept = spread.mean + width <= limit && load.kept_up && load.enough_ios;
        let surely_broken = spread.mean - width > limit && load.enough_ios || !load.kept_up;
        if surely_kept && !doubtful {
            kept.surely_kept = Some(load.load);
        }
        if surely_broken && kept.surely_broken.is_none() {
            kept.surely_broken = Some(load.load);
        }
        doubtful |= surely_broken;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objective_is_parsed_as_figure_and_time() {
        for (text, measure, ms) in [
            ("p99=5ms", Measure::P99, 5.0),
            ("p99.9=500us", Measure::P999, 0.5),
            ("avg=1.5s", Measure::Average, 1500.0),
        ] {
            let found = Objective::parse(text).unwrap();
            assert_eq!(found.measure, measure);
            assert!((found.limit_ms - ms).abs() < 1e-9, "{text}");
        }
        for text in ["p99", "p99=5", "p95=5ms", "p99=0ms", "p99=-1ms", "=5ms", "avg=infs"] {
            assert!(Objective::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn objective_holds_below_first_failing_load() {
        let objective = Objective { measure: Measure::P99, limit_ms: 5.0 };
        let load = |load: f64, values: &[f64], kept_up: bool| LoadOutcome {
            load,
            values_ms: values.to_vec(),
            kept_up,
            enough_ios: true,
        };
        let tried = [
            load(10.0, &[1.0, 1.01, 0.99], true),
            load(20.0, &[4.0, 5.5, 4.2], true),
            load(30.0, &[5.5, 4.9, 5.3], true),
            load(40.0, &[9.0, 9.1, 9.2], true),
        ];
        let found = find_kept(&tried, objective);
        assert_eq!((found.highest, found.broken), (Some(20.0), Some(30.0)));
        assert_eq!((found.surely_kept, found.surely_broken, found.repeated), (Some(10.0), Some(40.0), true));
        let slow = [load(10.0, &[1.0], true), load(20.0, &[1.0], false)];
        let found = find_kept(&slow, objective);
        assert_eq!((found.highest, found.broken, found.repeated), (Some(10.0), Some(20.0), false));
        assert_eq!(find_kept(&[], objective).highest, None);
    }

    /// 0.15 % of the I/Os take 20 ms, and so does the 99.9th percentile. Half of all runs of 500 I/Os have no
    /// such I/O.
    #[test]
    fn percentile_of_few_ios_is_never_certain() {
        let objective = Objective { measure: Measure::P999, limit_ms: 5.0 };
        let load =
            |enough_ios| LoadOutcome { load: 50.0, values_ms: vec![1.0, 1.01], kept_up: true, enough_ios };
        assert_eq!(find_kept(&[load(true)], objective).surely_kept, Some(50.0));
        let found = find_kept(&[load(false)], objective);
        assert_eq!((found.highest, found.surely_kept, found.too_few_ios), (Some(50.0), None, 1));
        let broken = LoadOutcome { values_ms: vec![20.0, 20.1], ..load(false) };
        assert_eq!(find_kept(std::slice::from_ref(&broken), objective).surely_broken, None);
        // What doesn't keep up is broken.
        assert_eq!(
            find_kept(&[LoadOutcome { kept_up: false, ..broken }], objective).surely_broken,
            Some(50.0)
        );
    }

    /// Returns a run of 10 s.
    fn line(ios: f64) -> RunRow {
        RunRow {
            iops: ios / 10.0,
            measured_s: 10.0,
            mib_per_s: 1.0,
            latency: None,
            response: None,
            cpu: None,
            hottest: None,
            verdict: diskspd_results::RunVerdict::default(),
            limited_by: None,
            findings: Vec::new(),
            hosts: Vec::new(),
        }
    }

    #[test]
    fn lower_bound_breaks_objective_or_leaves_it_open() {
        let ms = Millis::new;
        let run = |p99: f64| {
            let open_end_ms = Some(ms(10.0));
            let latency = LatencyRow { mean_ms: ms(1.0), p99_ms: ms(p99), p999_ms: ms(p99), open_end_ms };
            RunRow { latency: Some(latency), ..line(100_000.0) }
        };
        let keeps = |runs: &[RunRow], measure, limit_ms| {
            let objective = Objective { measure, limit_ms };
            LoadOutcome::new(1.0, None, runs.iter(), objective).keeps_objective(objective)
        };
        let bound = [run(10.0), run(10.0)];
        assert_eq!(keeps(&bound, Measure::P99, 5.0), Some(false));
        assert_eq!(keeps(&bound, Measure::P99, 20.0), None);
        assert_eq!(keeps(&[run(2.0), run(10.0)], Measure::P999, 20.0), None);
        assert_eq!(keeps(&[run(2.0), run(9.0)], Measure::P99, 20.0), Some(true));
        assert_eq!(keeps(&bound, Measure::Average, 20.0), Some(true));
    }

    #[test]
    fn percentile_needs_enough_ios() {
        let enough = |measure, ios: f64| {
            let lines = [line(100_000.0), line(ios)];
            LoadOutcome::new(1.0, None, lines.iter(), Objective { measure, limit_ms: 1.0 }).enough_ios
        };
        for (measure, few, some) in [(Measure::P99, 900.0, 1000.0), (Measure::P999, 9000.0, 10_000.0)] {
            assert!(!enough(measure, few) && enough(measure, some), "{measure:?}");
        }
        assert!(enough(Measure::Average, 1.0));
        // Its length was not recorded.
        let unknown = RunRow { measured_s: 0.0, ..line(1.0) };
        let objective = Objective { measure: Measure::P99, limit_ms: 1.0 };
        assert!(LoadOutcome::new(1.0, None, [unknown].iter(), objective).enough_ios);
    }
}
