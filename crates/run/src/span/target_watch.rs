//! The speed of each target for the progress display.

use diskspd_plan::SpanPlan;
use diskspd_worker::listener::TargetSpeed;
use diskspd_worker::run_reporter::speed_between;
use diskspd_worker::telemetry::live::{Counters, WorkerSums, collect};

/// Maximum number of targets with separate figures.
const MAX_TARGETS: usize = 16;

struct WatchedTarget {
    name: String,
    workers: Vec<usize>,
    before: WorkerSums,
}

/// Workers by target; empty = a single target, or a worker with several.
pub(super) struct TargetWatch(Vec<WatchedTarget>);

impl TargetWatch {
    pub(super) fn new(plan: &SpanPlan) -> TargetWatch {
        let mut targets: Vec<WatchedTarget> = Vec::new();
        for (worker, of) in plan.workers.iter().enumerate() {
            let [target, further @ ..] = &of.targets[..] else { continue };
            if further.iter().any(|other| other.target != target.target) {
                return TargetWatch(Vec::new());
            }
            let name = target.path.to_string();
            match targets.iter_mut().find(|known| known.name == name) {
                Some(known) => known.workers.push(worker),
                None => {
                    targets.push(WatchedTarget { name, workers: vec![worker], before: WorkerSums::default() })
                }
            }
        }
        if targets.len() < 2 || targets.len() > MAX_TARGETS {
            targets.clear();
        }
        TargetWatch(targets)
    }

    /// Returns the speeds since the last call; empty at the first call.
    pub(super) fn measure(&mut self, live: &[Counters]) -> Vec<TargetSpeed> {
        let one = |target: &mut WatchedTarget| {
            let now = collect(target.workers.iter().filter_map(|worker| live.get(*worker)));
            let speed = speed_between(&target.before, &now);
            target.before = now;
            Some(TargetSpeed { name: target.name.clone(), speed: speed? })
        };
        self.0.iter_mut().filter_map(one).collect()
    }
}
