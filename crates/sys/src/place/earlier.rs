//! The file that a new one takes the place of: whether it may, and what the new one has from it.

use super::{Guard, PlaceError};
use crate::reach::Spot;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, StatxFlags, Uid, XattrFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// The longest list of attributes, and the longest value, that Linux takes, bytes.
const ATTRIBUTES_MAX: usize = 1 << 16;
/// Who may do what, beyond owner, group and all others: without it the mode means something else.
const ACCESS_LIST: &CStr = c"system.posix_acl_access";

#[derive(Debug)]
pub struct Earlier {
    owner: Uid,
    group: Gid,
    mode: Mode,
    attributes: Vec<(CString, Vec<u8>)>,
}

impl Earlier {
    /// Looks at the file of this name, if there is one. It's opened for writing, which is what tells
    /// whether that may be done (immutable, read-only, a program that runs), and not changed.
    ///
    /// # Errors
    /// It may not be replaced.
    pub fn look(spot: &Spot, guard: Option<&dyn Guard>) -> Result<Option<Earlier>, PlaceError> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(spot.folder(), spot.name(), flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO) => return Err(PlaceError::NotAFile),
            Err(error) => return Err(PlaceError::Earlier(error.into())),
        };
        let fail = |error: Errno| PlaceError::Earlier(error.into());
        let found = rustix::fs::fstat(&file).map_err(fail)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(PlaceError::NotAFile);
        }
        guard.map_or(Ok(()), |guard| guard.permit(&file)).map_err(PlaceError::Guarded)?;
        if is_mount_point(spot.folder(), &file, found.st_dev) {
            return Err(PlaceError::MountPoint);
        }
        Ok(Some(Earlier {
            owner: Uid::from_raw(found.st_uid),
            group: Gid::from_raw(found.st_gid),
            mode: Mode::from_raw_mode(found.st_mode & 0o777),
            attributes: copied_attributes(&file),
        }))
    }

    pub fn is_foreign(&self) -> bool {
        self.owner != rustix::process::geteuid() || self.group != rustix::process::getegid()
    }

    /// The number of its owner; of its group, where it's ours.
    pub fn owner(&self) -> u32 {
        match self.owner == rustix::process::geteuid() {
            true => self.group.as_raw(),
            false => self.owner.as_raw(),
        }
    }

    /// Makes a new file like it.
    ///
    /// # Errors
    /// What the kernel says: this process may make no file for that user.
    pub fn apply(&self, file: &File) -> io::Result<()> {
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

/// Whether a file is mounted over another one: then the one below would be replaced, which the kernel
/// refuses.
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

/// The attributes that mean the same for another file: the user's own, who may do what, and the label that
/// a security module goes by. Not those that speak of the content (signatures) or give rights to a program.
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
