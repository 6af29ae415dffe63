//! What was observed around the measured window beside the I/Os themselves: facts for `truth` to judge.

use super::{Beats, Delays, Effort, LostTimes, QuietFacts, Sample, SlowIos, Trace, WarmUp};
use crate::machine::completion::OneByOne;
use crate::machine::content::ContentFacts;
use crate::machine::cpu_sleeps::CpuSleeps;
use crate::machine::device_log::DeviceStatement;
use crate::machine::interrupts::DeviceInterrupts;
use crate::machine::io_counters::DeviceFacts;
use crate::machine::thermal::Thermal;
use crate::machine::tracer::Tracer;
use crate::stats::LatencyCourse;
use serde::{Deserialize, Serialize};

/// Facts about one time span. What could not be observed is missing, never zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// What was done from second to second, all threads together; empty = measured for less than a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// The same from beat to beat, 20 ms (longer in long time spans); missing = nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticks: Option<Beats>,
    /// What was seen of targets that answered nothing for a while; missing = nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage_observations: Option<QuietFacts>,
    /// What latencies added up to from second to second (`-L`); missing = they were not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<LatencyCourse>,
    /// Who traced the program or one of its threads (`TracerPid`); missing = nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracer: Option<Tracer>,
    /// When the whole program could not run; missing = nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<Delays>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// How much was to be written before measuring might end before its time, bytes (`--until-written`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_written: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_read: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_usage: Option<Effort>,
    /// What each active CPU lost to interrupts and to other machines, in the order and unit of
    /// [`cpus`](super::SpanResults::cpus); empty = nobody looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_cpu_times: Vec<LostTimes>,
    /// Active CPUs that went offline meanwhile, by the kernel's numbers: nothing is known of their times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offline: Vec<u32>,
    /// How often the processors that threads are bound to went to sleep; empty = none is, or the kernel
    /// doesn't count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle_entries: Vec<CpuSleeps>,
    /// On which CPUs the interrupts of the disks beneath the targets arrived; empty = none has any of its
    /// own, or the kernel doesn't count them by CPU.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<DeviceInterrupts>,
    /// The longest that any processor might take to wake up during the time span's I/O, us
    /// (`--cpu-latency`); missing = as the machine has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_latency: Option<u32>,
    /// How hot it was; missing = there are no sensors and counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal: Option<ThermalChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<DeviceFacts>,
    /// What the devices said of themselves before and after; empty = none of them says anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_logs: Vec<DeviceStatement>,
    /// What the targets that are read held before the run; empty = it could not be looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<ContentFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The slowest I/Os and where they lost their time (`--explain`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<SlowIos>,
    /// By thread why its I/Os were done one after the other although more were to be outstanding, null =
    /// they weren't, or the engine was asked for; empty = so for all threads.
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
