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
    /// Exit code as a shell has it; missing = there is no command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// Processes that were seen, the command included. Short-lived ones may be missing.
    pub processes: u64,
    /// Descendants that were still running when the command had ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub still_running: u64,
    /// Processes whose counters could not be read. Their I/O counts once their parent has reaped them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Processes with counters that the kernel dropped, because their parent ignored SIGCHLD.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Names of seen programs that leave their work to a daemon or another host (docker, ssh).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<String>,
    pub counted: ProcessIo,
    pub read: SortedCalls,
    pub write: SortedCalls,
    /// At most 16 files and devices that were open, sorted by size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RawText>,
    /// Whether each large file and device was opened to bypass the page cache (`O_DIRECT`).
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
    /// Time in which a process was stopped (SIGSTOP, Ctrl-Z or a debugger), us.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stopped_us: u64,
    /// Share of one CPU that the looks of the observer took.
    #[serde(default)]
    pub observer_cpu_share: f64,
    /// The command's own figures; missing = none were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<ClaimedFigures>,
    /// Without a command: at most 16 processes that had a target open, sorted by bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<TargetUser>,
    /// I/O as the device under the targets got it; missing = no device was read.
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
    /// Reason why requests were not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untraced_reason: Option<String>,
}

/// A class of numbers from `from` to below its double.
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
    /// Share of the time in which requests were traced.
    pub traced_share: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestShape {
    pub requests: u64,
    /// Requests that began at the end of one of the last 64.
    pub sequential: u64,
    /// Sizes in bytes, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeClass>,
}

impl SizeClass {
    /// Adds a number to its class of a list.
    pub fn count(classes: &mut Vec<SizeClass>, number: u64) {
        let from = number.checked_ilog2().map_or(0, |bit| 1 << bit);
        match classes.binary_search_by_key(&from, |class| class.from) {
            Ok(index) => classes[index].count += 1,
            Err(index) => classes.insert(index, SizeClass { from, count: 1 }),
        }
    }

    /// The class in which this share of all numbers is reached; `None` = there are no numbers.
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

/// Counted I/Os of an interface, extended from the counted time to the whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineIos {
    pub reads: u64,
    pub writes: u64,
    /// Mean size of a completed I/O, bytes; missing = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_bytes: Option<f64>,
    /// Share of the time in which they were counted.
    pub counted_share: f64,
    /// Error of the estimate relative to it (95 % confidence); 0 = all were counted.
    #[serde(default, skip_serializing_if = "is_no_share")]
    pub error_share: f64,
}

/// Figures reported by the command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimedFigures {
    /// The form they were in: `fio's JSON`.
    pub source: String,
    pub read: ClaimedSide,
    pub write: ClaimedSide,
    /// The measured time in s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Claimed I/O of a direction; missing = not reported.
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
