//! The target of a run: the disk itself, or a file of a file system on it.

use super::disk::SECTOR;
use crate::harness::{Failure, Undo, tool};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Raw,
    Ext4,
    Xfs,
    Btrfs,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 4] = [Place::Raw, Place::Ext4, Place::Xfs, Place::Btrfs];

    pub fn name(self) -> &'static str {
        match self {
            Place::Raw => "raw",
            Place::Ext4 => "ext4",
            Place::Xfs => "xfs",
            Place::Btrfs => "btrfs",
        }
    }

    pub fn named(name: &str) -> Result<Place, Failure> {
        let known = Place::ALL.into_iter().find(|place| place.name() == name);
        known.ok_or_else(|| format!("--place {name}: it is raw, ext4, xfs or btrfs").into())
    }

    /// The smallest disk for it, bytes.
    pub fn size(self) -> usize {
        match self {
            Place::Raw => 8 << 20,
            Place::Ext4 => 48 << 20,
            Place::Btrfs => 128 << 20,
            // The smallest that mkfs.xfs makes.
            Place::Xfs => 320 << 20,
        }
    }

    /// Returns the unit of a write that is never torn, in bytes: a sector. Btrfs needs its whole
    /// superblock of 4 KiB, as on disks with such sectors, because it otherwise requires `btrfs rescue
    /// super-recover` before mounting.
    pub fn never_torn(self) -> usize {
        if self == Place::Btrfs { 4096 } else { SECTOR }
    }

    fn mkfs(self) -> Option<&'static [&'static str]> {
        match self {
            Place::Raw => None,
            Place::Ext4 => Some(&["mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0"]),
            Place::Xfs => Some(&["mkfs.xfs", "-q", "-f", "-K", "-m", "reflink=1"]),
            Place::Btrfs => Some(&["mkfs.btrfs", "-q", "-f", "-K", "-m", "single"]),
        }
    }

    /// Makes it on a device.
    ///
    /// # Errors
    /// The program for it is missing, or fails.
    pub fn make(self, device: &str) -> Result<(), Failure> {
        let Some(words) = self.mkfs() else { return Ok(()) };
        tool(&[words, &[device]].concat())?;
        Ok(())
    }

    /// Mounts it, so that the file system recovers its log, and returns the target. The last command of
    /// `undo` must detach the device. It is detached here, and the kernel does so after the file system is
    /// unmounted.
    ///
    /// # Errors
    /// It can't be mounted.
    pub fn mount(self, device: &str, at: &str, undo: &mut Undo) -> Result<String, Failure> {
        if self == Place::Raw {
            return Ok(device.to_owned());
        }
        tool(&["mount", device, at])?;
        tool(&["losetup", "-d", device])?;
        undo.forget_last();
        undo.push(&["umount", "--", at]);
        Ok(format!("{at}/target"))
    }
}
