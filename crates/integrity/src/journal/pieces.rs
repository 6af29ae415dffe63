//! The pieces of a journal, found in bytes that may be cut or damaged.

use super::layout::{ACK_LENGTH, ACKS, END_PIECE, FORGOTTEN, MAX_PIECE_BYTES, MAX_PIECE_ENTRIES, TARGET};
use diskspd_sys::crc32c::crc32c;
use std::io::{self, Read};

/// Bytes of a piece before its body: length and checksum.
const HEAD: usize = 8;
/// Size in bytes of a piece that invalidates a target.
const FORGETS: usize = 5;
/// Minimum bytes of one read.
const CHUNK: usize = 1 << 16;
/// Bytes of which checksums are computed in search of the next piece, at most. Damage needs far fewer: only
/// bytes that are made for
/// it look like a large piece at every place.
const MAX_SEARCHED_BYTES: usize = 1 << 28;

/// Reader of a journal from its beginning.
pub(super) struct Pieces<R> {
    from: R,
    held: Vec<u8>,
    /// Position in `held` after the processed pieces.
    at: usize,
    searched: usize,
}

/// Next part of a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JournalItem {
    /// Piece with a valid checksum; the number is the length of its body.
    Piece(usize),
    /// End of the file.
    End,
    /// Bytes that are not a piece.
    Bad,
}

/// Damaged bytes between two pieces, or after the last.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DamagedBytes {
    pub bytes: u64,
    /// Whether a piece follows, or may follow.
    pub is_inside: bool,
    /// Whether a piece follows, and the bytes may have been one that invalidates a target.
    pub may_forget: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(from: R) -> Pieces<R> {
        Pieces { from, held: Vec::new(), at: 0, searched: 0 }
    }

    /// Reads the part at the current position.
    pub(super) fn next(&mut self) -> io::Result<JournalItem> {
        let Some(length) = self.piece_length()? else {
            return Ok(if self.hold_bytes(1)?.is_empty() { JournalItem::End } else { JournalItem::Bad });
        };
        let bytes = self.hold_bytes(HEAD + length)?;
        Ok(if is_whole(bytes, length) { JournalItem::Piece(length) } else { JournalItem::Bad })
    }

    /// Returns the body of the piece at the current position, and moves past it.
    pub(super) fn take(&mut self, length: usize) -> &[u8] {
        let start = self.at + HEAD;
        self.at = start + length;
        &self.held[start..self.at]
    }

    /// Skips bytes that are not a piece, up to the next piece.
    pub(super) fn skip(&mut self) -> io::Result<DamagedBytes> {
        let told = self.piece_length()?;
        let mut bytes = 0;
        while !self.hold_bytes(1)?.is_empty() {
            self.at += 1;
            bytes += 1;
            if self.searched > MAX_SEARCHED_BYTES {
                let held = self.held.len() - self.at;
                (self.at, bytes) = (self.held.len(), bytes + held);
                let rest = io::copy(&mut self.from, &mut io::sink())?;
                return Ok(DamagedBytes { bytes: bytes as u64 + rest, is_inside: true, may_forget: true });
            }
            if self.is_piece()? {
                let may_forget = !is_other_piece(bytes, told);
                return Ok(DamagedBytes { bytes: bytes as u64, is_inside: true, may_forget });
            }
        }
        Ok(DamagedBytes { bytes: bytes as u64, ..DamagedBytes::default() })
    }

    /// Returns the possible length of a piece at the current position.
    fn piece_length(&mut self) -> io::Result<Option<usize>> {
        let length = self.hold_bytes(HEAD)?.get(..HEAD).map(|head| number_at(head, 0) as usize);
        Ok(length.filter(|length| (1..=MAX_PIECE_BYTES).contains(length)))
    }

    /// Whether there is a piece at the current position.
    fn is_piece(&mut self) -> io::Result<bool> {
        let Some(length) = self.piece_length()? else { return Ok(false) };
        let possible = match self.hold_bytes(HEAD + 1)?.get(HEAD) {
            Some(&TARGET) => length > FORGETS,
            Some(&ACKS) => is_acks(length),
            Some(&FORGOTTEN) => length == FORGETS,
            Some(&END_PIECE) => length == 1,
            _ => false,
        };
        if !possible {
            return Ok(false);
        }
        self.searched += length;
        Ok(is_whole(self.hold_bytes(HEAD + length)?, length))
    }

    /// Returns `count` bytes from the current position; fewer only at the end of the file.
    fn hold_bytes(&mut self, count: usize) -> io::Result<&[u8]> {
        let missing = count.saturating_sub(self.held.len() - self.at);
        if missing > 0 {
            self.held.drain(..self.at);
            self.at = 0;
            self.from.by_ref().take(missing.max(CHUNK) as u64).read_to_end(&mut self.held)?;
        }
        let rest = &self.held[self.at..];
        Ok(&rest[..count.min(rest.len())])
    }
}

fn is_whole(bytes: &[u8], length: usize) -> bool {
    bytes.len() == HEAD + length && crc32c(&bytes[HEAD..]) == number_at(bytes, 4)
}

fn is_acks(length: usize) -> bool {
    (length - 1).is_multiple_of(ACK_LENGTH) && length <= 1 + MAX_PIECE_ENTRIES * ACK_LENGTH
}

/// Whether damaged bytes were a single piece that forgets nothing: by the length in its head, or by their
/// own number.
fn is_other_piece(bytes: usize, told: Option<usize>) -> bool {
    let length = bytes.saturating_sub(HEAD);
    length > 0 && length != FORGETS && (told == Some(length) || is_acks(length))
}

fn number_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |number| u32::from_le_bytes(*number))
}
