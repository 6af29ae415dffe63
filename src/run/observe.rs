//! Observes the measured window from outside: what `truth` judges the figures by.
//!
//! Everything is read by the controlling thread, before accounting is switched on and after it is switched off: within
//! the window nothing happens that wouldn't happen without an observer.

use super::observe_devices::{self, DeviceWatch};
use super::span::Options;
use crate::plan::SpanPlan;
use crate::results::Observed;
use crate::system::System;

/// The observer of one time span in real time.
#[derive(Debug)]
pub struct Observer<'a> {
    /// What is done, on which targets.
    _plan: &'a SpanPlan,
    _system: &'a System,
    devices: DeviceWatch,
    observed: Observed,
}

impl<'a> Observer<'a> {
    /// Looks at what doesn't change in the window, before the start signal. Takes milliseconds.
    pub fn new(plan: &'a SpanPlan, system: &'a System, options: &Options) -> Observer<'a> {
        let devices = DeviceWatch::new(plan, options.flush_after);
        Observer { _plan: plan, _system: system, devices, observed: Observed::default() }
    }

    /// Shortly before accounting is switched on: what takes longer.
    pub fn measurement_is_near(&mut self) {
        self.devices.look_at_memory_before();
    }

    /// Right before accounting is switched on.
    pub fn measurement_begins(&mut self) {
        self.devices.begin();
    }

    /// Right after accounting was switched off.
    pub fn measurement_ended(&mut self) {
        self.devices.end();
    }

    /// When all that belongs to the window has been read, before the cool-down.
    pub fn measurement_is_over(&mut self) {
        self.devices.look_at_memory();
    }

    /// When the workers have ended: what takes longer.
    pub fn finish(mut self) -> Observed {
        self.observed.devices = self.devices.finish();
        self.observed
    }
}

/// What there is to observe of a time span in simulated time: nothing took part.
pub fn simulated(plan: &SpanPlan) -> Observed {
    Observed { devices: Some(observe_devices::simulated(plan)) }
}
