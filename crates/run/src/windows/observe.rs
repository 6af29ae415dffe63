//! Observation of a time span in real time outside its workers: counters of the volumes and disks of its
//! files.

use crate::unobserved::{targets, without_io};
use crate::watch::device_readings::{DeviceReadings, names_of};
use diskspd_host::stack;
use diskspd_machine::io_counters::{DeviceFacts, TargetDevices};
use diskspd_plan::SpanPlan;
use diskspd_results::Observations;
use diskspd_sys::clock::{self, Nanos};
use diskspd_worker::SlowestRings;
use diskspd_worker::telemetry::live::Counters;

#[derive(Debug)]
pub(crate) struct Observer {
    targets: Vec<TargetDevices>,
    readings: DeviceReadings,
    pub observed: Observations,
}

impl Observer {
    /// Finds the volumes and disks of a time span's targets, and opens the counters.
    pub(crate) fn new(plan: &SpanPlan) -> Observer {
        let target = |(engine, target): (_, &diskspd_plan::WorkerTarget)| {
            let stack = without_io(engine).unwrap_or_else(|| stack::stack(&target.location));
            TargetDevices { target: target.id, stack, ..TargetDevices::default() }
        };
        let targets: Vec<TargetDevices> = targets(plan).into_iter().map(target).collect();
        let readings = DeviceReadings::for_devices(names_of(targets.iter().map(|target| &target.stack)));
        Observer { targets, readings, observed: Observations::default() }
    }

    pub(crate) fn device_names(&self) -> &[String] {
        &self.readings.names
    }

    /// Always `None` on Windows.
    pub(crate) fn slowest(&self) -> Option<SlowestRings> {
        None
    }

    pub(crate) fn began(&self, _: Nanos) {}

    /// Called shortly before the start of accounting.
    pub(crate) fn measurement_is_near(&mut self, _: &[Counters]) {}

    /// Called right before the start of accounting.
    pub(crate) fn measurement_begins(&mut self, _: &[Counters]) {
        self.readings.begin(clock::monotonic());
    }

    /// Called within the window, once a second.
    pub(crate) fn take_samples(&mut self, _: Nanos) {
        self.readings.look_at_switches();
    }

    /// Called right after the end of accounting.
    pub(crate) fn measurement_ended(&mut self) {
        let reading = self.readings.read();
        self.readings.end(reading);
    }

    /// Called after the last reading of the window.
    pub(crate) fn measurement_is_over(&mut self) {}

    pub(crate) fn finish_observation(self, workers: &[Counters]) -> Observations {
        self.finish(workers)
    }

    pub(crate) fn finish(mut self, _: &[Counters]) -> Observations {
        let targets = self.targets;
        self.observed.devices = self.readings.finish().map(|facts| DeviceFacts { targets, ..facts });
        self.observed
    }
}
