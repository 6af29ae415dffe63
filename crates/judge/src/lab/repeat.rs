//! How often a run is repeated (`--repeat`), and what the repetitions say.

use super::{NotAsExpected, RunLine};
use diskspd_model::stats::replicates::{Bounds, Spread, outliers};
use diskspd_model::units::table::{self, Cell, TableColumn};

/// Fewer runs say too little about how much they vary to stop by it.
pub const FEWEST: u32 = 3;
/// More runs than this aren't made to reach a precision.
pub const MOST: u32 = 30;

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// So many runs.
    Times(u32),
    /// Until the 95 % interval of the mean IOPS is at most this share of the mean to each side: at least
    /// [`FEWEST`] runs, at most [`MOST`].
    Until(f64),
}

impl Repeat {
    /// Reads `10` or `until=2%`.
    ///
    /// # Errors
    /// A message: what is expected.
    pub fn parse(text: &str) -> Result<Repeat, NotAsExpected> {
        let expected = NotAsExpected("a number of runs from 1 to 10000, or a precision as in until=2%");
        let repeat = match text.strip_prefix("until=") {
            Some(share) => self::share(share).filter(|s| *s < 1.0).map(Repeat::Until),
            None => text.parse().ok().filter(|n| (1..=10_000).contains(n)).map(Repeat::Times),
        };
        repeat.ok_or(expected)
    }

    /// Whether another run is needed behind those that did so many I/Os per second.
    pub fn another(self, iops: &[f64]) -> bool {
        let count = u32::try_from(iops.len()).unwrap_or(u32::MAX);
        match self {
            Repeat::Times(times) => count < times,
            Repeat::Until(_) if count < FEWEST => true,
            Repeat::Until(_) if count >= MOST => false,
            Repeat::Until(share) => {
                Spread::of(iops).and_then(|spread| spread.relative()).is_none_or(|r| r > share)
            }
        }
    }

    /// Runs that are made at least.
    pub fn fewest(self) -> u32 {
        match self {
            Repeat::Times(times) => times,
            Repeat::Until(_) => FEWEST,
        }
    }
}

/// A share written as a percentage, above 0: `2%`.
pub fn share(text: &str) -> Option<f64> {
    let number: f64 = text.strip_suffix('%')?.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number / 100.0)
}

/// A figure of runs: its name with the unit, what it can be, and how to get it.
type Figure = (&'static str, Bounds, fn(&RunLine) -> Option<f64>);

/// What repetitions are compared by.
const FIGURES: [Figure; 5] = [
    ("IOPS", Bounds::Positive, |line| Some(line.iops)),
    ("MiB/s", Bounds::Positive, |line| Some(line.mib_per_s)),
    ("average ms", Bounds::Positive, |line| Some(line.latency?.mean_ms.ms())),
    ("p99 ms", Bounds::Positive, |line| Some(line.latency?.p99_ms.ms())),
    ("CPU %", Bounds::Percent, |line| Some(line.cpu)),
];

/// What repetitions say of a figure.
struct SpreadLine {
    name: &'static str,
    bounds: Bounds,
    spread: Spread,
}

impl SpreadLine {
    const COLUMNS: [TableColumn<SpreadLine>; 4] = [
        TableColumn::<SpreadLine>::words("over runs", |line| Cell::named(line.name)).brief().wide(12),
        TableColumn::<SpreadLine>::number("mean", |line| Cell::Figure(line.spread.mean, 3)).brief().wide(12),
        TableColumn::<SpreadLine>::number("deviation", |line| Cell::figure(line.spread.deviation, 3))
            .brief()
            .wide(12),
        TableColumn::<SpreadLine>::words("95 % interval of the mean", SpreadLine::interval).brief(),
    ];

    fn of((name, bounds, figure): Figure, lines: &[RunLine]) -> Option<SpreadLine> {
        let values: Vec<f64> = lines.iter().filter_map(figure).collect();
        Some(SpreadLine { name, bounds, spread: Spread::of(&values)? })
    }

    fn interval(&self) -> Cell {
        let Some((low, high)) = self.spread.interval(self.bounds) else {
            return Cell::Text("- (one run)".to_owned());
        };
        let share = self.spread.relative().filter(|_| self.bounds == Bounds::Positive);
        let share = share.map_or(String::new(), |share| format!(" ({:.2} %)", 100.0 * share));
        Cell::Text(format!("{low:.3} .. {high:.3}{share}"))
    }
}

/// What repetitions say, for people: a line per figure, and one per outlier. `differences` says what about a
/// run's surroundings differed from most others', by its place.
pub fn text(lines: &[RunLine], differences: impl Fn(usize) -> Vec<String>) -> String {
    let figures: Vec<SpreadLine> =
        FIGURES.into_iter().filter_map(|figure| SpreadLine::of(figure, lines)).collect();
    let mut text = table::text(&SpreadLine::COLUMNS, &figures);
    let iops: Vec<f64> = lines.iter().map(|line| line.iops).collect();
    let apart = Spread::of(&iops).filter(|spread| spread.mean > 0.0);
    if let Some(apart) = apart.and_then(|spread| Some(spread.between_two_runs()? / spread.mean)) {
        text += &format!(
            "two such runs differ by up to {:.1} % (IOPS, 95 % sure)\n",
            // The higher one above the lower one: rates vary by factors.
            100.0 * (apart.exp() - 1.0)
        );
    }
    for place in outliers(&iops) {
        text += &format!("outlier: run {} with {:.2} IOPS", place + 1, iops[place]);
        let different = differences(place);
        text += &match different.as_slice() {
            [] => "; its recorded environment was the same\n".to_owned(),
            some => format!("; different there: {}\n", some.join("; ")),
        };
    }
    text
}

/// A run's headline.
pub fn headline(line: &RunLine) -> String {
    let mut text = format!("{:.2} IOPS, {:.2} MiB/s", line.iops, line.mib_per_s);
    if let Some(latency) = line.felt() {
        let what = if line.response.is_some() { "response: " } else { "" };
        text += &format!(", {what}average {} ms, p99 {} ms", latency.mean_ms, latency.p99_ms);
    }
    text + &format!(", CPU {:.1} %, {}", line.cpu, line.verdict.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_a_number_or_a_precision() {
        for (text, expected) in [
            ("1", Some(Repeat::Times(1))),
            ("10", Some(Repeat::Times(10))),
            ("until=2%", Some(Repeat::Until(0.02))),
            ("until=0.5%", Some(Repeat::Until(0.005))),
            ("0", None),
            ("until=0%", None),
            ("until=100%", None),
            ("2%", None),
            ("", None),
        ] {
            assert_eq!(Repeat::parse(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_precision_takes_as_many_runs_as_it_needs_within_bounds() {
        let until = Repeat::Until(0.02);
        assert!(until.another(&[]) && until.another(&[100.0, 100.0]));
        assert!(!until.another(&[100.0, 100.0, 100.0]));
        assert!(until.another(&[90.0, 100.0, 110.0]));
        let wild: Vec<f64> = (0..MOST).map(|n| f64::from(n % 2) * 100.0).collect();
        assert!(until.another(&wild[..29]) && !until.another(&wild));
        assert!(Repeat::Times(2).another(&[1.0]) && !Repeat::Times(2).another(&[1.0, 9.0]));
    }
}
