//! The kernel's I/O counters of devices and of this process, and the amount of dirty memory.

use super::arrays::ArrayFacts;
use super::content::ContentShares;
use super::io_features::AtomicWrites;
use super::process_io::ProcessIo;
use super::remote::{RemoteActivity, RemoteCalls, RemoteFacts};
use super::stack::{Stack, StackMount};
use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Unit of sector counts in `/sys` in bytes, regardless of the device's sector size.
const SECTOR: u64 = 512;

/// Counters of a device for a kind of I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Completed I/Os at the device, after merging and splitting.
    pub ios: u64,
    /// I/Os that were merged with other ones.
    pub merges: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    pub read: Flow,
    /// Writes, including requested empty flushes, which the kernel counts as writes of 0 bytes.
    pub write: Flow,
    pub discard: Flow,
    /// Time of discards in ms, included in [`queue_ms`](Activity::queue_ms); 0 before Linux 4.18.
    #[serde(default)]
    pub discard_ms: u64,
    /// Flushes of its write cache; concurrent requests share one. A partition's flushes count for its
    /// disk. `None` if the kernel does not report them (before Linux 5.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
    /// Time of flushes in ms, included in [`queue_ms`](Activity::queue_ms); `None` as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_ms: Option<u64>,
    /// Time in ms with I/O in flight, sampled by the kernel at its tick.
    pub busy_ms: u64,
    /// Time that all I/Os together were in flight, ms: over the elapsed time it is the mean queue depth.
    pub queue_ms: u64,
    pub in_flight: u64,
}

impl Activity {
    /// Parses `/sys/class/block/<device>/stat`: 11 numbers, since Linux 4.18 four for discards, since 5.5
    /// two for flushes. `None` for another format.
    pub fn parse(text: &str) -> Option<Activity> {
        let fields: Vec<u64> = text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect();
        let at = |index: usize| fields.get(index).copied();
        let later = |index: usize| at(index).unwrap_or(0);
        let flow = |first: usize| {
            let bytes = later(first + 2).saturating_mul(SECTOR);
            Flow { ios: later(first), merges: later(first + 1), bytes }
        };
        let queue_ms = at(10)?;
        Some(Activity {
            read: flow(0),
            write: flow(4),
            discard: flow(11),
            discard_ms: later(14),
            flushes: at(15),
            flush_ms: at(16),
            busy_ms: later(9),
            queue_ms,
            in_flight: later(8),
        })
    }

    /// Returns the difference from an earlier reading. A counter that decreased counts as unchanged.
    pub fn since(&self, earlier: &Activity) -> Activity {
        let flow = |now: Flow, then: Flow| Flow {
            ios: now.ios.saturating_sub(then.ios),
            merges: now.merges.saturating_sub(then.merges),
            bytes: now.bytes.saturating_sub(then.bytes),
        };
        Activity {
            read: flow(self.read, earlier.read),
            write: flow(self.write, earlier.write),
            discard: flow(self.discard, earlier.discard),
            discard_ms: self.discard_ms.saturating_sub(earlier.discard_ms),
            flushes: self.flushes.zip(earlier.flushes).map(|(now, then)| now.saturating_sub(then)),
            flush_ms: self.flush_ms.zip(earlier.flush_ms).map(|(now, then)| now.saturating_sub(then)),
            busy_ms: self.busy_ms.saturating_sub(earlier.busy_ms),
            queue_ms: self.queue_ms.saturating_sub(earlier.queue_ms),
            in_flight: self.in_flight,
        }
    }
}

/// A mount of another host's files as a block device: a request is an I/O, a commit a flush.
impl From<&RemoteActivity> for Activity {
    fn from(remote: &RemoteActivity) -> Activity {
        let total = |calls: &RemoteCalls| calls.times.map_or(0, |times| times.total_ms);
        let commit_ms = total(&remote.commit);
        Activity {
            read: Flow { ios: remote.read.requests, merges: 0, bytes: remote.read_bytes },
            write: Flow { ios: remote.write.requests, merges: 0, bytes: remote.write_bytes },
            flushes: Some(remote.commit.requests),
            flush_ms: Some(commit_ms),
            queue_ms: total(&remote.read).saturating_add(total(&remote.write)).saturating_add(commit_ms),
            ..Activity::default()
        }
    }
}

/// I/O that this process requested from block devices and file systems (`/proc/self/io`). It includes all
/// its threads and the kernel's io_uring workers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnIo {
    /// Bytes requested from block devices by reads. They include readahead, and exclude page cache hits.
    /// Requests between stacked devices do not count again.
    pub read_bytes: u64,
    /// Bytes made dirty in the page cache, or written without it.
    pub write_bytes: u64,
    /// Dirty bytes that were discarded before they were written.
    pub cancelled_write_bytes: u64,
    pub read_calls: u64,
}

impl From<ProcessIo> for OwnIo {
    fn from(io: ProcessIo) -> OwnIo {
        OwnIo {
            read_bytes: io.read_bytes,
            write_bytes: io.write_bytes,
            cancelled_write_bytes: io.cancelled_write_bytes,
            read_calls: io.read.bytes,
        }
    }
}

impl OwnIo {
    /// Parses the same as [`ProcessIo::parse`]; `None` as there.
    pub fn parse(text: &str) -> Option<OwnIo> {
        ProcessIo::parse(text).map(OwnIo::from)
    }

    pub fn since(&self, earlier: &OwnIo) -> OwnIo {
        OwnIo {
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            write_bytes: self.write_bytes.saturating_sub(earlier.write_bytes),
            cancelled_write_bytes: self.cancelled_write_bytes.saturating_sub(earlier.cancelled_write_bytes),
            read_calls: self.read_calls.saturating_sub(earlier.read_calls),
        }
    }
}

/// Bytes that the whole machine has written to memory but not yet to any device: `Dirty` and `Writeback` of
/// `/proc/meminfo`.
pub fn dirty_bytes(meminfo: &str) -> Option<u64> {
    let kib = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    Some((kib("Dirty")? + kib("Writeback")?) * 1024)
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Targets without duplicate paths.
    pub targets: Vec<TargetDevices>,
    /// Activity of all stacks' devices between the two readings, by their names in the stacks. Devices
    /// without two readings are missing.
    pub devices: Vec<DeviceActivity>,
    /// Client counters of remote mounts; empty = no such mounts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remote: Vec<RemoteFacts>,
    /// RAID arrays under the targets; empty = none, or not observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<ArrayFacts>,
    /// The space of targets, loop devices and thin volumes, where writes may allocate or it changed; empty =
    /// unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub space: Vec<SpaceChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<OwnIo>,
    /// Dirty memory of the machine at the first and second reading in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwritten: Option<(u64, u64)>,
    /// Time from before the first reading to after the second in ns: the measured time plus the readings.
    pub elapsed: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetDevices {
    pub target: TargetId,
    pub stack: Stack,
    /// Lowest devices at the end of measuring, if they differ from `stack`. A device mapper table
    /// (`pvmove`) or a RAID member was replaced. Missing if unchanged or unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack_at_end: Vec<String>,
    /// Dirty bytes shortly before the measurement; `None` as below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwritten_before: Option<u64>,
    /// Dirty bytes at the end of the measurement; `None` = unknown, or no writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwritten: Option<u64>,
    /// Cached part before and after, if reads may be served from it. Missing if unknown, or for a single
    /// target without `--dontcache`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<CacheGrowth>,
    /// Time in ns of writing them to the medium after the end of the workers (`--flush-after`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<u64>,
    /// Error number of the check whether writes reached the medium: by `--flush-after`, or from earlier
    /// failures at the end. `None` = no known error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_error: Option<i32>,
    /// Each write to the file waits until it is durable, by an attribute of the file (`chattr +S`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub synchronous: bool,
    /// Mount options at the end of the measurement, if they differ from `stack`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remounted: Vec<StackMount>,
    /// The states of the file, once a second, where there was more than one; empty = it did not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<FileState>,
    /// Bytes of it that came into the page cache despite unbuffered I/O; missing = 0 or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atomic: Option<AtomicWrites>,
}

/// State of a file that another process may change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Time of the first observation in µs since the start of the measurement.
    pub observed_us: u64,
    pub size: u64,
    /// Number of names; 0 = deleted.
    pub links: u64,
    /// Whether each write waits until it is durable: by an attribute of the file, or by its mount.
    pub synchronous: bool,
}

/// Change of a device's setting during the measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// Name in `/sys/block/<device>` or in its `queue`.
    pub setting: String,
    pub from: String,
    pub to: String,
    /// Last check with the old value, in µs since the start of the measurement.
    pub after_us: u64,
    /// First check with the new value, in µs since the start of the measurement.
    pub observed_us: u64,
}

/// Space of a target, loop device or thin volume before and after the measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceChange {
    /// Target; `None` = a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetId>,
    /// Loop device or thin volume; `None` = a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    pub before: ContentShares,
    pub after: ContentShares,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheGrowth {
    /// Bytes shortly before the measurement.
    pub before: u64,
    /// Bytes after the end.
    pub after: u64,
    /// Evicted bytes, which may have been read more than once.
    pub evicted: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceActivity {
    pub name: String,
    pub activity: Activity,
    /// I/Os in flight at the first reading.
    pub in_flight_before: u64,
    /// Whether its counters have ever changed; otherwise it has no statistics.
    pub has_statistics: bool,
    /// Whether counting (`queue/iostats`) was enabled or disabled during the run, so that counts may be
    /// incomplete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub statistics_switched: bool,
    /// Changed settings; missing = none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<SettingChange>,
    /// Whether it has ever counted a flush; some drivers never do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_flushes: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_statistics_are_read_in_all_lengths() {
        let flow = |ios, merges, sectors: u64| Flow { ios, merges, bytes: sectors * 512 };
        let old = Activity {
            read: flow(8, 1, 30),
            write: flow(9, 2, 40),
            busy_ms: 14,
            queue_ms: 549,
            in_flight: 3,
            ..Activity::default()
        };
        let (flushes, flush_ms) = (Some(69), Some(515));
        let new = Activity { discard: flow(60, 21, 133), discard_ms: 21, flushes, flush_ms, ..old };
        for (text, expected) in [
            ("8 1 30 12 9 2 40 14 3 14 549\n", Some(old)),
            ("   8  1 30 12 9 2 40 14 3 14 549 60 21 133 21 69 515\n", Some(new)),
            ("8 1 30 12 9 2 40 14 3 14 549 60 21 133 21 69 515 1 2 3\n", Some(new)),
            ("8 1 30\n", None),
            ("", None),
            ("8 1 x 12 9 2 40 14 3 14 549\n", None),
        ] {
            assert_eq!(Activity::parse(text), expected, "{text:?}");
        }
        let none = (Some(0), Some(0));
        let still = Activity { in_flight: 3, flushes: none.0, flush_ms: none.1, ..Activity::default() };
        assert_eq!(new.since(&new), still);
        assert_eq!(old.since(&new).discard, Flow::default(), "counters that ran backwards stood still");
    }

    #[test]
    fn process_counters_are_read_by_key() {
        let text = "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 5\n\
                    write_bytes: 4\ncancelled_write_bytes: 3\n";
        let own = OwnIo { read_bytes: 5, write_bytes: 4, cancelled_write_bytes: 3, read_calls: 9 };
        assert_eq!(OwnIo::parse(text), Some(own));
        assert_eq!(own.since(&own), OwnIo::default());
        assert_eq!(OwnIo::parse("rchar: 9\n"), None);
        assert_eq!(
            dirty_bytes("MemTotal: 1 kB\nDirty:    3 kB\nWriteback:  1 kB\nWritebackTmp: 9 kB\n"),
            Some(4096)
        );
        assert_eq!(dirty_bytes("Dirty: 3\n"), None);
    }
}
