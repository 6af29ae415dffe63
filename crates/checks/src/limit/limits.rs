//! Limiting factor of a time span, with the underlying figures.

use diskspd_results::Limiter;
use serde::Serialize;

/// Resource use and limiting factor of a time span. CPU times are shares of one CPU, by thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    /// Limiting factor; `None` if the CPU times of the threads are unknown, or the time span was too
    /// short.
    pub limited_by: Option<Limiter>,
    pub busy: Option<f64>,
    pub busiest: Option<f64>,
    /// Mean user time of the threads; the rest of `busy` is kernel time.
    pub user: Option<f64>,
    /// Mean run-queue delay, including wake-ups.
    pub run_delay: Option<f64>,
    /// Estimated maximum I/Os per second without CPU waits; `None` = negligible difference.
    #[serde(rename = "uncontended_iops")]
    pub uncontended_iops: Option<f64>,
    /// Mean time stolen by a hypervisor from the CPUs of the threads.
    pub steal: Option<f64>,
    /// Maximum share of time that a CPU spent on interrupts.
    pub interrupts: Option<f64>,
    /// CPU time per I/O in ns.
    pub cpu_per_io: Option<f64>,
    /// Estimated maximum I/Os per second of these threads without waiting for storage, limited by the
    /// number of CPUs.
    pub ceiling_iops: Option<f64>,
    pub depth: u64,
    /// Mean I/Os in flight, from the latencies (`-L`).
    pub in_flight: Option<f64>,
    /// Mean number of I/Os in flight at the targets' devices, by their own clocks. It is after merging and
    /// splitting, and includes other programs. `None` without devices or counters.
    pub device_in_flight: Option<f64>,
    /// Mean number of the threads' I/Os in flight at the lowest devices, for unbuffered I/O.
    pub leaf_in_flight: Option<f64>,
    /// Ratio of `in_flight` to `depth` in a closed loop, where it must be 1.
    pub in_flight_share: Option<f64>,
}
