//! Observations around the measured window other than the I/Os: facts for `checks`.

use super::{
    Delays, LostTimes, OutageObservations, ResourceUsage, Sample, SlowIos, TickCounts, Trace, WarmUp,
};
use diskspd_figures::stats::LatencySeries;
use diskspd_machine::completion::OneByOne;
use diskspd_machine::content::ContentFacts;
use diskspd_machine::cpu_sleeps::CpuSleeps;
use diskspd_machine::device_log::DeviceLogDelta;
use diskspd_machine::interrupts::DeviceInterrupts;
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::thermal::Thermal;
use diskspd_machine::tracer::Tracer;
use serde::{Deserialize, Serialize};

/// Facts about one time span. Unobserved values are missing, never zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observations {
    /// I/O by second over all threads; empty = less than a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// 99th percentile of the latencies in each sample in ns, within 1 %, 0 without latencies; empty if not
    /// observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p99_ns: Vec<u64>,
    /// I/O in ticks of 20 ms (longer in long time spans); missing = not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticks: Option<TickCounts>,
    /// Observed outages of targets; missing = not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage_observations: Option<OutageObservations>,
    /// Summed latencies by second (`-L`); missing = not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<LatencySeries>,
    /// Tracer of the program or one of its threads (`TracerPid`); missing = untraced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracer: Option<Tracer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<Delays>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// Bytes to write before the measurement may end early (`--until-written`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_written: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_read: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_usage: Option<ResourceUsage>,
    /// Time of each active CPU lost to interrupts and other machines, in the order and unit of
    /// [`cpus`](super::SpanResults::cpus); empty if not observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_cpu_times: Vec<LostTimes>,
    /// Kernel numbers of active CPUs that went offline during the window; their times are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offline: Vec<u32>,
    /// Number of sleeps of the processors that threads are bound to; empty = no bound threads, or not counted
    /// by the kernel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle_entries: Vec<CpuSleeps>,
    /// CPUs of the disks' interrupts; empty without such interrupts, or if the kernel does not count them
    /// by CPU.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<DeviceInterrupts>,
    /// Maximum permitted wake-up time of processors during the time span's I/O, us (`--cpu-latency`); missing
    /// = the machine's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_latency: Option<u32>,
    /// Temperatures and throttling; missing = no sensors and counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal: Option<ThermalChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<DeviceFacts>,
    /// Device logs before and after; empty = no device has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_logs: Vec<DeviceLogDelta>,
    /// Content of the read targets before the run; empty = not examined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<ContentFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Slowest I/Os with the causes of their delays (`--explain`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<SlowIos>,
    /// Reason for sequential I/Os despite a higher depth, by thread. Null if concurrent, or the engine was
    /// requested; empty if null for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serialized: Vec<Option<OneByOne>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polled: bool,
}

/// Thermal state before the warm-up and after the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThermalChange {
    pub before: Thermal,
    pub after: Thermal,
}
