//! What the workers take: their CPU times and the counters of control groups, at both edges of the measured window.

use super::cost;
use super::live::Counters;
use crate::clock;
use crate::plan::SpanPlan;
use crate::results::{Effort, WorkerEffort};
use crate::system::cgroup::{CpuQuota, Groups, quotas_since};
use crate::system::root::Root;
use crate::system::threads::ThreadTimes;

/// Watches the workers of a span.
#[derive(Debug)]
pub struct Watch {
    root: Root,
    groups: Groups,
    /// By worker; 0 = not known.
    threads: Vec<i32>,
    before: Counts,
    effort: Effort,
}

/// Counters at one time.
#[derive(Debug, Default)]
struct Counts {
    times: Vec<Option<ThreadTimes>>,
    process: u64,
    quotas: Vec<CpuQuota>,
}

impl Watch {
    /// Finds out what doesn't change in the window.
    pub fn new(plan: &SpanPlan) -> Watch {
        let root = Root::live();
        let groups = Groups::find(&root);
        let worker = |worker: &crate::plan::WorkerPlan| WorkerEffort {
            engine: worker.engine,
            depth: worker.depth,
            cpu: worker.cpu,
            times: None,
        };
        let effort = Effort {
            workers: plan.workers.iter().map(worker).collect(),
            tool: Some(cost::measure()),
            io_limits: groups.io_limits(),
            ..Effort::default()
        };
        Watch { root, groups, threads: Vec::new(), before: Counts::default(), effort }
    }

    /// The window opens: these are the workers.
    pub fn begin(&mut self, workers: &[Counters]) {
        self.threads = workers.iter().map(Counters::thread).collect();
        self.before = self.count();
    }

    /// The window has closed.
    pub fn end(&mut self) {
        let after = self.count();
        let times = after.times.iter().zip(&self.before.times);
        for (worker, (after, before)) in self.effort.workers.iter_mut().zip(times) {
            worker.times = after.as_ref().zip(before.as_ref()).map(|(after, before)| after.since(before));
        }
        self.effort.process = after.process.saturating_sub(self.before.process);
        self.effort.quotas = quotas_since(&after.quotas, &self.before.quotas);
    }

    /// What was found.
    pub fn finish(self) -> Effort {
        self.effort
    }

    fn count(&self) -> Counts {
        Counts {
            times: self.threads.iter().map(|thread| ThreadTimes::of(&self.root, *thread)).collect(),
            process: clock::process_cpu(),
            quotas: self.groups.cpu_quotas(),
        }
    }
}
