//! Cost of the workers: their CPU times and the counters of control groups at both edges of the measured
//! window, and other CPU users.

use crate::watch::linux::cost;
use crate::watch::linux::limits::LimitWatch;
use diskspd_host::root::Root;
use diskspd_host::tasks::Tasks;
use diskspd_machine::threads::ThreadTimes;
use diskspd_plan::SpanPlan;
use diskspd_results::{AffinityChange, ResourceUsage, WorkerUsage};
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::cpu;
use diskspd_worker::telemetry::live::Counters;

#[derive(Debug)]
pub(crate) struct Watch {
    root: Root,
    limits: LimitWatch,
    threads: Vec<i32>,
    bindings: Bindings,
    before: Counts,
    after: Counts,
    tasks: Option<Tasks>,
    effort: ResourceUsage,
}

/// Affinity of the workers, which may change during a run (`taskset -p`, a cpuset).
#[derive(Debug, Default)]
struct Bindings {
    begun: Nanos,
    /// Time of the last check in us since the start of the window.
    last_us: u64,
    first: Vec<Vec<u32>>,
}

impl Bindings {
    fn begin(&mut self, now: Nanos, threads: &[i32], workers: &[WorkerUsage]) {
        let first = |(thread, worker): (&i32, &WorkerUsage)| match (thread, worker.cpu) {
            (0, _) => Vec::new(),
            (_, Some(cpu)) => vec![cpu],
            (thread, None) => cpu::allowed_to(*thread),
        };
        *self = Bindings { begun: now, last_us: 0, first: threads.iter().zip(workers).map(first).collect() };
    }

    /// Reads the usage within the window or at its end.
    fn read_usage(&mut self, now: Nanos, threads: &[i32], workers: &mut [WorkerUsage]) {
        let seen_us = now.saturating_sub(self.begun) / 1000;
        for ((thread, first), worker) in threads.iter().zip(&self.first).zip(workers) {
            if first.is_empty() || worker.affinity_change.is_some() {
                continue;
            }
            let cpus = cpu::allowed_to(*thread);
            if !cpus.is_empty() && cpus != *first {
                worker.affinity_change =
                    Some(AffinityChange { after_us: self.last_us, observed_us: seen_us, cpus });
            }
        }
        self.last_us = seen_us;
    }
}

/// Counters at one edge of the window. Each has a separate time, because reading them takes time on busy
/// machines.
#[derive(Debug, Default)]
struct Counts {
    /// Start and end of the reading.
    at: Nanos,
    over: Nanos,
    times: Vec<Option<(Nanos, ThreadTimes)>>,
    process: (Nanos, u64),
}

impl Watch {
    /// Reads the properties that do not change in the window.
    pub(crate) fn new(plan: &SpanPlan) -> Watch {
        let root = Root::live_system();
        let limits = LimitWatch::new(root.clone());
        let worker = |worker: &diskspd_plan::WorkerPlan| WorkerUsage {
            engine: worker.engine,
            depth: worker.depth,
            cpu: worker.cpu,
            affinity_change: None,
            times: None,
        };
        let effort = ResourceUsage {
            workers: plan.workers.iter().map(worker).collect(),
            tool: Some(cost::measure()),
            ..ResourceUsage::default()
        };
        let (before, after) = (Counts::default(), Counts::default());
        Watch {
            root,
            limits,
            threads: Vec::new(),
            bindings: Bindings::default(),
            before,
            after,
            tasks: None,
            effort,
        }
    }

    /// Prepares for the window; takes a millisecond for a hundred processes.
    pub(crate) fn is_near(&mut self) {
        self.tasks = Tasks::read(&self.root);
    }

    pub(crate) fn begin(&mut self, workers: &[Counters]) {
        self.threads = workers.iter().map(Counters::thread).collect();
        let now = clock::monotonic();
        self.limits.begin(now);
        self.bindings.begin(now, &self.threads, &self.effort.workers);
        self.before = self.count();
    }

    /// Reads the usage within the window, once a second.
    pub(crate) fn read_usage(&mut self, now: Nanos) {
        self.limits.read_limits(now);
        self.bindings.read_usage(now, &self.threads, &mut self.effort.workers);
    }

    pub(crate) fn end(&mut self) {
        let after = self.count();
        let window = after.at.saturating_sub(self.before.over);
        let times = after.times.iter().zip(&self.before.times);
        for (worker, (after, before)) in self.effort.workers.iter_mut().zip(times) {
            worker.times = after.zip(*before).map(|((end, after), (begin, before))| {
                after.since(&before).scale_to_window(window, end.saturating_sub(begin))
            });
        }
        let ((end, after_all), (begin, before_all)) = (after.process, self.before.process);
        let process = ThreadTimes { busy: after_all.saturating_sub(before_all), ..ThreadTimes::default() };
        self.effort.process = process.scale_to_window(window, end.saturating_sub(begin)).busy;
        self.limits.read_limits(after.at);
        self.bindings.read_usage(after.at, &self.threads, &mut self.effort.workers);
        self.after = after;
    }

    pub(crate) fn is_over(&mut self) {
        self.limits.finish(&mut self.effort);
        let before = self.tasks.take();
        let after = before.as_ref().and_then(|_| Tasks::read(&self.root));
        self.effort.other_processes = after.zip(before).map(|(after, before)| after.since(&before));
    }

    pub(crate) fn finish(mut self, workers: &[Counters]) -> ResourceUsage {
        let seen = self.effort.workers.iter_mut().zip(workers).zip(&self.after.times);
        for ((worker, counters), at_end) in seen {
            let Some((times, (at, at_end))) = worker.times.as_mut().zip(*at_end) else { continue };
            let Some((waiting, (over, waited))) = at_end.run_delay.zip(counters.measured_time()) else {
                continue;
            };
            let going_on = going_on((at, waiting), (over, waited));
            times.run_delay = times.run_delay.map(|waiting| waiting.saturating_add(going_on));
        }
        self.effort
    }

    fn count(&self) -> Counts {
        let at = clock::monotonic();
        let times = |thread: &i32| {
            diskspd_host::threads::read_times(&self.root, *thread).map(|times| (clock::monotonic(), times))
        };
        let times = self.threads.iter().map(times).collect();
        let process = clock::process_cpu();
        let over = clock::monotonic();
        Counts { at, over, times, process: (over, process) }
    }
}

/// Returns how long a thread had already been waiting for a CPU when the window closed, in ns. The kernel
/// counts a wait at its end, so counts beyond the passed time began before. Both arguments: the time, and
/// the wait counted until then.
fn going_on((closed, waiting): (Nanos, u64), (over, waited): (Nanos, u64)) -> u64 {
    waited.saturating_sub(waiting).saturating_sub(over.saturating_sub(closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_affinity_change_is_reported_once() {
        let all = cpu::allowed();
        let (first, last) = (all[0], all[all.len() - 1]);
        let worker = |cpu| WorkerUsage {
            engine: diskspd_base::engines::EngineKind::Uring,
            depth: 1,
            cpu,
            affinity_change: None,
            times: None,
        };
        std::thread::spawn(move || {
            cpu::bind_to(first).unwrap();
            // One that stays, one that was to be elsewhere, one that was bound to none, one that is unknown.
            let threads = [cpu::thread_number(), cpu::thread_number(), cpu::thread_number(), 0];
            let mut workers = [worker(Some(first)), worker(Some(u32::MAX)), worker(None), worker(Some(7))];
            let mut bindings = Bindings::default();
            bindings.begin(1_000_000, &threads, &workers);
            bindings.read_usage(2_000_000, &threads, &mut workers);
            let seen = |after_us, seen_us, cpus: &[u32]| {
                Some(AffinityChange { after_us, observed_us: seen_us, cpus: cpus.to_vec() })
            };
            assert_eq!(
                workers.clone().map(|worker| worker.affinity_change),
                [None, seen(0, 1000, &[first]), None, None]
            );
            cpu::use_only(&all).unwrap();
            bindings.read_usage(3_000_000, &threads, &mut workers);
            let moved = (first != last).then(|| seen(1000, 2000, &all)).flatten();
            let expected = [moved.clone(), seen(0, 1000, &[first]), moved, None];
            assert_eq!(workers.map(|worker| worker.affinity_change), expected);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn unfinished_wait_counts_until_the_end() {
        // Without a CPU from 300 ns before to 50 ns behind the end, then 20 ns of work.
        assert_eq!(going_on((1000, 7), (1070, 357)), 280);
        // Work only; a wait that began afterwards; nothing.
        assert_eq!(going_on((1000, 7), (1070, 7)), 0);
        assert_eq!(going_on((1000, 7), (1070, 57)), 0);
        assert_eq!(going_on((1000, 7), (1000, 7)), 0);
    }
}
