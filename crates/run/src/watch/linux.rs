//! Observation on Linux: devices, groups, traces, the tool's overhead.

pub(crate) mod arrays;
pub(crate) mod changes;
pub(crate) mod cost;
pub(crate) mod device_logs;
pub(crate) mod explain;
pub(crate) mod limits;
pub(crate) mod observe;
pub(crate) mod observe_devices;
pub(crate) mod observe_remote;
pub(crate) mod resource_usage;
pub(crate) mod trace;
pub(crate) mod window_counters;
