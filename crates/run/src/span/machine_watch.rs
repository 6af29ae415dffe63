//! Figures of the machine for the progress display, once a second and only if it is shown.

use crate::services::CpuClock;
use diskspd_host::io_counters::Counters;
use diskspd_host::root::Root;
use diskspd_machine::Topology;
use diskspd_plan::SpanPlan;
use diskspd_worker::listener::MachineSpeed;
use diskspd_worker::telemetry::live;

/// Minimum number of bytes for a statement about the device.
const MIN_BYTES: u64 = 1 << 20;

pub(super) struct MachineWatch<'a> {
    topology: &'a Topology,
    cpu: Option<CpuClock>,
    /// Counters of the devices; `None` = the device's share is not determined.
    device: Option<DeviceWatch>,
}

/// Counters of all layers of a target.
struct DeviceWatch {
    counters: Counters,
    first: Option<FirstReading>,
}

struct FirstReading {
    /// Transferred bytes of each layer.
    layers: Vec<u64>,
    /// Transferred bytes of the workload.
    workload: u64,
}

/// Whether the workers of a plan both read and write.
pub(super) fn has_both_directions(plan: &SpanPlan) -> bool {
    let ratios = || plan.workers.iter().flat_map(|worker| &worker.targets).map(|t| t.workload.write_ratio);
    plan.replay.is_some() || (ratios().any(|ratio| ratio < 100) && ratios().any(|ratio| ratio > 0))
}

impl<'a> MachineWatch<'a> {
    /// `devices` = block devices of the targets during the measurement; empty in other phases.
    pub(super) fn new(plan: &SpanPlan, topology: &'a Topology, devices: &[String]) -> MachineWatch<'a> {
        // Layers of one target all see its I/O; of several targets they cannot be assigned.
        let is_known = plan.targets == 1 && !devices.is_empty();
        let device = is_known
            .then(|| DeviceWatch { counters: Counters::open(&Root::live_system(), devices), first: None });
        MachineWatch { topology, cpu: CpuClock::read().ok(), device }
    }

    /// Returns the figures since the last call.
    pub(super) fn measure(&mut self, workers: &[live::Counters]) -> MachineSpeed {
        let (_, bytes) = live::totals(workers);
        MachineSpeed { cpu_percent: self.cpu(), device_share: self.device_share(bytes) }
    }

    fn cpu(&mut self) -> Option<f64> {
        let now = CpuClock::read().ok()?;
        let times = self.cpu.as_ref().map(|before| now.since(before, self.topology));
        self.cpu = Some(now);
        let busy: u64 = times.iter().flatten().map(|times| times.kernel + times.user).sum();
        let all: u64 = times.iter().flatten().map(|times| times.kernel + times.user + times.idle).sum();
        (all > 0).then(|| busy as f64 * 100.0 / all as f64)
    }

    fn device_share(&mut self, bytes: u64) -> Option<f64> {
        let DeviceWatch { counters, first } = self.device.as_mut()?;
        let reading = counters.read();
        let transferred =
            reading.devices.iter().flatten().map(|device| device.read.bytes + device.write.bytes);
        let layers: Vec<u64> = transferred.collect();
        let first = first.get_or_insert_with(|| FirstReading { layers: layers.clone(), workload: bytes });
        let workload = bytes.saturating_sub(first.workload);
        let pairs = layers.iter().zip(&first.layers);
        let most = pairs.map(|(now, before)| now.saturating_sub(*before)).max()?;
        (workload >= MIN_BYTES).then(|| most as f64 / workload as f64)
    }
}
