//! What file system and device of a target offer beside plain reads and writes. Nothing is written.

use super::device::{Device, split};
use super::root::{Root, number};
use diskspd_model::access::{IoWays, OpenMode};
use diskspd_model::machine::nvme::NoPlacement;
use diskspd_model::machine::ways::{AtomicWrites, WayFacts};
use diskspd_sys::nvme::{self, Namespace, PlacementHandle};
use diskspd_sys::ways::{takes, takes_writes};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, StatxFlags, open, stat, statx};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub fn look(path: &Path) -> WayFacts {
    let [no_dont_cache, no_nowait] =
        [IoWays { dont_cache: true, ..IoWays::default() }, IoWays { no_wait: true, ..IoWays::default() }]
            .map(|ways| not_taken(path, ways));
    WayFacts {
        atomic: atomic_writes(path),
        no_dont_cache,
        no_nowait,
        no_nowait_writes: None,
        write_streams: write_streams(path),
    }
}

/// The same of what is going to be written through the page cache without waiting.
pub fn look_at_writes(path: &Path) -> WayFacts {
    WayFacts { no_nowait_writes: no_nowait_writes(path), ..look(path) }
}

/// By statx(2), which has known atomic writes since Linux 6.11 and says 0 where there are none. What the
/// device does is in /sys.
fn atomic_writes(path: &Path) -> Option<AtomicWrites> {
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::from_bits_retain(WRITE_ATOMIC)).ok()?;
    let device_max =
        queue_directory(path).and_then(|queue| number(&queue.join("atomic_write_unit_max_bytes")));
    if found.stx_mask & WRITE_ATOMIC == 0 {
        // A kernel that knows them says so in /sys, too; of what can't do them statx says nothing.
        return device_max.map(|_| AtomicWrites { device_max, ..AtomicWrites::default() });
    }
    Some(AtomicWrites {
        unit_min: found.stx_atomic_write_unit_min,
        unit_max: found.stx_atomic_write_unit_max,
        segments_max: found.stx_atomic_write_segments_max,
        device_max,
    })
}

/// The settings in /sys of the disk that a target is, or lies on.
fn queue_directory(path: &Path) -> Option<PathBuf> {
    let found = stat(path).ok()?;
    let is_device = FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice;
    let device = Device::find(&Root::live(), split(if is_device { found.st_rdev } else { found.st_dev }))?;
    Some(device.whole().unwrap_or(device).directory().join("queue"))
}

/// `STATX_WRITE_ATOMIC` of linux/stat.h.
const WRITE_ATOMIC: u32 = 0x1_0000;

/// Tries a write of nothing. The kernel knows none of block devices (`blkdev_write_iter` of block/fops.c), of
/// which nothing says nothing.
fn no_nowait_writes(path: &Path) -> Option<String> {
    let found = stat(path).ok()?;
    if FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice {
        return Some(Errno::OPNOTSUPP.to_string());
    }
    let mode = OpenMode { write: true, ..OpenMode::default() };
    let target = diskspd_sys::files::open(path, &mode).ok()?;
    match takes_writes(target.file, IoWays { no_wait: true, ..IoWays::default() }) {
        Err(answer @ (Errno::OPNOTSUPP | Errno::INVAL)) => Some(answer.to_string()),
        _ => None,
    }
}

/// Tries a read behind the end. What can't be read isn't asked.
fn not_taken(path: &Path, ways: IoWays) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).ok()?;
    let size = diskspd_sys::files::size(path, std::os::fd::AsFd::as_fd(&file)).ok()?;
    match takes(&file, size, ways) {
        Err(answer @ (Errno::OPNOTSUPP | Errno::INVAL)) => Some(answer.to_string()),
        _ => None,
    }
}

/// How many write streams a block device has (`queue/max_write_streams`, Linux 6.16); `None` = it is none, or
/// the kernel doesn't tell. A partition has none (`bdev_max_write_streams` of linux/blkdev.h).
pub fn write_streams(path: &Path) -> Option<u64> {
    let found = stat(path).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::BlockDevice {
        return None;
    }
    let device = Device::find(&Root::live(), split(found.st_rdev))?;
    match device.whole() {
        Some(_) => Some(0),
        None => number(&device.directory().join("queue/max_write_streams")),
    }
}

/// The character device that takes commands for the NVMe namespace of a block device; `None` = it is none.
pub fn pass_through(path: &Path) -> Option<String> {
    let found = stat(path).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::BlockDevice {
        return None;
    }
    let device = Device::find(&Root::live(), split(found.st_rdev))?;
    let namespace = device.name.strip_prefix("nvme").filter(|rest| !rest.contains('p'))?;
    let node = format!("/dev/ng{namespace}");
    Path::new(&node).exists().then_some(node)
}

/// What the namespace at a path, by itself or as a block device, is formatted with; `None` = it is none, or
/// can't be asked.
pub fn namespace(path: &Path) -> Option<Namespace> {
    let node = pass_through(path).map_or_else(|| path.to_owned(), PathBuf::from);
    nvme::look(node.as_path()).ok()
}

/// The placement handles of the namespace at a path, by itself or as a block device.
///
/// # Errors
/// Why it has none.
pub fn placement(path: &Path) -> Result<Vec<PlacementHandle>, NoPlacement> {
    let node = pass_through(path).map_or_else(|| path.to_owned(), PathBuf::from);
    let not_asked = |error: io::Error| NoPlacement::NotAsked(error.to_string());
    let file = File::open(&node).map_err(not_asked)?;
    let found = nvme::namespace(&file).map_err(not_asked)?;
    if !found.places {
        return Err(NoPlacement::Controller);
    }
    // Who isn't root may not ask for a feature; the handles say so, too.
    if let Ok(false) = nvme::is_placement_on(&file, found.endurance_group) {
        return Err(NoPlacement::Off(found.endurance_group));
    }
    nvme::placement_handles(&file, found.id).map_err(|error| NoPlacement::NotTold(error.to_string()))
}
