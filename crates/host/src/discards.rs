//! Support of a target for discards (`--trim`).

use super::device::{Device, split};
use super::root::{Root, number};
use diskspd_machine::discards::*;
use diskspd_sys::anchor::Location;
use diskspd_sys::ring;
use std::fs::File;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Checks an existing target; `is_remote`: the file system belongs to another host or program. It does not
/// discard, and does not open the target for writing.
pub fn read_discards<L: Location + ?Sized>(location: &L, is_remote: bool) -> Discards {
    let path = location.access_path();
    let Ok(found) = std::fs::metadata(path) else { return Discards::default() };
    match found.file_type() {
        kind if kind.is_block_device() => {
            of_device(path, Device::find(&Root::live_system(), split(found.st_rdev())))
        }
        // What a remote file system states is how much it likes to transfer.
        kind if kind.is_file() && !is_remote => Discards { unit: found.st_blksize(), ..Discards::default() },
        _ => Discards::default(),
    }
}

fn of_device(path: &Path, device: Option<Device>) -> Discards {
    let mut discards = Discards::default();
    if let Some(device) = device {
        let whole = device.whole_disk().unwrap_or(device);
        let queue = whole.directory().join("queue");
        discards.unit = number(&queue.join("discard_granularity")).unwrap_or(0);
        let most = number::<u64>(&queue.join("discard_max_bytes"));
        discards.impossible = (most == Some(0)).then(|| whole.to_string());
    }
    // A device that cannot be opened is reported when the run opens it. That is no answer of io_uring.
    let asked = File::open(path).map(|device| ring::takes_discards(device.into()));
    discards.not_by_uring = asked.ok().and_then(Result::err).map(|error| error.to_string());
    discards
}
