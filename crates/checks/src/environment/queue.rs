//! Rules about the kernel's queue of a disk: unusual settings, and loop devices that use the page cache.

use super::disk::{check_disks, setting};
use super::{HostFacts, new_finding};
use crate::{Finding, Severity};
use diskspd_machine::environment::Disk;

/// The kernel's own settings begin at 64 places (a queue of SCSI or virtio) and end at some thousands.
const MIN_PLACES: u64 = 32;
/// Minimum usual request size in KiB. The default is 1280 KiB, or the hardware's limit.
const USUAL_REQUEST_KIB: u64 = 128;
/// 128 KiB is the default; file systems and storage with many disks raise it to some MiB.
const MAX_READ_AHEAD_KIB: u64 = 8192;

fn value(disk: &Disk, name: &str) -> Option<u64> {
    setting(disk, name)?.parse().ok()
}

/// Reports small queues, because more outstanding I/Os wait in the kernel.
pub(super) fn few_places(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let places = value(disk, "nr_requests").filter(|places| (1..MIN_PLACES).contains(places))?;
        let message = format!(
            "the queue of {} holds {places} requests: further I/Os wait in front of it",
            disk.device.name
        );
        Some(new_finding(Severity::Warning, message).shown_by(format!("nr_requests: {places}")))
    })
}

/// Reports a request size below the hardware's limit, at which larger I/Os are split.
pub(super) fn small_requests(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let largest = value(disk, "max_sectors_kb")?;
        let possible = value(disk, "max_hw_sectors_kb")?;
        if largest >= possible || largest >= USUAL_REQUEST_KIB {
            return None;
        }
        let message = format!("the kernel splits I/Os of more than {largest} KiB to {}", disk.device.name);
        Some(
            new_finding(Severity::Warning, message)
                .shown_by(format!("max_sectors_kb: {largest}; max_hw_sectors_kb: {possible}")),
        )
    })
}

/// Reports readahead, which affects only reads through the page cache.
pub(super) fn read_ahead(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let kib = value(disk, "read_ahead_kb")?;
        let name = &disk.device.name;
        let message = match kib {
            0 => format!("read-ahead is off for {name}: sequential cached reads wait for each block"),
            _ if kib > MAX_READ_AHEAD_KIB => {
                format!("read-ahead is large for {name}: cached reads fetch much more than requested")
            }
            _ => return None,
        };
        Some(new_finding(Severity::Note, message).shown_by(format!("read_ahead_kb: {kib}")))
    })
}

/// Reports loop devices that use the page cache of the underlying file system.
pub(super) fn buffered_loop(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        (disk.device.direct == Some(false)).then(|| {
            let message = format!(
                "{} accesses its file through the page cache: even I/O that bypasses the upper page cache \
                 may be served from memory",
                disk.device.name
            );
            new_finding(Severity::Warning, message).shown_by("loop/dio: 0".into())
        })
    })
}
