//! Observes the measured window from outside: what `truth` judges the figures by.
//!
//! Everything is read by the controlling thread, before accounting is switched on and after it is switched off: within
//! the window nothing happens that wouldn't happen without an observer.

use crate::plan::SpanPlan;
use crate::results::Observed;
use crate::system::System;

/// The observer of one time span in real time.
#[derive(Debug)]
pub struct Observer<'a> {
    /// What is done, on which targets.
    _plan: &'a SpanPlan,
    _system: &'a System,
    observed: Observed,
}

impl<'a> Observer<'a> {
    /// Looks at what doesn't change in the window, before the start signal. Takes milliseconds.
    pub fn new(plan: &'a SpanPlan, system: &'a System) -> Observer<'a> {
        let mut engines: Vec<String> = Vec::new();
        for worker in &plan.workers {
            let name = worker.engine.row().name;
            if !engines.iter().any(|known| known == name) {
                engines.push(name.to_owned());
            }
        }
        let polled = plan.workers.iter().any(|worker| worker.poll);
        Observer { _plan: plan, _system: system, observed: Observed { engines, polled } }
    }

    /// Right before accounting is switched on.
    pub fn measurement_begins(&mut self) {}

    /// Right after accounting was switched off.
    pub fn measurement_ended(&mut self) {}

    /// When the workers have ended: what takes longer.
    pub fn finish(self) -> Observed {
        self.observed
    }
}
