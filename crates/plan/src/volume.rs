//! Required work before the measured time may end: `--until-written`, `--until-read`.

use super::WorkerPlan;
use diskspd_base::engines::Direction;
use diskspd_profile::{RunOptions, TargetId, TimeSpan, Volume};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeGoal {
    pub direction: Direction,
    /// Volume of all threads and targets in bytes, at least 1.
    pub bytes: u64,
    /// Whether work before the measurement also counts, in either direction.
    pub from_start: bool,
}

impl VolumeGoal {
    pub fn done_word(&self) -> &'static str {
        match self.direction {
            Direction::Read => "read",
            Direction::Write => "written",
        }
    }
}

/// Returns the required work of a time span, or else of its run options, for the area of the workers.
pub(super) fn goals(span: &TimeSpan, run_options: &RunOptions, workers: &[WorkerPlan]) -> Vec<VolumeGoal> {
    let (read, written) = match (span.until_read, span.until_written) {
        (None, None) => (run_options.until_read, run_options.until_written),
        own => own,
    };
    let asked = [(Direction::Read, read), (Direction::Write, written)];
    let goal = |(direction, volume): (Direction, Option<Volume>)| {
        let bytes = match volume? {
            Volume::Bytes(bytes) => bytes,
            Volume::Times(times) => touched_bytes(direction, workers).saturating_mul(times.into()),
        };
        Some(VolumeGoal { direction, bytes: bytes.max(1), from_start: false })
    };
    asked.into_iter().filter_map(goal).collect()
}

fn does_direction(direction: Direction, write_ratio: u32) -> bool {
    match direction {
        Direction::Read => write_ratio < 100,
        Direction::Write => write_ratio > 0,
    }
}

fn touched_bytes(direction: Direction, workers: &[WorkerPlan]) -> u64 {
    let mut parts: BTreeMap<TargetId, (u64, u64)> = BTreeMap::new();
    for target in workers.iter().flat_map(|worker| &worker.targets) {
        let workload = &target.workload;
        if does_direction(direction, workload.write_ratio) {
            let (from, to) = (workload.base, workload.base + workload.region);
            let part = parts.entry(target.id).or_insert((from, to));
            *part = (part.0.min(from), part.1.max(to));
        }
    }
    parts.values().fold(0, |sum, (from, to)| sum.saturating_add(to - from))
}
