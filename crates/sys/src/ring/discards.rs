//! Whether io_uring discards.

use super::enter::FOREVER;
use super::{Options, Ring};
use crate::memory::Buffer;
use crate::transfer::Transfer;
use diskspd_model::access::IoPriority;
use diskspd_model::operation::Operation;
use std::io;
use std::os::fd::OwnedFd;

/// Whether io_uring takes a discard of this block device as a command (Linux 6.12): asks for one of no
/// bytes, which none ever does.
///
/// # Errors
/// `EOPNOTSUPP`: it doesn't, or the device can't discard; or there is no io_uring.
pub fn takes_discards(device: OwnedFd) -> io::Result<()> {
    let mut ring = Ring::new(1, vec![device], Buffer::new(0)?, Options::default())?;
    let priority = IoPriority::Unstated;
    let nothing =
        Transfer { op: Operation::Discard, file: 0, offset: 0, start: 0, length: 0, tag: 0, priority };
    if ring.push([nothing].into_iter()) == 0 {
        return Err(io::Error::other("a new ring is full"));
    }
    ring.enter(1, FOREVER)?;
    let mut answer = 0;
    ring.reap(|_, result| answer = result);
    match -answer {
        // No bytes are no range; a device that is open for reading alone isn't asked that far.
        0 | libc::EINVAL | libc::EBADF | libc::EPERM => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}
