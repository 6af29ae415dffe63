//! Disks and their users, as listed on every system.

use serde::Serialize;
use std::path::PathBuf;

/// Whole block device: a disk, or a device with the same function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// The n of `#<n>`.
    pub number: usize,
    /// Kernel name: `nvme0n1`.
    pub name: String,
    pub path: PathBuf,
    pub size: u64,
    #[serde(flatten)]
    pub details: Details,
    pub partitions: Vec<Partition>,
    /// Users of the disk, its partitions, and devices on top of it; empty if none is listed by the system.
    pub uses: Vec<Use>,
    /// Reason for missing uses; `None` = all were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Partition {
    /// Kernel name: `nvme0n1p1`.
    pub name: String,
    pub path: PathBuf,
    pub size: u64,
}

/// Properties of a block device and its queue; `None` if the kernel does not report a value, or it does
/// not apply. A partition has the queue of its disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    pub model: Option<String>,
    /// Name of a device-mapper device.
    pub mapper_name: Option<String>,
    pub backing_file: Option<String>,
    /// Whether the device has rotating parts, as reported by the kernel.
    pub rotational: Option<bool>,
    /// Minimum unit of reads and writes in bytes.
    pub logical_block_size: Option<u32>,
    /// Minimum unit in bytes that the device writes without a read-modify-write.
    pub physical_block_size: Option<u32>,
    /// Volatile cache mode of the kernel: `write back`, or `write through` without a cache.
    pub write_cache: Option<String>,
    /// Active I/O scheduler, which may be `none`.
    pub scheduler: Option<String>,
    /// Maximum number of requests per hardware queue (`nr_requests`).
    pub queue_depth: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Use {
    /// Device in use, by its usual name; it may be a partition or holder of the queried device.
    pub device: String,
    #[serde(flatten)]
    pub how: DiskUse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum DiskUse {
    Mounted {
        at: String,
        file_system: String,
    },
    /// It's one of the devices of a mounted file system of this type that keeps track of them itself.
    Member {
        file_system: &'static str,
    },
    Swap,
    HeldBy {
        holder: String,
    },
    /// A server or driver of this machine exports it.
    Served {
        by: String,
    },
    /// A program holds a lock on it, as virtual machines do with their images.
    Locked {
        process: Option<u32>,
    },
    /// A program has a lease on it (`F_SETLEASE`) and does not release it.
    Leased {
        /// Name and process of the program, or one of them.
        holder: String,
    },
}
