//! The target of a run: the disk itself, or a file of a file system on it.

use super::disk::SECTOR;
use crate::harness::{Failure, Undo, tool};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutStorage {
    Raw,
    Ext4,
    Xfs,
    Btrfs,
}

impl CutStorage {
    pub const ALL: [CutStorage; 4] = [CutStorage::Raw, CutStorage::Ext4, CutStorage::Xfs, CutStorage::Btrfs];

    pub fn name(self) -> &'static str {
        match self {
            CutStorage::Raw => "raw",
            CutStorage::Ext4 => "ext4",
            CutStorage::Xfs => "xfs",
            CutStorage::Btrfs => "btrfs",
        }
    }

    pub fn from_name(name: &str) -> Result<CutStorage, Failure> {
        let known = CutStorage::ALL.into_iter().find(|place| place.name() == name);
        known.ok_or_else(|| format!("--place {name}: it is raw, ext4, xfs or btrfs").into())
    }

    /// The smallest disk for it in bytes.
    pub fn size(self) -> usize {
        match self {
            CutStorage::Raw => 8 << 20,
            CutStorage::Ext4 => 48 << 20,
            CutStorage::Btrfs => 128 << 20,
            // The smallest that mkfs.xfs makes.
            CutStorage::Xfs => 320 << 20,
        }
    }

    /// Returns the unit of a write that is never torn, in bytes: a sector. Btrfs needs its whole
    /// superblock of 4 KiB, as on disks with such sectors, because it otherwise requires `btrfs rescue
    /// super-recover` before mounting.
    pub fn never_torn(self) -> usize {
        if self == CutStorage::Btrfs { 4096 } else { SECTOR }
    }

    fn mkfs(self) -> Option<&'static [&'static str]> {
        match self {
            CutStorage::Raw => None,
            CutStorage::Ext4 => Some(&["mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0"]),
            CutStorage::Xfs => Some(&["mkfs.xfs", "-q", "-f", "-K", "-m", "reflink=1"]),
            CutStorage::Btrfs => Some(&["mkfs.btrfs", "-q", "-f", "-K", "-m", "single"]),
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
        if self == CutStorage::Raw {
            return Ok(device.to_owned());
        }
        tool(&["mount", device, at])?;
        tool(&["losetup", "-d", device])?;
        undo.forget_last();
        undo.push(&["umount", "--", at]);
        Ok(format!("{at}/target"))
    }
}
