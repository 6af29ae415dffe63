//! The slowest I/Os of a time span (`--explain`), and where each lost its time.

use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// A part of an I/O's way. Their times add up to its latency, which is counted from the submission to the
/// reap: docs/reference/explain.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IoStage {
    /// Submission: the thread had taken the time stamp, but was not running, so the kernel did not have
    /// the I/O yet.
    Submit,
    /// In the kernel above the block layer: file system, quota, throttling.
    Kernel,
    /// In the block layer, before the driver: scheduler, tags, merging.
    Queue,
    Device,
    Interrupt,
    Wake,
    Reap,
    Unattributed,
}

impl IoStage {
    /// All stages in the order of an I/O.
    pub const ALL: [IoStage; 8] = [
        IoStage::Submit,
        IoStage::Kernel,
        IoStage::Queue,
        IoStage::Device,
        IoStage::Interrupt,
        IoStage::Wake,
        IoStage::Reap,
        IoStage::Unattributed,
    ];

    pub fn words(self) -> &'static str {
        match self {
            IoStage::Submit => "thread, before submission",
            IoStage::Kernel => "kernel, before the block layer",
            IoStage::Queue => "queued in the block layer",
            IoStage::Device => "at the device",
            IoStage::Interrupt => "completion to wake-up",
            IoStage::Wake => "woken, waiting for a CPU",
            IoStage::Reap => "ran, until reaped",
            IoStage::Unattributed => "unattributed",
        }
    }
}

/// Time of an I/O in each stage in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageTimes {
    pub submit_ns: u64,
    pub kernel_ns: u64,
    pub queue_ns: u64,
    pub device_ns: u64,
    pub interrupt_ns: u64,
    pub wake_ns: u64,
    pub reap_ns: u64,
    pub unattributed_ns: u64,
}

impl StageTimes {
    pub fn time_in(&self, stage: IoStage) -> u64 {
        match stage {
            IoStage::Submit => self.submit_ns,
            IoStage::Kernel => self.kernel_ns,
            IoStage::Queue => self.queue_ns,
            IoStage::Device => self.device_ns,
            IoStage::Interrupt => self.interrupt_ns,
            IoStage::Wake => self.wake_ns,
            IoStage::Reap => self.reap_ns,
            IoStage::Unattributed => self.unattributed_ns,
        }
    }

    pub fn add(&mut self, stage: IoStage, ns: u64) {
        let time = match stage {
            IoStage::Submit => &mut self.submit_ns,
            IoStage::Kernel => &mut self.kernel_ns,
            IoStage::Queue => &mut self.queue_ns,
            IoStage::Device => &mut self.device_ns,
            IoStage::Interrupt => &mut self.interrupt_ns,
            IoStage::Wake => &mut self.wake_ns,
            IoStage::Reap => &mut self.reap_ns,
            IoStage::Unattributed => &mut self.unattributed_ns,
        };
        *time = time.saturating_add(ns);
    }

    pub fn add_all(&mut self, other: &StageTimes) {
        IoStage::ALL.into_iter().for_each(|stage| self.add(stage, other.time_in(stage)));
    }

    pub fn sum(&self) -> u64 {
        IoStage::ALL.into_iter().fold(0, |sum, stage| sum.saturating_add(self.time_in(stage)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CulpritKind {
    /// The program was stopped (SIGSTOP, a debugger).
    Stopped,
    /// Another task ran on the CPU at the start or end of the wait.
    Task,
    /// A limit of a control group delayed the I/O.
    Throttle,
    Flush,
    Device,
}

impl CulpritKind {
    /// Describes the culprit with the name of a task or a control group.
    pub fn words(self, name: &str) -> String {
        match self {
            CulpritKind::Stopped => "the program was stopped".into(),
            CulpritKind::Task => format!("waited for a CPU used by {name}"),
            CulpritKind::Throttle => format!("throttled by control group {name}"),
            CulpritKind::Flush => format!("a flush of {name}"),
            CulpritKind::Device => format!("device {name}"),
        }
    }
}

/// Cause of the longest delay of an I/O, if known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Culprit {
    pub kind: CulpritKind,
    /// Name of the task, control group or device; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub duration_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowIo {
    pub thread: u32,
    pub target: TargetId,
    pub operation: String,
    /// Byte offset in the target.
    pub offset: u64,
    pub length: u32,
    /// Submission time in ns since the start of measuring; negative = before.
    pub submitted_ns: i64,
    /// Time from submission to reap in ns.
    pub latency_ns: u64,
    pub stages: StageTimes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Culprit>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowSecond {
    pub second: u32,
    pub ios: u64,
    /// The longest latency in ns.
    pub longest_ns: u64,
    pub stages: StageTimes,
}

/// The slowest I/Os of a time span.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowIos {
    /// Requested number of I/Os, for each second and for the time span.
    pub requested: u32,
    pub ios: Vec<SlowIo>,
    /// Seconds with explained I/Os, in order.
    pub seconds: Vec<SlowSecond>,
    /// Slow I/Os that were lost because the explaining thread was too slow.
    pub missed: u64,
    /// Number of kernel events that were read.
    pub events: u64,
    /// Number of lost kernel events; the affected times are unattributed.
    pub lost_events: u64,
    /// Estimated share of the threads' time for recording events, in percent.
    pub cost_percent: f64,
    /// Reason for missing explanations; missing = complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CulpritSum {
    pub kind: CulpritKind,
    pub name: String,
    pub ios: u64,
    /// Total duration in ns.
    pub ns: u64,
}

impl SlowIos {
    pub fn stages(&self) -> StageTimes {
        let mut sum = StageTimes::default();
        self.ios.iter().for_each(|io| sum.add_all(&io.stages));
        sum
    }

    pub fn culprits(&self) -> Vec<CulpritSum> {
        let mut sums: Vec<CulpritSum> = Vec::new();
        for culprit in self.ios.iter().filter_map(|io| io.cause.as_ref()) {
            match sums.iter_mut().find(|sum| sum.kind == culprit.kind && sum.name == culprit.name) {
                Some(sum) => (sum.ios, sum.ns) = (sum.ios + 1, sum.ns.saturating_add(culprit.duration_ns)),
                None => {
                    let Culprit { kind, name, duration_ns: ns } = culprit.clone();
                    sums.push(CulpritSum { kind, name, ios: 1, ns });
                }
            }
        }
        sums.sort_by_key(|sum| std::cmp::Reverse(sum.ns));
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_and_culprits_add_up() {
        let io = |culprit: Option<(CulpritKind, &str, u64)>| SlowIo {
            thread: 0,
            target: TargetId(0),
            operation: "read".into(),
            offset: 0,
            length: 4096,
            submitted_ns: -5,
            latency_ns: 36,
            stages: {
                let mut times = StageTimes::default();
                IoStage::ALL.into_iter().zip(1..).for_each(|(stage, ns)| times.add(stage, ns));
                times
            },
            cause: culprit.map(|(kind, name, ns)| Culprit { kind, name: name.into(), duration_ns: ns }),
        };
        let task = |name, ns| io(Some((CulpritKind::Task, name, ns)));
        let stopped = io(Some((CulpritKind::Stopped, "", 30)));
        let all = SlowIos {
            ios: vec![task("dd", 3), stopped, task("dd", 4), task("cp", 9), io(None)],
            ..SlowIos::default()
        };
        let sum = all.stages();
        assert_eq!((sum.time_in(IoStage::Submit), sum.time_in(IoStage::Reap), sum.sum()), (5, 35, 180));
        let found: Vec<(String, u64, u64)> =
            all.culprits().into_iter().map(|sum| (sum.kind.words(&sum.name), sum.ios, sum.ns)).collect();
        let expected = [
            ("the program was stopped".to_owned(), 1, 30),
            ("waited for a CPU used by cp".to_owned(), 1, 9),
            ("waited for a CPU used by dd".to_owned(), 2, 7),
        ];
        assert_eq!(found, expected);
    }
}
