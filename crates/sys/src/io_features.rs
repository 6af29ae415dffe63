//! Reads and writes with flags for the kernel (`preadv2(2)`, `pwritev2(2)`).

use crate::aio::Queue;
use crate::memory::{Buffer, Slot};
use crate::transfer::Transfer;
use diskspd_base::access::{IoFeatures, IoPriority};
use diskspd_base::operation::Operation;
use rustix::io::{Errno, ReadWriteFlags, preadv2, retry_on_intr};
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

fn way_flags(ways: IoFeatures, write: bool) -> ReadWriteFlags {
    ReadWriteFlags::from_bits_retain(ways.encoded(write))
}

/// Reads at an offset; returns the number of bytes.
///
/// # Errors
/// Fails with the kernel's error; `EOPNOTSUPP` if the kernel or the file system does not support the
/// flags.
pub fn read(file: impl AsFd, data: &mut [u8], offset: u64, ways: IoFeatures) -> Result<usize, Errno> {
    let mut data = [IoSliceMut::new(data)];
    retry_on_intr(|| preadv2(&file, &mut data, offset, way_flags(ways, false)))
}

/// Writes at an offset; returns how many bytes.
///
/// # Errors
/// As [`read`]; `EINVAL` if the size of an atomic write is not a unit of the file.
pub fn write(file: impl AsFd, data: Slot<'_>, offset: u64, ways: IoFeatures) -> Result<usize, Errno> {
    let file = file.as_fd().as_raw_fd();
    let data = libc::iovec { iov_base: data.as_ptr().cast_mut().cast(), iov_len: data.len() };
    let flags = way_flags(ways, true).bits();
    // The system call takes the offset in two words, of which a processor of 64 bits reads the first.
    let (low, high) = (offset as usize, (offset >> 32) as usize);
    retry_on_intr(|| {
        // SAFETY: the kernel only reads the slot's bytes, which are mapped as long as the slot lives, and the
        // vector, which lives until the call returns. musl has the function from version 1.2.5 on.
        let written =
            unsafe { libc::syscall(libc::SYS_pwritev2, file, &raw const data, 1, low, high, flags) };
        usize::try_from(written)
            .map_err(|_| Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
    })
}

/// Checks that an open file accepts the flags for reads, by reading a byte past the end. The file must be
/// open for reading.
pub fn accepts_features(file: impl AsFd, size: u64, ways: IoFeatures) -> Result<(), Errno> {
    read(file, &mut [0], size, ways).map(drop)
}

/// Checks that an open file accepts the flags for writes, by an empty write. `pwritev2(2)` does not reach the
/// file system then, but Linux AIO does; without AIO there is no check. The file must be open for writing.
pub fn takes_writes(file: OwnedFd, ways: IoFeatures) -> Result<(), Errno> {
    let queue = Buffer::new(0).and_then(|memory| Queue::new(1, vec![file], memory, SHORT_TIMEOUT));
    let Ok(mut queue) = queue else { return Ok(()) };
    queue.set_ways(vec![ways]);
    let (op, priority) = (Operation::Write, IoPriority::Unstated);
    queue.push([Transfer { op, file: 0, offset: 0, start: 0, length: 0, tag: 0, priority }].into_iter());
    let mut answer = 0;
    // An error of the queue gives no information about the file.
    let _ = queue.wait(1, SHORT_TIMEOUT, |_, result| answer = result);
    if answer < 0 { Err(Errno::from_raw_os_error(-answer as i32)) } else { Ok(()) }
}

const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
