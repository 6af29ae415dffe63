//! The counters of devices, right before and right after the measured window.

use diskspd_host::io_counters::{Counters, Reading};
use diskspd_host::root::Root;
use diskspd_machine::io_counters::{DeviceActivity, DeviceFacts};
use diskspd_machine::stack::Stack;
use diskspd_sys::clock;

#[derive(Debug)]
pub(crate) struct DeviceReadings {
    pub names: Vec<String>,
    counters: Counters,
    before: Option<(clock::Nanos, Reading)>,
    /// End time and values of the second reading.
    after: Option<(clock::Nanos, Reading)>,
    /// Whether the counters of each device were enabled or disabled since the first reading.
    switched: Vec<bool>,
}

impl DeviceReadings {
    /// Opens the counters of these devices.
    pub(crate) fn for_devices(names: Vec<String>) -> DeviceReadings {
        let counters = Counters::open(&Root::live_system(), &names);
        let switched = vec![false; names.len()];
        DeviceReadings { names, counters, before: None, after: None, switched }
    }

    /// Takes the first reading, which began at `at`. Devices count I/O between the reading and the window,
    /// but workers do not, so nothing else may come between.
    pub(crate) fn begin(&mut self, at: clock::Nanos) {
        self.before = Some((at, self.counters.read()));
    }

    /// Takes the second reading for a later evaluation.
    pub(crate) fn read(&mut self) -> Reading {
        self.counters.read()
    }

    /// Stores the second reading after all data has been read.
    pub(crate) fn end(&mut self, reading: Reading) {
        self.see_switches(&reading.counted);
        self.after = Some((clock::monotonic(), reading));
    }

    /// Within the window, now and then: whether the devices' I/O is counted. Reads a byte of each.
    pub(crate) fn look_at_switches(&mut self) {
        self.see_switches(&self.counters.counted());
    }

    fn see_switches(&mut self, now: &[bool]) {
        let Some((_, before)) = &self.before else { return };
        for (switched, (now, before)) in self.switched.iter_mut().zip(now.iter().zip(&before.counted)) {
            *switched |= now != before;
        }
    }

    /// Returns the facts without the targets' facts; `None` if the time span was not measured to its end.
    pub(crate) fn finish(self) -> Option<DeviceFacts> {
        let ((begin, before), (end, after)) = (self.before?, self.after?);
        let readings = before.devices.iter().zip(&after.devices).zip(&self.switched);
        let devices = self.names.iter().zip(readings).filter_map(|(name, ((before, after), switched))| {
            let (before, after) = (before.as_ref()?, after.as_ref()?);
            Some(DeviceActivity {
                name: name.clone(),
                activity: after.since(before),
                in_flight_before: before.in_flight,
                has_statistics: after.read.ios + after.write.ios > 0,
                statistics_switched: *switched,
                changes: Vec::new(),
                counts_flushes: after.flushes.is_some_and(|flushes| flushes > 0),
            })
        });
        Some(DeviceFacts {
            devices: devices.collect(),
            process: before.own.zip(after.own).map(|(before, after)| after.since(&before)),
            unwritten: before.unwritten.zip(after.unwritten),
            elapsed: end - begin,
            ..DeviceFacts::default()
        })
    }
}

pub(crate) fn names_of<'a>(stacks: impl Iterator<Item = &'a Stack>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for layer in stacks.flat_map(|stack| &stack.layers) {
        if layer.remote.is_none() && !names.contains(&layer.name) {
            names.push(layer.name.clone());
        }
    }
    names
}
