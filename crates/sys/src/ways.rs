//! Reads and writes that ask something of the kernel beside their data (`preadv2(2)`, `pwritev2(2)`).

use crate::aio::Queue;
use crate::memory::Buffer;
use crate::transfer::Transfer;
use diskspd_model::access::{IoPriority, IoWays};
use diskspd_model::operation::Operation;
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev2, retry_on_intr};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

fn flags(ways: IoWays, write: bool) -> ReadWriteFlags {
    ReadWriteFlags::from_bits_retain(ways.encoded(write))
}

/// Reads at an offset; returns how many bytes.
///
/// # Errors
/// What the kernel answers; `EOPNOTSUPP` where it or the file system can't do that.
pub fn read(file: impl AsFd, data: &mut [u8], offset: u64, ways: IoWays) -> Result<usize, Errno> {
    let mut data = [IoSliceMut::new(data)];
    retry_on_intr(|| preadv2(&file, &mut data, offset, flags(ways, false)))
}

/// Writes at an offset; returns how many bytes.
///
/// # Errors
/// As [`read`]; `EINVAL` of an atomic write that is none of the file's units.
pub fn write(file: impl AsFd, data: &[u8], offset: u64, ways: IoWays) -> Result<usize, Errno> {
    let data = [IoSlice::new(data)];
    retry_on_intr(|| pwritev2(&file, &data, offset, flags(ways, true)))
}

/// Whether an open file takes this of reads: reads a byte behind the end, where nothing is. The file is open
/// for reading.
///
/// # Errors
/// As [`read`].
pub fn takes(file: impl AsFd, size: u64, ways: IoWays) -> Result<(), Errno> {
    read(file, &mut [0], size, ways).map(drop)
}

/// Whether an open file takes this of writes: writes nothing. `pwritev2(2)` doesn't ask the file system then,
/// Linux AIO does; where that is not to be had, nobody is asked. The file is open for writing.
///
/// # Errors
/// As [`read`].
pub fn takes_writes(file: OwnedFd, ways: IoWays) -> Result<(), Errno> {
    let queue = Buffer::new(0).and_then(|memory| Queue::new(1, vec![file], memory, SOON));
    let Ok(mut queue) = queue else { return Ok(()) };
    queue.set_ways(vec![ways]);
    let (op, priority) = (Operation::Write, IoPriority::Unstated);
    queue.push([Transfer { op, file: 0, offset: 0, start: 0, length: 0, tag: 0, priority }].into_iter());
    let mut answer = 0;
    // A queue that fails has said nothing of the file.
    let _ = queue.wait(1, SOON, |_, result| answer = result);
    if answer < 0 { Err(Errno::from_raw_os_error(-answer as i32)) } else { Ok(()) }
}

/// Nothing is written at once.
const SOON: Duration = Duration::from_secs(5);
