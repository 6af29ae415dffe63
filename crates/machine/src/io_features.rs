//! Kinds of I/O other than plain reads and writes. The table is used by plans and `doctor`, and the module
//! also holds the results for a target.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtomicWrites {
    /// Minimum write in bytes.
    pub unit_min: u32,
    pub unit_max: u32,
    pub segments_max: u32,
    /// Largest atomic write of the device in bytes (`queue/atomic_write_unit_max_bytes` in /sys). 0 =
    /// none, so the file system guarantees atomicity by writing elsewhere first. Missing if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_max: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IoFeatureSupport {
    pub atomic: Option<AtomicWrites>,
    /// Reason against uncached buffered I/O (`RWF_DONTCACHE`); `None` = possible or unknown.
    pub no_dont_cache: Option<String>,
    /// Reason against `RWF_NOWAIT`; `None` as above.
    pub no_nowait: Option<String>,
    /// Reason for writes through the page cache only.
    pub no_nowait_writes: Option<String>,
    /// Number of write streams of its device; `None` if the kernel does not report it (before Linux 6.16).
    pub write_streams: Option<u64>,
}

impl AtomicWrites {
    pub fn device_words(&self) -> &'static str {
        match self.device_max {
            Some(0) => "the device does no atomic writes (queue/atomic_write_unit_max_bytes in /sys is 0)",
            Some(_) => "the device does atomic writes",
            None => "whether a device does atomic writes is unknown",
        }
    }
}

/// I/O feature that some kernels, file systems or devices lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoFeature {
    /// Engine with many I/Os in flight per thread.
    Uring,
    Polling,
    /// Writes that are not torn by a power loss.
    Atomic,
    /// I/O through the page cache that does not stay there.
    DontCache,
    NoWait,
    WriteHint,
    /// Writes that the device separates by a number.
    WriteStreams,
    Discards,
    PassThrough,
    /// Zones that require sequential writes.
    Zoned,
    /// Checks of blocks by the controller.
    Protection,
    Placement,
    DurableWrites,
}

#[derive(Debug)]
pub struct IoWayRow {
    pub way: IoFeature,
    pub name: &'static str,
    /// Command-line option; empty = this version has none.
    pub option: &'static str,
    /// First Linux version with the feature.
    pub since: &'static str,
    pub needs: &'static str,
    pub good_for: &'static str,
}

/// All features in display order.
pub const IO_WAYS: [IoWayRow; 13] = [
    IoWayRow {
        way: IoFeature::Uring,
        name: "io_uring",
        option: "--engine uring",
        since: "5.11",
        needs: "permission by the kernel and the seccomp filter",
        good_for: "many I/Os in flight from one thread",
    },
    IoWayRow {
        way: IoFeature::Polling,
        name: "polled completions",
        option: "--poll",
        since: "5.1",
        needs: "a device with poll queues (nvme.poll_queues)",
        good_for: "the lowest latency of fast devices",
    },
    IoWayRow {
        way: IoFeature::Atomic,
        name: "atomic writes",
        option: "--atomic",
        since: "6.11",
        needs: "a file on XFS made with reflink (the default of mkfs.xfs; Linux 6.16 or later), or a \
                device whose queue/atomic_write_max_bytes in /sys is not 0 (some NVMe and SCSI disks)",
        good_for: "databases without double writes",
    },
    IoWayRow {
        way: IoFeature::DontCache,
        name: "page cache that keeps nothing",
        option: "--dontcache",
        since: "6.14",
        needs: "ext4, XFS or btrfs",
        good_for: "large files read or written once",
    },
    IoWayRow {
        way: IoFeature::NoWait,
        name: "I/O that never waits",
        option: "--nowait",
        since: "4.14",
        needs: "a file system and a device that support it; writes through the page cache need XFS or btrfs",
        good_for: "programs with other threads for I/Os that would wait",
    },
    IoWayRow {
        way: IoFeature::WriteHint,
        name: "write hints",
        option: "--write-hint",
        since: "4.13",
        needs: "a file system and a device that use them",
        good_for: "data of one lifetime put together",
    },
    IoWayRow {
        way: IoFeature::WriteStreams,
        name: "write streams",
        option: "--write-stream",
        since: "6.16",
        needs: "a whole block device whose queue/max_write_streams in /sys is not 0 (NVMe with data \
                placement)",
        good_for: "less garbage collection in flash",
    },
    IoWayRow {
        way: IoFeature::Discards,
        name: "discards",
        option: "--trim",
        since: "2.6.28",
        needs: "a device whose queue/discard_max_bytes in /sys is not 0",
        good_for: "reporting free blocks to flash and thin storage",
    },
    IoWayRow {
        way: IoFeature::PassThrough,
        name: "NVMe pass-through",
        option: "--engine nvme",
        since: "5.19",
        needs: "a namespace of NVMe with its character device (/dev/ngXnY)",
        good_for: "commands without the block layer",
    },
    IoWayRow {
        way: IoFeature::Zoned,
        name: "zones",
        option: "--zoned",
        since: "4.10",
        needs: "a whole block device whose queue/zoned in /sys is host-managed (SMR disks, NVMe with zones)",
        good_for: "writes in order, zones reset before they are written again",
    },
    IoWayRow {
        way: IoFeature::Protection,
        name: "protection information",
        option: "--engine nvme",
        since: "5.19",
        needs: "a namespace of NVMe, by its character device, that is formatted with 8 bytes of metadata \
                that are protection information",
        good_for: "the cost of checking every block",
    },
    IoWayRow {
        way: IoFeature::Placement,
        name: "data placement (FDP)",
        option: "--fdp",
        since: "5.19",
        needs: "a namespace of NVMe, by its character device, with placement handles: flexible data \
                placement is on in its endurance group",
        good_for: "less garbage collection in flash",
    },
    IoWayRow {
        way: IoFeature::DurableWrites,
        name: "single durable writes",
        option: "--fua",
        since: "4.7",
        needs: "a file system or device that flushes; FUA (queue/fua in /sys) saves the flush",
        good_for: "logs among other writes",
    },
];

impl IoFeature {
    pub fn row(self) -> &'static IoWayRow {
        &IO_WAYS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_io_feature_has_a_row() {
        for row in &IO_WAYS {
            assert_eq!(row.way.row().name, row.name);
            assert!(![row.since, row.needs, row.good_for].contains(&""), "{}", row.name);
        }
    }
}
