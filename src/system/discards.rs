//! What a target makes of discards (`--trim`).

#[cfg(target_os = "linux")]
use super::device::{Device, split};
#[cfg(target_os = "linux")]
use super::root::{Root, number};
#[cfg(target_os = "linux")]
use crate::sys::ring;
#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::os::linux::fs::MetadataExt;
#[cfg(target_os = "linux")]
use std::os::unix::fs::FileTypeExt;
#[cfg(target_os = "linux")]
use std::path::Path;

/// What is known of a target's discards before the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discards {
    /// The smallest part that is given back, and its grid, bytes; 0 = not known.
    pub unit: u64,
    /// Of a block device: its name in `/sys`, if it can't discard.
    pub impossible: Option<String>,
    /// Of a block device: the kernel's answer, if its io_uring takes no discards of it.
    pub not_by_uring: Option<String>,
}

/// Looks at a target that is there; `is_remote`: its file system is another host's or program's. Nothing is
/// discarded, and it isn't opened for writing.
#[cfg(target_os = "linux")]
pub fn look(path: &Path, is_remote: bool) -> Discards {
    let Ok(found) = std::fs::metadata(path) else { return Discards::default() };
    match found.file_type() {
        kind if kind.is_block_device() => of_device(path, Device::of(&Root::live(), split(found.st_rdev()))),
        // What a remote file system states is how much it likes to transfer.
        kind if kind.is_file() && !is_remote => Discards { unit: found.st_blksize(), ..Discards::default() },
        _ => Discards::default(),
    }
}

#[cfg(target_os = "linux")]
fn of_device(path: &Path, device: Option<Device>) -> Discards {
    let mut discards = Discards::default();
    if let Some(device) = device {
        let whole = device.whole().unwrap_or(device);
        let queue = whole.directory().join("queue");
        discards.unit = number(&queue.join("discard_granularity")).unwrap_or(0);
        let most = number::<u64>(&queue.join("discard_max_bytes"));
        discards.impossible = (most == Some(0)).then(|| whole.to_string());
    }
    // That it can't be opened is told when it is opened for the run, and is no answer of io_uring's.
    let asked = File::open(path).map(|device| ring::takes_discards(device.into()));
    discards.not_by_uring = asked.ok().and_then(Result::err).map(|error| error.to_string());
    discards
}
