//! Pieces of a file: written, only allocated, or missing.

use super::*;
use rustix::fs::SeekFrom;
use rustix::io::Errno;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    Written,
    /// Written, but compressed or encrypted by the file system (`FIEMAP_EXTENT_ENCODED`).
    Encoded,
    /// Written, but still only in memory.
    Pending,
    Inline,
    Unwritten,
    Hole,
}

/// Piece of a file, between two offsets in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtentPiece {
    pub from: u64,
    pub to: u64,
    pub kind: PieceKind,
    /// First byte on the device; `None` = unknown.
    pub at: Option<u64>,
    /// Whether other files or other parts of this file share the extent.
    pub shared: bool,
}

impl ExtentPiece {
    /// Creates a piece with an unknown place.
    pub fn new(from: u64, to: u64, kind: PieceKind) -> ExtentPiece {
        ExtentPiece { from, to, kind, at: None, shared: false }
    }
}

/// Passes every piece of a file between two offsets to `take`, in order and without gaps, until it returns
/// false. File systems without `FIEMAP` only report holes (`SEEK_HOLE`).
///
/// With `sync` dirty data is written first, which can take long. Without it, an unwritten piece may have
/// data that is not on the device yet.
///
/// # Errors
/// Fails with the kernel's error, such as `EIO`. An unsupported file system yields one written piece.
pub fn each_piece(
    file: impl AsFd,
    from: u64,
    to: u64,
    sync: bool,
    take: &mut dyn FnMut(ExtentPiece) -> bool,
) -> io::Result<()> {
    let file = file.as_fd();
    let flags = if sync { FLAG_SYNC } else { 0 };
    let mut covered = from;
    while covered < to {
        let map = match fetch_extents(file, covered, to, flags) {
            Ok(map) => map,
            Err(error) if cannot_tell(&error) => {
                return by_seeking(file, covered, to, take);
            }
            Err(error) => return Err(error),
        };
        let extents = map.extents.get(..map.header.mapped as usize).unwrap_or_default();
        match cut_pieces(covered, to, extents, take) {
            Some(end) if end > covered => covered = end,
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// Passes the pieces of these extents from `covered` on. Returns their end; `None` = the receiver stops.
fn cut_pieces(
    mut covered: u64,
    to: u64,
    extents: &[Extent],
    take: &mut dyn FnMut(ExtentPiece) -> bool,
) -> Option<u64> {
    let mut hand = |piece: ExtentPiece| piece.from >= piece.to || take(piece);
    for extent in extents {
        let begin = extent.logical.clamp(covered, to);
        let end = extent.logical.saturating_add(extent.length).clamp(begin, to);
        let placed = extent.flags & EXTENT_ELSEWHERE == 0;
        let at = placed.then(|| extent.physical.saturating_add(begin.saturating_sub(extent.logical)));
        let shared = extent.flags & EXTENT_SHARED != 0;
        let piece = ExtentPiece { at, shared, ..ExtentPiece::new(begin, end, kind(extent.flags)) };
        if !hand(ExtentPiece::new(covered, begin, PieceKind::Hole)) || !hand(piece) {
            return None;
        }
        covered = end;
        if extent.flags & EXTENT_LAST != 0 {
            break;
        }
    }
    // No extent left, or the last one: nothing lies behind.
    if extents.len() < ROOM || extents.last().is_some_and(|last| last.flags & EXTENT_LAST != 0) {
        return hand(ExtentPiece::new(covered, to, PieceKind::Hole)).then_some(to);
    }
    Some(covered)
}

fn kind(flags: u32) -> PieceKind {
    let has = |flag| flags & flag != 0;
    match () {
        () if has(EXTENT_DELALLOC) => PieceKind::Pending,
        () if has(EXTENT_UNWRITTEN) => PieceKind::Unwritten,
        () if has(EXTENT_INLINE) => PieceKind::Inline,
        () if has(EXTENT_ENCODED) => PieceKind::Encoded,
        () => PieceKind::Written,
    }
}

fn by_seeking(
    file: BorrowedFd<'_>,
    from: u64,
    to: u64,
    take: &mut dyn FnMut(ExtentPiece) -> bool,
) -> io::Result<()> {
    let mut covered = from;
    while covered < to {
        let data = match rustix::fs::seek(file, SeekFrom::Data(covered)) {
            Ok(data) => data.min(to),
            // Nothing but a hole up to the end.
            Err(Errno::NXIO) => to,
            Err(Errno::INVAL | Errno::OPNOTSUPP) => covered,
            Err(error) => return Err(error.into()),
        };
        if data > covered && !take(ExtentPiece::new(covered, data, PieceKind::Hole)) || data == to {
            return Ok(());
        }
        let hole = rustix::fs::seek(file, SeekFrom::Hole(data)).map_or(to, |hole| hole.clamp(data, to));
        if !take(ExtentPiece::new(data, hole, PieceKind::Written)) || hole == data {
            return Ok(());
        }
        covered = hole;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileExt;

    fn sample_extent(logical: u64, length: u64, flags: u32) -> Extent {
        Extent { logical, length, flags, ..Extent::default() }
    }

    #[test]
    fn extents_and_gaps_cover_the_range() {
        use PieceKind::*;
        let last = EXTENT_LAST;
        type Case = (&'static str, Vec<Extent>, Vec<(u64, u64, PieceKind)>);
        let cases: Vec<Case> = vec![
            ("nothing", vec![], vec![(100, 1000, Hole)]),
            ("all", vec![sample_extent(0, 2000, last)], vec![(100, 1000, Written)]),
            (
                "gaps",
                vec![sample_extent(200, 100, 0), sample_extent(400, 100, EXTENT_UNWRITTEN | last)],
                vec![
                    (100, 200, Hole),
                    (200, 300, Written),
                    (300, 400, Hole),
                    (400, 500, Unwritten),
                    (500, 1000, Hole),
                ],
            ),
            (
                "kinds",
                vec![
                    sample_extent(100, 100, EXTENT_DELALLOC | EXTENT_UNKNOWN),
                    sample_extent(200, 100, EXTENT_ENCODED),
                    sample_extent(300, 900, EXTENT_INLINE | last),
                ],
                vec![(100, 200, Pending), (200, 300, Encoded), (300, 1000, Inline)],
            ),
            (
                "overlapping",
                vec![sample_extent(0, 600, 0), sample_extent(500, 900, last)],
                vec![(100, 600, Written), (600, 1000, Written)],
            ),
        ];
        for (name, extents, expected) in cases {
            let mut found = Vec::new();
            let end = cut_pieces(100, 1000, &extents, &mut |piece| {
                found.push((piece.from, piece.to, piece.kind));
                true
            });
            assert_eq!((found, end), (expected, Some(1000)), "{name}");
        }
        assert_eq!(
            cut_pieces(0, 10, &[sample_extent(0, 5, last)], &mut |_| false),
            None,
            "no more is wanted"
        );
    }

    #[test]
    fn pieces_have_their_place_on_the_device() {
        let placed = |flags| Extent { physical: 1 << 20, ..sample_extent(100, 100, flags) };
        for (flags, expected) in [
            (0, (Some((1 << 20) + 50), false)),
            (EXTENT_SHARED, (Some((1 << 20) + 50), true)),
            (EXTENT_UNWRITTEN, (Some((1 << 20) + 50), false)),
            (EXTENT_DELALLOC | EXTENT_UNKNOWN, (None, false)),
            (EXTENT_ENCODED | EXTENT_SHARED, (None, true)),
            (EXTENT_INLINE, (None, false)),
        ] {
            let mut found = Vec::new();
            cut_pieces(150, 200, &[placed(flags | EXTENT_LAST)], &mut |piece| {
                found.push((piece.at, piece.shared));
                true
            });
            assert_eq!(found, [expected], "{flags:#x}");
        }
    }

    #[test]
    fn real_file_is_split_equally_with_and_without_map() {
        let file = tempfile::tempfile_in("/var/tmp").unwrap();
        file.set_len(3 << 20).unwrap();
        file.write_all_at(&vec![1; 1 << 20], 1 << 20).unwrap();
        file.sync_all().unwrap();
        let expected = [
            (0, 1 << 20, PieceKind::Hole),
            (1 << 20, 2 << 20, PieceKind::Written),
            (2 << 20, 3 << 20, PieceKind::Hole),
        ];
        let mut by_map = Vec::new();
        let mut by_seek = Vec::new();
        each_piece(file.as_fd(), 0, 3 << 20, true, &mut |p| {
            by_map.push((p.from, p.to, p.kind));
            true
        })
        .unwrap();
        by_seeking(file.as_fd(), 0, 3 << 20, &mut |p| {
            by_seek.push((p.from, p.to, p.kind));
            true
        })
        .unwrap();
        assert_eq!(by_seek, expected);
        assert_eq!(by_map, expected);
    }
}
