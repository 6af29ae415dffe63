//! Device mapper information about a device: the kind and state of each part of its table.
//!
//! Structures and numbers: `linux/dm-ioctl.h`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const HEADER: usize = 312;
/// Size of `struct dm_target_spec`, which precedes the text of each part.
const TARGET_SPEC_BYTES: usize = 40;
/// `_IOWR(DM_IOCTL, DM_TABLE_STATUS_CMD, struct dm_ioctl)`
const TABLE_STATUS: rustix::ioctl::Opcode = rustix::ioctl::opcode::read_write::<[u8; HEADER]>(0xfd, 12);
const NO_FLUSH: u32 = 1 << 11;
/// `DM_BUFFER_FULL_FLAG`
const NO_ROOM: u32 = 1 << 8;
/// Buffer size, sufficient for tables with hundreds of parts.
const ROOM: usize = 64 << 10;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MappedPart {
    /// Type, such as `linear`, `raid` or `cache`.
    pub kind: String,
    /// Status in the format of its type (Documentation/admin-guide/device-mapper).
    pub status: String,
}

/// The parts of the device with this number.
///
/// # Errors
/// Fails without root, if there is no such device, or if it has too many parts.
pub fn parts((major, minor): (u32, u32)) -> io::Result<Vec<MappedPart>> {
    let control = File::open("/dev/mapper/control")?;
    let mut answer = vec![0u8; ROOM];
    let number = u64::from(minor & 0xff | major << 8 | (minor & !0xff) << 12);
    // Version 4.0.0; how large the answer may be, and where it begins; flags; the device.
    let asked = [(0, 4), (12, ROOM as u32), (16, HEADER as u32), (28, NO_FLUSH)];
    for (at, word) in asked {
        answer[at..at + 4].copy_from_slice(&word.to_ne_bytes());
    }
    answer[40..48].copy_from_slice(&number.to_ne_bytes());
    // SAFETY: the kernel reads and writes no more of the buffer than the size that is stated in it, which is
    // its length; it lives until the call returns.
    let status = unsafe { libc::ioctl(control.as_raw_fd(), TABLE_STATUS as _, answer.as_mut_ptr()) };
    match status {
        0 if word_at(&answer, 28).is_some_and(|flags| flags & NO_ROOM == 0) => Ok(parse(&answer)),
        0 => Err(io::ErrorKind::StorageFull.into()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn parse(answer: &[u8]) -> Vec<MappedPart> {
    let (begin, count) = (word_at(answer, 16).unwrap_or(0) as usize, word_at(answer, 20).unwrap_or(0));
    let mut parts = Vec::new();
    let mut at = begin;
    for _ in 0..count {
        // Sectors from and how many, an error, where the next one is, the kind; the text is behind it.
        let (Some(part), Some(next)) = (answer.get(at..), word_at(answer, at + 20)) else { break };
        let (Some(kind), Some(status)) = (part.get(24..TARGET_SPEC_BYTES), part.get(TARGET_SPEC_BYTES..))
        else {
            break;
        };
        parts.push(MappedPart { kind: text(kind), status: text(status) });
        at = begin.saturating_add(next as usize);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_table_is_parsed_without_panic() {
        let mut answer = vec![0; HEADER];
        answer[16..20].copy_from_slice(&(HEADER as u32).to_ne_bytes());
        answer[20..24].copy_from_slice(&2u32.to_ne_bytes());
        for (next, kind, status) in [(48u32, "linear", ""), (96, "raid", "raid1 2 AD")] {
            let mut part = vec![0; if kind == "linear" { 48 } else { 56 }];
            part[20..24].copy_from_slice(&next.to_ne_bytes());
            part[24..24 + kind.len()].copy_from_slice(kind.as_bytes());
            part[TARGET_SPEC_BYTES..TARGET_SPEC_BYTES + status.len()].copy_from_slice(status.as_bytes());
            answer.extend(part);
        }
        let part = |kind: &str, status: &str| MappedPart { kind: kind.into(), status: status.into() };
        assert_eq!(parse(&answer), [part("linear", ""), part("raid", "raid1 2 AD")]);
        (0..answer.len()).for_each(|end| drop(parse(&answer[..end])));
    }
}
