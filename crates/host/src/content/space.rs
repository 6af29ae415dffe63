//! The space of a file: written, unwritten and shared extents, and fragments.

use super::open;
use crate::device::Device;
use crate::root::Root;
use crate::zram_pages;
use diskspd_machine::content::ContentShares;
use diskspd_machine::memory_backed::InMemory;
use diskspd_machine::stack::{Layer, LayerKind, Stack};
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::extents::{ExtentPiece, PieceKind, each_piece};
use rustix::fs::OFlags;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

/// Examines the extents until the time limit. Also returns the extents without data.
pub(super) fn space(
    file: &File,
    from: u64,
    to: u64,
    until: Nanos,
) -> (Option<ContentShares>, Vec<ExtentPiece>) {
    let mut space = ContentShares::default();
    let mut gaps: Vec<ExtentPiece> = Vec::new();
    let mut shared: Vec<(u64, u64)> = Vec::new();
    let mut end = None;
    let walked = each_piece(file.as_fd(), from, to, false, &mut |piece| {
        let length = piece.to - piece.from;
        space.examined += length;
        match piece.kind {
            PieceKind::Written => {}
            PieceKind::Hole => space.holes += length,
            PieceKind::Unwritten => space.unwritten += length,
            PieceKind::Inline => space.inline += length,
            PieceKind::Encoded => space.compressed += length,
            PieceKind::Pending => space.pending += length,
        }
        if let Some(at) = piece.at {
            space.fragments += u64::from(end != Some(at));
            end = Some(at.saturating_add(length));
        }
        if matches!(piece.kind, PieceKind::Hole | PieceKind::Unwritten) {
            match gaps.last_mut().filter(|last| last.kind == piece.kind && last.to == piece.from) {
                Some(last) => last.to = piece.to,
                None => gaps.push(piece),
            }
        } else if piece.shared {
            space.shared += length;
            shared.extend(piece.at.map(|at| (at, length)));
        }
        clock::monotonic() < until
    });
    space.repeated = overlapping_bytes(shared);
    (walked.is_ok().then_some(space), gaps)
}

/// Bytes of these places, each the first byte and the length, that others of them cover as well.
fn overlapping_bytes(mut places: Vec<(u64, u64)>) -> u64 {
    places.sort_unstable();
    let (mut covered, mut overlapping_bytes) = (0, 0u64);
    for (at, length) in places {
        let end = at.saturating_add(length);
        overlapping_bytes = overlapping_bytes.saturating_add(covered.min(end).saturating_sub(at));
        covered = covered.max(end);
    }
    overlapping_bytes
}

/// The space that writes can fill: a target, the file of a loop device, a thin volume, or zram.
#[derive(Debug)]
pub struct WrittenSpace {
    /// Loop device, thin volume or zram; `None` = the target itself.
    pub device: Option<String>,
    source: SpaceSource,
}

#[derive(Debug)]
enum SpaceSource {
    File { file: File, from: u64, to: u64 },
    Thin { volume: Device, root: Root },
    Zram { device: Device, root: Root },
}

impl WrittenSpace {
    /// Returns the space of a range of a regular file.
    pub fn of_file(file: &File, from: u64, to: u64) -> Option<WrittenSpace> {
        let found = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let to = to.min(found.len());
        let file = file.try_clone().ok().filter(|_| from < to)?;
        Some(WrittenSpace { device: None, source: SpaceSource::File { file, from, to } })
    }

    /// Returns the spaces of the loop devices, thin volumes and zram devices of a stack.
    pub fn find(root: &Root, stack: &Stack) -> Vec<WrittenSpace> {
        stack.layers.iter().filter_map(|layer| WrittenSpace::of_layer(root, layer)).collect()
    }

    fn of_layer(root: &Root, layer: &Layer) -> Option<WrittenSpace> {
        let device = Device::find_by_name(root, &layer.name)?;
        let source = match layer.kind {
            LayerKind::Loop => {
                let file = open(Path::new(&device.backing_file()?), OFlags::empty())?;
                let found = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
                SpaceSource::File { file, from: 0, to: found.len() }
            }
            LayerKind::Mapper => {
                let source = SpaceSource::Thin { volume: device, root: root.clone() };
                source.read(Nanos::MAX)?;
                source
            }
            LayerKind::Disk if layer.memory == Some(InMemory::Zram) => {
                SpaceSource::Zram { device, root: root.clone() }
            }
            _ => return None,
        };
        Some(WrittenSpace { device: Some(layer.name.clone()), source })
    }

    /// Reads the composition; `None` = unknown, or not before `until`.
    pub fn read(&self, until: Nanos) -> Option<ContentShares> {
        self.source.read(until)
    }
}

impl SpaceSource {
    fn read(&self, until: Nanos) -> Option<ContentShares> {
        match self {
            SpaceSource::File { file, from, to } => {
                space(file, *from, *to, until).0.filter(|space| space.examined == to - from)
            }
            SpaceSource::Thin { volume, root } => {
                let parts = volume.mapped_parts(root)?;
                let [part] = parts.as_slice() else { return None };
                thin_space(&part.kind, &part.status, volume.size()?)
            }
            SpaceSource::Zram { device, root } => {
                let stored = zram_pages::stored_bytes(root, &device.name)?;
                let examined = device.size()?;
                let holes = examined.saturating_sub(stored);
                Some(ContentShares { examined, holes, ..ContentShares::default() })
            }
        }
    }
}

/// The space of a thin volume of `size` bytes, by its status: sectors that are mapped, and the highest of
/// them.
fn thin_space(kind: &str, status: &str, size: u64) -> Option<ContentShares> {
    let mapped: u64 = status.split_ascii_whitespace().next()?.parse().ok()?;
    let holes = size.checked_sub(mapped.checked_mul(512)?)?;
    (kind == "thin").then_some(ContentShares { examined: size, holes, ..ContentShares::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn repeated_device_positions_are_counted() {
        for (what, places, expected) in [
            ("none", vec![], 0),
            ("one", vec![(0, 10)], 0),
            ("apart", vec![(0, 10), (10, 10), (50, 5)], 0),
            ("the same", vec![(5, 10), (5, 10), (5, 10)], 20),
            ("overlapping", vec![(8, 10), (0, 10)], 2),
            ("within", vec![(0, 100), (10, 5), (90, 20)], 15),
            ("at the end of all numbers", vec![(u64::MAX, 5), (u64::MAX, 5)], 0),
        ] {
            assert_eq!(overlapping_bytes(places), expected, "{what}");
        }
    }

    #[test]
    fn reads_status_of_thin_volumes() {
        for (kind, status, expected) in [
            ("thin", "128 255", Some(1 << 20)),
            ("thin", "0 -", Some((1 << 20) + (64 << 10))),
            ("thin", "Fail", None),
            ("thin", "Error", None),
            ("thin", "999999 1", None),
            ("linear", "128 255", None),
            ("thin", "", None),
        ] {
            let found = thin_space(kind, status, (1 << 20) + (64 << 10)).map(|space| space.holes);
            assert_eq!(found, expected, "{kind} {status}");
        }
    }

    #[test]
    fn sees_first_writes_of_a_sparse_file() {
        let file = tempfile::tempfile_in("/var/tmp").unwrap();
        file.set_len(3 << 20).unwrap();
        let written = WrittenSpace::of_file(&file, 1 << 20, 9 << 20).unwrap();
        let unallocated = || written.read(Nanos::MAX).unwrap().unallocated();
        assert_eq!(unallocated(), 2 << 20);
        file.write_all_at(&vec![1; 1 << 20], 1 << 20).unwrap();
        file.sync_all().unwrap();
        assert_eq!(unallocated(), 1 << 20);
        assert!(WrittenSpace::of_file(&file, 3 << 20, 9 << 20).is_none(), "nothing of it is written");
    }
}
