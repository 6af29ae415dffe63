//! One-word verdicts of a run, with the names used in records.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Destination of the counted I/Os, most harmless first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", from = "String")]
pub enum Verdict {
    Verified,
    Unknown,
    /// The device did it in fewer, larger I/Os.
    Coalesced,
    /// The device did it in more, smaller I/Os.
    Split,
    /// The device did more than was counted.
    Amplified,
    Shared,
    Deferred,
    /// The device did much less: something before it answered.
    Cached,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "VERIFIED",
            Verdict::Unknown => "UNKNOWN",
            Verdict::Coalesced => "COALESCED",
            Verdict::Split => "SPLIT",
            Verdict::Amplified => "AMPLIFIED",
            Verdict::Shared => "SHARED",
            Verdict::Deferred => "DEFERRED",
            Verdict::Cached => "CACHED",
        }
    }

    /// Whether the figures of the run are not the work of the devices.
    pub fn is_of_memory(self) -> bool {
        matches!(self, Verdict::Cached | Verdict::Deferred)
    }

    /// Returns the verdict with this name, ignoring case; `None` if unknown.
    pub fn named(word: &str) -> Option<Verdict> {
        use Verdict::*;
        let all = [Verified, Unknown, Coalesced, Split, Amplified, Shared, Deferred, Cached];
        all.into_iter().find(|verdict| verdict.word().eq_ignore_ascii_case(word))
    }
}

impl From<String> for Verdict {
    fn from(word: String) -> Verdict {
        Verdict::named(&word).unwrap_or(Verdict::Unknown)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.word().to_lowercase())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// Requested limit: `-g`, `--rate-total`, or bursts and think time (`-i`, `-j`).
    Profile,
    CpuQuota,
    /// The I/O limit of a control group.
    IoLimit,
    VolumeLimit,
    /// The hypervisor, which gave the CPUs of the threads to others.
    Hypervisor,
    /// Interrupts: one CPU was busy all the time, mostly with them.
    Interrupts,
    /// The program itself: a thread was busy in it, not in the kernel.
    Tool,
    /// The CPU: a thread was busy all the time, mostly in the kernel.
    Cpu,
    /// Too few or busy CPUs: threads were ready to run without a CPU.
    BusyCpus,
    /// The kernel above the device: most I/Os were neither there nor with the threads.
    Kernel,
    /// One I/O at a time.
    Depth,
    /// The storage, at this queue depth.
    Storage,
    /// Inconclusive observations, or a word unknown to this program.
    #[serde(other)]
    Unclear,
}

impl Limiter {
    pub fn is_name(name: &str) -> bool {
        name.starts_with("limited-by-") || name == "limit-unclear"
    }

    pub fn name(self) -> &'static str {
        match self {
            Limiter::Profile => "profile",
            Limiter::CpuQuota => "cpu_quota",
            Limiter::IoLimit => "io_limit",
            Limiter::VolumeLimit => "volume_limit",
            Limiter::Hypervisor => "hypervisor",
            Limiter::Interrupts => "interrupts",
            Limiter::Tool => "tool",
            Limiter::Cpu => "cpu",
            Limiter::BusyCpus => "busy_cpus",
            Limiter::Kernel => "kernel",
            Limiter::Depth => "depth",
            Limiter::Storage => "storage",
            Limiter::Unclear => "unclear",
        }
    }

    pub fn words(self) -> Option<&'static str> {
        Some(match self {
            Limiter::Profile => "the requested rate",
            Limiter::CpuQuota => "the CPU quota of a control group",
            Limiter::IoLimit => "the I/O limit of a control group",
            Limiter::VolumeLimit => "the limit of the volume or its instance",
            Limiter::Hypervisor => "the hypervisor, which took CPUs away (steal)",
            Limiter::Interrupts => "interrupts on one CPU",
            Limiter::Tool => "this program itself",
            Limiter::Cpu => "the CPU: threads were fully busy",
            Limiter::BusyCpus => "CPU contention",
            Limiter::Kernel => "the kernel above the device",
            Limiter::Depth => "the depth: one I/O at a time",
            Limiter::Storage => "the storage, at this depth",
            Limiter::Unclear => return None,
        })
    }
}
