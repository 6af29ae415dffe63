//! The file that a new one replaces: permission to do so, and inherited properties.

use super::{FileTargetError, Guard};
use crate::reach::FolderEntry;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, StatxFlags, Uid, XattrFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Linux's maximum length of the list of attributes, and of a value, in bytes.
const ATTRIBUTES_MAX: usize = 1 << 16;
/// Access control list beyond owner, group and others, which changes the meaning of the mode.
const ACCESS_LIST: &CStr = c"system.posix_acl_access";

#[derive(Debug)]
pub(super) struct PreviousFile {
    owner: Uid,
    group: Gid,
    mode: Mode,
    attributes: Vec<(CString, Vec<u8>)>,
}

impl PreviousFile {
    /// Checks the file of this name, if it exists. It is opened for writing without a change, to detect
    /// immutable, read-only or running files.
    ///
    /// # Errors
    /// Fails if it may not be replaced.
    pub(super) fn read_previous(
        spot: &FolderEntry,
        guard: Option<&dyn Guard>,
    ) -> Result<Option<PreviousFile>, FileTargetError> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(spot.folder(), spot.name(), flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO) => return Err(FileTargetError::NotAFile),
            Err(error) => return Err(FileTargetError::Earlier(error.into())),
        };
        let fail = |error: Errno| FileTargetError::Earlier(error.into());
        let found = rustix::fs::fstat(&file).map_err(fail)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(FileTargetError::NotAFile);
        }
        guard.map_or(Ok(()), |guard| guard.permit(&file)).map_err(FileTargetError::Guarded)?;
        if is_mount_point(spot.folder(), &file, found.st_dev) {
            return Err(FileTargetError::MountPoint);
        }
        Ok(Some(PreviousFile {
            owner: Uid::from_raw(found.st_uid),
            group: Gid::from_raw(found.st_gid),
            mode: Mode::from_raw_mode(found.st_mode & 0o777),
            attributes: copied_attributes(&file),
        }))
    }

    pub(crate) fn is_foreign(&self) -> bool {
        self.owner != rustix::process::geteuid() || self.group != rustix::process::getegid()
    }

    /// Returns the id of its user; for a file of this user, of its group.
    pub(super) fn owner(&self) -> u32 {
        match self.owner == rustix::process::geteuid() {
            true => self.group.as_raw(),
            false => self.owner.as_raw(),
        }
    }

    /// Applies its properties to a new file.
    ///
    /// # Errors
    /// Fails with the kernel's error, if this process may not create files for that user.
    pub(super) fn apply(&self, file: &File) -> io::Result<()> {
        let new = rustix::fs::fstat(file)?;
        if (new.st_uid, new.st_gid) != (self.owner.as_raw(), self.group.as_raw()) {
            rustix::fs::fchown(file, Some(self.owner), Some(self.group))?;
        }
        for (name, value) in &self.attributes {
            let set = rustix::fs::fsetxattr(file, name.as_c_str(), value, XattrFlags::empty());
            if name.as_c_str() == ACCESS_LIST {
                set?;
            }
        }
        rustix::fs::fchmod(file, self.mode)?;
        Ok(())
    }
}

/// Whether a file is mounted over another one, which the kernel refuses to replace.
fn is_mount_point(folder: BorrowedFd<'_>, file: &File, device: u64) -> bool {
    match rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS) {
        Ok(found) if found.stx_attributes_mask.contains(MOUNT_ROOT) => {
            found.stx_attributes.contains(MOUNT_ROOT)
        }
        // An old kernel. Of a folder and a file on the same file system it can't be told; putting the file
        // there will.
        _ => rustix::fs::fstat(folder).is_ok_and(|folder| folder.st_dev != device),
    }
}

const MOUNT_ROOT: rustix::fs::StatxAttributes = rustix::fs::StatxAttributes::MOUNT_ROOT;

/// Returns the attributes that apply to a new file: user attributes, access control list, and security
/// label. Excludes attributes about content (signatures), and capabilities of programs.
fn copied_attributes(file: impl AsFd) -> Vec<(CString, Vec<u8>)> {
    let mut list = Vec::with_capacity(ATTRIBUTES_MAX);
    if rustix::fs::flistxattr(&file, rustix::buffer::spare_capacity(&mut list)).is_err() {
        return Vec::new();
    }
    let names = list.split(|byte| *byte == 0).filter_map(|name| CString::new(name).ok());
    let wanted = |name: &CString| {
        let bytes = name.as_bytes();
        bytes.starts_with(b"user.") || bytes == b"security.selinux" || name.as_c_str() == ACCESS_LIST
    };
    names
        .filter(wanted)
        .filter_map(|name| {
            let mut value = Vec::with_capacity(ATTRIBUTES_MAX);
            let read =
                rustix::fs::fgetxattr(&file, name.as_c_str(), rustix::buffer::spare_capacity(&mut value));
            read.ok().map(|_| (name, value))
        })
        .collect()
}
