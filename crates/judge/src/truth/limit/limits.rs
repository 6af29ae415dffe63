//! What limited a time span, with the figures that it follows from.

use diskspd_model::results::Limiter;
use serde::Serialize;

/// What a time span took, and what limited it. CPU times are shares of one CPU, by thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    /// What limited it; `None` = the CPU times of the threads are not known, or it was too short.
    pub limited_by: Option<Limiter>,
    pub busy: Option<f64>,
    pub busiest: Option<f64>,
    /// What they used in the program itself, on average; the rest of `busy` is the kernel's.
    pub user: Option<f64>,
    /// How long they were ready to run without a CPU, on average; waking up included.
    pub run_delay: Option<f64>,
    /// I/Os per second that they would have done at most if they had never waited for CPUs that were in
    /// use; `None` = that would have changed less than matters.
    #[serde(rename = "uncrowded_iops")]
    pub uncontended_iops: Option<f64>,
    /// What a hypervisor took from the CPUs of the threads, on average.
    pub steal: Option<f64>,
    /// The largest share of its time that a CPU spent on interrupts, whichever CPU.
    pub interrupts: Option<f64>,
    /// CPU time for an I/O, ns.
    pub cpu_per_io: Option<f64>,
    /// I/Os per second that these threads would do if they never waited for the storage, or as many of them
    /// as there are CPUs.
    pub ceiling_iops: Option<f64>,
    /// I/Os that were to be outstanding, all threads together.
    pub depth: u64,
    /// I/Os in flight on average, by the latencies (`-L`).
    pub in_flight: Option<f64>,
    /// I/Os that the devices right beneath the targets had in flight on average, by their own clocks: after
    /// merging and splitting, others' included; `None` = there are none, or they don't tell.
    pub device_in_flight: Option<f64>,
    /// I/Os of the threads that the devices with nothing beneath them had in flight on average, past the
    /// page cache.
    pub leaf_in_flight: Option<f64>,
    /// Share of `depth` that `in_flight` is, where it has to be all of it: in a closed loop.
    pub in_flight_share: Option<f64>,
}
