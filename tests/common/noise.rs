//! Simulated run-to-run variation of several kinds, and real changes on top of it; reproducible.
//!
//! Noise is a factor on the level: 1 is the level itself. Each kind is stationary, so no run is better
//! because of its time.

use super::random::Random;

/// Kind of noise, with deviations as shares of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    White(f64),
    Autocorrelated(f64, f64),
    TwoLevels(f64),
    StickyLevels(f64, f64),
    Published(usize),
    /// Normal; once in twenty runs, the next two or three runs on average are lower by up to this share.
    Bursts(f64),
    /// Student's t with three degrees of freedom.
    HeavyTails(f64),
    /// Normal, around a slowly wandering level (AR(1) of 0.9, half of the variance).
    Wander(f64),
    /// Normal, rounded so coarsely that most runs share their value with others.
    Ties(f64),
    /// Normal, with one run in twenty without any work.
    DeadRuns(f64),
}

pub const STATIONARY: [(&str, Noise); 13] = [
    ("white, 3 %", Noise::White(0.03)),
    ("AR(1) 0.5", Noise::Autocorrelated(0.5, 0.03)),
    ("AR(1) 0.8", Noise::Autocorrelated(0.8, 0.03)),
    ("two levels", Noise::TwoLevels(0.07)),
    ("two levels, 3 runs each", Noise::StickyLevels(0.07, 3.0)),
    ("published", Noise::Published(1)),
    ("published, blocks of 2", Noise::Published(2)),
    ("published, blocks of 4", Noise::Published(4)),
    ("bursts", Noise::Bursts(0.3)),
    ("heavy tails", Noise::HeavyTails(0.03)),
    ("slow wander", Noise::Wander(0.03)),
    ("ties", Noise::Ties(0.01)),
    ("dead runs", Noise::DeadRuns(0.03)),
];

pub const TREACHEROUS: [(&str, Noise); 2] = [
    ("two levels, 6 runs each", Noise::StickyLevels(0.07, 6.0)),
    ("AR(1) 0.9", Noise::Autocorrelated(0.9, 0.03)),
];

impl Noise {
    pub fn runs(self, count: usize, random: &mut Random) -> Vec<f64> {
        match self {
            Noise::White(deviation) => (0..count).map(|_| 1.0 + deviation * random.normal()).collect(),
            Noise::Autocorrelated(share, deviation) => {
                let wander = autocorrelated(share, count, random);
                wander.into_iter().map(|x| 1.0 + deviation * x).collect()
            }
            Noise::TwoLevels(apart) => Noise::StickyLevels(apart, 2.0).runs(count, random),
            Noise::StickyLevels(apart, stay) => {
                let mut high = random.uniform() < 0.5;
                let mut one = || {
                    high ^= random.uniform() < 1.0 / stay;
                    let level = if high { 1.0 } else { 1.0 - apart };
                    level * (1.0 + 0.005 * random.normal())
                };
                (0..count).map(|_| one()).collect()
            }
            Noise::Published(block) => {
                let published = published();
                let mut runs = Vec::new();
                while runs.len() < count {
                    let from = below(published.len() - block + 1, random);
                    runs.extend_from_slice(&published[from..from + block]);
                }
                runs.truncate(count);
                runs
            }
            Noise::Bursts(depth) => {
                let mut lowered = None;
                let mut one = || {
                    lowered = match lowered {
                        Some(by) if random.uniform() < 0.6 => Some(by),
                        _ if random.uniform() < 0.05 => Some(depth * (0.3 + 0.7 * random.uniform())),
                        _ => None,
                    };
                    (1.0 - lowered.unwrap_or(0.0)) * (1.0 + 0.02 * random.normal())
                };
                // What went before decides whether the first run is in a burst.
                (0..50).for_each(|_| _ = one());
                (0..count).map(|_| one()).collect()
            }
            Noise::HeavyTails(deviation) => {
                let mut one = || {
                    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                    random.normal() / (squares / 3.0).sqrt() / 3f64.sqrt()
                };
                (0..count).map(|_| (deviation * one()).exp()).collect()
            }
            Noise::Wander(deviation) => {
                let wander = autocorrelated(0.9, count, random);
                let half = deviation * 0.5f64.sqrt();
                wander.into_iter().map(|x| 1.0 + half * (x + random.normal())).collect()
            }
            Noise::Ties(deviation) => {
                let runs = Noise::White(deviation).runs(count, random);
                runs.into_iter().map(|x| (x * 100.0).round() / 100.0).collect()
            }
            Noise::DeadRuns(deviation) => {
                let mut one = || {
                    let alive = random.uniform() >= 0.05;
                    if alive { 1.0 + deviation * random.normal() } else { 0.0 }
                };
                (0..count).map(|_| one()).collect()
            }
        }
    }
}

fn below(count: usize, random: &mut Random) -> usize {
    ((random.uniform() * count as f64) as usize).min(count - 1)
}

/// Returns a stationary AR(1) series with a deviation of 1.
fn autocorrelated(share: f64, count: usize, random: &mut Random) -> Vec<f64> {
    let fresh = (1.0 - share * share).sqrt();
    let mut x = random.normal();
    let mut next = || {
        let this = x;
        x = share * x + fresh * random.normal();
        this
    };
    (0..count).map(|_| next()).collect()
}

/// Returns the IOPS of the published runs E1 and E2 (`tests/data/published-sweeps`), as shares of their mean.
pub fn published() -> Vec<f64> {
    let text = include_str!("../data/published-sweeps/published-sweeps.csv");
    let runs = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let runs = runs.filter(|fields| fields[0] == "E1" || fields[0] == "E2");
    let iops: Vec<f64> = runs.filter_map(|fields| fields.get(4)?.parse().ok()).collect();
    let mean = iops.iter().sum::<f64>() / iops.len() as f64;
    iops.iter().map(|iops| iops / mean).collect()
}

/// Multiplies the runs from `from` on by a factor.
pub fn changed(mut runs: Vec<f64>, from: usize, factor: f64) -> Vec<f64> {
    runs.iter_mut().skip(from).for_each(|value| *value *= factor);
    runs
}

/// Multiplies each run by a factor relative to the previous one.
pub fn drifting(mut runs: Vec<f64>, per_run: f64) -> Vec<f64> {
    runs.iter_mut().zip(0..).for_each(|(value, run)| *value *= 1.0 + per_run * f64::from(run));
    runs
}
