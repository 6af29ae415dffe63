//! Traced events (`-e`).

use diskspd_figures::stats::Histogram;
use diskspd_figures::units::Millis;
use diskspd_machine::tracing::TraceEvent;
use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Trace of the whole machine during the measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    pub counts: Vec<EventCount>,
    /// `DISK_IO`: service times of the targets' devices; `None` = not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<DeviceTimes>>,
    pub session: TraceSession,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    pub event: TraceEvent,
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Service times of one device's requests, from issue to the driver to completion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceTimes {
    pub device: String,
    pub targets: Vec<TargetId>,
    pub read: CompletionTimes,
    pub write: CompletionTimes,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flushes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Requests of one direction at the device, after merging and splitting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompletionTimes {
    pub requests: u64,
    /// Times in ns; requests from before the trace or with lost events are missing.
    pub times: Histogram,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Recording of individual events. Events that are only counted need no buffer and cannot be lost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceSession {
    /// Time stamp clock, named as in clock_gettime(2).
    pub clock: String,
    /// Size of a buffer in KiB; 0 = nothing was recorded.
    pub buffer_kib: u64,
    pub buffers: u64,
    pub read: u64,
    /// Events lost because a buffer was full, as counted by the kernel.
    pub lost_events: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceFigures {
    pub counts: Vec<EventCount>,
    /// `DISK_IO` by device.
    pub devices: Option<Vec<DeviceFigures>>,
    pub session: TraceSession,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceFigures {
    pub device: String,
    pub read: CompletionFigures,
    pub write: CompletionFigures,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flushes: u64,
    pub reason: Option<String>,
}

/// Times of one direction, ms; `None` = no request, or for `own`: no I/O, or latencies were not measured
/// (`-L`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CompletionFigures {
    pub requests: u64,
    pub timed: u64,
    pub mean: Option<Millis>,
    pub median: Option<Millis>,
    /// 99th percentile.
    pub p99: Option<Millis>,
    pub own: Option<Millis>,
}
