//! Reads and writes that ask something of the kernel beside their data (`preadv2(2)`, `pwritev2(2)`).

use diskspd_model::access::IoWays;
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev2, retry_on_intr};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::AsFd;

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
