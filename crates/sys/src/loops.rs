//! The backing file of a loop device, by its inode: the recorded name may lead to another file by now.

use rustix::fs::{FileType, fstat, major};
use rustix::io::Errno;
use rustix::ioctl::{Getter, Opcode, ioctl};
use std::io;
use std::os::fd::BorrowedFd;

/// `LOOP_GET_STATUS64` of linux/loop.h.
const GET_STATUS: Opcode = 0x4c05;

const LOOP_MAJOR: u32 = 7;

/// `struct loop_info64` of linux/loop.h.
#[repr(C)]
struct Status {
    device: u64,
    inode: u64,
    own_device: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encryption: u32,
    key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    encryption_name: [u8; 64],
    key: [u8; 32],
    init: [u64; 2],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backing {
    pub device: (u32, u32),
    pub inode: u64,
    /// (major, minor) of the block device that the file represents; (0, 0) = it is a regular file.
    pub itself: (u32, u32),
    /// The name that the program gave which set up the device, shortened to 63 bytes; may be empty.
    pub name: String,
}

/// Returns the backing file of an open loop device.
///
/// # Errors
/// Fails with `ENXIO` without a backing file, or `ENOTTY` if it is not a loop device.
pub fn backing(device: BorrowedFd<'_>) -> io::Result<Backing> {
    // The number does not contain the size of the structure: another driver may read it as another request.
    let found = fstat(device)?;
    let is_block = FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice;
    if !is_block || major(found.st_rdev) != LOOP_MAJOR {
        return Err(Errno::NOTTY.into());
    }
    // SAFETY: the descriptor is a loop device, whose driver takes nothing and writes one `loop_info64` to the
    // argument's address. All of its bytes are plain integers, so every value is valid.
    let status = unsafe { ioctl(device, Getter::<GET_STATUS, Status>::new()) }?;
    let name = status.file_name.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(Backing {
        device: split_number(status.device),
        inode: status.inode,
        itself: split_number(status.own_device),
        name: String::from_utf8_lossy(name).into_owned(),
    })
}

/// (major, minor) of a device number as the kernel writes it (`huge_encode_dev`): not as `stat` of the C
/// library does.
fn split_number(number: u64) -> (u32, u32) {
    let major = (number & 0xf_ff00) >> 8;
    let minor = number & 0xff | number >> 12 & 0xf_ff00;
    (major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn device_numbers_of_loop_status_are_decoded() {
        for (number, expected) in [
            (0, (0, 0)),
            (0x0801, (8, 1)),
            (0x10_3041, (0x30, 0x141)),
            (0xfe00, (254, 0)),
            (0x1_0300, (0x103, 0)),
        ] {
            assert_eq!(split_number(number), expected, "{number:#x}");
        }
    }

    #[test]
    fn other_descriptors_get_no_loop_request() {
        let temporary = tempfile::tempfile().unwrap();
        let (pipe, _writer) = io::pipe().unwrap();
        assert_eq!(backing(temporary.as_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTTY), "a file");
        assert_eq!(backing(pipe.as_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTTY), "a pipe");
        for path in ["/dev/null", "/dev/loop-control", "/dev/vda", "/"] {
            let Ok(file) = std::fs::File::open(path) else { continue };
            assert_eq!(backing(file.as_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTTY), "{path}");
        }
    }

    #[test]
    fn the_structure_has_the_size_that_the_kernel_writes() {
        assert_eq!(size_of::<Status>(), 232);
    }
}
