//! Observation of a run outside its workers: devices, processors, the tool's overhead, traces.

// The same everywhere.
pub(super) mod device_readings;
pub(super) mod outage_watch;
pub(super) mod sampler;
pub(super) mod ticks;

// Linux's.
#[cfg(target_os = "linux")]
pub(super) mod arrays;
#[cfg(target_os = "linux")]
mod changes;
#[cfg(target_os = "linux")]
mod cost;
#[cfg(target_os = "linux")]
mod device_logs;
#[cfg(target_os = "linux")]
pub(super) mod explain;
#[cfg(target_os = "linux")]
pub(super) mod limits;
#[cfg(target_os = "linux")]
pub(super) mod observe;
#[cfg(target_os = "linux")]
pub(super) mod observe_devices;
#[cfg(target_os = "linux")]
pub(super) mod observe_remote;
#[cfg(target_os = "linux")]
pub(super) mod resource_usage;
#[cfg(target_os = "linux")]
pub(super) mod trace;
#[cfg(target_os = "linux")]
mod window_counters;
