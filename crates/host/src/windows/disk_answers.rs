//! Parsing of driver responses about disks and volumes.

use super::fields::Fields;
use crate::write_refused::BOOT;
use diskspd_machine::io_counters::{Activity, Flow};

/// Units of 100 ns in a millisecond.
const PER_MS: u64 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// The n of `PhysicalDrive<n>`.
    pub disk: u32,
    pub length: u64,
}

/// Parses `VOLUME_DISK_EXTENTS`: a count, and structures of 24 bytes. `None` = truncated.
pub(super) fn extents_of(answer: &[u8]) -> Option<Vec<Extent>> {
    let found = Fields(answer);
    let count = usize::try_from(found.u32(0)?).ok()?;
    let extent = |each: Fields| Some(Extent { disk: each.u32(0)?, length: each.u64(16)? });
    let extents: Vec<Extent> = found.array(8, 24, count).filter_map(extent).collect();
    (extents.len() == count).then_some(extents)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Performance {
    read_bytes: u64,
    written_bytes: u64,
    read_time: u64,
    write_time: u64,
    idle_time: u64,
    reads: u32,
    writes: u32,
    in_flight: u32,
    asked_at: u64,
}

impl Performance {
    /// Returns `None` if the response is too short.
    pub(super) fn parse(answer: &[u8]) -> Option<Performance> {
        let found = Fields(answer);
        Some(Performance {
            read_bytes: found.u64(0)?,
            written_bytes: found.u64(8)?,
            read_time: found.u64(16)?,
            write_time: found.u64(24)?,
            idle_time: found.u64(32)?,
            reads: found.u32(40)?,
            writes: found.u32(44)?,
            in_flight: found.u32(48)?,
            asked_at: found.u64(56)?,
        })
    }
}

/// Counters of a disk over several readings, extended beyond 32 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ExtendedCounters {
    last: Option<Performance>,
    reads: u64,
    writes: u64,
}

impl ExtendedCounters {
    /// Returns the activity until this reading in the form of Linux's block layer. Merged I/Os and
    /// discards are not distinguished, and flushes are not counted. Only differences of times are
    /// meaningful.
    pub(super) fn read(&mut self, now: Performance) -> Activity {
        let last = self.last.replace(now).unwrap_or_default();
        self.reads += u64::from(now.reads.wrapping_sub(last.reads));
        self.writes += u64::from(now.writes.wrapping_sub(last.writes));
        let flow = |ios, bytes| Flow { ios, merges: 0, bytes };
        Activity {
            read: flow(self.reads, now.read_bytes),
            write: flow(self.writes, now.written_bytes),
            busy_ms: now.asked_at.saturating_sub(now.idle_time) / PER_MS,
            queue_ms: now.read_time.saturating_add(now.write_time) / PER_MS,
            in_flight: now.in_flight.into(),
            ..Activity::default()
        }
    }
}

/// Returns the size of a disk in bytes: `DISK_GEOMETRY_EX`.
pub(super) fn disk_size(answer: &[u8]) -> Option<u64> {
    Fields(answer).u64(24)
}

/// Returns the size of a sector in bytes: `DISK_GEOMETRY_EX`.
pub(super) fn disk_sector(answer: &[u8]) -> Option<u32> {
    Fields(answer).u32(20).filter(|bytes| bytes.is_power_of_two())
}

/// System number of the open disk or partition; constant while open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceNumber {
    /// The n of `PhysicalDrive<n>`.
    pub disk: u32,
    pub partition: u32,
}

impl DeviceNumber {
    /// Parses `STORAGE_DEVICE_NUMBER`. `None` if the response is too short, or not of a disk; tape and
    /// disc drives are numbered separately.
    pub(super) fn parse(answer: &[u8]) -> Option<DeviceNumber> {
        const DISK: u32 = 7;
        let found = Fields(answer);
        let (kind, disk, partition) = (found.u32(0)?, found.u32(4)?, found.u32(8)?);
        // A disk without partitions.
        let partition = if partition == u32::MAX { 0 } else { partition };
        (kind == DISK).then_some(DeviceNumber { disk, partition })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PartitionFound {
    /// Counted from 1.
    pub number: u32,
    pub length: u64,
    /// User of the disk that this partition type indicates; `None` = an ordinary partition.
    pub holder: Option<&'static str>,
}

const POOL: &str = "a storage pool (Storage Spaces)";
const DYNAMIC: &str = "a dynamic volume (Logical Disk Manager)";

/// Partition types that indicate a user of the disk, as GUIDs in memory order (winioctl.h, diskguid.h).
const HELD_GPT: [(u128, &str); 6] = [
    (0xc12a_7328_f81f_11d2_ba4b_00a0_c93e_c93b, BOOT),
    (0xde94_bba4_06d1_4d40_a16a_bfd5_0179_d6ac, BOOT),
    (0xe75c_af8f_f680_4cee_afa3_b001_e56e_fc2d, POOL),
    (0xe7ad_dcb4_dc34_4539_9a76_ebbd_07be_6f7e, POOL),
    (0x5808_c8aa_7e8f_42e0_85d2_e1e9_0434_cfb3, DYNAMIC),
    (0xaf9b_60a0_1431_4f62_bc68_3311_714a_69ad, DYNAMIC),
];

/// Partition types of MBR tables.
const HELD_MBR: [(u8, &str); 4] = [(0xe7, POOL), (0x42, DYNAMIC), (0xef, BOOT), (0x27, BOOT)];

/// Returns the partitions in `DRIVE_LAYOUT_INFORMATION_EX`, without empty entries. `None` if the list is
/// truncated.
pub(super) fn partitions(answer: &[u8]) -> Option<Vec<PartitionFound>> {
    let found = Fields(answer);
    let count = usize::try_from(found.u32(4)?).ok()?;
    let mut partitions = Vec::new();
    let mut there = 0;
    for each in found.array(48, 144, count) {
        there += 1;
        let (number, length) = (each.u32(24)?, each.u64(16)?);
        let holder = match each.u32(0)? {
            0 => HELD_MBR.iter().find(|(kind, _)| Some(*kind) == each.u8(32)).map(|(_, holder)| *holder),
            1 => {
                let kind = read_guid(each, 32)?;
                HELD_GPT.iter().find(|(known, _)| *known == kind).map(|(_, holder)| *holder)
            }
            _ => None,
        };
        if length > 0 {
            partitions.push(PartitionFound { number, length, holder });
        }
    }
    (there == count).then_some(partitions)
}

/// Parses a GUID: a number of 32 bits, two of 16, and eight bytes.
fn read_guid(found: Fields, at: usize) -> Option<u128> {
    let (first, second, third) = (found.u32(at)?, found.u16(at + 4)?, found.u16(at + 6)?);
    let last = found.u64(at + 8)?.swap_bytes();
    let high = u64::from(first) << 32 | u64::from(second) << 16 | u64::from(third);
    Some(u128::from(high) << 64 | u128::from(last))
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub model: Option<String>,
    pub firmware: Option<String>,
    pub serial: Option<String>,
    pub bus: Option<&'static str>,
}

/// Names of `STORAGE_BUS_TYPE`, by number.
const BUSES: [&str; 20] = [
    "", "scsi", "atapi", "ata", "ieee1394", "ssa", "fibre", "usb", "raid", "iscsi", "sas", "sata", "sd",
    "mmc", "virtual", "file", "spaces", "nvme", "scm", "ufs",
];

impl Descriptor {
    /// Returns `None` if the response is too short.
    pub(super) fn parse(answer: &[u8]) -> Option<Descriptor> {
        let found = Fields(answer);
        let word = |at: usize| {
            let offset = usize::try_from(found.u32(at)?).ok().filter(|offset| *offset != 0)?;
            let rest = answer.get(offset..)?;
            let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
            let word = String::from_utf8_lossy(&rest[..end]).trim().to_owned();
            (!word.is_empty()).then_some(word)
        };
        let bus = usize::try_from(found.u32(28)?).ok().and_then(|number| BUSES.get(number).copied());
        let model = match (word(12), word(16)) {
            // Most begin with it, or have it in the place of a maker.
            (Some(vendor), Some(product)) if !product.starts_with(&vendor) && vendor != "NVMe" => {
                Some(format!("{vendor} {product}"))
            }
            (vendor, product) => product.or(vendor),
        };
        let bus = bus.filter(|bus| !bus.is_empty());
        Some(Descriptor { model, firmware: word(20), serial: word(24), bus })
    }

    /// Returns the reason if the disk is virtual and its backing storage is invisible.
    pub(crate) fn is_made_of_others(&self) -> Option<&'static str> {
        match self.bus {
            Some("spaces") => Some("it is a space of a storage pool, whose disks Windows does not report"),
            Some("file") => Some("it is a virtual disk in a file"),
            _ => None,
        }
    }
}

/// Returns the logical and physical sector sizes in bytes: `STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR`.
pub(super) fn sectors(answer: &[u8]) -> Option<(u32, u32)> {
    let found = Fields(answer);
    let both = (found.u32(16)?, found.u32(20)?);
    (both.0.is_power_of_two() && both.1.is_power_of_two()).then_some(both)
}

/// Whether the disk has rotating parts: `DEVICE_SEEK_PENALTY_DESCRIPTOR`.
pub(super) fn rotates(answer: &[u8]) -> Option<bool> {
    Fields(answer).u8(8).map(|flag| flag != 0)
}

/// Whether its write cache is volatile: `STORAGE_WRITE_CACHE_PROPERTY`; `None` = not reported.
pub(super) fn writes_back(answer: &[u8]) -> Option<bool> {
    let found = Fields(answer);
    match (found.u32(8)?, found.u32(12)?) {
        // WriteCacheDisabled; none; write through.
        (_, 1) | (1 | 3, _) => Some(false),
        (2, 2) => Some(true),
        _ => None,
    }
}

/// Returns the maximum transfer of a controller in bytes: `STORAGE_ADAPTER_DESCRIPTOR`; `None` = no limit.
pub(super) fn largest_transfer(answer: &[u8]) -> Option<u64> {
    let bytes = Fields(answer).u32(8)?;
    (bytes != 0 && bytes != u32::MAX).then_some(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns bytes with numbers at these positions.
    fn sample_bytes(size: usize, parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; size];
        parts.iter().for_each(|(at, part)| bytes[*at..at + part.len()].copy_from_slice(part));
        bytes
    }

    #[test]
    fn disk_and_partition_numbers_are_decoded() {
        let answer = |kind: u32, disk: u32, partition: u32| {
            let numbers = [kind, disk, partition].map(u32::to_le_bytes);
            DeviceNumber::parse(&numbers.concat()).map(|found| (found.disk, found.partition))
        };
        assert_eq!(answer(7, 3, 0), Some((3, 0)));
        assert_eq!(answer(7, 0, 2), Some((0, 2)));
        assert_eq!(answer(7, 1, u32::MAX), Some((1, 0)));
        // A CD drive has numbers of its own.
        assert_eq!(answer(2, 0, u32::MAX), None);
        assert_eq!(DeviceNumber::parse(&[7; 11]), None);
        let geometry = |bytes: u32| disk_sector(&self::sample_bytes(40, &[(20, &bytes.to_le_bytes())]));
        assert_eq!((geometry(4096), geometry(0), disk_sector(&[0; 23])), (Some(4096), None, None));
    }

    #[test]
    fn disks_of_volume_are_listed_or_unknown() {
        let extent = |disk: u32, length: u64| {
            sample_bytes(24, &[(0, &disk.to_le_bytes()), (8, &[1; 8]), (16, &length.to_le_bytes())])
        };
        let of =
            |count: u32| [sample_bytes(8, &[(0, &count.to_le_bytes())]), extent(0, 5), extent(7, 6)].concat();
        let both = [Extent { disk: 0, length: 5 }, Extent { disk: 7, length: 6 }];
        assert_eq!(extents_of(&of(2)).as_deref(), Some(&both[..]));
        assert_eq!(extents_of(&of(0)).as_deref(), Some(&[][..]));
        assert_eq!((extents_of(&of(3)), extents_of(&of(2)[..55]), extents_of(&[])), (None, None, None));
        assert_eq!(extents_of(&of(u32::MAX)), None);
    }

    fn sample_performance(ios: (u32, u32), idle: u64, at: u64) -> Vec<u8> {
        let long = |number: u64| number.to_le_bytes();
        sample_bytes(
            88,
            &[
                (0, &long(4096)),
                (8, &long(512)),
                (16, &long(30 * PER_MS)),
                (24, &long(12 * PER_MS)),
                (32, &long(idle)),
                (40, &ios.0.to_le_bytes()),
                (44, &ios.1.to_le_bytes()),
                (48, &3_u32.to_le_bytes()),
                (56, &long(at)),
            ],
        )
    }

    #[test]
    fn counters_continue_after_32_bit_wrap() {
        let mut counted = ExtendedCounters::default();
        let mut read =
            |ios, idle, at| counted.read(Performance::parse(&sample_performance(ios, idle, at)).unwrap());
        let first = read((u32::MAX, 5), 0, 100 * PER_MS);
        assert_eq!((first.read.ios, first.write.ios), (u64::from(u32::MAX), 5));
        assert_eq!((first.read.bytes, first.write.bytes, first.in_flight), (4096, 512, 3));
        assert_eq!((first.queue_ms, first.flushes), (42, None));
        let second = read((9, 5), 60 * PER_MS, 200 * PER_MS);
        let done = second.since(&first);
        assert_eq!((done.read.ios, done.write.ios, done.busy_ms), (10, 0, 40));
        assert_eq!(Performance::parse(&sample_performance((0, 0), 0, 0)[..63]), None);
    }

    fn sample_layout(style: u32, kinds: &[&[u8]]) -> Vec<u8> {
        let count = u32::try_from(kinds.len()).unwrap();
        let head = sample_bytes(48, &[(0, &style.to_le_bytes()), (4, &count.to_le_bytes())]);
        let part = |(number, kind): (u32, &&[u8])| {
            sample_bytes(
                144,
                &[(0, &style.to_le_bytes()), (16, &[1]), (24, &number.to_le_bytes()), (32, kind)],
            )
        };
        head.into_iter().chain((1..).zip(kinds).flat_map(part)).collect()
    }

    #[test]
    fn pool_members_are_found_by_partition_type() {
        // As a partition table has them: 3 numbers the other way round.
        let pool =
            [0x8f, 0xaf, 0x5c, 0xe7, 0x80, 0xf6, 0xee, 0x4c, 0xaf, 0xa3, 0xb0, 1, 0xe5, 0x6e, 0xfc, 0x2d];
        let basic =
            [0xa2, 0xa0, 0xd0, 0xeb, 0xe5, 0xb9, 0x33, 0x44, 0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7];
        let found = |answer: &[u8]| {
            Some(partitions(answer)?.iter().map(|part| (part.number, part.holder)).collect::<Vec<_>>())
        };
        let gpt = sample_layout(1, &[&basic, &pool]);
        assert_eq!(found(&gpt), Some(vec![(1, None), (2, Some(POOL))]));
        assert_eq!(found(&sample_layout(0, &[&[7], &[0x42]])), Some(vec![(1, None), (2, Some(DYNAMIC))]));
        assert_eq!(found(&sample_layout(2, &[])), Some(vec![]), "it has no table");
        assert_eq!((found(&gpt[..gpt.len() - 1]), found(&[])), (None, None));
    }

    #[test]
    fn disk_description_is_decoded() {
        let words = b"\0\0\0\0\0\0Contoso \0SSD 9000\0A1\0 S-1 \0";
        let offset = |at: u32| (36 + at).to_le_bytes();
        let head = [
            (12, &offset(6)[..]),
            (16, &offset(15)),
            (20, &offset(24)),
            (24, &offset(27)),
            (28, &17_u32.to_le_bytes()),
            (36, words),
        ];
        let answer = sample_bytes(36 + words.len(), &head);
        let found = Descriptor::parse(&answer).unwrap();
        assert_eq!(found.model.as_deref(), Some("Contoso SSD 9000"));
        assert_eq!((found.firmware.as_deref(), found.serial.as_deref()), (Some("A1"), Some("S-1")));
        assert_eq!((found.bus, found.is_made_of_others()), (Some("nvme"), None));
        let space = Descriptor::parse(&sample_bytes(36, &[(28, &[16]), (12, &[255, 255])])).unwrap();
        assert!(space.is_made_of_others().is_some() && space.model.is_none(), "{space:?}");
        assert_eq!(Descriptor::parse(&answer[..31]), None);
    }

    #[test]
    fn sector_cache_and_controller_data_are_decoded() {
        let two = |at: usize, first: u32, second: u32| {
            sample_bytes(28, &[(at, &first.to_le_bytes()), (at + 4, &second.to_le_bytes())])
        };
        assert_eq!(sectors(&two(16, 512, 4096)), Some((512, 4096)));
        assert_eq!((sectors(&two(16, 0, 4096)), sectors(&[0; 23])), (None, None));
        for (kind, enabled, expected) in
            [(2, 2, Some(true)), (2, 1, Some(false)), (1, 0, Some(false)), (3, 2, Some(false)), (0, 2, None)]
        {
            assert_eq!(writes_back(&two(8, kind, enabled)), expected, "{kind} {enabled}");
        }
        assert_eq!((rotates(&[1; 9]), rotates(&[0; 9]), rotates(&[1; 8])), (Some(true), Some(false), None));
        for (bytes, expected) in [(1_u32 << 20, Some(1 << 20)), (0, None), (u32::MAX, None)] {
            assert_eq!(largest_transfer(&two(8, bytes, 0)), expected);
        }
        assert_eq!(disk_size(&sample_bytes(32, &[(24, &[0, 2])])), Some(512));
    }

    proptest! {
        #[test]
        fn arbitrary_answers_are_parsed_without_panic(
            answer in prop::collection::vec(any::<u8>(), 0..400),
            few in 0..3_u8,
        ) {
            let mut answer = answer;
            // Counts that fit are the interesting ones.
            if let Some(head) = answer.get_mut(..8) {
                head.copy_from_slice(&[few, 0, 0, 0, few, 0, 0, 0]);
            }
            let _ = (disk_size(&answer), rotates(&answer), writes_back(&answer), largest_transfer(&answer));
            let _ = (sectors(&answer), Descriptor::parse(&answer));
            prop_assert!(extents_of(&answer).is_none_or(|found| found.len() == usize::from(few)));
            prop_assert!(partitions(&answer).is_none_or(|found| found.len() <= usize::from(few)));
            if let Some(now) = Performance::parse(&answer) {
                let mut counted = ExtendedCounters::default();
                let first = counted.read(now);
                prop_assert_eq!(counted.read(now).since(&first).read, Flow::default());
            }
        }
    }
}
