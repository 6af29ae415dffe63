//! What a loop device is made of, as the kernel knows it: not by a name, which may lead elsewhere by now.

use rustix::ioctl::{Getter, Opcode, ioctl};
use std::io;
use std::os::fd::BorrowedFd;

/// `LOOP_GET_STATUS64` of linux/loop.h.
const GET_STATUS: Opcode = 0x4c05;

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

/// The file or device behind a loop device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backing {
    /// (major, minor) of the file system that the file is on.
    pub device: (u32, u32),
    /// Its inode there.
    pub inode: u64,
    /// (major, minor) of the block device that the file stands for; (0, 0) = it's a regular file.
    pub itself: (u32, u32),
    /// The name that the program gave which set up the device, shortened to 63 bytes; may be empty.
    pub name: String,
}

/// What is behind an open loop device.
///
/// # Errors
/// `ENXIO`: nothing; `ENOTTY`: it's no loop device.
pub fn backing(device: BorrowedFd<'_>) -> io::Result<Backing> {
    // SAFETY: the request takes nothing and writes one `loop_info64` to where its argument leads; all bytes
    // of it are plain integers, so whatever the kernel writes is a value of the type.
    let status = unsafe { ioctl(device, Getter::<GET_STATUS, Status>::new()) }?;
    let name = status.file_name.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(Backing {
        device: split(status.device),
        inode: status.inode,
        itself: split(status.own_device),
        name: String::from_utf8_lossy(name).into_owned(),
    })
}

/// (major, minor) of a device number as the kernel writes it (`huge_encode_dev`): not as `stat` of the C
/// library does.
fn split(number: u64) -> (u32, u32) {
    let major = (number & 0xf_ff00) >> 8;
    let minor = number & 0xff | number >> 12 & 0xf_ff00;
    (major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_device_numbers_are_taken_apart() {
        for (number, expected) in [
            (0, (0, 0)),
            (0x0801, (8, 1)),
            (0x10_3041, (0x30, 0x141)),
            (0xfe00, (254, 0)),
            (0x1_0300, (0x103, 0)),
        ] {
            assert_eq!(split(number), expected, "{number:#x}");
        }
    }

    #[test]
    fn the_structure_has_the_size_that_the_kernel_writes() {
        assert_eq!(size_of::<Status>(), 232);
    }
}
