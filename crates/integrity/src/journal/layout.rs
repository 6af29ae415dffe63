//! Sizes and kinds of the pieces of a journal.

pub const MAGIC: &[u8] = diskspd_outlet::JOURNAL_MAGIC;
/// Longer pieces are broken ones.
pub const LONGEST_PIECE: usize = 1 << 22;
/// Acknowledgements in a piece, at most.
pub const MOST_IN_A_PIECE: usize = 8192;
/// Bytes of an acknowledgement.
pub const ACK_LENGTH: usize = 56;
/// The largest sector, bytes: as much as is read back at a time.
pub const LARGEST_SECTOR: u32 = 1 << 20;
/// The largest unit, bytes: no block is larger (-b).
pub const LARGEST_UNIT: u64 = u32::MAX as u64;

pub const RUN: u8 = 1;
pub const TARGET: u8 = 2;
pub const ACKS: u8 = 3;
pub const FORGOTTEN: u8 = 4;
pub const END: u8 = 5;
