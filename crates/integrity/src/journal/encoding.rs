//! The encoding of journal pieces.

use super::layout::{ACKS, END_PIECE, FORGOTTEN, MAGIC, RUN, TARGET};
use diskspd_profile::RawText;
use diskspd_sys::crc32c::crc32c;

/// Flag next to the number of [`Mixing`]: writes are atomic. Earlier program versions do not support it,
/// and refuse such a target.
pub(super) const ATOMIC: u8 = 0x80;

/// Minimum version that a unit of a target durably has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledged {
    pub target: u32,
    /// Thread of the write.
    pub writer: u32,
    /// Byte offset of the unit.
    pub offset: u64,
    /// Oldest possible version, at least 1.
    pub oldest: u64,
    pub write: u64,
    /// Byte offset of the write.
    pub write_offset: u64,
    pub write_length: u32,
    /// Whether other writes to the unit overlapped, so that sectors may contain several versions.
    pub overlapped: bool,
    /// Time in µs since the start of the journal.
    pub at_us: u64,
}

/// Conditions under which a correct sector may contain parts of two writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mixing {
    /// Never: without the page cache, a device writes whole sectors.
    Never,
    /// After a power loss: pages that were changed during writeback contain both versions.
    WhenCut,
    /// Also after a killed run, during a copy into mapped memory.
    WhenKilled,
    /// Always, because threads may write the same mapped place without a journal entry.
    Always,
}

impl Mixing {
    pub(super) const ALL: [Mixing; 4] = [Mixing::Never, Mixing::WhenCut, Mixing::Always, Mixing::WhenKilled];

    fn mixing_number(self) -> u8 {
        Mixing::ALL.iter().position(|known| *known == self).unwrap_or(0) as u8
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalTarget {
    pub id: u32,
    /// Size of a sector in bytes.
    pub sector: u32,
    /// Size of a unit in bytes, a multiple of the sector.
    pub unit: u64,
    /// Whether a sector may hold parts of two writes.
    pub mixing: Mixing,
    /// Whether writes are atomic (`--atomic`), so that all sectors of a unit have one version.
    pub atomic: bool,
    pub path: RawText,
}

#[derive(Debug, Clone, PartialEq)]
pub enum JournalPiece<'a> {
    /// First piece: number of the run, its start (ms since 1970-01-01 00:00 UTC), and the identifier of
    /// the running kernel ("" = unknown).
    Run(u64, i64, &'a str),
    Target(JournalTarget),
    Acks(&'a [Acknowledged]),
    /// Invalidates all previous entries of a target, because its file is re-created.
    Forgotten(u32),
    End,
}

impl JournalPiece<'_> {
    pub fn append_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 8]);
        match self {
            JournalPiece::Run(run, began, boot) => {
                out.push(RUN);
                out.extend_from_slice(MAGIC);
                out.extend(run.to_le_bytes());
                out.extend(began.to_le_bytes());
                out.extend_from_slice(boot.as_bytes());
            }
            JournalPiece::Target(target) => {
                out.push(TARGET);
                out.extend(target.id.to_le_bytes());
                out.extend(target.sector.to_le_bytes());
                out.extend(target.unit.to_le_bytes());
                out.push(target.mixing.mixing_number() | if target.atomic { ATOMIC } else { 0 });
                out.extend_from_slice(target.path.as_bytes());
            }
            JournalPiece::Acks(acks) => {
                out.push(ACKS);
                acks.iter().for_each(|ack| append_ack(out, ack));
            }
            JournalPiece::Forgotten(target) => {
                out.push(FORGOTTEN);
                out.extend(target.to_le_bytes());
            }
            JournalPiece::End => out.push(END_PIECE),
        }
        let (head, body) = out[start..].split_at_mut(8);
        head[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&crc32c(body).to_le_bytes());
    }
}

fn append_ack(out: &mut Vec<u8>, ack: &Acknowledged) {
    out.extend(ack.target.to_le_bytes());
    out.extend(ack.writer.to_le_bytes());
    for number in [ack.offset, ack.oldest, ack.write, ack.write_offset, ack.at_us] {
        out.extend(number.to_le_bytes());
    }
    out.extend(ack.write_length.to_le_bytes());
    out.extend(u32::from(ack.overlapped).to_le_bytes());
}
