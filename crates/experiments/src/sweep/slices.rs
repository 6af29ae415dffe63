//! Slices: short runs without a warm-up, whose length and number the sweep chooses.
//!
//! ```text
//! slices of the highest load until the storage has settled ──▶ the length of the next slices
//! two slices of each point in random order, references between ──▶ an interval of the knee or objective
//! more slices of the points within the interval, pass by pass ──▶ an interval that is narrow enough
//! ```

use super::objective::Objective;
use super::{CompletedPoint, Settings, Sweep, SweepAction, SweepAnswer};
use crate::repeat;

/// Slices of each point before the first answer.
pub const MIN_SLICES: u32 = 2;
/// Maximum slices of a point without `--until-sure`.
const MAX_SLICES: usize = 12;
pub(super) const MAX_WARM_UPS: usize = 10;
/// Maximum difference of two slices without a trend, as a share.
const SETTLED: f64 = 0.05;
/// Maximum loads of a narrow interval; half of all loads if they are fewer.
const NARROW: usize = 4;
/// Lengths of a slice in s.
const LENGTHS: [u32; 4] = [1, 2, 5, 10];
/// Minimum I/Os of a slice with a usable rate.
const MIN_IOS: f64 = 100.0;
/// Slices of the references and passes before the first answer, other than the points.
const REFERENCES: usize = 3;

impl Sweep {
    /// Returns the planned duration in s after these runs, including the pause before it.
    pub(super) fn seconds_of(&self, what: SweepAction, history: &[CompletedPoint]) -> f64 {
        if self.settings.slices {
            return f64::from(self.slice_seconds(what, history)) + self.settings.settle_s;
        }
        let number = match what {
            SweepAction::Point(number) | SweepAction::Reference(number) | SweepAction::WarmUp(number) => {
                number
            }
            SweepAction::Rate(_) => 0,
        };
        self.points.get(number).map_or(0.0, |point| point.seconds) + self.settings.settle_s
    }

    /// Returns the duration of a slice in s after these runs.
    pub fn slice_seconds(&self, what: SweepAction, history: &[CompletedPoint]) -> u32 {
        match what {
            SweepAction::WarmUp(_) => 1,
            SweepAction::Point(_) | SweepAction::Reference(_) | SweepAction::Rate(_) => {
                slice_length(self, history)
            }
        }
    }
}

/// Whether the rates of successive slices have no trend.
pub(super) fn has_settled(iops: &[f64]) -> bool {
    let [.., before, one, last] = iops else {
        return iops.len() == 2 && (iops[0] - iops[1]).abs() <= SETTLED * iops[0].max(iops[1]);
    };
    let is_near = (one - last).abs() <= SETTLED * one.max(*last);
    is_near || (before < one) != (one < last)
}

/// Returns the length of a slice after the warm-up, s: the slowest point does enough I/Os even if its rate is
/// only proportional to its load.
fn slice_length(sweep: &Sweep, history: &[CompletedPoint]) -> u32 {
    let warm_ups = history.iter().filter(|ran| matches!(ran.what, SweepAction::WarmUp(_)));
    let iops = warm_ups.filter_map(|ran| Some(ran.line.as_ref()?.iops)).reduce(f64::min);
    let loads = || sweep.points.iter().map(|point| point.load.max(1) as f64);
    let Some(((least, most), iops)) = loads().reduce(f64::min).zip(loads().reduce(f64::max)).zip(iops) else {
        return LENGTHS[0];
    };
    let wanted = sweep.settings.objective.map_or(MIN_IOS, Objective::min_ios);
    let enough = |seconds: &u32| f64::from(*seconds) * iops * least / most >= wanted;
    LENGTHS.into_iter().find(enough).unwrap_or(LENGTHS[LENGTHS.len() - 1])
}

/// Returns the maximum slices of a point.
pub(super) fn max_slices(settings: &Settings) -> usize {
    if settings.slices && !settings.until_sure { MAX_SLICES } else { repeat::MAX_RUNS as usize }
}

/// Returns the most slices that follow, if the storage never settles and the interval never becomes narrow.
pub(super) fn max_runs(sweep: &Sweep, history: &[CompletedPoint]) -> usize {
    let passes = max_slices(&sweep.settings);
    let further = passes - MIN_SLICES as usize;
    let all = MAX_WARM_UPS + sweep.points.len() * passes + REFERENCES + further;
    all.saturating_sub(history.len())
}

/// Whether the interval of the answer is narrow enough.
pub(super) fn is_narrow(answer: &SweepAnswer, loads: &[u64]) -> bool {
    match (&answer.objective, answer.knee.and_then(|knee| knee.between)) {
        (Some(_), _) => answer.undecided.len() <= 1,
        (None, Some((low, high))) => {
            let within = loads.iter().filter(|load| (low..=high).contains(load)).count();
            within <= NARROW.min(loads.len().div_ceil(2))
        }
        (None, None) => answer.undecided.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunRow;
    use crate::sweep::SweepPoint;
    use diskspd_results::RunVerdict;

    #[test]
    fn rates_without_trend_have_settled() {
        for (iops, expected) in [
            (&[][..], false),
            (&[100.0], false),
            (&[100.0, 96.0], true),
            (&[100.0, 90.0], false),
            (&[100.0, 90.0, 80.0], false),
            (&[100.0, 80.0, 90.0], true),
            (&[100.0, 110.0, 125.0, 140.0], false),
            (&[100.0, 110.0, 125.0, 130.0], true),
            (&[0.0, 0.0], true),
        ] {
            assert_eq!(has_settled(iops), expected, "{iops:?}");
        }
    }

    #[test]
    fn slower_devices_get_longer_slices() {
        for (iops, objective, expected) in [
            (70_000.0, None, 1),
            (6400.0, None, 1),
            (6399.0, None, 2),
            (1000.0, None, 10),
            (1.0, None, 10),
            (70_000.0, Some("p99=5ms"), 1),
            (70_000.0, Some("p99.9=5ms"), 10),
        ] {
            let line = RunRow {
                iops,
                measured_s: 1.0,
                mib_per_s: 1.0,
                latency: None,
                response: None,
                cpu: None,
                hottest: None,
                verdict: RunVerdict::default(),
                limited_by: None,
                findings: Vec::new(),
                hosts: Vec::new(),
            };
            let objective = objective.map(|text| Objective::parse(text).unwrap());
            let points = [1, 64].map(|load| SweepPoint { load, ..SweepPoint::default() }).to_vec();
            let sweep = Sweep { points, settings: Settings { objective, ..Settings::default() } };
            let ran = CompletedPoint {
                what: SweepAction::WarmUp(1),
                seconds: 1.0,
                line: Some(line),
                failure: None,
            };
            assert_eq!(slice_length(&sweep, &[ran.clone(), ran]), expected, "{iops} {objective:?}");
            assert_eq!(slice_length(&sweep, &[]), 1);
        }
    }
}
