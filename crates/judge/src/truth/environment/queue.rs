//! Rules about how the kernel queues for a disk: settings far from what is usual, and loop devices that go
//! through the page cache.

use super::disk::{each, setting};
use super::{Seen, new_finding};
use crate::truth::{Finding, Severity};
use diskspd_model::machine::environment::Disk;

/// The kernel's own settings begin at 64 places (a queue of SCSI or virtio) and end at some thousands.
const FEWEST_PLACES: u64 = 32;
/// Requests may carry 1280 KiB by default, or what the hardware can if that is less.
const USUAL_REQUEST_KIB: u64 = 128;
/// 128 KiB is the default; file systems and storage with many disks raise it to some MiB.
const MOST_READ_AHEAD_KIB: u64 = 8192;

fn value(disk: &Disk, name: &str) -> Option<u64> {
    setting(disk, name)?.parse().ok()
}

/// More outstanding I/Os than places wait in the kernel, whatever the device could do.
pub(super) fn few_places(seen: &Seen) -> Vec<Finding> {
    each(seen, |disk| {
        let places = value(disk, "nr_requests").filter(|places| (1..FEWEST_PLACES).contains(places))?;
        let message = format!(
            "the queue of {} holds {places} requests: further I/Os wait in front of it",
            disk.device.name
        );
        Some(new_finding(Severity::Warning, message).shown_by(format!("nr_requests: {places}")))
    })
}

/// Larger I/Os are split, and what the hardware could take at once takes several requests.
pub(super) fn small_requests(seen: &Seen) -> Vec<Finding> {
    each(seen, |disk| {
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

/// Only reads through the page cache know it.
pub(super) fn read_ahead(seen: &Seen) -> Vec<Finding> {
    each(seen, |disk| {
        let kib = value(disk, "read_ahead_kb")?;
        let name = &disk.device.name;
        let message = match kib {
            0 => format!("read-ahead is off for {name}: sequential cached reads wait for each block"),
            _ if kib > MOST_READ_AHEAD_KIB => {
                format!("read-ahead is large for {name}: cached reads fetch much more than requested")
            }
            _ => return None,
        };
        Some(new_finding(Severity::Note, message).shown_by(format!("read_ahead_kb: {kib}")))
    })
}

/// Past the page cache of the file system on it, and into the one below it.
pub(super) fn buffered_loop(seen: &Seen) -> Vec<Finding> {
    each(seen, |disk| {
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
