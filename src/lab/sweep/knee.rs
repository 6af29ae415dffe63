//! The knee: the load at which I/Os per second over latency (Kleinrock's power) is greatest.

use crate::stats::replicates::{CONFIDENCE, student_t};

/// A load and the power of each of its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadPowers {
    /// I/Os outstanding, or I/Os per second offered.
    pub load: u64,
    /// I/Os per second for each ms of mean latency, one per run.
    pub powers: Vec<f64>,
}

/// The knee of a group of loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Knee {
    /// Its place among the loads.
    pub place: usize,
    /// Its load.
    pub load: u64,
    /// The loads between which it lies in 95 % of all cases, by the repetitions; `None` = there are none.
    pub between: Option<(u64, u64)>,
}

/// The knee; `None` = no load has a power.
///
/// The interval: of the loads all are left of which the repetitions can't tell that they are worse than the
/// best one. Logarithms of the power are compared, with one deviation for all loads, by Student's t; the
/// chance of an error is shared by all comparisons (Bonferroni), so that the true knee is among those left
/// in at least 95 % of all cases.
pub fn knee(loads: &[LoadPowers]) -> Option<Knee> {
    let logarithms: Vec<Vec<f64>> = loads
        .iter()
        .map(|load| load.powers.iter().filter(|power| **power > 0.0).map(|power| power.ln()).collect())
        .collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let measured = || (0..loads.len()).filter(|place| !logarithms[*place].is_empty());
    // Of equal ones the smallest load, which costs least.
    let by_power = |a: &usize, b: &usize| {
        mean(&logarithms[*a]).total_cmp(&mean(&logarithms[*b])).then(loads[*b].load.cmp(&loads[*a].load))
    };
    let best = measured().max_by(by_power)?;
    let (mut squares, mut degrees) = (0.0, 0);
    for values in &logarithms {
        let middle = mean(values);
        squares += values.iter().map(|value| (value - middle).powi(2)).sum::<f64>();
        degrees += values.len().saturating_sub(1);
    }
    let others = measured().count().saturating_sub(1);
    let between = (degrees > 0).then(|| {
        let deviation = (squares / degrees as f64).sqrt();
        let t = student_t(1.0 - (1.0 - CONFIDENCE) / others.max(1) as f64, degrees as f64);
        let left = measured().filter(|place| {
            let runs = |place: usize| 1.0 / logarithms[place].len() as f64;
            let margin = t * deviation * (runs(*place) + runs(best)).sqrt();
            mean(&logarithms[*place]) >= mean(&logarithms[best]) - margin
        });
        let left: Vec<u64> = left.map(|place| loads[place].load).collect();
        let (low, high) = (left.iter().min().copied(), left.iter().max().copied());
        (low.unwrap_or(loads[best].load), high.unwrap_or(loads[best].load))
    });
    Some(Knee { place: best, load: loads[best].load, between })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_power_is_greatest_and_its_interval_is_what_repetitions_cannot_tell_apart() {
        let load = |load: u64, powers: &[f64]| LoadPowers { load, powers: powers.to_vec() };
        let loads = [
            load(1, &[10.0, 10.2, 9.9]),
            load(2, &[19.0, 19.3, 19.1]),
            load(4, &[19.2, 19.0, 19.4]),
            load(8, &[12.0, 12.1, 11.9]),
        ];
        assert_eq!(knee(&loads), Some(Knee { place: 2, load: 4, between: Some((2, 4)) }));
        let single = [load(1, &[1.0]), load(2, &[3.0]), load(4, &[2.0])];
        assert_eq!(knee(&single), Some(Knee { place: 1, load: 2, between: None }));
        let equal = [load(4, &[2.0]), load(2, &[2.0])];
        assert_eq!(knee(&equal).map(|knee| knee.load), Some(2));
        assert_eq!(knee(&[load(1, &[])]), None);
    }
}
