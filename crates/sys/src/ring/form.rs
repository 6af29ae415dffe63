//! Formats of a ring's entries.

use super::name::{DataForm, Name};
use crate::memory::Buffer;
use crate::operation;
use crate::transfer::{Transfer, fits, fits_without_data};
use diskspd_base::access::IoFeatures;
use diskspd_base::operation::Operation;
use io_uring::{cqueue, opcode, squeue, types};

/// Encoding of a transfer for the kernel, and decoding of its result.
pub trait EntryForm: entry::EntryBuilder {}

impl<F: entry::EntryBuilder> EntryForm for F {}

/// Private, because an entry that refers to foreign memory would break the ring's safety.
pub(super) mod entry {
    use super::{Buffer, Name, Transfer, cqueue, squeue};

    pub trait EntryBuilder {
        type Submission: squeue::EntryMarker;
        type Completion: cqueue::EntryMarker;

        /// Returns the entry of a transfer; `None` if the memory has no such range, or the kernel would
        /// not accept it unchanged. It refers only to the memory or `self`, and stays until the transfer
        /// has ended.
        fn make(
            &mut self,
            memory: &Buffer,
            registered: bool,
            name: &Name,
            transfer: &Transfer,
        ) -> Option<Self::Submission>;

        /// Returns the transferred bytes or the negated error of the transfer with this tag.
        fn result(&self, tag: u32, answer: i32) -> i32;
    }
}

/// Reads, writes and other operations on open files.
#[derive(Debug, Clone, Copy)]
pub struct FileTransfers;

impl entry::EntryBuilder for FileTransfers {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;

    #[inline(always)]
    fn make(&mut self, memory: &Buffer, _: bool, name: &Name, transfer: &Transfer) -> Option<squeue::Entry> {
        let entry = match transfer.op {
            Operation::Read | Operation::Write => data_entry(memory, name, transfer),
            Operation::DurableWrite => durable_entry(memory, name, transfer),
            _ => other_entry(name, transfer),
        };
        Some(entry?.flags(name.flags).user_data(u64::from(transfer.tag)))
    }

    #[inline(always)]
    fn result(&self, _: u32, answer: i32) -> i32 {
        answer
    }
}

/// Returns the entry of a read or write; `None` if the memory has no such range, or the kernel would not
/// accept it unchanged.
#[inline(always)]
fn data_entry(memory: &Buffer, name: &Name, transfer: &Transfer) -> Option<squeue::Entry> {
    let Transfer { offset, length, start, .. } = *transfer;
    let write = transfer.op == Operation::Write;
    if !fits(offset, length, start, memory.usable(write)) {
        return None;
    }
    let (file, priority) = (types::Fd(name.file), transfer.priority.encoded());
    // SAFETY: start is within the memory, checked above.
    let data = unsafe { memory.as_ptr().add(start) };
    Some(match (name.data, write) {
        (DataForm::Registered, false) => {
            opcode::ReadFixed::new(file, data, length, 0).offset(offset).ioprio(priority).build()
        }
        (DataForm::Registered, true) => {
            opcode::WriteFixed::new(file, data, length, 0).offset(offset).ioprio(priority).build()
        }
        (DataForm::Unregistered, false) => {
            opcode::Read::new(file, data, length).offset(offset).ioprio(priority).build()
        }
        (DataForm::Unregistered, true) => {
            opcode::Write::new(file, data, length).offset(offset).ioprio(priority).build()
        }
        (DataForm::With(ways, registered), _) => entry_with(ways, registered, name, transfer, data),
    })
}

#[cold]
fn durable_entry(memory: &Buffer, name: &Name, transfer: &Transfer) -> Option<squeue::Entry> {
    let Transfer { offset, length, start, .. } = *transfer;
    if !fits(offset, length, start, memory.usable(true)) {
        return None;
    }
    // SAFETY: start is within the memory, checked above.
    let data = unsafe { memory.as_ptr().add(start) };
    let (ways, registered) = match name.data {
        DataForm::Registered => (IoFeatures::default(), true),
        DataForm::Unregistered => (IoFeatures::default(), false),
        DataForm::With(ways, registered) => (ways, registered),
    };
    Some(entry_with(ways.with_durable(true), registered, name, transfer, data))
}

/// A read or write with additional kernel options. Atomic writes require memory that is not registered
/// (`generic_atomic_write_valid` of fs/read_write.c).
#[cold]
fn entry_with(
    ways: IoFeatures,
    registered: bool,
    name: &Name,
    transfer: &Transfer,
    data: *mut u8,
) -> squeue::Entry {
    let Transfer { op, offset, length, .. } = *transfer;
    let write = op != Operation::Read;
    let (file, priority) = (types::Fd(name.file), transfer.priority.encoded());
    let flags = ways.encoded(write) as i32;
    match (registered && !(ways.atomic && write), write) {
        (true, false) => {
            let entry = opcode::ReadFixed::new(file, data, length, 0).offset(offset);
            entry.ioprio(priority).rw_flags(flags).build()
        }
        (true, true) => {
            let entry = opcode::WriteFixed::new(file, data, length, 0).offset(offset);
            entry.ioprio(priority).rw_flags(flags).write_stream(ways.write_stream).build()
        }
        (false, false) => {
            let entry = opcode::Read::new(file, data, length).offset(offset);
            entry.ioprio(priority).rw_flags(flags).build()
        }
        (false, true) => {
            let entry = opcode::Write::new(file, data, length).offset(offset);
            entry.ioprio(priority).rw_flags(flags).write_stream(ways.write_stream).build()
        }
    }
}

/// Returns the entry of an operation without memory.
#[cold]
fn other_entry(name: &Name, transfer: &Transfer) -> Option<squeue::Entry> {
    let Transfer { op, offset, length, .. } = *transfer;
    let entry = || operation::entry(op, types::Fd(name.file), name.device, offset, length.into());
    fits_without_data(offset, length).then(entry).flatten()
}
