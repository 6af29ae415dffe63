//! Activity of a thread over time, from scheduler events.

use std::collections::VecDeque;

/// Activity of a thread. Names are numbers assigned by the reader of the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadState {
    Runs,
    Sleeps,
    /// It could run; a task of this name holds the processor (`None` = none is known to).
    Waits(Option<u16>),
    /// Stopped by a signal or a debugger.
    Stopped,
}

/// Activities of one thread over time. The oldest ones are discarded above a limit.
#[derive(Debug, Clone, Default)]
pub struct ThreadTimeline {
    /// Activities with their start times in order.
    steps: VecDeque<(u64, ThreadState)>,
}

/// Maximum number of kept steps.
const MAX_STEPS: usize = 1 << 19;

impl ThreadTimeline {
    /// Records the activity from `at` ns on; calls are in order of time.
    pub fn push(&mut self, at: u64, doing: ThreadState) {
        if self.steps.len() == MAX_STEPS {
            self.steps.pop_front();
        }
        // Times that went back would count a piece twice.
        let at = self.steps.back().map_or(at, |(last, _)| at.max(*last));
        self.steps.push_back((at, doing));
    }

    /// Records that the thread left its CPU, which a task with that name got.
    pub fn record_leaving(&mut self, at: u64, state: u64, to: Option<u16>) {
        // Bits of `prev_state` as tracepoints tell them (include/linux/sched.h); 0 and what is above the
        // known ones: it could have gone on.
        const STOPPED: u64 = 0x4 | 0x8;
        const STATES: u64 = 0xff;
        let doing = match state & STATES {
            0 => ThreadState::Waits(to),
            state if state & STOPPED != 0 => ThreadState::Stopped,
            _ => ThreadState::Sleeps,
        };
        self.push(at, doing);
    }

    pub fn woken(&mut self, at: u64) {
        // A thread that runs may be woken: it was about to sleep.
        if !matches!(self.steps.back(), Some((_, ThreadState::Runs | ThreadState::Waits(_)))) {
            self.push(at, ThreadState::Waits(None));
        }
    }

    /// Records that the thread runs on a CPU, which a task of that name had before. The cause of a wait after
    /// a wake-up is known only now.
    pub fn runs(&mut self, at: u64, before: Option<u16>) {
        if let Some((_, ThreadState::Waits(by @ None))) = self.steps.back_mut() {
            *by = before;
        }
        self.push(at, ThreadState::Runs);
    }

    /// Discards everything so far, because events were lost.
    pub fn forget(&mut self) {
        self.steps.clear();
    }

    pub fn known_from(&self) -> Option<u64> {
        self.steps.front().map(|(at, _)| *at)
    }

    /// Returns the activities between two times as (begin, end, activity). The first is `None` if unknown.
    pub fn states_between(
        &self,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u64, u64, Option<ThreadState>)> + '_ {
        let first = self.steps.partition_point(|(at, _)| *at <= from);
        let before = first.checked_sub(1).map(|index| self.steps[index].1);
        let ends = self.steps.iter().skip(first).map(|(at, doing)| (*at, Some(*doing)));
        let mut begin = from;
        let mut doing = before;
        let pieces = ends.chain([(u64::MAX, None)]).map_while(move |(at, next)| {
            if begin >= to {
                return None;
            }
            let piece = (begin, at.min(to), doing);
            (begin, doing) = (at, next);
            Some(piece)
        });
        pieces.filter(|(begin, end, _)| end > begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_task_names_the_previous_cpu_holder() {
        let mut course = ThreadTimeline::default();
        course.runs(10, None);
        course.woken(12);
        course.record_leaving(20, 1, Some(7));
        course.woken(30);
        course.runs(40, Some(8));
        course.record_leaving(50, 0x100, Some(9));
        course.runs(60, Some(9));
        course.record_leaving(70, 4, None);
        let pieces: Vec<_> = course.states_between(5, 80).collect();
        let expected = [
            (5, 10, None),
            (10, 20, Some(ThreadState::Runs)),
            (20, 30, Some(ThreadState::Sleeps)),
            (30, 40, Some(ThreadState::Waits(Some(8)))),
            (40, 50, Some(ThreadState::Runs)),
            (50, 60, Some(ThreadState::Waits(Some(9)))),
            (60, 70, Some(ThreadState::Runs)),
            (70, 80, Some(ThreadState::Stopped)),
        ];
        assert_eq!(pieces, expected);
        assert_eq!(course.states_between(42, 45).collect::<Vec<_>>(), [(42, 45, Some(ThreadState::Runs))]);
        assert_eq!(course.known_from(), Some(10));
        course.forget();
        assert_eq!(course.states_between(1, 2).collect::<Vec<_>>(), [(1, 2, None)]);
    }

    #[test]
    fn full_timeline_drops_oldest_steps() {
        let mut course = ThreadTimeline::default();
        (0..MAX_STEPS as u64 + 5).for_each(|at| course.push(at, ThreadState::Runs));
        assert_eq!(course.known_from(), Some(5));
    }
}
