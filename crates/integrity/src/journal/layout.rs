//! Sizes and kinds of the pieces of a journal.

pub(super) const MAGIC: &[u8] = diskspd_output::JOURNAL_MAGIC;
pub(crate) const MAX_PIECE_BYTES: usize = 1 << 22;
/// Maximum number of acknowledgements in a piece.
pub(crate) const MAX_PIECE_ENTRIES: usize = 8192;
/// Size of an acknowledgement in bytes.
pub(crate) const ACK_LENGTH: usize = 56;
/// Maximum sector size in bytes, which is read back at once.
pub(crate) const MAX_SECTOR_BYTES: u32 = 1 << 20;
/// Maximum unit size in bytes, the limit of -b.
pub(crate) const MAX_UNIT_BYTES: u64 = u32::MAX as u64;

pub(super) const RUN: u8 = 1;
pub(super) const TARGET: u8 = 2;
pub(crate) const ACKS: u8 = 3;
pub(crate) const FORGOTTEN: u8 = 4;
pub(super) const END_PIECE: u8 = 5;
