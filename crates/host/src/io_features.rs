//! Features of a target's file system and device other than plain reads and writes. The checks do not
//! write.

use super::device::{Device, split};
use super::root::{Root, number};
use diskspd_base::access::{IoFeatures, OpenMode};
use diskspd_base::message_error::MessageError;
use diskspd_machine::io_features::{AtomicWrites, IoFeatureSupport};
use diskspd_sys::io_features::{accepts_features, takes_writes};
use diskspd_sys::nvme::{self, Namespace, PlacementHandle};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, StatxFlags, open, stat, statx};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub fn probe_features(path: &Path) -> IoFeatureSupport {
    let [no_dont_cache, no_nowait] = [
        IoFeatures { dont_cache: true, ..IoFeatures::default() },
        IoFeatures { no_wait: true, ..IoFeatures::default() },
    ]
    .map(|ways| not_taken(path, ways));
    IoFeatureSupport {
        atomic: atomic_writes(path),
        no_dont_cache,
        no_nowait,
        no_nowait_writes: None,
        write_streams: write_streams(path),
    }
}

pub fn look_at_writes(path: &Path) -> IoFeatureSupport {
    IoFeatureSupport { no_nowait_writes: no_nowait_writes(path), ..probe_features(path) }
}

/// Returns the limits from statx(2), which supports atomic writes since Linux 6.11 and reports 0 without
/// support. The device's limits are in /sys.
fn atomic_writes(path: &Path) -> Option<AtomicWrites> {
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::from_bits_retain(WRITE_ATOMIC)).ok()?;
    let device_max =
        queue_directory(path).and_then(|queue| number(&queue.join("atomic_write_unit_max_bytes")));
    if found.stx_mask & WRITE_ATOMIC == 0 {
        // A kernel that supports them also reports so in /sys. Without support of the device statx reports
        // nothing.
        return device_max.map(|_| AtomicWrites { device_max, ..AtomicWrites::default() });
    }
    Some(AtomicWrites {
        unit_min: found.stx_atomic_write_unit_min,
        unit_max: found.stx_atomic_write_unit_max,
        segments_max: found.stx_atomic_write_segments_max,
        device_max,
    })
}

fn queue_directory(path: &Path) -> Option<PathBuf> {
    let found = stat(path).ok()?;
    let is_device = FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice;
    let device =
        Device::find(&Root::live_system(), split(if is_device { found.st_rdev } else { found.st_dev }))?;
    Some(device.whole_disk().unwrap_or(device).directory().join("queue"))
}

/// Returns whether the device of a path has a volatile write cache, and whether it has FUA; `None` if
/// unknown.
pub fn durable_writes(path: &Path) -> Option<(bool, bool)> {
    let queue = queue_directory(path)?;
    let cache = std::fs::read_to_string(queue.join("write_cache")).ok()?;
    Some((cache.trim() == "write back", number::<u64>(&queue.join("fua"))? > 0))
}

/// `STATX_WRITE_ATOMIC` of linux/stat.h.
const WRITE_ATOMIC: u32 = 0x1_0000;

/// Tests an empty write. The kernel does not support it for block devices (`blkdev_write_iter` of
/// block/fops.c), and an empty write would not show that.
fn no_nowait_writes(path: &Path) -> Option<String> {
    let found = stat(path).ok()?;
    if FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice {
        return Some(Errno::OPNOTSUPP.to_string());
    }
    let mode = OpenMode { write: true, ..OpenMode::default() };
    let target = diskspd_sys::files::open(path, &mode).ok()?;
    match takes_writes(target.file, IoFeatures { no_wait: true, ..IoFeatures::default() }) {
        Err(answer @ (Errno::OPNOTSUPP | Errno::INVAL)) => Some(answer.to_string()),
        _ => None,
    }
}

/// Tests a read beyond the end. Unreadable targets are not tested.
fn not_taken(path: &Path, ways: IoFeatures) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).ok()?;
    let size = diskspd_sys::files::size(path, std::os::fd::AsFd::as_fd(&file)).ok()?;
    match accepts_features(&file, size, ways) {
        Err(answer @ (Errno::OPNOTSUPP | Errno::INVAL)) => Some(answer.to_string()),
        _ => None,
    }
}

/// Returns the number of write streams of a block device (`queue/max_write_streams`, Linux 6.16). `None`
/// if it is not a block device, or the kernel does not report it. A partition has no streams
/// (`bdev_max_write_streams` of linux/blkdev.h).
pub fn write_streams(path: &Path) -> Option<u64> {
    let found = stat(path).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::BlockDevice {
        return None;
    }
    let device = Device::find(&Root::live_system(), split(found.st_rdev))?;
    match device.whole_disk() {
        Some(_) => Some(0),
        None => number(&device.directory().join("queue/max_write_streams")),
    }
}

/// Returns the character device for commands to the NVMe namespace of a block device; `None` if it is not
/// a namespace.
pub fn pass_through(path: &Path) -> Option<String> {
    let found = stat(path).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::BlockDevice {
        return None;
    }
    let device = Device::find(&Root::live_system(), split(found.st_rdev))?;
    let namespace = device.name.strip_prefix("nvme").filter(|rest| !rest.contains('p'))?;
    let node = format!("/dev/ng{namespace}");
    Path::new(&node).exists().then_some(node)
}

/// Returns the format of the namespace at a path, as character or block device; `None` if it is not a
/// namespace, or cannot be queried.
pub fn namespace(path: &Path) -> Option<Namespace> {
    let node = pass_through(path).map_or_else(|| path.to_owned(), PathBuf::from);
    nvme::read_namespace(node.as_path()).ok()
}

/// Returns the placement handles of the namespace at a path, as character or block device.
///
/// # Errors
/// Fails with the reason if there are no handles.
pub fn placement(path: &Path) -> Result<Vec<PlacementHandle>, MessageError> {
    let node = pass_through(path).map_or_else(|| path.to_owned(), PathBuf::from);
    let not_asked = |error: io::Error| format!("it is not responding: {error}");
    let file = File::open(&node).map_err(not_asked)?;
    let found = nvme::namespace(&file).map_err(not_asked)?;
    if !found.places {
        return Err("its controller does not support flexible data placement (CTRATT, bit 19)".into());
    }
    // Only root may query a feature; the handles show it, too.
    if let Ok(false) = nvme::is_placement_on(&file, found.endurance_group) {
        return Err(format!(
            "flexible data placement is off in its endurance group {}; a group without namespaces can turn \
             it on (nvme set-feature -f 0x1d)",
            found.endurance_group
        )
        .into());
    }
    nvme::placement_handles(&file, found.id)
        .map_err(|error| format!("it does not report its placement handles: {error}").into())
}
