//! Observation of a run outside its workers: devices, processors, the tool's overhead, traces.

pub(super) mod device_readings;
pub(super) mod outage_watch;
pub(super) mod sampler;
pub(super) mod ticks;

#[cfg(target_os = "linux")]
pub(super) mod linux;
