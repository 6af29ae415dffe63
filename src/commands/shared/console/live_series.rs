//! The course of a run: its figures from the beginning, reduced to fit in memory for any duration.

use crate::run::Speed;

/// Maximum number of points; more are merged in pairs.
const MAX_POINTS: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LivePoint {
    /// Mean of the I/Os per second.
    pub iops: f64,
    /// Highest 99th percentile in ms; `None` = not measured.
    pub p99_ms: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LiveSeries {
    points: Vec<LivePoint>,
    each: usize,
    pending: Vec<LivePoint>,
}

impl Default for LiveSeries {
    fn default() -> LiveSeries {
        LiveSeries { points: Vec::new(), each: 1, pending: Vec::new() }
    }
}

impl LiveSeries {
    pub(crate) fn add(&mut self, speed: &Speed) {
        let p99_ms = speed.latency.map(|(_, p99)| p99.ms());
        self.pending.push(LivePoint { iops: speed.iops, p99_ms });
        if self.pending.len() < self.each {
            return;
        }
        self.points.extend(join_points(&std::mem::take(&mut self.pending)));
        if self.points.len() >= MAX_POINTS {
            self.points = self.points.chunks(2).filter_map(join_points).collect();
            self.each *= 2;
        }
    }

    pub(crate) fn points(&self) -> &[LivePoint] {
        &self.points
    }

    /// Returns the total number of points if the run continues for this number of seconds.
    pub(crate) fn points_in_all(&self, left_s: u64) -> usize {
        self.points.len() + (self.pending.len() + left_s as usize).div_ceil(self.each)
    }
}

pub(crate) fn join_points(points: &[LivePoint]) -> Option<LivePoint> {
    let iops = points.iter().map(|point| point.iops).sum::<f64>() / points.len() as f64;
    let p99_ms = points.iter().filter_map(|point| point.p99_ms).reduce(f64::max);
    (!points.is_empty()).then_some(LivePoint { iops, p99_ms })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Millis;

    #[test]
    fn long_run_has_coarser_points_of_equal_total() {
        let mut course = LiveSeries::default();
        for second in 0..5000u64 {
            assert!(course.points().len() < MAX_POINTS, "{second}");
            let all = course.points_in_all(5000 - second) * course.each;
            assert!((5000..5000 + course.each).contains(&all), "{second}: {all}");
            let latency = Some((Millis::of_ns(1), Millis::of_ns((second + 1) * 1_000_000)));
            let iops = 10.0 + (second % 2) as f64;
            course.add(&Speed { iops, bytes_per_s: 1.0, latency, max: None, reads_and_writes: None });
        }
        assert_eq!((course.each, course.points().len()), (8, 625));
        assert_eq!(course.points()[0], LivePoint { iops: 10.5, p99_ms: Some(8.0) });
    }
}
