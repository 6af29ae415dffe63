//! What the targets hold, looked at before they are read: what never was written, and a sample of what was.
//! A device that has nothing to look up, or a layer that stores less than was written, answers faster than
//! the medium can.

pub mod estimate;
#[cfg(target_os = "linux")]
mod reducers;
#[cfg(target_os = "linux")]
mod sample;

#[cfg(target_os = "linux")]
use super::device::{Device, split};
use super::root::{Root, number};
use crate::clock::{self, Nanos};
use crate::profile::{RawText, TargetId};
#[cfg(target_os = "linux")]
use crate::sys::block;
#[cfg(target_os = "linux")]
use crate::sys::extents::{Kind, Piece, each_piece};
#[cfg(target_os = "linux")]
use crate::sys::file_systems::{self, FileSystemType, Trait};
#[cfg(target_os = "linux")]
use rustix::fs::{FileType, Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::fs::File;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// What was found about one target. What is not known is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentFacts {
    /// The target.
    #[serde(alias = "path")]
    pub target: TargetId,
    /// Whether it is a block device.
    pub device: bool,
    /// First byte of the part that is read.
    pub from: u64,
    /// Behind the last byte of that part.
    pub to: u64,
    /// What of it was written: of a file, or of the file behind a loop device.
    pub space: Option<Space>,
    /// What lies in the written parts.
    pub sample: Option<Sample>,
    /// What beneath it stores less than was written.
    pub reducers: Vec<Reducer>,
    /// Of a block device: whether it can forget what was written (discard).
    pub discards: Option<bool>,
    /// Of a block device: whether it has turning parts, as far as the kernel was told.
    pub rotational: Option<bool>,
    /// How long looking took, ns.
    pub nanos: u64,
}

/// What the part of a file that is read consists of, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// What is known; less than the whole where it has more pieces than there was time to look at.
    pub known: u64,
    /// Where nothing is.
    pub holes: u64,
    /// Allocated, but never written.
    pub unwritten: u64,
    /// Within the file system's own structures.
    pub inline: u64,
    /// Stored in another form by the file system: compressed (btrfs), on others maybe encrypted.
    pub compressed: u64,
    /// Written, but still in memory only.
    pub pending: u64,
}

/// Blocks that were read from a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Bytes of a block.
    pub block_size: u64,
    /// Whether they were read past the page cache.
    pub direct: bool,
    /// Blocks read where something was written. All other figures but the last two are about them.
    pub blocks: u64,
    /// Those that are nothing but zeros.
    pub zeros: u64,
    /// Those that are the same as another one, zeros not counted.
    pub repeats: u64,
    /// Bytes that compression would leave of them, estimated.
    pub compressed: u64,
    /// Blocks read where the file system says that nothing was written.
    pub unwritten: u64,
    /// Those of them that are nothing but zeros: the others are in memory, about to be written.
    pub unwritten_zeros: u64,
}

/// A file system or device that stores less than was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reducer {
    /// `btrfs (compress=zstd:3)`, `zram0`
    pub name: String,
    /// Whether it compresses.
    pub compresses: bool,
    /// Whether it stores equal blocks once.
    pub deduplicates: bool,
}

/// What is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The target.
    pub target: TargetId,
    /// Its path, as the user gave it.
    pub path: RawText,
    /// Where it is.
    pub location: PathBuf,
    /// First byte that is read.
    pub from: u64,
    /// Behind the last byte that is read.
    pub to: u64,
    /// What `O_DIRECT` needs offsets to be multiples of, bytes; 0 = it isn't possible.
    pub direct: u32,
}

/// Of the time that is given, the share for finding out what was written.
const FOR_EXTENTS: u64 = 3;

/// Looks at a target for so many nanoseconds; a read that hangs takes longer. Nothing is written, and the
/// page cache is left as it was wherever `O_DIRECT` works.
///
/// `None` = there is nothing to be said: no medium (tmpfs), no right to read it.
#[cfg(target_os = "linux")]
pub fn look(order: &Order, time: Nanos) -> Option<ContentFacts> {
    let began = clock::monotonic();
    let path = order.location.as_path();
    let kind = file_systems::type_name(path);
    if FileSystemType::named(&kind).is_memory() && std::fs::metadata(path).ok()?.is_file() {
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
    let root = Root::live();
    let place = std::fs::canonicalize(path).ok()?;
    let own = if device { Device::of(&root, split(found.st_rdev)) } else { None };
    let mut gaps = Vec::new();
    let until = began + time / FOR_EXTENTS;
    match own.as_ref().and_then(backing) {
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
    facts.reducers = reducers::below(&root, &place, &found, device);
    if !device {
        facts.reducers.extend(file_system_reducer(&root, &kind, &place, &file, &found, facts.space));
    }
    if let Some(own) = own {
        let queue = own.whole().unwrap_or(own).directory().join("queue");
        facts.discards = number::<u64>(&queue.join("discard_max_bytes")).map(|bytes| bytes > 0);
        facts.rotational = number::<u8>(&queue.join("rotational")).map(|flag| flag != 0);
    }
    facts.nanos = clock::monotonic() - began;
    Some(facts)
}

/// For reading, without leaving an access time.
#[cfg(target_os = "linux")]
fn open(path: &Path, flags: OFlags) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | flags;
    let quietly = rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty());
    quietly.or_else(|_| rustix::fs::open(path, flags, Mode::empty())).ok().map(File::from)
}

/// The file behind a loop device, and where in it the device begins, bytes.
#[cfg(target_os = "linux")]
fn backing(device: &Device) -> Option<(File, u64)> {
    let whole = device.whole();
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

/// Goes through the pieces until the time is over. Also returns those that hold no data.
#[cfg(target_os = "linux")]
fn space(file: &File, from: u64, to: u64, until: Nanos) -> (Option<Space>, Vec<Piece>) {
    let mut space = Space::default();
    let mut gaps: Vec<Piece> = Vec::new();
    let walked = each_piece(file.as_fd(), from, to, false, &mut |piece| {
        let length = piece.to - piece.from;
        space.known += length;
        match piece.kind {
            Kind::Written => {}
            Kind::Hole => space.holes += length,
            Kind::Unwritten => space.unwritten += length,
            Kind::Inline => space.inline += length,
            Kind::Encoded => space.compressed += length,
            Kind::Pending => space.pending += length,
        }
        if matches!(piece.kind, Kind::Hole | Kind::Unwritten) {
            match gaps.last_mut().filter(|last| last.kind == piece.kind && last.to == piece.from) {
                Some(last) => last.to = piece.to,
                None => gaps.push(piece),
            }
        }
        clock::monotonic() < until
    });
    (walked.is_ok().then_some(space), gaps)
}

/// The file system itself as one that stores less.
#[cfg(target_os = "linux")]
fn file_system_reducer(
    root: &Root,
    kind: &str,
    place: &Path,
    file: &File,
    found: &rustix::fs::Stat,
    space: Option<Space>,
) -> Option<Reducer> {
    let options = reducers::mount_of(root, place).map(|mount| mount.options).unwrap_or_default();
    let space = space.unwrap_or_default();
    if !FileSystemType::named(kind).has(Trait::TellsCompressed) {
        let allocated = u64::try_from(found.st_blocks).unwrap_or(0).saturating_mul(512);
        let size = u64::try_from(found.st_size).unwrap_or(0);
        // Holes outside of the part that is read would look like compression.
        let written = if space.known == size { size - space.holes - space.pending } else { 0 };
        return reducers::of_file_system(kind, &options, file, written, allocated);
    }
    // It tells of every extent whether it is compressed; of what is in memory, the mount options tell.
    let plain = || Reducer { name: kind.to_owned(), compresses: true, deduplicates: false };
    match (space.compressed, space.pending) {
        (0, 0) => None,
        (0, _) => reducers::by_option(kind, &options),
        _ => Some(reducers::by_option(kind, &options).unwrap_or_else(plain)),
    }
}
