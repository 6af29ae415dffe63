//! Commands of NVMe, handed to the character devices of namespaces past the block layer
//! (`NVME_URING_CMD_IO`, Linux 5.19).
//!
//! Commands: NVM Express, NVM NvmeCommand Set Specification 1.0, section 3.

use super::form::entry::EntryBuilder;
use super::name::Name;
use crate::memory::Buffer;
use crate::nvme::{Namespace, NvmeCommand};
use crate::transfer::{Transfer, fits, fits_without_data};
use diskspd_base::io_error::NvmeStatus;
use diskspd_base::operation::Operation;
use io_uring::{cqueue, opcode, squeue, types};

const IO: u32 = rustix::ioctl::opcode::read_write::<NvmeCommand>(b'N', 0x80) as u32;

const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const WRITE_ZEROES: u8 = 0x08;
const DATASET_MANAGEMENT: u8 = 0x09;
/// Zone Management Send (Zoned Namespace Command Set 1.1, 3.4.3).
const ZONE_MANAGEMENT_SEND: u8 = 0x79;

/// Action of Zone Management Send in command dword 13: resets the zone.
const RESET_ZONE: u32 = 4;

/// Flag of Dataset Management in word 11: the ranges' content is no longer needed.
const DEALLOCATE: u32 = 1 << 2;

/// Flag of writes in word 12: they complete when the data is durable (FUA).
const FORCE_UNIT_ACCESS: u32 = 1 << 30;

/// Flag of reads, writes and Write Zeroes in word 12 (PRINFO): the controller generates the protection
/// information of written data, and removes it from read data (PRACT).
const CONTROLLER_PROTECTS: u32 = 1 << 29;
const CHECK_GUARD: u32 = 1 << 28;
/// Checks the reference tag of protection types 1 and 2.
const CHECK_REFERENCE: u32 = 1 << 26;

/// Of writes, in the twelfth word (DTYPE): the thirteenth has a placement identifier in its upper half
/// (TP4146, Data Placement Directive).
const PLACED: u32 = 2 << 20;

/// Maximum number of logical blocks per command, which is encoded minus one in 16 bits.
pub const MAX_BLOCKS: u32 = 1 << 16;

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct DeallocatedRange {
    attributes: u32,
    blocks: u32,
    first: u64,
}

/// Command parameters of a file of the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    pub namespace: Namespace,
    /// Whether writes complete when they are durable.
    pub write_through: bool,
    /// Placement identifier of written data; `None` = unspecified.
    pub placement: Option<u16>,
}

#[derive(Debug)]
pub struct Commands {
    blocks: Vec<Blocks>,
    /// Bytes of the transfers in flight by tag, because the device does not report them.
    lengths: Box<[u32]>,
    ranges: Box<[DeallocatedRange]>,
}

impl Commands {
    pub fn new(blocks: Vec<Blocks>, depth: u32) -> Commands {
        let depth = depth as usize;
        Commands {
            blocks,
            lengths: vec![0; depth].into(),
            ranges: vec![DeallocatedRange::default(); depth].into(),
        }
    }

    /// Returns the command without its data; `None` if it is not aligned to the blocks, or too long.
    #[inline]
    fn build_command(&mut self, transfer: &Transfer) -> Option<NvmeCommand> {
        let Blocks { namespace, write_through, placement } = self.blocks.get(transfer.file as usize)?;
        let Transfer { op, offset, length, tag, .. } = *transfer;
        let command = NvmeCommand { namespace: namespace.id, ..NvmeCommand::default() };
        if op == Operation::Flush {
            return Some(NvmeCommand { opcode: FLUSH, ..command });
        }
        let (shift, grid) = (namespace.block_shift, u64::from(namespace.block_size()) - 1);
        let (first, blocks) = (offset >> shift, length >> shift);
        if (offset | u64::from(length)) & grid != 0 || blocks == 0 {
            return None;
        }
        if op == Operation::Discard {
            let range = self.ranges.get_mut(tag as usize)?;
            *range = DeallocatedRange { attributes: 0, blocks: blocks.to_le(), first: first.to_le() };
            let (data, data_length) = (&raw mut *range as u64, size_of::<DeallocatedRange>() as u32);
            return Some(NvmeCommand {
                opcode: DATASET_MANAGEMENT,
                data,
                data_length,
                cdw11: DEALLOCATE,
                ..command
            });
        }
        if op == Operation::ZoneReset {
            return Some(NvmeCommand {
                opcode: ZONE_MANAGEMENT_SEND,
                cdw10: first as u32,
                cdw11: (first >> 32) as u32,
                cdw13: RESET_ZONE,
                ..command
            });
        }
        let (opcode, flags) = match op {
            Operation::Read => (READ, 0),
            Operation::Write if *write_through => (WRITE, FORCE_UNIT_ACCESS),
            Operation::DurableWrite => (WRITE, FORCE_UNIT_ACCESS),
            Operation::Write => (WRITE, 0),
            _ => (WRITE_ZEROES, 0),
        };
        let (checks, reference) = protection_fields(namespace, op, first);
        let (directive, identifier) = match (op, placement) {
            (Operation::Write | Operation::DurableWrite, Some(placement)) => {
                (PLACED, u32::from(*placement) << 16)
            }
            _ => (0, 0),
        };
        let flags = flags | checks | directive;
        (blocks <= MAX_BLOCKS).then(|| NvmeCommand {
            opcode,
            cdw10: first as u32,
            cdw11: (first >> 32) as u32,
            cdw12: (blocks - 1) | flags,
            cdw13: identifier,
            cdw14: reference,
            ..command
        })
    }
}

/// Returns the controller's flags for the protection information of a transfer, and the reference tag of
/// its first block. The tag is the lower part of the block number, as in type 1 and as written by the
/// kernel. It is not checked for type 3, and zeroed blocks are not checked.
#[inline]
fn protection_fields(namespace: &Namespace, op: Operation, first: u64) -> (u32, u32) {
    if !namespace.guards_itself() {
        return (0, 0);
    }
    let checks = match (op.moves_data(), namespace.protection) {
        (false, _) => 0,
        (true, 3) => CHECK_GUARD,
        (true, _) => CHECK_GUARD | CHECK_REFERENCE,
    };
    (CONTROLLER_PROTECTS | checks, first as u32)
}

impl EntryBuilder for Commands {
    type Submission = squeue::Entry128;
    type Completion = cqueue::Entry32;

    #[inline]
    fn make(
        &mut self,
        memory: &Buffer,
        registered: bool,
        name: &Name,
        transfer: &Transfer,
    ) -> Option<squeue::Entry128> {
        let Transfer { op, offset, length, start, tag, .. } = *transfer;
        let moves = op.moves_data();
        let within = match moves {
            true => fits(offset, length, start, memory.usable(op != Operation::Read)),
            false => fits_without_data(offset, length),
        };
        let mut command = within.then(|| self.build_command(transfer)).flatten()?;
        if moves {
            // SAFETY: start is within the memory, checked above.
            (command.data, command.data_length) = (unsafe { memory.as_ptr().add(start) } as u64, length);
        }
        *self.lengths.get_mut(tag as usize)? = if moves { length } else { 0 };
        let mut bytes = [0; 80];
        // SAFETY: it is plain data without padding, and as long as what is read of it.
        bytes[..72].copy_from_slice(&unsafe { std::mem::transmute::<NvmeCommand, [u8; 72]>(command) });
        let entry = opcode::UringCmd80::new(types::Fd(name.file), IO).cmd(bytes);
        let entry = entry.buf_index((registered && moves).then_some(0)).build();
        Some(entry.flags(name.flags).user_data(u64::from(tag)))
    }

    #[inline]
    fn result(&self, tag: u32, answer: i32) -> i32 {
        match answer {
            0 => self.lengths.get(tag as usize).map_or(0, |length| *length as i32),
            // No error number, so the device's own word.
            status @ 1.. => -NvmeStatus::new(status as u16).number(),
            error => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::access::IoPriority;

    const NAMESPACE: Namespace = Namespace {
        id: 7,
        blocks: 1 << 40,
        block_shift: 12,
        metadata: 0,
        protection: 0,
        zoned: false,
        deallocates: true,
        writes_zeroes: true,
        most_bytes: None,
        endurance_group: 0,
        places: false,
    };

    const PLAIN_BLOCKS: Blocks = Blocks { namespace: NAMESPACE, write_through: false, placement: None };

    fn sample_transfer(op: Operation, offset: u64, length: u32) -> Transfer {
        Transfer { op, file: 0, offset, start: 0, length, tag: 1, priority: IoPriority::Unstated }
    }

    #[test]
    fn nvme_commands_use_block_units() {
        let mut forms = Commands::new(vec![Blocks { write_through: true, ..PLAIN_BLOCKS }], 2);
        let far = (1 << 33) + 5;
        for (op, opcode, flags) in
            [(Operation::Read, 2, 0), (Operation::Write, 1, 1 << 30), (Operation::WriteZeroes, 8, 0)]
        {
            let found = forms.build_command(&sample_transfer(op, far << 12, 3 << 12)).unwrap();
            let words = (found.opcode, found.namespace, found.cdw10, found.cdw11, found.cdw12);
            assert_eq!(words, (opcode, 7, 5, 2, 2 | flags), "{op:?}");
        }
        assert_eq!(forms.build_command(&sample_transfer(Operation::Flush, 0, 0)).unwrap().opcode, 0);
        let most = MAX_BLOCKS << 12;
        let discard =
            forms.build_command(&sample_transfer(Operation::Discard, far << 12, most + 4096)).unwrap();
        assert_eq!((discard.opcode, discard.cdw10, discard.cdw11, discard.data_length), (9, 0, 4, 16));
        assert_eq!((forms.ranges[1].first, forms.ranges[1].blocks), (far, MAX_BLOCKS + 1));
        let reset = forms.build_command(&sample_transfer(Operation::ZoneReset, far << 12, most)).unwrap();
        let words = (reset.opcode, reset.cdw10, reset.cdw11, reset.cdw12, reset.cdw13, reset.data_length);
        assert_eq!(words, (0x79, 5, 2, 0, 4, 0));
        assert_eq!(forms.build_command(&sample_transfer(Operation::Read, 0, most)).unwrap().cdw12, 0xffff);
        for (offset, length) in [(512, 4096), (0, 512), (0, 0), (0, most + 4096)] {
            assert!(
                forms.build_command(&sample_transfer(Operation::Write, offset, length)).is_none(),
                "{offset} {length}"
            );
        }
        assert!(
            forms.build_command(&Transfer { file: 1, ..sample_transfer(Operation::Read, 0, 4096) }).is_none()
        );
    }

    #[test]
    fn controller_handles_protection_information() {
        let first = (1 << 33) + 5;
        for (metadata, protection, op, flags, reference) in [
            (0, 0, Operation::Write, 0, 0),
            (8, 1, Operation::Write, 0b1101 << 26, 5),
            (8, 2, Operation::Read, 0b1101 << 26, 5),
            (8, 3, Operation::Read, 0b1100 << 26, 5),
            (8, 1, Operation::WriteZeroes, 0b1000 << 26, 5),
            (8, 0, Operation::Write, 0, 0),
        ] {
            let namespace = Namespace { metadata, protection, ..NAMESPACE };
            let mut forms = Commands::new(vec![Blocks { namespace, ..PLAIN_BLOCKS }], 2);
            let found = forms.build_command(&sample_transfer(op, first << 12, 3 << 12)).unwrap();
            assert_eq!((found.cdw12, found.cdw14), (2 | flags, reference), "{protection} {op:?}");
        }
    }

    #[test]
    fn only_writes_have_placement_ids() {
        for (placement, op, directive, identifier) in [
            (Some(0), Operation::Write, 2 << 20, 0),
            (Some(0x8001), Operation::Write, 2 << 20, 0x8001_0000),
            (Some(1), Operation::Read, 0, 0),
            (Some(1), Operation::WriteZeroes, 0, 0),
            (None, Operation::Write, 0, 0),
        ] {
            let mut forms = Commands::new(vec![Blocks { placement, ..PLAIN_BLOCKS }], 2);
            let found = forms.build_command(&sample_transfer(op, 0, 3 << 12)).unwrap();
            assert_eq!((found.cdw12, found.cdw13), (2 | directive, identifier), "{placement:?} {op:?}");
        }
    }

    #[test]
    fn nvme_result_is_length_status_or_error() {
        let mut forms = Commands::new(vec![PLAIN_BLOCKS], 2);
        forms.lengths[1] = 4096;
        assert_eq!(forms.result(1, 0), 4096);
        assert_eq!(forms.result(1, -5), -5);
        let status = NvmeStatus::of_number(-forms.result(1, 0x4281)).unwrap();
        assert_eq!(
            (status.code_type(), status.code()),
            (2, 0x81),
            "the bit that says not to retry is none of it"
        );
    }
}
