//! Zones of a block device: reported and reset by the requests of linux/blkzoned.h.

use diskspd_machine::zones::Zone;
use rustix::ioctl::{Opcode, Setter, ioctl, opcode};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Unit of zone positions in bytes, regardless of the device's block size.
const SECTOR: u64 = 512;

const AT_ONCE: usize = 256;

/// `struct blk_zone`
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct RawZone {
    start: u64,
    length: u64,
    write_pointer: u64,
    kind: u8,
    condition: u8,
    non_sequential: u8,
    reset: u8,
    reserved: [u8; 4],
    capacity: u64,
    reserved_too: [u8; 24],
}

const _: () = assert!(size_of::<RawZone>() == 64, "as the kernel has it");

#[repr(C)]
struct RawReport {
    sector: u64,
    zones: u32,
    flags: u32,
    found: [RawZone; AT_ONCE],
}

/// `BLKREPORTZONE`; its number contains the size of a report without zones.
const REPORT: Opcode = opcode::read_write::<[u64; 2]>(0x12, 130);

/// `BLKRESETZONE`
const RESET: Opcode = opcode::write::<[u64; 2]>(0x12, 131);

/// `BLK_ZONE_REP_CAPACITY`: zones report their capacity (Linux 5.9).
const HAS_CAPACITY: u32 = 1;

/// `BLK_ZONE_TYPE_SEQWRITE_REQ`
const SEQUENTIAL: u8 = 2;

/// `enum blk_zone_cond`
mod condition {
    pub(crate) const EMPTY: u8 = 1;
    pub(crate) const IMPLICITLY_OPEN: u8 = 2;
    pub(crate) const EXPLICITLY_OPEN: u8 = 3;
    pub(super) const CLOSED: u8 = 4;
    pub(super) const FULL_ZONE: u8 = 0xe;
}

/// Returns the zone size of an open block device in bytes, and its sequential-write zones, ascending.
/// Conventional, offline and read-only zones are omitted.
///
/// # Errors
/// Fails with `ENOTTY` without zones or kernel support, or with the device's error.
pub fn report(device: impl AsFd) -> io::Result<(u64, Vec<Zone>)> {
    let (mut zones, mut zone_size, mut sector) = (Vec::new(), 0, 0);
    loop {
        let mut report =
            RawReport { sector, zones: AT_ONCE as u32, flags: 0, found: [RawZone::default(); AT_ONCE] };
        // SAFETY: the kernel reads the head of the report, and writes it and as many zones as it says there
        // is room for; all of it lives until the call returns.
        let answer = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), REPORT as _, &raw mut report) };
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        let found = &report.found[..(report.zones as usize).min(AT_ONCE)];
        zones.extend(found.iter().filter_map(|raw| parse_zone(raw, report.flags & HAS_CAPACITY != 0)));
        // The last one of a device may be shorter.
        zone_size = found.iter().fold(zone_size, |size, raw| size.max(raw.length.saturating_mul(SECTOR)));
        match found.last().map(|raw| raw.start.saturating_add(raw.length)) {
            Some(next) if next > sector => sector = next,
            _ => return Ok((zone_size, zones)),
        }
    }
}

/// Parses a zone; `None` = not writable sequentially.
fn parse_zone(raw: &RawZone, has_capacity: bool) -> Option<Zone> {
    let sectors = if has_capacity && raw.capacity > 0 { raw.capacity.min(raw.length) } else { raw.length };
    let [start, capacity] = [raw.start, sectors].map(|sectors| sectors.saturating_mul(SECTOR));
    let below = raw.write_pointer.saturating_sub(raw.start).saturating_mul(SECTOR).min(capacity);
    let (written, active) = match raw.condition {
        condition::EMPTY => (0, false),
        condition::IMPLICITLY_OPEN | condition::EXPLICITLY_OPEN | condition::CLOSED => (below, true),
        // It may have been finished before it was full: the rest can't be written either.
        condition::FULL_ZONE => (capacity, false),
        _ => return None,
    };
    (raw.kind == SEQUENTIAL).then_some(Zone { start, capacity, written, active })
}

/// Resets whole zones of an open block device, in bytes, which destroys their content, and waits for the
/// end.
///
/// # Errors
/// Fails if it is not open for writing, if the range is not whole zones, or with the device's error.
pub fn reset(device: impl AsFd, offset: u64, length: u64) -> io::Result<()> {
    // SAFETY: the request reads two u64, first sector and number of sectors, which live until the call
    // returns; of memory it touches nothing else.
    Ok(unsafe { ioctl(device, Setter::<RESET, [u64; 2]>::new([offset / SECTOR, length / SECTOR])) }?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_zone(kind: u8, condition: u8, write_pointer: u64) -> RawZone {
        RawZone {
            start: 1000,
            length: 100,
            write_pointer,
            kind,
            condition,
            capacity: 80,
            ..RawZone::default()
        }
    }

    #[test]
    fn zones_are_reported_in_writable_bytes() {
        let of = |capacity, written, active| {
            let [capacity, written] = [capacity, written].map(|sectors: u64| sectors * 512);
            Some(Zone { start: 512_000, capacity, written, active })
        };
        for (raw, has_capacity, expected) in [
            (raw_zone(2, 1, 1000), true, of(80, 0, false)),
            (raw_zone(2, 2, 1010), true, of(80, 10, true)),
            (raw_zone(2, 3, 1000), true, of(80, 0, true)),
            (raw_zone(2, 4, 1080), true, of(80, 80, true)),
            // The kernel reports that its write pointer is after it.
            (raw_zone(2, 14, 1100), true, of(80, 80, false)),
            (raw_zone(2, 2, 1090), false, of(100, 90, true)),
            (raw_zone(2, 2, 900), true, of(80, 0, true)),
            (raw_zone(2, 13, 1010), true, None),
            (raw_zone(2, 15, 1010), true, None),
            (raw_zone(1, 0, 0), true, None),
        ] {
            assert_eq!(parse_zone(&raw, has_capacity), expected, "{raw:?}");
        }
    }

    #[test]
    fn devices_without_zones_are_reported() {
        let null = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(report(&null).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        assert_eq!(reset(&null, 0, 4096).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
    }
}
