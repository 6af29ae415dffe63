//! The number of runs of `--repeat`: given, or by a precision. Their answer is in `repetition`.

use super::RunRow;
use diskspd_figures::stats::normal;
use diskspd_figures::stats::replicates::Spread;

/// Minimum number of runs that shows the run-to-run variation.
pub const MIN_RUNS: u32 = 3;
/// Maximum number of runs for a requested precision.
pub const MAX_RUNS: u32 = 30;

#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    Times(u32),
    /// Until the 95 % interval of the mean IOPS is at most this share of the mean to each side: at least
    /// [`MIN_RUNS`] runs, at most [`MAX_RUNS`].
    Until(f64),
}

impl Repeat {
    /// Parses `10` or `until=2%`.
    ///
    /// # Errors
    /// Fails with the expected values.
    pub fn parse(text: &str) -> Result<Repeat, &'static str> {
        let expected = "a number of runs from 1 to 10000, or a precision as in until=2%";
        let repeat = match text.strip_prefix("until=") {
            Some(share) => self::share(share).filter(|s| *s < 1.0).map(Repeat::Until),
            None => text.parse().ok().filter(|n| (1..=10_000).contains(n)).map(Repeat::Times),
        };
        repeat.ok_or(expected)
    }

    pub fn another(self, iops: &[f64]) -> bool {
        let count = u32::try_from(iops.len()).unwrap_or(u32::MAX);
        match self {
            Repeat::Times(times) => count < times,
            Repeat::Until(_) if count < MIN_RUNS => true,
            Repeat::Until(_) if count >= MAX_RUNS => false,
            Repeat::Until(share) => {
                self.spread(iops).and_then(|spread| spread.relative()).is_none_or(|r| r > share)
            }
        }
    }

    /// Returns the spread of a figure over the repetitions, with a 95 % interval; `None` without values.
    pub fn spread(self, values: &[f64]) -> Option<Spread> {
        match self {
            Repeat::Times(_) => Spread::from_values(values),
            Repeat::Until(_) => Spread::of_stopped(values),
        }
    }

    pub fn fewest(self) -> u32 {
        match self {
            Repeat::Times(times) => times,
            Repeat::Until(_) => MIN_RUNS,
        }
    }
}

/// Parses a positive percentage as a share: `2%`.
pub fn share(text: &str) -> Option<f64> {
    let number: f64 = text.strip_suffix('%')?.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number / 100.0)
}

/// Trend of the IOPS from run to run, which no interval accounts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    Rising,
    Falling,
}

impl Trend {
    /// Returns the trend of these values; `None` = random, or too few values.
    pub fn find(values: &[f64]) -> Option<Trend> {
        trend_rises(values).map(|rising| if rising { Trend::Rising } else { Trend::Falling })
    }
}

/// Whether values rise or fall with their position, beyond the chance of 1 in 100 series (Mann and Kendall's
/// test); `None` = neither. Fewer than five values never do.
fn trend_rises(values: &[f64]) -> Option<bool> {
    let count = values.len();
    let later = |from: usize| values[from + 1..].iter().map(move |value| (from, *value));
    let score: i64 = (0..count)
        .flat_map(later)
        .map(|(from, value)| i64::from(value > values[from]) - i64::from(value < values[from]))
        .sum();
    // Of five values all have to be in order: 1 of 60.
    let least = if count == MIN_RUNS_FOR_DRIFT { 2.0 / 120.0 + 1e-9 } else { DRIFT_BY_CHANCE };
    (count >= MIN_RUNS_FOR_DRIFT && chance_of_score(count, score.abs()) <= least).then_some(score > 0)
}

/// The chance of a score of at least this size, of either sign, in a random order of different values: exact
/// up to [`MAX_EXACT_RUNS`], then by the normal distribution.
fn chance_of_score(count: usize, score: i64) -> f64 {
    if count > MAX_EXACT_RUNS {
        let number = count as f64;
        let deviation = (number * (number - 1.0) * (2.0 * number + 5.0) / 18.0).sqrt();
        return 2.0 * normal::cumulative(-(score - 1).max(0) as f64 / deviation);
    }
    // The chance of each number of pairs out of order: one more value is put at any place.
    let mut chances = vec![1.0];
    for size in 2..=count {
        let mut next = vec![0.0; chances.len() + size - 1];
        for (place, chance) in chances.iter().enumerate() {
            (0..size).for_each(|more| next[place + more] += chance / size as f64);
        }
        chances = next;
    }
    let pairs = (count * count.saturating_sub(1) / 2) as i64;
    let out_of_order = usize::try_from((pairs - score) / 2).unwrap_or(0);
    2.0 * chances.iter().take(out_of_order + 1).sum::<f64>()
}

/// The exact distribution takes time with the fourth power of the number of runs.
const MAX_EXACT_RUNS: usize = 50;
const DRIFT_BY_CHANCE: f64 = 0.01;
const MIN_RUNS_FOR_DRIFT: usize = 5;

pub fn headline(line: &RunRow) -> String {
    let mut text = format!("{:.2} IOPS, {:.2} MiB/s", line.iops, line.mib_per_s);
    if let Some(latency) = line.user_latency() {
        let what = if line.response.is_some() { "response: " } else { "" };
        let bound = if latency.is_lower_bound(latency.p99_ms) { "at least " } else { "" };
        text += &format!(", {what}average {} ms, p99 {bound}{} ms", latency.mean_ms, latency.p99_ms);
    }
    if let Some(cpu) = line.cpu {
        text += &format!(", CPU {cpu:.1} %");
    }
    format!("{text}, {}", line.verdict.in_words())
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::stats::replicates::Bounds;

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
    fn trend_over_runs_is_distinguished_from_chance() {
        for (values, expected) in [
            (&[5.0, 4.0, 3.0, 2.0, 1.0][..], Some(false)),
            (&[1.0, 2.0, 3.0, 4.0, 5.0], Some(true)),
            (&[1.0, 2.0, 3.0, 5.0, 4.0], None),
            (&[4.0, 3.0, 2.0, 1.0], None),
            (&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], None),
            (&[9.0, 8.0, 7.5, 7.6, 7.0, 6.0, 5.5], Some(false)),
            (&[], None),
            (&[1.0], None),
        ] {
            assert_eq!(trend_rises(values), expected, "{values:?}");
        }
        let mut noise = diskspd_figures::stats::normal::NormalValues::new(3);
        for count in [5, 6, 10, 30, 60] {
            let told = (0..1000)
                .filter(|_| trend_rises(&(0..count).map(|_| noise.draw()).collect::<Vec<f64>>()).is_some());
            let told = told.count();
            assert!(told <= 32, "{told} of 1000 with {count} runs");
        }
    }

    #[test]
    fn normal_chance_of_many_runs_is_near_exact() {
        let exact = |score| chance_of_score(MAX_EXACT_RUNS, score);
        let count = MAX_EXACT_RUNS as f64;
        let deviation = (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
        for score in [1, 101, 201, 311] {
            let near = 2.0 * normal::cumulative(-(f64::from(score) - 1.0) / deviation);
            assert!((exact(i64::from(score)) / near - 1.0).abs() < 0.1, "{score}: {near}");
        }
        let values: Vec<f64> = (0..2000).map(f64::from).collect();
        assert_eq!(trend_rises(&values), Some(true));
    }

    #[test]
    fn mean_with_precision_is_near_the_true_value() {
        let mut noise = diskspd_figures::stats::normal::NormalValues::new(11);
        for (deviation, share) in [(0.02, 0.02), (0.03, 0.02), (0.08, 0.05)] {
            let until = Repeat::Until(share);
            let (mut held, mut near) = (0, 0);
            for _ in 0..500 {
                let mut values = Vec::new();
                while until.another(&values) {
                    values.push(1.0 + deviation * noise.draw());
                }
                let spread = until.spread(&values).unwrap();
                let (low, high) = spread.interval(Bounds::Positive).unwrap();
                held += u32::from((low..=high).contains(&1.0));
                near += u32::from((spread.mean - 1.0).abs() <= share);
            }
            // Three standard deviations of 95 of 100.
            assert!(held >= 460 && near >= 460, "{held} and {near} of 500 with a deviation of {deviation}");
        }
    }

    #[test]
    fn precision_runs_until_reached_within_bounds() {
        let until = Repeat::Until(0.02);
        assert!(until.another(&[]) && until.another(&[100.0, 100.0]));
        assert!(!until.another(&[100.0, 100.0, 100.0]));
        assert!(until.another(&[90.0, 100.0, 110.0]));
        let wild: Vec<f64> = (0..MAX_RUNS).map(|n| f64::from(n % 2) * 100.0).collect();
        assert!(until.another(&wild[..29]) && !until.another(&wild));
        assert!(Repeat::Times(2).another(&[1.0]) && !Repeat::Times(2).another(&[1.0, 9.0]));
    }
}
