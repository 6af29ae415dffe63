//! Determines how the kernel completes the I/Os of a target.
//!
//! io_uring submits I/O to the kernel without blocking. Targets without support for that (zram, tmpfs,
//! many stacked devices) use a kernel worker thread for each I/O, which costs several times the I/O
//! itself. A read with `RWF_NOWAIT` shows whether a target supports it. If not, a few reads show whether
//! they end in the call or put the thread to sleep. If they sleep, a few reads through an io_uring show
//! its behaviour (`trial.rs`). The probe never writes.

mod trial;

use crate::device::{Device, split};
use crate::nvme::Generic;
use crate::root::{Root, number};
use diskspd_machine::completion::{Completion, Polling};
use diskspd_machine::file_systems::FileSystemType;
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_sys::anchor::Location;
use diskspd_sys::memory::Buffer;
use diskspd_sys::usage::sleeps;
use rustix::fs::{FileType, Mode, OFlags, open};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2, retry_on_intr};
use std::io::IoSliceMut;
use std::os::fd::OwnedFd;
use std::path::Path;
use trial::{LENGTH, Trial};

const READS: u64 = 5;

/// Probes an existing target with the open mode of its I/Os; reads at most seven blocks. File systems in
/// memory are decided without a probe, because a read may sleep there for memory.
pub fn completion<L: Location + Sync + ?Sized>(
    location: &L,
    facts: &TargetFacts,
    direct: bool,
) -> Completion {
    let in_memory = FileSystemType::from_name(&facts.file_system).is_memory();
    match facts.kind {
        TargetKind::Missing | TargetKind::File if in_memory => return Completion::InCall,
        TargetKind::File | TargetKind::BlockDevice if facts.size >= u64::from(LENGTH) => {}
        _ => return Completion::Unknown,
    }
    let (Some(file), Ok(mut memory)) =
        (open_to_read(location.access_path(), direct), Buffer::new(LENGTH as usize))
    else {
        return Completion::Unknown;
    };
    let memory = memory.as_mut_slice();
    let mut takes = |file: &OwnedFd, direct| takes_without_blocking(file, facts.size, direct, memory);
    // What a block device can do is the same with the cache, but older kernels tell it only without.
    let bare =
        || open_to_read(location.access_path(), true).filter(|_| facts.kind == TargetKind::BlockDevice);
    if takes(&file, direct) && (direct || bare().is_none_or(|file| takes(&file, true))) {
        return Completion::Queued;
    }
    // The cache would hide what is behind it, so the reads go around it.
    let around = if direct { Some(file) } else { open_to_read(location.access_path(), true) };
    match around.and_then(|file| sleeps_while_reading(&file, facts.size, memory)) {
        Some(false) => Completion::InCall,
        Some(true) => probe_blocking(location.access_path(), facts.size, direct),
        None => Completion::Unknown,
    }
}

/// Determines how io_uring handles a blocking target. Reads through the cache may complete without
/// waiting, so the underlying storage decides then.
fn probe_blocking(way: &Path, size: u64, direct: bool) -> Completion {
    let tried = |direct| trial::measure_trial(|| open_to_read(way, direct), size);
    let own = tried(direct);
    let found =
        if direct || matches!(own, Some(Trial::Inline | Trial::OneByOne)) { own } else { tried(true) };
    match found {
        Some(Trial::Queued) => Completion::Queued,
        Some(Trial::Workers) | None => Completion::Blocking,
        Some(Trial::Inline) => Completion::Inline,
        Some(Trial::OneByOne) => Completion::OneByOne,
    }
}

fn open_to_read(path: &Path, direct: bool) -> Option<OwnedFd> {
    let direct = if direct { OFlags::DIRECT } else { OFlags::empty() };
    open(path, OFlags::RDONLY | OFlags::CLOEXEC | direct, Mode::empty()).ok()
}

/// Whether the target supports reads without blocking. A read beyond the end costs nothing, and the kernel
/// still rejects the flag for unsupported files. Older kernels accept the flag for every block device, so
/// unbuffered reads must read data.
fn takes_without_blocking(file: &OwnedFd, size: u64, direct: bool, memory: &mut [u8]) -> bool {
    let mut attempt = |offset| {
        let mut slices = [IoSliceMut::new(memory)];
        retry_on_intr(|| preadv2(file, &mut slices, offset, ReadWriteFlags::NOWAIT))
    };
    let behind = size.next_multiple_of(u64::from(LENGTH));
    if attempt(behind) == Err(Errno::OPNOTSUPP) {
        return false;
    }
    !direct || !matches!(attempt(0), Err(Errno::OPNOTSUPP | Errno::AGAIN))
}

/// Whether most of a few reads, distributed over the file, put the thread to sleep; `None` = unreadable.
fn sleeps_while_reading(file: &OwnedFd, size: u64, memory: &mut [u8]) -> Option<bool> {
    let blocks = size / u64::from(LENGTH);
    let mut slept = 0;
    for read in 0..READS {
        let offset = blocks * read / READS * u64::from(LENGTH);
        let before = sleeps().ok()?;
        retry_on_intr(|| pread(file, &mut *memory, offset)).ok()?;
        slept += u64::from(sleeps().ok()? > before);
        if slept > READS / 2 {
            return Some(true);
        }
    }
    Some(false)
}

/// Determines whether the device of a target has poll queues. For a file it is the device of the file
/// system.
pub fn polling(path: &Path) -> Polling {
    let there = path.ancestors().find_map(|above| {
        rustix::fs::stat(if above.as_os_str().is_empty() { Path::new(".") } else { above }).ok()
    });
    let device = there.and_then(|found| {
        if let Some(generic) = Generic::from_stat(&Root::live_system(), &found) {
            return generic.block;
        }
        let number = match FileType::from_raw_mode(found.st_mode) {
            FileType::BlockDevice => found.st_rdev,
            _ => found.st_dev,
        };
        Device::find(&Root::live_system(), split(number))
    });
    device.map_or(Polling::NoDevice, |device| device.polling())
}

impl Device {
    /// Returns the support of polling; a partition has the queues of its disk.
    fn polling(&self) -> Polling {
        let disk = self.whole_disk().unwrap_or_else(|| self.clone());
        match number::<u8>(&disk.directory().join("queue/io_poll")) {
            Some(1) => Polling::Possible,
            _ => Polling::Without(disk.name),
        }
    }
}

#[cfg(test)]
mod tests;
