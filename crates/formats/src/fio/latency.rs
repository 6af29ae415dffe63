//! Latencies of fio: the available kinds, and percentiles from bins or as reported.

use diskspd_figures::units::Millis;
use diskspd_results::{DirectionSummary, FioLatency, FioPercentiles, TEXT_PERCENTS, find_percentile};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Maximum number of bins; fio has 29 groups of 64.
const MAX_BINS: usize = 1 << 13;

/// Middle of fio's last bin in ns, which also counts all longer I/Os.
const LAST_BIN: u64 = 17_112_760_320;
const LAST_BIN_BEGINS: u64 = 17_045_651_456;

/// Times of at least one I/O.
#[derive(Clone, Copy)]
pub(super) struct FioTimes<'a> {
    value: &'a Value,
    unit: FioUnit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum FioUnit {
    Nanoseconds,
    /// Unit of fio 2.
    Microseconds,
}

/// Returns the times of a kind and direction; `None` = not measured.
pub(super) fn times(direction: &Value, kind: FioLatency) -> Option<FioTimes<'_>> {
    let (ns, us) = match kind {
        FioLatency::Total => ("lat_ns", "lat"),
        FioLatency::Completion => ("clat_ns", "clat"),
    };
    match direction.get(ns) {
        Some(times) => FioTimes::from_value(times),
        None => read_times(direction.get(us)?, FioUnit::Microseconds),
    }
}

/// `None` = they are of no I/O: before fio 3.18, which counts them, all of them are zero then.
fn read_times(value: &Value, unit: FioUnit) -> Option<FioTimes<'_>> {
    let is_any = match value.get("N") {
        Some(count) => count.as_u64()? > 0,
        None => value.get("max")?.as_f64()? > 0.0,
    };
    is_any.then_some(FioTimes { value, unit })
}

impl FioUnit {
    fn ns(self, time: f64) -> f64 {
        match self {
            FioUnit::Nanoseconds => time,
            FioUnit::Microseconds => time * 1000.0,
        }
    }
}

impl<'a> FioTimes<'a> {
    pub(super) fn from_value(value: &'a Value) -> Option<FioTimes<'a>> {
        read_times(value, FioUnit::Nanoseconds)
    }

    fn read_time(self, name: &str) -> Option<Millis> {
        let time = self.value.get(name)?.as_f64().filter(|time| *time >= 0.0)?;
        Some(Millis::of_mean_ns(self.unit.ns(time)))
    }

    pub(super) fn mean(self) -> Option<Millis> {
        self.read_time("mean")
    }

    pub(super) fn max(self) -> Option<Millis> {
        self.read_time("max")
    }

    /// Sets mean and deviation in the figures.
    pub(super) fn put_moments(self, figures: &mut DirectionSummary) {
        figures.mean_ms = self.mean();
        figures.std_dev_ms = self.read_time("stddev");
    }

    pub(super) fn put_extremes(self, figures: &mut DirectionSummary) {
        figures.min_ms = self.read_time("min");
        figures.max_ms = self.max();
    }

    pub(super) fn percentiles(self) -> Option<FioDistribution> {
        let of = |name| self.value.get(name).and_then(Value::as_object);
        // Fio 2 numbers its bins.
        let counts = of("bins").filter(|_| self.unit == FioUnit::Nanoseconds).map(parse_bins);
        if let Some(counts) = counts.filter(|bins| !bins.is_empty()) {
            let edge = |name| self.value.get(name).and_then(Value::as_u64);
            let (min, max) = (edge("min").unwrap_or(0), edge("max").unwrap_or(u64::MAX));
            return Some(FioDistribution::Counted { sums: add_up(counts), min, max: max.max(min) });
        }
        let known = stated_percentiles(of("percentile")?, self.unit);
        (!known.is_empty()).then_some(FioDistribution::Stated(known))
    }
}

/// Latency distribution, as counts or as fio's percentiles.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FioDistribution {
    /// The middle of each bin with the number of I/Os in it and below, and the extremes, in ns. Bin middles
    /// may be outside the extremes.
    Counted { sums: Vec<(u64, u64)>, min: u64, max: u64 },
    /// Percentages with times in ns, ascending.
    Stated(Vec<(f64, f64)>),
}

fn parse_bins(bins: &Map<String, Value>) -> BTreeMap<u64, u64> {
    let bins = bins.iter().take(MAX_BINS).filter_map(|(ns, ios)| Some((ns.parse().ok()?, ios.as_u64()?)));
    bins.filter(|(_, ios)| *ios > 0).collect()
}

fn add_up(counts: BTreeMap<u64, u64>) -> Vec<(u64, u64)> {
    let sum = |sum: &mut u64, (ns, ios): (u64, u64)| {
        *sum = sum.saturating_add(ios);
        Some((ns, *sum))
    };
    counts.into_iter().scan(0, sum).collect()
}

fn stated_percentiles(percentiles: &Map<String, Value>, unit: FioUnit) -> Vec<(f64, f64)> {
    let percentiles = percentiles.iter().take(MAX_BINS);
    let known = percentiles
        .filter_map(|(percent, time)| Some((percent.parse::<f64>().ok()?, unit.ns(time.as_f64()?))));
    let possible = known.filter(|(percent, ns)| *percent > 0.0 && *percent < 100.0 && *ns >= 0.0);
    let mut possible: Vec<(f64, f64)> = possible.collect();
    possible.sort_by(|a, b| a.0.total_cmp(&b.0));
    possible.dedup_by_key(|(percent, _)| percent.to_bits());
    possible
}

impl FioDistribution {
    pub(super) fn source(&self) -> FioPercentiles {
        match self {
            FioDistribution::Counted { .. } => FioPercentiles::Counted,
            FioDistribution::Stated(_) => FioPercentiles::Stated,
        }
    }

    /// Returns the combined distribution; `None` = missing, or not additive.
    pub(super) fn of_all(all: &[FioDistribution]) -> Option<FioDistribution> {
        if let [one] = all {
            return Some(one.clone());
        }
        let (mut sum, mut shortest, mut longest) = (BTreeMap::<u64, u64>::new(), u64::MAX, 0);
        for one in all {
            let FioDistribution::Counted { sums, min, max } = one else { return None };
            (shortest, longest) = (shortest.min(*min), longest.max(*max));
            let mut below = 0;
            for (ns, up_to) in sums {
                let all = sum.entry(*ns).or_default();
                *all = all.saturating_add(up_to - below);
                below = *up_to;
            }
        }
        let sums = add_up(sum);
        (!sums.is_empty()).then_some(FioDistribution::Counted { sums, min: shortest, max: longest })
    }

    /// The smallest time that is a lower bound, because the last bin has no end; `None` = no I/O is in it.
    pub(super) fn open_end(&self) -> Option<Millis> {
        let FioDistribution::Counted { sums, .. } = self else { return None };
        sums.last().filter(|(ns, _)| *ns >= LAST_BIN).map(|_| Millis::of_ns(LAST_BIN_BEGINS))
    }

    /// Returns the available percentages, ascending.
    pub(super) fn percents(&self) -> Vec<f64> {
        match self {
            FioDistribution::Counted { .. } => TEXT_PERCENTS.to_vec(),
            FioDistribution::Stated(known) => known.iter().map(|(percent, _)| *percent).collect(),
        }
    }

    /// Returns the time that this share of the I/Os did not exceed.
    pub(super) fn percentile(&self, percent: f64) -> Option<Millis> {
        match self {
            FioDistribution::Stated(known) => {
                find_percentile(known.iter().copied(), percent).map(Millis::of_mean_ns)
            }
            FioDistribution::Counted { sums, min, max } => {
                let wanted = sums.last()?.1 as f64 * percent / 100.0;
                let bin = sums.partition_point(|(_, up_to)| (*up_to as f64) < wanted);
                let ns = sums.get(bin)?.0;
                let ns = if ns >= LAST_BIN { LAST_BIN_BEGINS } else { ns };
                Some(Millis::of_ns(ns.clamp(*min, *max)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from_value(value: &Value) -> FioDistribution {
        FioTimes::from_value(value).unwrap().percentiles().unwrap()
    }

    #[test]
    fn only_percentiles_from_bins_are_added() {
        let one = from_value(&json!({"N": 3, "min": 95, "max": 205, "bins": {"100": 2, "200": 1, "300": 0}}));
        let other =
            from_value(&json!({"N": 97, "min": 90, "max": 1_000_000, "bins": {"100": 96, "1000448": 1}}));
        let both = FioDistribution::of_all(&[one.clone(), other]).unwrap();
        assert_eq!(
            (both.percentile(50.0), both.percentile(99.0)),
            (Some(Millis::of_ns(100)), Some(Millis::of_ns(200)))
        );
        // The middle of the last bin lies beyond the longest I/O.
        assert_eq!(both.percentile(99.9), Some(Millis::new(1.0)));
        let stated =
            from_value(&json!({"N": 3, "percentile": {"50.000000": 1000, "99.900000": 5000, "0.00": 0}}));
        assert_eq!((stated.percentile(99.9), stated.percentile(99.0)), (Some(Millis::of_ns(5000)), None));
        assert_eq!(stated.percents(), [50.0, 99.9]);
        assert_eq!(FioDistribution::of_all(&[one, stated]), None);
        assert_eq!(FioDistribution::of_all(&[]), None);
    }

    #[test]
    fn times_in_the_open_last_bin_are_lower_bounds() {
        let last = "17112760320";
        for (bins, max, at_999, is_open) in [
            // Below the last bin, in it with the longest I/O known, in it alone.
            (json!({"1000448": 999, "16978542592": 1}), 16_990_000_000_u64, 1.000_448, false),
            (json!({"1000448": 9, last: 1}), 60_000_000_000, 17_045.651_456, true),
            (json!({last: 10}), 17_050_000_000, 17_045.651_456, true),
        ] {
            let found = from_value(&json!({"N": 10, "min": 1000, "max": max, "bins": bins}));
            assert_eq!(found.percentile(99.9), Some(Millis::new(at_999)), "{bins}");
            assert_eq!(found.open_end(), is_open.then_some(Millis::new(17_045.651_456)), "{bins}");
        }
        let stated = from_value(&json!({"N": 3, "percentile": {"50.000000": 17_112_760_320_u64}}));
        assert_eq!(stated.open_end(), None);
    }

    #[test]
    fn invalid_figures_are_unknown() {
        assert!(FioTimes::from_value(&json!({"N": 0, "mean": 0.0})).is_none());
        let odd = json!({"N": 1, "mean": -1.0, "max": "x", "percentile": {"a": 1, "101": 1, "50": -1}});
        let times = FioTimes::from_value(&odd).unwrap();
        assert_eq!((times.mean(), times.max(), times.percentiles()), (None, None, None));
    }
}
