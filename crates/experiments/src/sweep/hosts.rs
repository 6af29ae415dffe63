//! Division of a storage among several hosts: the share of each, and hosts slower than their peers.

use super::PointRow;
use crate::RunRow;
use diskspd_figures::stats::replicates::student_t;
use serde::Serialize;

/// Probability of a false alarm over all hosts of a sweep.
const ALARMS: f64 = 0.01;
/// Minimum shortfall from the median for a report.
const MIN_SHORTFALL: f64 = 0.02;
/// Minimum number of hosts that shows the usual variation.
const MIN_HOSTS: usize = 4;

/// Result of the point with the most hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostsAnswer {
    pub row: usize,
    pub hosts: usize,
    /// Jain's fairness index of their IOPS: 1 = equal, 1/n = one host has all.
    pub fairness: f64,
    /// Lowest and highest share of the IOPS in percent.
    pub shares: [f64; 2],
    /// Host that is slower than its peers, with at most 1 % false alarms.
    pub slow: Option<SlowHost>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlowHost {
    pub name: String,
    /// Percentage of the IOPS of the median host.
    pub percent_of_median: f64,
}

impl HostsAnswer {
    /// `places` = usable rows. Returns `None` if no row has several hosts.
    pub fn from_rows(rows: &[PointRow], places: &[usize]) -> Option<HostsAnswer> {
        let hosts = |place: &usize| rows[*place].runs.iter().map(|line| line.hosts.len()).min().unwrap_or(0);
        let row = places.iter().copied().max_by_key(|place| (hosts(place), rows[*place].load))?;
        let rates = mean_rates(&rows[row].runs);
        if rates.len() < 2 {
            return None;
        }
        let sum: f64 = rates.iter().map(|(_, rate)| rate).sum();
        let squares: f64 = rates.iter().map(|(_, rate)| rate * rate).sum();
        if sum <= 0.0 {
            return None;
        }
        let share = |pick: fn(f64, f64) -> f64, from| {
            rates.iter().map(|(_, rate)| rate / sum * 100.0).fold(from, pick)
        };
        Some(HostsAnswer {
            row,
            hosts: rates.len(),
            fairness: sum * sum / (rates.len() as f64 * squares),
            shares: [share(f64::min, f64::INFINITY), share(f64::max, 0.0)],
            slow: slow(&rates),
        })
    }

    pub fn words(&self, row: &str) -> String {
        let [low, high] = self.shares;
        let slow = match &self.slow {
            Some(slow) => format!(
                "; {} is slower than its peers: {:.0} % of the median host's IOPS (at most 1 % false alarms)",
                slow.name, slow.percent_of_median
            ),
            None if self.hosts < MIN_HOSTS => String::new(),
            None => "; no host is slower than its peers".to_owned(),
        };
        format!(
            "{row}: {} hosts had {low:.1} % to {high:.1} % of the IOPS each, Jain's index {:.3}{slow}",
            self.hosts, self.fairness
        )
    }
}

/// Returns the mean IOPS of each host that took part in all runs.
fn mean_rates(runs: &[RunRow]) -> Vec<(&str, f64)> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let in_all = |name: &str| -> Option<f64> {
        let rate = |run: &RunRow| Some(run.hosts.iter().find(|host| host.name == name)?.iops);
        let rest = others.iter().map(rate).sum::<Option<f64>>()?;
        Some((rest + rate(first)?) / runs.len() as f64)
    };
    first.hosts.iter().filter_map(|host| Some((host.name.as_str(), in_all(&host.name)?))).collect()
}

/// Grubbs's one-sided test of the lowest logarithm, because hosts differ by factors.
fn slow(rates: &[(&str, f64)]) -> Option<SlowHost> {
    let count = rates.len() as f64;
    if rates.len() < MIN_HOSTS {
        return None;
    }
    let (name, lowest) = rates.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let median = diskspd_figures::stats::median(rates.iter().map(|(_, rate)| *rate));
    let found = || SlowHost { name: (*name).to_owned(), percent_of_median: lowest / median * 100.0 };
    if lowest / median > 1.0 - MIN_SHORTFALL {
        return None;
    }
    if *lowest <= 0.0 {
        return Some(found());
    }
    let logs = || rates.iter().map(|(_, rate)| rate.ln());
    let mean = logs().sum::<f64>() / count;
    let deviation = (logs().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    let distance = (mean - lowest.ln()) / deviation;
    let t = student_t(1.0 - ALARMS / count, count - 2.0);
    let limit = (count - 1.0) / count.sqrt() * (t * t / (count - 2.0 + t * t)).sqrt();
    (distance > limit).then(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generator of normal deviates by Box and Muller, from a linear congruential generator.
    struct NormalDeviates(u64);

    impl NormalDeviates {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
        }
    }

    #[test]
    fn slow_host_has_one_percent_false_alarms() {
        for hosts in [4, 8, 32, 200] {
            let names: Vec<String> = (0..hosts).map(|host| host.to_string()).collect();
            let mut deviates = NormalDeviates(hosts as u64);
            let mut alarms = 0;
            for _ in 0..4000 {
                let rates: Vec<(&str, f64)> = names
                    .iter()
                    .map(|name| (name.as_str(), 1e4 * (0.05 * deviates.normal()).exp()))
                    .collect();
                alarms += usize::from(slow(&rates).is_some());
            }
            assert!((15..=70).contains(&alarms), "{hosts} hosts: {alarms} of 4000");
        }
    }

    #[test]
    fn only_distant_host_is_slow() {
        for (rates, expected) in [
            (&[100.0, 100.0, 100.0, 100.0, 100.0, 50.0][..], Some("5")),
            (&[100.0, 101.0, 99.0, 100.5, 99.5, 60.0, 100.2, 99.9], Some("5")),
            (&[100.0; 8], None),
            (&[100.0, 99.0, 98.9, 100.0, 100.0], None),
            (&[100.0, 100.0, 10.0], None),
            (&[100.0, 100.0, 100.0, 0.0], Some("3")),
        ] {
            let names: Vec<String> = (0..rates.len()).map(|host| host.to_string()).collect();
            let rates: Vec<(&str, f64)> =
                names.iter().map(String::as_str).zip(rates.iter().copied()).collect();
            assert_eq!(slow(&rates).map(|slow| slow.name).as_deref(), expected, "{rates:?}");
        }
    }
}
