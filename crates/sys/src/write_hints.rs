//! Expected lifetime of written data (`F_SET_RW_HINT` of fcntl(2), Linux 4.13). The hint belongs to the
//! inode, and applies to all writers of the file until the kernel drops the inode.

use diskspd_base::access::WriteLifetime;
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd};

/// `F_SET_RW_HINT` of linux/fcntl.h.
const SET_RW_HINT: libc::c_int = 1024 + 12;

/// Sets the hint in the kernel.
///
/// # Errors
/// Fails with `EINVAL` on kernels without hints, and `EPERM` for other users' files (Linux 6.9).
pub(super) fn set(file: impl AsFd, lifetime: WriteLifetime) -> Result<(), Errno> {
    let number = lifetime.encoded();
    // SAFETY: the kernel reads eight bytes, which live until the call returns.
    let answer = unsafe { libc::fcntl(file.as_fd().as_raw_fd(), SET_RW_HINT, &raw const number) };
    match answer {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `F_GET_RW_HINT` of linux/fcntl.h.
    const GET_RW_HINT: libc::c_int = 1024 + 11;

    #[test]
    fn a_hint_is_kept_with_the_file() {
        let file = tempfile::tempfile().unwrap();
        for name in WriteLifetime::NAMES {
            let lifetime = WriteLifetime::from_name(name).unwrap();
            set(&file, lifetime).unwrap();
            let mut found = 0u64;
            // SAFETY: the kernel fills eight bytes, which live until the call returns.
            let answer = unsafe { libc::fcntl(file.as_raw_fd(), GET_RW_HINT, &raw mut found) };
            assert_eq!((answer, found), (0, lifetime.encoded()), "{name}");
        }
    }
}
