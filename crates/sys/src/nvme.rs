//! Properties of NVMe namespaces from their character devices (`/dev/ng0n1`), by Identify.
//!
//! Structures and numbers: `linux/nvme_ioctl.h`, and the NVM Express specifications: Base 2.0 (5.17,
//! Identify) and NVM NvmeCommand Set 1.0 (4.1.5.1, figure 97).

use crate::anchor::Location;
use crate::target_error::TargetError;
use diskspd_base::io_error::NvmeStatus;
use rustix::fs::{Mode, OFlags};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// `NVME_IOCTL_ID`: returns the number of the namespace.
const ID: rustix::ioctl::Opcode = rustix::ioctl::opcode::none(b'N', 0x40);

const ADMIN: rustix::ioctl::Opcode = rustix::ioctl::opcode::read_write::<NvmeCommand>(b'N', 0x41);

const IO: rustix::ioctl::Opcode = rustix::ioctl::opcode::read_write::<NvmeCommand>(b'N', 0x43);

/// `struct nvme_passthru_cmd`; `struct nvme_uring_cmd` has zeros in place of the result.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NvmeCommand {
    pub opcode: u8,
    pub flags: u8,
    pub reserved: u16,
    pub namespace: u32,
    pub cdw2: u32,
    pub cdw3: u32,
    pub metadata: u64,
    pub data: u64,
    pub metadata_length: u32,
    pub data_length: u32,
    pub cdw10: u32,
    pub cdw11: u32,
    pub cdw12: u32,
    pub cdw13: u32,
    pub cdw14: u32,
    pub cdw15: u32,
    pub timeout_ms: u32,
    pub result: u32,
}

const _: () = assert!(size_of::<NvmeCommand>() == 72, "as the kernel has it");

/// Admin command Identify.
const IDENTIFY: u8 = 0x06;

const GET_LOG_PAGE: u8 = 0x02;

const GET_FEATURES: u8 = 0x0a;

/// Feature Flexible Data Placement (Base 2.1, 5.1.25.1.20, and TP4146); bit 0 of the result: enabled.
const FLEXIBLE_DATA_PLACEMENT: u32 = 0x1d;

/// I/O command I/O Management Receive.
const IO_MANAGEMENT_RECEIVE: u8 = 0x12;

const HANDLE_STATUS: u32 = 1;

/// Bytes of the header, and of each descriptor, in the response.
const STATUS_HEADER: usize = 16;
const STATUS_DESCRIPTOR: usize = 32;

/// Maximum number of read handles of a namespace. There are at most 128, each listed once for each reclaim
/// group.
const MAX_HANDLES: usize = 1024;

/// Bytes of each response to Identify.
const PAGE: usize = 4096;

#[derive(Debug, Clone, Copy)]
enum IdentifyPage {
    /// Namespace, for all command sets with logical blocks.
    Namespace = 0x00,
    Controller = 0x01,
    Descriptors = 0x03,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Namespace {
    pub id: u32,
    pub blocks: u64,
    /// Binary logarithm of the logical block size in bytes (LBADS).
    pub block_shift: u8,
    /// Bytes of metadata per block (MS); 0 = none.
    pub metadata: u16,
    /// The type of protection information that is part of the metadata (DPS, bits 2:0), 1 to 3; 0 = none.
    pub protection: u8,
    pub zoned: bool,
    /// Whether the controller supports Dataset Management (ONCS, bit 2).
    pub deallocates: bool,
    /// Whether the controller supports Write Zeroes (ONCS, bit 3).
    pub writes_zeroes: bool,
    /// Endurance group of the namespace (ENDGID); 0 = unknown.
    pub endurance_group: u16,
    /// Whether the controller supports flexible data placement (CTRATT, bit 19), enabled or not.
    pub places: bool,
    /// Most bytes of a transfer, if memory pages of the controller have 4 KiB (MDTS); `None` = no limit.
    pub most_bytes: Option<u64>,
}

impl Namespace {
    pub fn block_size(&self) -> u32 {
        1 << self.block_shift
    }

    /// Whether the controller can generate and check all metadata on request (PRACT). The metadata is then
    /// only protection information, and is not transferred.
    pub fn guards_itself(&self) -> bool {
        // With a guard of 16 bits it has 8 bytes, with larger ones 16.
        self.metadata == 8 && (1..=3).contains(&self.protection)
    }

    /// Capacity in bytes.
    pub fn size(&self) -> u64 {
        self.blocks.saturating_mul(u64::from(self.block_size()))
    }
}

/// Identifies a namespace by its open character device.
///
/// # Errors
/// Fails with the kernel's error: `ENOTTY` if it is not a namespace, `EACCES` if it requires root (before
/// Linux 6.2). `InvalidData` = invalid response; also fails with a status other than success from the
/// device.
pub fn namespace(device: impl AsFd) -> io::Result<Namespace> {
    // SAFETY: the request takes no memory.
    let id = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), ID as _) };
    let id = u32::try_from(id).map_err(|_| io::Error::last_os_error())?;
    let page = identify(&device, id, IdentifyPage::Namespace)?;
    let controller = identify(&device, 0, IdentifyPage::Controller)?;
    // Controllers before NVMe 1.3 have no descriptors, and no other commands than the common ones.
    let descriptors = identify(&device, id, IdentifyPage::Descriptors).unwrap_or([0; PAGE]);
    let nonsense = || io::Error::new(io::ErrorKind::InvalidData, "its Identify data is invalid");
    parse(id, &page, &controller, &descriptors).ok_or_else(nonsense)
}

fn identify(device: impl AsFd, namespace: u32, page_of: IdentifyPage) -> io::Result<[u8; PAGE]> {
    let mut page = [0; PAGE];
    let cdw10 = page_of as u32;
    let command = NvmeCommand { opcode: IDENTIFY, namespace, cdw10, ..NvmeCommand::default() };
    ask(device, command, &mut page)?;
    Ok(page)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogAddress {
    pub namespace: u32,
    pub identifier: u8,
    /// Endurance group of a page that exists for each group (LSI); otherwise 0.
    pub of: u16,
}

/// Asks an open namespace (or controller) for a log page, Get Log Page of the base specification, 5.16.
/// `page.len()` is a multiple of 4, up to 16 KiB; all of it is overwritten.
///
/// # Errors
/// As [`namespace`]; `EACCES` without `CAP_SYS_ADMIN`.
pub fn log_page(device: impl AsFd, address: LogAddress, page: &mut [u8]) -> io::Result<()> {
    let words = u32::try_from(page.len() / 4).ok().filter(|words| (1..=4096).contains(words));
    let Some(words) = words.filter(|_| page.len().is_multiple_of(4)) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let LogAddress { namespace, identifier, of } = address;
    // The number of words counts from 0.
    let (cdw10, cdw11) = (u32::from(identifier) | (words - 1) << 16, u32::from(of) << 16);
    let command = NvmeCommand { opcode: GET_LOG_PAGE, namespace, cdw10, cdw11, ..NvmeCommand::default() };
    ask(device, command, page)
}

/// Placement handle of a namespace within a reclaim group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacementHandle {
    pub identifier: u16,
    /// Remaining logical blocks of the currently written reclaim unit (RUAMW).
    pub left_blocks: u64,
}

/// Whether flexible data placement is enabled in an endurance group.
pub fn is_placement_on(device: impl AsFd, endurance_group: u16) -> io::Result<bool> {
    let (cdw10, cdw11) = (FLEXIBLE_DATA_PLACEMENT, u32::from(endurance_group));
    let command = NvmeCommand { opcode: GET_FEATURES, cdw10, cdw11, ..NvmeCommand::default() };
    Ok(send(device, ADMIN, command, &mut [])? & 1 != 0)
}

/// Returns the placement handles of an open namespace (I/O Management Receive, Reclaim Unit Handle
/// Status).
///
/// # Errors
/// As [`namespace`]; the status of a device without handles, or with the feature disabled.
pub fn placement_handles(device: impl AsFd, namespace: u32) -> io::Result<Vec<PlacementHandle>> {
    let ask = |page: &mut [u8]| {
        // The number of words counts from 0.
        let (cdw10, cdw11) = (HANDLE_STATUS, page.len() as u32 / 4 - 1);
        let opcode = IO_MANAGEMENT_RECEIVE;
        let command = NvmeCommand { opcode, namespace, cdw10, cdw11, ..NvmeCommand::default() };
        send(&device, IO, command, page)
    };
    // First how many there are: not every controller takes more memory than it fills.
    let mut header = [0; STATUS_HEADER];
    ask(&mut header)?;
    let count = handle_count(&header).min(MAX_HANDLES);
    let mut page = vec![0; STATUS_HEADER + count * STATUS_DESCRIPTOR];
    ask(&mut page)?;
    Ok(parse_handles(&page))
}

fn handle_count(header: &[u8; STATUS_HEADER]) -> usize {
    u16::from_le_bytes([header[14], header[15]]).into()
}

fn parse_handles(page: &[u8]) -> Vec<PlacementHandle> {
    let Some((header, rest)) = page.split_first_chunk::<STATUS_HEADER>() else { return Vec::new() };
    let one = |bytes: &[u8; STATUS_DESCRIPTOR]| PlacementHandle {
        identifier: u16::from_le_bytes([bytes[0], bytes[1]]),
        left_blocks: u64::from_le_bytes([
            bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15],
        ]),
    };
    rest.as_chunks().0.iter().take(handle_count(header)).map(one).collect()
}

/// Sends an admin command, whose response is stored in `page`.
fn ask(device: impl AsFd, command: NvmeCommand, page: &mut [u8]) -> io::Result<()> {
    send(device, ADMIN, command, page).map(drop)
}

/// Sends a command to the controller ([`ADMIN`]) or the namespace ([`IO`]) whose answer goes to `page`.
/// Returns its result, the first word of the completion.
fn send(
    device: impl AsFd,
    way: rustix::ioctl::Opcode,
    command: NvmeCommand,
    page: &mut [u8],
) -> io::Result<u32> {
    let data_length = u32::try_from(page.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // What has no answer names no memory.
    let data = if page.is_empty() { 0 } else { page.as_mut_ptr() as u64 };
    let mut command = NvmeCommand { data, data_length, ..command };
    // SAFETY: the kernel reads and writes the command, and lets the device write a page, whose length is
    // stated, to its address; both live until the call returns.
    let status = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), way as _, &raw mut command) };
    match u16::try_from(status) {
        Ok(0) => Ok(command.result),
        Ok(status) => Err(io::Error::other(NvmeStatus::new(status).to_string())),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Parses the responses; `None` = an impossible format.
fn parse(id: u32, namespace: &[u8; PAGE], controller: &[u8; PAGE], descriptors: &[u8]) -> Option<Namespace> {
    let blocks = u64::from_le_bytes(namespace[0..8].try_into().ok()?);
    let flbas = namespace[26];
    let format = usize::from(flbas & 0xf) | usize::from(flbas >> 5 & 3) << 4;
    let format = &namespace[128 + 4 * format..][..4];
    let (metadata, block_shift) = (u16::from_le_bytes([format[0], format[1]]), format[2]);
    let optional = u16::from_le_bytes([controller[520], controller[521]]);
    // Less than a sector there can't be; the kernel takes no more than 2^31 either.
    let makes_sense = blocks > 0 && (9..31).contains(&block_shift);
    makes_sense.then(|| Namespace {
        id,
        blocks,
        block_shift,
        metadata,
        protection: namespace[29] & 7,
        zoned: command_set(descriptors) == Some(ZONES),
        deallocates: optional & 1 << 2 != 0,
        writes_zeroes: optional & 1 << 3 != 0,
        endurance_group: u16::from_le_bytes([namespace[102], namespace[103]]),
        places: controller[98] & 1 << 3 != 0,
        most_bytes: (1..32).contains(&controller[77]).then(|| 4096 << controller[77]),
    })
}

/// Number of the command set with zones.
const ZONES: u8 = 2;

/// Returns the command set in a list of descriptors: type, length, two reserved bytes, then `length`
/// bytes. 0 ends it.
fn command_set(mut list: &[u8]) -> Option<u8> {
    const COMMAND_SET: u8 = 4;
    while let [kind, length, _, _, rest @ ..] = list
        && *kind != 0
    {
        let value = rest.get(..usize::from(*length))?;
        if *kind == COMMAND_SET {
            return value.first().copied();
        }
        list = &rest[value.len()..];
    }
    None
}

/// Identifies a namespace by the path of its character device.
///
/// # Errors
/// As [`namespace`]; also fails if it cannot be opened for reading.
pub fn read_namespace<L: Location + ?Sized>(location: &L) -> Result<Namespace, TargetError> {
    let path = location.name();
    let file = rustix::fs::open(location.access_path(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let file = file.map_err(|error| TargetError::from_io(path, "open it", "read", error))?;
    namespace(file).map_err(|error| TargetError::from_io(path, "identify it", "identify", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_page(values: &[(usize, u8)]) -> [u8; PAGE] {
        let mut page = [0; PAGE];
        values.iter().for_each(|(at, value)| page[*at] = *value);
        page
    }

    #[test]
    fn identify_reads_format_and_controller_features() {
        // 0x10000 blocks of format 1 of 2: 4096 bytes with 8 of metadata.
        let namespace = sample_page(&[
            (2, 1),
            (25, 1),
            (26, 1),
            (29, 0b1001),
            (102, 3),
            (103, 1),
            (130, 9),
            (132, 8),
            (134, 12),
        ]);
        let controller = sample_page(&[(77, 7), (98, 0b1000), (520, 0b100)]);
        let found = parse(3, &namespace, &controller, &[0; 4]).unwrap();
        let expected = Namespace {
            id: 3,
            blocks: 0x1_0000,
            block_shift: 12,
            metadata: 8,
            protection: 1,
            zoned: false,
            deallocates: true,
            writes_zeroes: false,
            endurance_group: 0x103,
            places: true,
            most_bytes: Some(512 << 10),
        };
        assert_eq!(found, expected);
        assert_eq!((found.block_size(), found.size()), (4096, 256 << 20));
        for (metadata, protection, guards) in [
            (8, 1, true),
            (8, 2, true),
            (8, 3, true),
            (8, 0, false),
            (16, 1, false),
            (0, 0, false),
            (8, 4, false),
        ] {
            let namespace = Namespace { metadata, protection, ..found };
            assert_eq!(namespace.guards_itself(), guards, "{metadata} {protection}");
        }
        assert_eq!(parse(1, &sample_page(&[(0, 1)]), &controller, &[]), None, "a block of one byte");
        assert_eq!(parse(1, &sample_page(&[(130, 9)]), &controller, &[]), None, "no blocks");
    }

    #[test]
    fn command_set_is_found_among_descriptors() {
        let uuid: &[u8] = &[3, 4, 0, 0, 9, 9, 9, 9];
        for (list, expected) in [
            (vec![4, 1, 0, 0, 2], Some(2)),
            ([uuid, &[4, 1, 0, 0, 0, 0]].concat(), Some(0)),
            (uuid.to_vec(), None),
            (vec![0, 1, 0, 0, 2], None),
            (vec![3, 200, 0, 0, 1], None),
            (vec![4, 1, 0, 0], None),
            (vec![], None),
        ] {
            assert_eq!(command_set(&list), expected, "{list:?}");
        }
    }

    #[test]
    fn placement_handles_are_decoded() {
        // Of QEMU 10.0 with three handles of reclaim units of 1 GiB, in blocks of 512 bytes, after some
        // writes to the second and the third.
        let words: [u64; 14] = [
            0,
            0x0003_0000_0000_0000,
            0,
            0x20_0000,
            0,
            0,
            0x0001_0001,
            0x1f_e780,
            0,
            0,
            0x0002_0002,
            0x1f_e700,
            0,
            0,
        ];
        let mut page: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = [(0, 0x20_0000), (1, 0x1f_e780), (2, 0x1f_e700)];
        let expected = expected.map(|(identifier, left_blocks)| PlacementHandle { identifier, left_blocks });
        assert_eq!(parse_handles(&page), expected);
        // With several reclaim groups the group is in the upper bits.
        page[48..50].copy_from_slice(&[1, 0x40]);
        assert_eq!(parse_handles(&page)[1].identifier, 0x4001);
        // Never more than there are bytes for.
        assert_eq!(parse_handles(&page[..16 + 32 + 31]).len(), 1);
        assert_eq!(parse_handles(&page[..16]).len(), 0);
        assert_eq!(parse_handles(&page[..15]).len(), 0);
        page[14] = 0;
        assert_eq!(parse_handles(&page).len(), 0);
    }

    #[test]
    fn other_devices_are_not_namespaces() {
        let null = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(namespace(&null).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        let health = LogAddress { namespace: 1, identifier: 2, of: 0 };
        let asked = |page: &mut [u8]| log_page(&null, health, page).unwrap_err();
        assert_eq!(placement_handles(&null, 1).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        assert_eq!(is_placement_on(&null, 1).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        assert_eq!(asked(&mut [0; 512]).raw_os_error(), Some(libc::ENOTTY));
        for mut odd in [vec![], vec![0; 511], vec![0; 16388]] {
            assert_eq!(asked(&mut odd).kind(), io::ErrorKind::InvalidInput, "{}", odd.len());
        }
    }
}
