//! Records of block device tracepoints: the request and its operation.

use super::format::{EventFormat, Field};
use super::pages::{u32_at, u64_at};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockFormat {
    pub id: u64,
    /// Offset of the device (4 bytes): major number above 20 bits of the minor number.
    pub device: usize,
    /// Offset of the first sector of 512 bytes (8 bytes).
    pub sector: usize,
    /// Offset of the number of sectors (4 bytes).
    pub sectors: usize,
    pub letters: Field,
}

impl BlockFormat {
    /// Returns the offsets in a format; `None` = a field is missing or has another length.
    pub fn from_event(format: &EventFormat) -> Option<BlockFormat> {
        let place = |name: &str, size| format.field(name).filter(|field| field.size == size);
        Some(BlockFormat {
            id: format.id,
            device: place("dev", 4)?.offset,
            sector: place("sector", 8)?.offset,
            sectors: place("nr_sector", 4)?.offset,
            letters: format.field("rwbs")?,
        })
    }

    /// Parses a record; `None` = too short.
    pub fn read<'a>(&self, record: &'a [u8]) -> Option<BlockRecord<'a>> {
        let letters = record.get(self.letters.offset..)?.get(..self.letters.size)?;
        Some(BlockRecord {
            device: u32_at(record, self.device)?,
            sector: u64_at(record, self.sector)?,
            sectors: u32_at(record, self.sectors)?,
            // Bytes after the end of the text are left over from earlier texts.
            letters: letters.split(|letter| *letter == 0).next()?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRecord<'a> {
    /// Device: major number above 20 bits of the minor number.
    pub device: u32,
    /// First sector of 512 bytes.
    pub sector: u64,
    pub sectors: u32,
    letters: &'a [u8],
}

impl BlockRecord<'_> {
    pub fn writes(&self) -> bool {
        self.letters.contains(&b'W')
    }

    pub fn moves_data(&self) -> bool {
        self.writes() || self.letters.contains(&b'R')
    }

    /// Whether the request flushes the device's write cache.
    pub fn flushes(&self) -> bool {
        self.letters.starts_with(b"FF")
    }

    pub fn discards(&self) -> bool {
        self.letters.starts_with(b"D")
    }
}
