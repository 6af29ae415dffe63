//! Disks and their users, as listed on every system.

use serde::Serialize;
use std::path::PathBuf;

/// A whole block device: a disk, or what behaves like one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// n of `#<n>`.
    pub number: usize,
    /// The kernel's name, `nvme0n1`.
    pub name: String,
    pub path: PathBuf,
    pub size: u64,
    #[serde(flatten)]
    pub details: Details,
    pub partitions: Vec<Partition>,
    /// Users of the disk, its partitions, and derived devices; empty if the system's lists contain none.
    pub uses: Vec<Use>,
    /// Reason for missing uses; `None` = all were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Partition {
    /// The kernel's name, `nvme0n1p1`.
    pub name: String,
    pub path: PathBuf,
    /// Capacity in bytes.
    pub size: u64,
}

/// Properties of a block device and its queue; `None` if the kernel does not report a value, or it does
/// not apply. A partition has the queue of its disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    pub model: Option<String>,
    /// The name that a device-mapper device was given.
    pub mapper_name: Option<String>,
    pub backing_file: Option<String>,
    /// Whether the device has rotating parts, according to the kernel.
    pub rotational: Option<bool>,
    /// The smallest unit that can be read or written in bytes.
    pub logical_block_size: Option<u32>,
    /// The smallest unit that the device writes without reading around it, bytes.
    pub physical_block_size: Option<u32>,
    /// Volatile cache mode of the kernel: `write back`, or `write through` without a cache.
    pub write_cache: Option<String>,
    /// The I/O scheduler in use; `none` is one of its names.
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
    /// A file system on it is mounted.
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
    /// A server or driver of this machine gives it to others.
    Served {
        by: String,
    },
    /// A program has locked it, as virtual machines do with their images.
    Locked {
        process: Option<u32>,
    },
    /// A program has a lease on it (`F_SETLEASE`) and does not release it.
    Leased {
        /// The program and its process, or only one of the two.
        holder: String,
    },
}
