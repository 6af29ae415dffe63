//! One-word verdicts of a run, with the names used in records.

use diskspd_base::finding::Severity;
use diskspd_base::message_error::MessageError;
use diskspd_figures::units::mark::{Tone, VerdictMark};
use diskspd_figures::units::table::Cell;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Destination of the counted I/Os, the most harmless first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Verdict {
    Verified,
    Unknown,
    /// The device performed fewer, larger I/Os.
    Coalesced,
    /// The device performed more, smaller I/Os.
    Split,
    /// The device performed more I/O than was counted.
    Amplified,
    Shared,
    Deferred,
    /// The device performed much less I/O, because a cache completed the rest.
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

    pub fn mark(self) -> VerdictMark {
        let (tone, sign) = match self {
            Verdict::Verified => (Tone::Good, "✓"),
            _ => (Tone::Unknown, "?"),
        };
        VerdictMark::new(tone, sign, self.word())
    }

    /// Whether the figures describe memory instead of the devices.
    pub fn is_of_memory(self) -> bool {
        matches!(self, Verdict::Cached | Verdict::Deferred)
    }

    /// Returns the verdict with this name, ignoring case; `None` if unknown.
    pub fn by_name(word: &str) -> Option<Verdict> {
        use Verdict::*;
        let all = [Verified, Unknown, Coalesced, Split, Amplified, Shared, Deferred, Cached];
        all.into_iter().find(|verdict| verdict.word().eq_ignore_ascii_case(word))
    }
}

/// Verdict of the devices and severity of the worst finding: two answers about a run or its time span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunVerdict {
    /// Verdict; `None` = no device was observed.
    #[serde(rename = "verdict")]
    pub device: Option<Verdict>,
    /// Severity; `None` = no findings.
    pub severity: Option<Severity>,
}

impl RunVerdict {
    pub fn new(device: Option<Verdict>, severity: Option<Severity>) -> RunVerdict {
        RunVerdict { device, severity }
    }

    /// Returns the worst verdict and the worst severity, which may belong to different runs.
    pub fn worst(all: impl IntoIterator<Item = RunVerdict>) -> RunVerdict {
        all.into_iter().fold(RunVerdict::default(), |worst, one| RunVerdict {
            device: worst.device.max(one.device),
            severity: worst.severity.max(one.severity),
        })
    }

    pub fn is_wrong(self) -> bool {
        self.severity >= Some(Severity::Wrong)
    }

    pub fn is_limited(self) -> bool {
        self.severity >= Some(Severity::Warning)
    }

    pub fn verdict_cell(self) -> Cell {
        self.device.map_or(Cell::Missing, |device| Cell::Marked(device.mark(), String::new()))
    }

    pub fn severity_cell(self) -> Cell {
        self.severity.map_or(Cell::Missing, |severity| Cell::Marked(severity.mark(), String::new()))
    }

    /// Formats `VERIFIED` or `CACHED, WRONG`: the verdict and a severity that limits the figures; `not
    /// checked` without both.
    pub fn in_words(self) -> String {
        let severity = self.severity.filter(|severity| *severity > Severity::Note).map(Severity::capitals);
        let words: Vec<&str> = self.device.map(Verdict::word).into_iter().chain(severity).collect();
        if words.is_empty() { "not checked".to_owned() } else { words.join(", ") }
    }
}

impl TryFrom<String> for Verdict {
    /// Error for an unknown word, from another version or damage.
    type Error = MessageError;

    fn try_from(word: String) -> Result<Verdict, MessageError> {
        Verdict::by_name(&word).ok_or_else(|| format!("unknown verdict '{word}'").into())
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
    /// I/O limit of a control group.
    IoLimit,
    VolumeLimit,
    /// Hypervisor, which assigned the CPUs of the threads to others.
    Hypervisor,
    /// Interrupts: one CPU was always busy, mostly with them.
    Interrupts,
    /// The program itself: a thread was always busy outside the kernel.
    Tool,
    /// CPU: a thread was always busy, mostly in the kernel.
    Cpu,
    /// Too few or busy CPUs: threads were ready but had no CPU.
    BusyCpus,
    /// The kernel above the device, where most I/Os spent their time.
    Kernel,
    /// One I/O at a time.
    Depth,
    /// The storage at this queue depth.
    Storage,
    /// Inconclusive observations, or an unknown word.
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
