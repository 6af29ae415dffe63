//! Content of the targets, examined before the run: unwritten areas, and a sample of the data. A device
//! without stored data, or a layer that stores less than was written, is faster than the medium.

pub mod estimate;
mod order;
mod reducers;
mod sample;
mod space;

use super::device::{Device, split};
use super::root::{Root, number};
use crate::mountinfo;
use diskspd_machine::content::*;
use diskspd_machine::file_systems::{FileSystemType, Trait};
use diskspd_sys::anchor::Location;
use diskspd_sys::block;
use diskspd_sys::clock::{self, Nanos};
pub use order::Order;
use order::open;
use rustix::fs::{FileType, OFlags};
pub use space::WrittenSpace;
use space::space;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

const FOR_EXTENTS: u64 = 3;

/// Examines a target for `time`, or longer if a read hangs. It does not write, and leaves the page cache
/// unchanged if `O_DIRECT` works.
///
/// `None` if no result is possible: no medium (tmpfs), or no read permission.
pub fn sample_content(order: &Order, time: Nanos) -> Option<ContentFacts> {
    let began = clock::monotonic();
    let path = order.located.access_path();
    let kind = diskspd_sys::file_systems::type_name(path);
    if FileSystemType::from_name(&kind).is_memory() && std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = open(path, OFlags::empty())?;
    let found = rustix::fs::fstat(&file).ok()?;
    let device = match FileType::from_raw_mode(found.st_mode) {
        FileType::BlockDevice => true,
        FileType::RegularFile => false,
        _ => return None,
    };
    let size = match device {
        true => block::capacity(file.as_fd()).ok()?,
        false => u64::try_from(found.st_size).unwrap_or(0),
    };
    let to = order.to.min(size);
    let mut facts =
        ContentFacts { target: order.target, device, from: order.from, to, ..ContentFacts::default() };
    if order.from >= to {
        return None;
    }
    let root = order.located.root();
    let place = std::fs::canonicalize(path).ok()?;
    let own = if device { Device::find(root, split(found.st_rdev)) } else { None };
    let mut gaps = Vec::new();
    let until = began + time / FOR_EXTENTS;
    match own.as_ref().and_then(loop_backing_file) {
        Some((backing, offset)) => {
            (facts.space, gaps) = space(&backing, order.from + offset, to + offset, until);
            gaps.iter_mut().for_each(|gap| {
                (gap.from, gap.to) = (gap.from.saturating_sub(offset), gap.to.saturating_sub(offset))
            });
        }
        None if !device => (facts.space, gaps) = space(&file, order.from, to, until),
        None => {}
    }
    facts.sample = sample::take(order, &file, to, &gaps, began + time);
    facts.data_reduction = reducers::below(root, &place, &found, device);
    if !device {
        facts.data_reduction.extend(file_system_reducer(root, &kind, &place, &file, &found, facts.space));
    }
    if let Some(own) = own {
        let queue = own.whole_disk().unwrap_or(own).directory().join("queue");
        facts.discards = number::<u64>(&queue.join("discard_max_bytes")).map(|bytes| bytes > 0);
        facts.rotational = number::<u8>(&queue.join("rotational")).map(|flag| flag != 0);
    }
    facts.nanos = clock::monotonic() - began;
    Some(facts)
}

fn loop_backing_file(device: &Device) -> Option<(File, u64)> {
    let whole = device.whole_disk();
    let start = match whole {
        Some(_) => number::<u64>(&device.directory().join("start"))?.checked_mul(512)?,
        None => 0,
    };
    let whole = whole.as_ref().unwrap_or(device);
    let path = whole.backing_file()?;
    let offset = number::<u64>(&whole.directory().join("loop/offset")).unwrap_or(0);
    let file = open(Path::new(&path), OFlags::empty())?;
    file.metadata().ok()?.is_file().then_some((file, start + offset))
}

/// Returns the file system if it stores less than was written.
fn file_system_reducer(
    root: &Root,
    kind: &str,
    place: &Path,
    file: &File,
    found: &rustix::fs::Stat,
    space: Option<ContentShares>,
) -> Option<Reducer> {
    let mounts = root.mounts();
    let options = mountinfo::holding(&mounts, place).map_or("", |mount| &mount.options);
    let space = space.unwrap_or_default();
    if !FileSystemType::from_name(kind).has_trait(Trait::TellsCompressed) {
        let allocated = u64::try_from(found.st_blocks).unwrap_or(0).saturating_mul(512);
        let size = u64::try_from(found.st_size).unwrap_or(0);
        // Holes outside of the part that is read would look like compression.
        let written = if space.examined == size { size - space.holes - space.pending } else { 0 };
        return reducers::of_file_system(kind, options, file, written, allocated);
    }
    // It tells of every extent whether it is compressed; of what is in memory, the mount options tell.
    let plain = || Reducer { name: kind.to_owned(), compresses: true, deduplicates: false };
    match (space.compressed, space.pending) {
        (0, 0) => None,
        (0, _) => reducers::by_option(kind, options),
        _ => Some(reducers::by_option(kind, options).unwrap_or_else(plain)),
    }
}
