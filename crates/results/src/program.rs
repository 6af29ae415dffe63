//! Another program, judged by `judge`: the kernel's counters of its processes.

use diskspd_machine::process_io::{ForeignEngine, ProcessIo, SortedCalls, TargetUser};
use diskspd_profile::RawText;
use serde::{Deserialize, Serialize};

/// A command with all processes that it started, or all programs that used the targets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedProgram {
    /// Command and arguments; empty = all programs that used the targets (`judge --for`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<RawText>,
    /// Exit code as in a shell; missing = there was no command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// Number of observed processes, including the command. Short-lived ones may be missing.
    pub processes: u64,
    /// Descendants that were still running after the end of the command.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub still_running: u64,
    /// Processes with unreadable counters. Their I/O counts after their parent has reaped them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Processes whose counters the kernel dropped, because their parent ignored SIGCHLD.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Observed programs that delegate their work to a daemon or another host (docker, ssh).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<String>,
    pub counted: ProcessIo,
    pub read: SortedCalls,
    pub write: SortedCalls,
    /// At most 16 open files and devices, sorted by size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RawText>,
    /// Whether all large files and devices were opened with `O_DIRECT`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bypasses_cache: bool,
    /// Interfaces without a system call per I/O.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineFacts>,
    /// CPU time of all processes in ns.
    pub cpu_ns: u64,
    /// Largest possible share of zeros in the written data, on devices that do not store zeros (zram).
    #[serde(default, skip_serializing_if = "is_no_share")]
    pub zeros_share: f64,
    /// Time in µs in which a process was stopped (SIGSTOP, Ctrl-Z or a debugger).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stopped_us: u64,
    /// CPU usage of the observer, as a share of one CPU.
    #[serde(default)]
    pub observer_cpu_share: f64,
    /// Figures reported by the command; missing = not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<ClaimedFigures>,
    /// At most 16 processes with an open target, sorted by bytes; empty for a command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<TargetUser>,
    /// I/O at the device under the targets; missing = no device was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_view: Option<DeviceView>,
}

/// Queue depths, sizes and addresses of I/O at the device under the targets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceView {
    /// Samples of the I/Os in flight, in classes of 0, 1, 2 to 3, 4 to 7, ..; ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<SizeClass>,
    /// Traced requests; missing = not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<TracedRequests>,
    /// Reason for untraced requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untraced_reason: Option<String>,
}

/// Class of numbers from `from` to less than twice that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeClass {
    pub from: u64,
    pub count: u64,
}

/// Requests of a device in slices of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TracedRequests {
    pub device: String,
    pub read: RequestShape,
    pub write: RequestShape,
    /// Traced share of the time.
    pub traced_share: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestShape {
    pub requests: u64,
    /// Requests that began at the end of one of the last 64 requests.
    pub sequential: u64,
    /// Sizes in bytes, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeClass>,
}

impl SizeClass {
    /// Adds a number to its class in a list.
    pub fn count(classes: &mut Vec<SizeClass>, number: u64) {
        let from = number.checked_ilog2().map_or(0, |bit| 1 << bit);
        match classes.binary_search_by_key(&from, |class| class.from) {
            Ok(index) => classes[index].count += 1,
            Err(index) => classes.insert(index, SizeClass { from, count: 1 }),
        }
    }

    /// The class in which this share of all numbers is reached; `None` = no numbers.
    pub fn quantile(classes: &[SizeClass], share: f64) -> Option<u64> {
        let all: u64 = classes.iter().map(|class| class.count).sum();
        let mut sum = 0;
        let reached = classes.iter().find(|class| {
            sum += class.count;
            sum as f64 >= share * all as f64
        });
        reached.map(|class| class.from)
    }
}

/// I/O of an interface without a system call per I/O.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineFacts {
    pub engine: ForeignEngine,
    /// Estimated number of I/Os; missing = could not be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ios: Option<EngineIos>,
    /// Reason why they could not be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted_reason: Option<String>,
}

/// Counted I/Os of an interface, extrapolated to the whole time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineIos {
    pub reads: u64,
    pub writes: u64,
    /// Mean size of a completed I/O in bytes; missing = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_bytes: Option<f64>,
    /// Share of the time with counting.
    pub counted_share: f64,
    /// Relative error of the estimate (95 % confidence); 0 = all I/Os were counted.
    #[serde(default, skip_serializing_if = "is_no_share")]
    pub error_share: f64,
}

/// Figures reported by the command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimedFigures {
    /// Original form, such as `fio's JSON`.
    pub source: String,
    pub read: ClaimedSide,
    pub write: ClaimedSide,
    /// Measured time in s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Reported I/O of a direction; missing = not reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimedSide {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ios: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
}

impl JudgedProgram {
    /// Returns the used interfaces with an unknown number or size of I/Os.
    pub fn uncounted(&self) -> impl Iterator<Item = &EngineFacts> {
        self.engines.iter().filter(|facts| facts.ios.is_none_or(|ios| ios.mean_bytes.is_none()))
    }

    pub fn line(&self) -> String {
        self.words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_no_share(share: &f64) -> bool {
    *share == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_in_classes() {
        let mut classes = Vec::new();
        [0, 1, 4096, 5000, 3, 8192, 4096]
            .into_iter()
            .for_each(|number| SizeClass::count(&mut classes, number));
        let found: Vec<(u64, u64)> = classes.iter().map(|class| (class.from, class.count)).collect();
        assert_eq!(found, [(0, 1), (1, 1), (2, 1), (4096, 3), (8192, 1)]);
        assert_eq!(SizeClass::quantile(&classes, 0.5), Some(4096));
        assert_eq!((SizeClass::quantile(&classes, 0.0), SizeClass::quantile(&[], 0.5)), (Some(0), None));
        assert_eq!(SizeClass::quantile(&classes, 1.0), Some(8192));
    }
}
