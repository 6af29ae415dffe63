//! `--until-written`, `--until-read`: whether the required amount has been reached, and the remaining time.

use diskspd_plan::VolumeGoal;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::VolumeQuota;
use diskspd_worker::telemetry::live::{self, Counters};
use std::collections::VecDeque;

/// Maximum time between two checks. The workers stop automatically (`worker/quota.rs`); the time until all
/// submitted I/Os have completed belongs to the measured time.
const MAX_CHECK_INTERVAL: Nanos = SECOND / 100;
/// Remembered checks are at least half of this time apart.
const SAMPLE_DISTANCE: Nanos = SECOND / 10;
const MIN_CHECK_INTERVAL: Nanos = SECOND / 1000;
/// Number of remembered checks: about ten seconds.
const REMEMBERED: usize = 100;

#[derive(Clone, Copy)]
pub(super) struct LiveSources<'a> {
    pub(super) live: &'a [Counters],
    /// Completed part of a goal in the measured time; `None` = the goals count from the start signal.
    pub(super) quota: Option<&'a VolumeQuota>,
}

pub(super) struct VolumeWatch<'a> {
    sources: LiveSources<'a>,
    goals: Vec<GoalProgress>,
    /// Time of the next check; [`Nanos::MAX`] = never.
    pub(super) due: Nanos,
}

struct GoalProgress {
    goal: VolumeGoal,
    /// Times of the checks, with the bytes completed since the start of the measurement.
    seen: VecDeque<(Nanos, u64)>,
}

impl<'a> VolumeWatch<'a> {
    /// Starts at `start`.
    pub(super) fn new(goals: &[VolumeGoal], sources: LiveSources<'a>, start: Nanos) -> VolumeWatch<'a> {
        let course = |goal: &VolumeGoal| GoalProgress { goal: *goal, seen: VecDeque::from([(start, 0)]) };
        let due = if goals.is_empty() { Nanos::MAX } else { start + MIN_CHECK_INTERVAL };
        VolumeWatch { sources, goals: goals.iter().map(course).collect(), due }
    }

    pub(super) fn reached(&mut self, now: Nanos) -> bool {
        if now < self.due {
            return false;
        }
        for course in &mut self.goals {
            let done = self.sources.total_done(&course.goal);
            course.note_progress(now, done);
        }
        self.due = now
            + self.time_left(now).unwrap_or(MAX_CHECK_INTERVAL).clamp(MIN_CHECK_INTERVAL, MAX_CHECK_INTERVAL);
        self.goals.iter().any(GoalProgress::is_reached)
    }

    /// Returns the remaining time in ns at the rate of the last seconds; `None` = unknown.
    pub(super) fn time_left(&self, now: Nanos) -> Option<Nanos> {
        self.goals.iter().filter_map(|course| course.time_left(now)).min()
    }
}

impl LiveSources<'_> {
    fn total_done(&self, goal: &VolumeGoal) -> u64 {
        match self.quota.filter(|_| !goal.from_start) {
            Some(quota) => quota.done_bytes(goal.direction),
            None => live::totals(self.live).1,
        }
    }
}

impl GoalProgress {
    fn note_progress(&mut self, now: Nanos, done: u64) {
        // Looks close to each other say little about the speed: the last one is moved.
        let close = |(at, _): &(Nanos, u64)| now.saturating_sub(*at) < SAMPLE_DISTANCE / 2;
        if self.seen.len() > 1 && self.seen.iter().nth_back(1).is_some_and(close) {
            self.seen.pop_back();
        }
        self.seen.push_back((now, done));
        if self.seen.len() > REMEMBERED {
            self.seen.pop_front();
        }
    }

    fn is_reached(&self) -> bool {
        self.seen.back().is_some_and(|(_, done)| *done >= self.goal.bytes)
    }

    fn time_left(&self, now: Nanos) -> Option<Nanos> {
        let ((begin, before), (end, done)) = (*self.seen.front()?, *self.seen.back()?);
        let (time, moved) = (end.saturating_sub(begin), done.saturating_sub(before));
        if time == 0 || moved == 0 {
            return None;
        }
        let left = self.goal.bytes.saturating_sub(done) as f64 * time as f64 / moved as f64;
        Some((left as Nanos).saturating_sub(now.saturating_sub(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::engines::Direction;

    const MS: Nanos = 1_000_000;

    const GOAL: VolumeGoal =
        VolumeGoal { direction: Direction::Write, bytes: 100_000_000, from_start: false };

    fn watch_quota(quota: &VolumeQuota) -> VolumeWatch<'_> {
        VolumeWatch::new(&[GOAL], LiveSources { live: &[], quota: Some(quota) }, SECOND)
    }

    #[test]
    fn next_check_is_scheduled_from_a_steady_rate() {
        let quota = VolumeQuota::new(&[GOAL]);
        let mut watch = watch_quota(&quota);
        // 1 MB a second in each of two workers: 50 s.
        let mut done = 0;
        let mut estimates = Vec::new();
        let end = loop {
            let now = watch.due;
            let target = (now - SECOND) / 1000;
            quota.came_back(Direction::Write, 2 * (target - done));
            done = target;
            if watch.reached(now) {
                break now - SECOND;
            }
            estimates.push((now - SECOND, watch.time_left(now).unwrap()));
        };
        assert!((50_000 * MS..=50_001 * MS).contains(&end), "{end}");
        assert!(estimates.len() < 5200, "{}", estimates.len());
        for (passed, left) in estimates.into_iter().filter(|(passed, _)| *passed > SECOND) {
            let wrong = (passed + left).abs_diff(50_000 * MS);
            assert!(wrong <= 2 * MS, "{left} ns left after {passed}");
        }
    }

    #[test]
    fn time_left_follows_recent_speed() {
        let quota = VolumeQuota::new(&[GOAL]);
        let mut watch = watch_quota(&quota);
        // A fast cache for 5 s, then a fifth of the speed.
        for tenth in 1..=200 {
            quota.came_back(Direction::Write, if tenth <= 50 { 500_000 } else { 100_000 });
            assert!(!watch.reached(SECOND + tenth * SAMPLE_DISTANCE));
        }
        let left = watch.time_left(SECOND + 200 * SAMPLE_DISTANCE).unwrap();
        assert_eq!(left, 60 * SECOND);
    }

    #[test]
    fn volume_counts_only_the_goal_direction() {
        let quota = VolumeQuota::new(&[GOAL]);
        let mut watch = watch_quota(&quota);
        quota.came_back(Direction::Read, 800_000_000);
        quota.came_back(Direction::Write, 99_999_999);
        assert!(!watch.reached(watch.due));
        quota.came_back(Direction::Write, 1);
        assert!(!watch.reached(watch.due - 1), "not yet due");
        assert!(watch.reached(watch.due));
    }

    #[test]
    fn volume_without_goal_is_not_checked() {
        let mut watch = VolumeWatch::new(&[], LiveSources { live: &[], quota: None }, SECOND);
        assert_eq!((watch.due, watch.time_left(0)), (Nanos::MAX, None));
        assert!(!watch.reached(u64::MAX - 1));
    }
}
