//! Division of one I/O's time into stages.

use super::{BlockTimes, ThreadState, ThreadTimeline};
use diskspd_results::{CulpritKind, IoStage, StageTimes};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributed {
    /// Times of the stages, which sum to the latency.
    pub stages: StageTimes,
    /// Cause of the longest delay and its time in ns; `None` = unknown.
    pub culprit: Option<(HeldBy, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldBy {
    /// Cause without a name, or with a name known from the I/O.
    By(CulpritKind),
    ByTask(u16),
}

const STOPPED: HeldBy = HeldBy::By(CulpritKind::Stopped);

type StageCause = (IoStage, Option<HeldBy>);

/// Attributes the time from `started` to `reaped` in ns for an I/O of thread number `thread`. `limited`: a
/// control group limits the program's I/O.
///
/// Unknown parts are unattributed: without block layer events no time is attributed to the device.
pub fn attribute(
    (started, reaped): (u64, u64),
    block: &BlockTimes,
    course: &ThreadTimeline,
    thread: i32,
    limited: bool,
) -> Attributed {
    let mut sums = StageSums::default();
    for (begin, end, doing) in course.states_between(started, reaped) {
        // The edges of stages cut what the thread did into pieces.
        let edges = [block.queued.map(|(at, _)| at), block.issued, block.completed];
        let mut from = begin;
        for edge in edges.into_iter().flatten().filter(|at| (begin + 1..end).contains(at)).chain([end]) {
            if edge > from {
                sums.add(assign_blame(from, block, doing, thread, limited), edge - from);
                from = edge;
            }
        }
    }
    sums.flush(block);
    sums.close()
}

fn assign_blame(
    at: u64,
    block: &BlockTimes,
    doing: Option<ThreadState>,
    thread: i32,
    limited: bool,
) -> StageCause {
    let Some((queued, by)) = block.queued else { return without_block(doing) };
    if at < queued {
        return before_block(by == thread, doing, limited);
    }
    match (block.issued, block.completed) {
        // A driver without a queue has it from the beginning.
        (None, Some(completed)) if at < completed => device_blame(),
        (Some(issued), _) if at < issued => (IoStage::Queue, stop_holder(doing)),
        (Some(_), Some(completed)) if at < completed => device_blame(),
        (_, Some(_)) => behind_block(doing),
        (_, None) => without_block(doing),
    }
}

/// Returns a stopped thread as the holder. It takes no completions regardless of other holders, and the
/// kernel workers of the program stop with it.
fn stop_holder(doing: Option<ThreadState>) -> Option<HeldBy> {
    (doing == Some(ThreadState::Stopped)).then_some(STOPPED)
}

fn device_blame() -> StageCause {
    (IoStage::Device, Some(HeldBy::By(CulpritKind::Device)))
}

/// Attributes time without block layer events; a blocked thread is still known.
fn without_block(doing: Option<ThreadState>) -> StageCause {
    match doing {
        Some(ThreadState::Stopped) => (IoStage::Wake, Some(STOPPED)),
        Some(ThreadState::Waits(by)) => (IoStage::Wake, by.map(HeldBy::ByTask)),
        _ => (IoStage::Unattributed, None),
    }
}

/// Attributes time before the block layer. `itself`: the thread submitted the I/O. Otherwise another task
/// did, because the I/O was delayed or handed over.
fn before_block(itself: bool, doing: Option<ThreadState>, limited: bool) -> StageCause {
    match (itself, doing) {
        (false, doing) => {
            let throttled = || limited.then_some(HeldBy::By(CulpritKind::Throttle));
            (IoStage::Kernel, stop_holder(doing).or_else(throttled))
        }
        (true, Some(ThreadState::Stopped)) => (IoStage::Submit, Some(STOPPED)),
        (true, Some(ThreadState::Waits(by))) => (IoStage::Submit, by.map(HeldBy::ByTask)),
        (true, Some(_)) => (IoStage::Kernel, None),
        (true, None) => (IoStage::Unattributed, None),
    }
}

/// Attributes the time between the completion of the I/O and its reap.
fn behind_block(doing: Option<ThreadState>) -> StageCause {
    match doing {
        Some(ThreadState::Stopped) => (IoStage::Wake, Some(STOPPED)),
        Some(ThreadState::Waits(by)) => (IoStage::Wake, by.map(HeldBy::ByTask)),
        Some(ThreadState::Sleeps) => (IoStage::Interrupt, None),
        Some(ThreadState::Runs) => (IoStage::Reap, None),
        None => (IoStage::Unattributed, None),
    }
}

#[derive(Default)]
struct StageSums {
    stages: StageTimes,
    kept: Vec<(HeldBy, u64)>,
}

impl StageSums {
    fn add(&mut self, (stage, kept): StageCause, ns: u64) {
        self.stages.add(stage, ns);
        if let Some(kept) = kept {
            self.add_time(kept, ns);
        }
    }

    /// Adds a delay with this cause.
    fn add_time(&mut self, kept: HeldBy, ns: u64) {
        match self.kept.iter_mut().find(|(known, _)| *known == kept) {
            Some((_, sum)) => *sum += ns,
            None => self.kept.push((kept, ns)),
        }
    }

    /// Attributes time to a flush. It is the holder if it took at least half of the time at the device, or
    /// half of the time before the driver.
    fn flush(&mut self, block: &BlockTimes) {
        let (Some((begin, end)), Some(issued)) = (block.flush, block.issued) else { return };
        let flush = HeldBy::By(CulpritKind::Flush);
        let within = |from: u64, to: u64| {
            let ns = end.min(to).saturating_sub(begin.max(from));
            (ns > 0 && ns.saturating_mul(2) >= to.saturating_sub(from)).then_some(ns)
        };
        if block.completed.and_then(|completed| within(issued, completed)).is_some() {
            for (kept, _) in self.kept.iter_mut().filter(|(kept, _)| *kept == HeldBy::By(CulpritKind::Device))
            {
                *kept = flush;
            }
        }
        if let Some(ns) = block.queued.and_then(|(queued, _)| within(queued, issued)) {
            self.add_time(flush, ns);
        }
    }

    /// Removes a cause with less than half of the total time.
    fn close(self) -> Attributed {
        let longest = self.kept.into_iter().max_by_key(|(_, ns)| *ns);
        let total = self.stages.sum();
        let culprit = longest.filter(|(_, ns)| ns.saturating_mul(2) >= total);
        Attributed { stages: self.stages, culprit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREAD: i32 = 42;

    fn sample_course(steps: &[(u64, ThreadState)]) -> ThreadTimeline {
        let mut course = ThreadTimeline::default();
        steps.iter().for_each(|(at, doing)| course.push(*at, *doing));
        course
    }

    fn sample_block(queued: (u64, i32), issued: u64, completed: u64) -> BlockTimes {
        BlockTimes { queued: Some(queued), issued: Some(issued), completed: Some(completed), flush: None }
    }

    type DividedTime = (Vec<(IoStage, u64)>, Option<(HeldBy, u64)>);

    /// Returns the stages with a time in order, and the cause.
    fn divide_stages(block: &BlockTimes, steps: &[(u64, ThreadState)], limited: bool) -> DividedTime {
        let Attributed { stages, culprit } =
            attribute((100, 1100), block, &sample_course(steps), THREAD, limited);
        assert_eq!(stages.sum(), 1000, "{stages:?}");
        let all = IoStage::ALL.map(|stage| (stage, stages.time_in(stage)));
        (all.into_iter().filter(|(_, ns)| *ns > 0).collect(), culprit)
    }

    const RUNS: (u64, ThreadState) = (0, ThreadState::Runs);

    #[test]
    fn ordinary_delay_is_attributed_to_device() {
        let steps =
            [RUNS, (150, ThreadState::Sleeps), (950, ThreadState::Waits(None)), (960, ThreadState::Runs)];
        let (stages, culprit) = divide_stages(&sample_block((110, THREAD), 130, 930), &steps, false);
        let expected = [
            (IoStage::Kernel, 10),
            (IoStage::Queue, 20),
            (IoStage::Device, 800),
            (IoStage::Interrupt, 20),
            (IoStage::Wake, 10),
            (IoStage::Reap, 140),
        ];
        assert_eq!((stages, culprit), (expected.to_vec(), Some((HeldBy::By(CulpritKind::Device), 800))));
    }

    #[test]
    fn stopped_program_is_not_attributed_to_device() {
        let steps = [
            RUNS,
            (150, ThreadState::Sleeps),
            (200, ThreadState::Stopped),
            (1000, ThreadState::Waits(None)),
            (1010, ThreadState::Runs),
        ];
        let stopped = HeldBy::By(CulpritKind::Stopped);
        let (stages, culprit) = divide_stages(&sample_block((110, THREAD), 120, 250), &steps, true);
        assert!(
            stages.contains(&(IoStage::Device, 130)) && stages.contains(&(IoStage::Wake, 760)),
            "{stages:?}"
        );
        assert_eq!(culprit, Some((stopped, 750)));
        // Without events of the block layer it is known as well; what else there was isn't.
        let (stages, culprit) = divide_stages(&BlockTimes::default(), &steps, true);
        assert_eq!(stages, [(IoStage::Wake, 810), (IoStage::Unattributed, 190)]);
        assert_eq!(culprit, Some((stopped, 800)));
        // Stopped between the stamp and the submission.
        let steps = [RUNS, (105, ThreadState::Stopped), (900, ThreadState::Runs)];
        let (stages, culprit) = divide_stages(&sample_block((910, THREAD), 920, 1000), &steps, false);
        assert_eq!(stages[0], (IoStage::Submit, 795));
        assert_eq!(culprit, Some((stopped, 795)));
    }

    #[test]
    fn delaying_task_on_cpu_is_named() {
        let steps =
            [RUNS, (150, ThreadState::Sleeps), (260, ThreadState::Waits(Some(3))), (1090, ThreadState::Runs)];
        let (_, culprit) = divide_stages(&sample_block((110, THREAD), 120, 250), &steps, false);
        assert_eq!(culprit, Some((HeldBy::ByTask(3), 830)));
    }

    #[test]
    fn time_of_another_task_is_queueing() {
        let steps = [RUNS, (120, ThreadState::Sleeps), (1090, ThreadState::Runs)];
        let held = sample_block((1000, 7), 1010, 1080);
        let (stages, culprit) = divide_stages(&held, &steps, true);
        assert_eq!(stages[0], (IoStage::Kernel, 900));
        assert_eq!(culprit, Some((HeldBy::By(CulpritKind::Throttle), 900)));
        assert_eq!(divide_stages(&held, &steps, false).1, None, "no control group limits it");
    }

    #[test]
    fn delay_behind_flush_is_attributed_to_flush() {
        let flush = Some((150, 800));
        let times = BlockTimes { flush, ..sample_block((110, THREAD), 130, 930) };
        let (_, culprit) =
            divide_stages(&times, &[RUNS, (140, ThreadState::Sleeps), (950, ThreadState::Runs)], false);
        assert_eq!(culprit, Some((HeldBy::By(CulpritKind::Flush), 800)));
        let short = BlockTimes { flush: Some((150, 200)), ..times };
        let (_, culprit) =
            divide_stages(&short, &[RUNS, (140, ThreadState::Sleeps), (950, ThreadState::Runs)], false);
        assert_eq!(culprit, Some((HeldBy::By(CulpritKind::Device), 800)));
    }

    #[test]
    fn stop_is_the_cause_before_the_device() {
        let steps = [RUNS, (120, ThreadState::Stopped), (1010, ThreadState::Runs)];
        let stopped = Some((HeldBy::By(CulpritKind::Stopped), 890));
        let queued = divide_stages(&sample_block((110, THREAD), 1020, 1040), &steps, false);
        assert!(queued.0.contains(&(IoStage::Queue, 910)), "{queued:?}");
        assert_eq!(queued.1, stopped);
        // A worker of the kernel submits it, which is stopped as well; a limit of the group comes second.
        for limited in [false, true] {
            let kept = divide_stages(&sample_block((1015, 7), 1020, 1040), &steps, limited);
            assert!(kept.0.contains(&(IoStage::Kernel, 915)), "{kept:?}");
            assert_eq!(kept.1, stopped);
        }
        let there = divide_stages(&sample_block((110, THREAD), 115, 1005), &steps, false);
        assert_eq!(there.1, Some((HeldBy::By(CulpritKind::Device), 890)));
    }

    #[test]
    fn flush_is_the_cause_while_blocking_dispatch() {
        let steps = [RUNS, (140, ThreadState::Sleeps), (1050, ThreadState::Runs)];
        let held = BlockTimes { flush: Some((200, 990)), ..sample_block((110, THREAD), 1000, 1040) };
        let (stages, culprit) = divide_stages(&held, &steps, false);
        assert!(stages.contains(&(IoStage::Queue, 890)), "{stages:?}");
        assert_eq!(culprit, Some((HeldBy::By(CulpritKind::Flush), 790)));
        // It goes on while the driver has it.
        let on = BlockTimes { flush: Some((200, 1020)), ..sample_block((110, THREAD), 900, 1040) };
        assert_eq!(divide_stages(&on, &steps, false).1, Some((HeldBy::By(CulpritKind::Flush), 700 + 140)));
        // Most of the time it waited for something else, or no flush is known.
        let short = BlockTimes { flush: Some((200, 500)), ..held };
        assert_eq!(divide_stages(&short, &steps, false).1, None);
        assert_eq!(divide_stages(&BlockTimes { flush: None, ..held }, &steps, false).1, None);
    }

    #[test]
    fn unknown_time_is_unattributed() {
        assert_eq!(
            divide_stages(&BlockTimes::default(), &[], true),
            (vec![(IoStage::Unattributed, 1000)], None)
        );
        let open = BlockTimes { completed: None, ..sample_block((110, THREAD), 130, 0) };
        let (stages, _) = divide_stages(&open, &[RUNS], false);
        let expected = [(IoStage::Kernel, 10), (IoStage::Queue, 20), (IoStage::Unattributed, 970)];
        assert_eq!(stages, expected);
        // The block layer is known, the thread isn't.
        let (stages, _) = divide_stages(&sample_block((110, THREAD), 130, 930), &[], false);
        let expected = [(IoStage::Queue, 20), (IoStage::Device, 800), (IoStage::Unattributed, 180)];
        assert_eq!(stages, expected);
    }

    #[test]
    fn requests_reach_queueless_drivers_immediately() {
        let times = BlockTimes { issued: None, ..sample_block((110, THREAD), 0, 930) };
        let (stages, _) = divide_stages(&times, &[RUNS], false);
        assert_eq!(stages, [(IoStage::Kernel, 10), (IoStage::Device, 820), (IoStage::Reap, 170)]);
    }
}
