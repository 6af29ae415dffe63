//! What the workers take: their CPU times and the counters of control groups, at both edges of the measured
//! window, and what else used the CPUs.

use crate::tell::live::Counters;
use crate::watch::cost;
use crate::watch::limits::LimitWatch;
use diskspd_host::root::Root;
use diskspd_host::tasks::Tasks;
use diskspd_model::machine::threads::ThreadTimes;
use diskspd_model::plan::SpanPlan;
use diskspd_model::results::{Effort, WorkerEffort};
use diskspd_sys::clock::{self, Nanos};

/// Watches the workers of a span.
#[derive(Debug)]
pub struct Watch {
    root: Root,
    limits: LimitWatch,
    /// By worker; 0 = not known.
    threads: Vec<i32>,
    before: Counts,
    after: Counts,
    tasks: Option<Tasks>,
    effort: Effort,
}

/// Counters at one edge of the window. Where there are more threads than CPUs reading them takes a while, in
/// which the workers go on: so each has its time.
#[derive(Debug, Default)]
struct Counts {
    /// When reading began, and when it was over.
    at: Nanos,
    over: Nanos,
    times: Vec<Option<(Nanos, ThreadTimes)>>,
    process: (Nanos, u64),
}

impl Watch {
    /// Finds out what doesn't change in the window.
    pub fn new(plan: &SpanPlan) -> Watch {
        let root = Root::live();
        let limits = LimitWatch::new(root.clone());
        let worker = |worker: &diskspd_model::plan::WorkerPlan| WorkerEffort {
            engine: worker.engine,
            depth: worker.depth,
            cpu: worker.cpu,
            times: None,
        };
        let effort = Effort {
            workers: plan.workers.iter().map(worker).collect(),
            tool: Some(cost::measure()),
            ..Effort::default()
        };
        let (before, after) = (Counts::default(), Counts::default());
        Watch { root, limits, threads: Vec::new(), before, after, tasks: None, effort }
    }

    /// The window opens soon. Takes a millisecond for a hundred processes.
    pub fn is_near(&mut self) {
        self.tasks = Tasks::read(&self.root);
    }

    /// The window opens: these are the workers.
    pub fn begin(&mut self, workers: &[Counters]) {
        self.threads = workers.iter().map(Counters::thread).collect();
        self.limits.begin(clock::monotonic());
        self.before = self.count();
    }

    /// Within the window, once a second.
    pub fn look(&mut self, now: Nanos) {
        self.limits.look(now);
    }

    /// The window has closed.
    pub fn end(&mut self) {
        let after = self.count();
        let window = after.at.saturating_sub(self.before.over);
        let times = after.times.iter().zip(&self.before.times);
        for (worker, (after, before)) in self.effort.workers.iter_mut().zip(times) {
            worker.times = after.zip(*before).map(|((end, after), (begin, before))| {
                after.since(&before).within(window, end.saturating_sub(begin))
            });
        }
        let ((end, after_all), (begin, before_all)) = (after.process, self.before.process);
        let process = ThreadTimes { busy: after_all.saturating_sub(before_all), ..ThreadTimes::default() };
        self.effort.process = process.within(window, end.saturating_sub(begin)).busy;
        self.limits.look(after.at);
        self.after = after;
    }

    /// The window has closed, and what belongs to it was read.
    pub fn is_over(&mut self) {
        self.limits.finish(&mut self.effort);
        let before = self.tasks.take();
        let after = before.as_ref().and_then(|_| Tasks::read(&self.root));
        self.effort.others = after.zip(before).map(|(after, before)| after.since(&before));
    }

    /// What was found, when the workers have ended.
    pub fn finish(mut self, workers: &[Counters]) -> Effort {
        let seen = self.effort.workers.iter_mut().zip(workers).zip(&self.after.times);
        for ((worker, counters), at_end) in seen {
            let Some((times, (at, at_end))) = worker.times.as_mut().zip(*at_end) else { continue };
            let Some((waiting, (over, waited))) = at_end.waiting.zip(counters.over()) else { continue };
            let going_on = going_on((at, waiting), (over, waited));
            times.waiting = times.waiting.map(|waiting| waiting.saturating_add(going_on));
        }
        self.effort
    }

    fn count(&self) -> Counts {
        let at = clock::monotonic();
        let times = |thread: &i32| {
            diskspd_host::threads::of(&self.root, *thread).map(|times| (clock::monotonic(), times))
        };
        let times = self.threads.iter().map(times).collect();
        let process = clock::process_cpu();
        let over = clock::monotonic();
        Counts { at, over, times, process: (over, process) }
    }
}

/// How long a thread had been waiting for a CPU already when the window closed, ns: the kernel counts a
/// wait when it is over. What was counted afterwards beyond the time that passed began before. Both: when,
/// and the wait counted until then.
fn going_on((closed, waiting): (Nanos, u64), (over, waited): (Nanos, u64)) -> u64 {
    waited.saturating_sub(waiting).saturating_sub(over.saturating_sub(closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_goes_on_at_the_end_counts_as_far_as_it_lies_before() {
        // Without a CPU from 300 ns before to 50 ns behind the end, then 20 ns of work.
        assert_eq!(going_on((1000, 7), (1070, 357)), 280);
        // Work only; a wait that began afterwards; nothing.
        assert_eq!(going_on((1000, 7), (1070, 7)), 0);
        assert_eq!(going_on((1000, 7), (1070, 57)), 0);
        assert_eq!(going_on((1000, 7), (1000, 7)), 0);
    }
}
