//! Follows a path. Each folder on the way is opened and held, so a name that changes afterwards has no effect
//! (openat(2), `O_PATH` and `O_NOFOLLOW`).
//!
//! Links are followed by the rule of `fs.protected_symlinks` (proc_sys_fs(5)), at every step of the path and
//! with any setting of the kernel. In a folder where other users may put links, a link must belong to this
//! user or to the owner of the folder.

mod ends;

use super::anchor::{Location, descriptor_path};
use super::inode::{Kind, others_may_write};
use super::process;
pub use ends::{LastName, ReachError};
use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, open, openat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Maximum number of links in a path, as in the kernel.
const LINKS: usize = 40;
const DESCRIPTORS: &str = "/proc/self/fd";
/// `PROC_SUPER_MAGIC` (statfs(2)).
const PROC: u64 = 0x9fa0;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const OBJECT: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[derive(Debug)]
pub enum ReachedObject {
    /// A descriptor of this process. Its link is not a path for a pipe, and leads to another file after a
    /// rename.
    Descriptor(i32),
    FolderEntry(FolderEntry),
}

impl From<Errno> for ReachError {
    fn from(error: Errno) -> ReachError {
        ReachError::Io(error.into())
    }
}

impl From<ReachError> for io::Error {
    fn from(error: ReachError) -> io::Error {
        match error {
            ReachError::Io(error) => error,
            ReachError::Directory => io::ErrorKind::IsADirectory.into(),
            refused @ (ReachError::Planted { .. } | ReachError::Foreign { .. }) => {
                io::Error::new(io::ErrorKind::PermissionDenied, refused.to_string())
            }
        }
    }
}

/// Identity of a file, the same for all of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpotKey {
    There((u64, u64)),
    /// File to be created: device and inode of the folder, and the name.
    New((u64, u64), OsString),
}

/// Name in an open folder, and the object with that name.
#[derive(Debug)]
pub struct FolderEntry {
    folder: OwnedFd,
    name: OsString,
    object: Option<Object>,
    path: PathBuf,
    way: PathBuf,
}

#[derive(Debug)]
struct Object {
    handle: OwnedFd,
    mode: u32,
    owner: u32,
    identity: (u64, u64),
}

impl Object {
    fn from_handle(handle: OwnedFd) -> Result<Object, Errno> {
        let Stat { st_mode: mode, st_uid: owner, st_dev, st_ino, .. } = fstat(&handle)?;
        Ok(Object { handle, mode, owner, identity: (st_dev, st_ino) })
    }

    fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }
}

/// Follows a path to its end, which need not exist.
///
/// # Errors
/// Fails if a folder is missing or not accessible, or a link is not followed.
pub fn reach(path: &Path, last: LastName) -> Result<ReachedObject, ReachError> {
    let mut walk = Walk::begin_walk(path)?;
    while let Some(name) = walk.names.pop() {
        if walk.names.is_empty() && name != ".." {
            if let Some(number) = walk.own_descriptor(&name) {
                return Ok(ReachedObject::Descriptor(number));
            }
            let object = match walk.find_object(&name)? {
                Some(link) if link.kind() == FileType::Symlink && last == LastName::Followed => {
                    match walk.follow(&name, &link)? {
                        Some(object) => Some(object),
                        None => continue,
                    }
                }
                object => object,
            };
            return Ok(ReachedObject::FolderEntry(walk.spot(name, object)));
        }
        walk.enter_folder(&name, false)?;
    }
    Err(ReachError::Directory)
}

/// Resolves the folder of a path; a link with the last name is not followed.
pub fn spot(path: &Path) -> Result<FolderEntry, ReachError> {
    match reach(path, LastName::AsItIs)? {
        ReachedObject::FolderEntry(spot) => Ok(spot),
        ReachedObject::Descriptor(_) => Err(Errno::EXIST.into()),
    }
}

/// Opens a folder for listing.
pub(crate) fn open_folder(path: &Path) -> Result<OwnedFd, ReachError> {
    let walk = all_folders(path, false)?;
    Ok(openat(&walk.folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens a folder in which files can be created.
pub(crate) fn hold_folder(path: &Path) -> Result<OwnedFd, ReachError> {
    Ok(all_folders(path, false)?.folder)
}

/// Creates the missing folders of a path.
pub(crate) fn make_folders(path: &Path) -> Result<(), ReachError> {
    all_folders(path, true).map(drop)
}

fn all_folders(path: &Path, make: bool) -> Result<Walk, ReachError> {
    let mut walk = Walk::begin_walk(path)?;
    while let Some(name) = walk.names.pop() {
        walk.enter_folder(&name, make)?;
    }
    Ok(walk)
}

/// Resolution of a path: the folder reached, and the remaining names.
struct Walk {
    folder: OwnedFd,
    /// Path of the folder without links.
    path: PathBuf,
    /// Remaining names in reverse order.
    names: Vec<OsString>,
    links: usize,
}

impl Walk {
    fn begin_walk(path: &Path) -> Result<Walk, ReachError> {
        if path.as_os_str().is_empty() || path.as_os_str().as_bytes().contains(&0) {
            return Err(Errno::NOENT.into());
        }
        // An absolute path needs no right to the working folder.
        let folder = open(if path.has_root() { "/" } else { "." }, FOLDER, Mode::empty())?;
        let mut walk = Walk { folder, path: PathBuf::new(), names: Vec::new(), links: 0 };
        walk.add(path)?;
        Ok(walk)
    }

    fn add(&mut self, path: &Path) -> Result<(), ReachError> {
        for part in path.components().rev() {
            match part {
                Component::Normal(name) => self.names.push(name.to_owned()),
                Component::ParentDir => self.names.push("..".into()),
                Component::RootDir => {
                    self.folder = open("/", FOLDER, Mode::empty())?;
                    self.path = PathBuf::from("/");
                }
                Component::CurDir | Component::Prefix(_) => {}
            }
        }
        Ok(())
    }

    fn find_object(&self, name: &OsStr) -> Result<Option<Object>, ReachError> {
        match openat(&self.folder, name, OBJECT, Mode::empty()) {
            Ok(handle) => Ok(Some(Object::from_handle(handle)?)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Enters a folder, or the destination of a link.
    fn enter_folder(&mut self, name: &OsStr, make: bool) -> Result<(), ReachError> {
        let mut opened = openat(&self.folder, name, FOLDER, Mode::empty());
        if make && opened.as_ref().is_err_and(|error| *error == Errno::NOENT) {
            match rustix::fs::mkdirat(&self.folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            opened = openat(&self.folder, name, FOLDER, Mode::empty());
        }
        match opened {
            Ok(folder) => {
                self.note_moved(name);
                self.folder = folder;
                Ok(())
            }
            // Also a link, which these flags do not open.
            Err(Errno::NOTDIR | Errno::LOOP) => match self.find_object(name)? {
                Some(link) if link.kind() == FileType::Symlink => match self.follow(name, &link)? {
                    Some(_) => Err(Errno::NOTDIR.into()),
                    None => Ok(()),
                },
                _ => Err(Errno::NOTDIR.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    fn note_moved(&mut self, name: &OsStr) {
        let is_named = matches!(self.path.components().next_back(), Some(Component::Normal(_)));
        match name == ".." {
            true if is_named => drop(self.path.pop()),
            true if self.path.has_root() => {}
            _ => self.path.push(name),
        }
    }

    /// Follows a link: its path is next. Returns an object instead that has no path, as `/proc/7/fd/1` of a
    /// pipe.
    fn follow(&mut self, name: &OsStr, link: &Object) -> Result<Option<Object>, ReachError> {
        let around = fstat(&self.folder)?;
        if others_may_write(around.st_mode) && ![process::user(), around.st_uid].contains(&link.owner) {
            return Err(ReachError::Planted { link: self.path.join(name), owner: link.owner });
        }
        self.links += 1;
        if self.links > LINKS {
            return Err(Errno::LOOP.into());
        }
        let text = rustix::fs::readlinkat(&link.handle, c"", Vec::new())?.into_bytes();
        // The kernel follows these links to an object, whatever their text is; all others of procfs are
        // relative.
        if self.is_proc() && (text.starts_with(b"/") || text.contains(&b':')) {
            let object = Object::from_handle(openat(
                &self.folder,
                name,
                OFlags::PATH | OFlags::CLOEXEC,
                Mode::empty(),
            )?)?;
            match object.kind() {
                FileType::Directory => {
                    self.path.push(name);
                    self.folder = object.handle;
                    return Ok(None);
                }
                FileType::RegularFile => {}
                _ => return Ok(Some(object)),
            }
        }
        self.add(Path::new(&OsString::from_vec(text)))?;
        Ok(None)
    }

    fn is_proc(&self) -> bool {
        rustix::fs::fstatfs(&self.folder).is_ok_and(|found| found.f_type as u64 == PROC)
    }

    /// Returns the descriptor of this process with this name in the folder.
    fn own_descriptor(&self, name: &OsStr) -> Option<i32> {
        let number = descriptor_number(name)?;
        let (own, here) = (rustix::fs::stat(DESCRIPTORS).ok()?, fstat(&self.folder).ok()?);
        ((own.st_dev, own.st_ino) == (here.st_dev, here.st_ino)).then_some(number)
    }

    fn spot(self, name: OsString, object: Option<Object>) -> FolderEntry {
        let path = self.path.join(&name);
        let by_handle = object.as_ref().map(|object| descriptor_path(&object.handle));
        let way = by_handle.filter(|way| rustix::fs::stat(way).is_ok()).unwrap_or_else(|| path.clone());
        FolderEntry { folder: self.folder, name, object, path, way }
    }
}

/// Parses the name of a descriptor: digits without a sign.
fn descriptor_number(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?;
    name.bytes().all(|digit| digit.is_ascii_digit()).then(|| name.parse().ok()).flatten()
}

impl FolderEntry {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    pub fn location(&self) -> &FolderEntry {
        self
    }

    /// Returns the kind of the object; `None` = the name is free.
    pub fn kind(&self) -> Option<Kind> {
        self.object.as_ref().map(|object| Kind::from_mode(object.mode))
    }

    /// Returns a key that is equal for all names of a file.
    pub fn key(&self) -> Option<SpotKey> {
        match &self.object {
            Some(object) => Some(SpotKey::There(object.identity)),
            None => {
                let folder = fstat(&self.folder).ok()?;
                Some(SpotKey::New((folder.st_dev, folder.st_ino), self.name.clone()))
            }
        }
    }

    /// The owner of the object, if it is neither this user nor the owner of the folder, and other users may
    /// put files into the folder.
    pub fn foreign_owner(&self) -> Option<u32> {
        let owner = self.object.as_ref()?.owner;
        let folder = fstat(&self.folder).ok()?;
        let trusted = [process::user(), folder.st_uid];
        (others_may_write(folder.st_mode) && !trusted.contains(&owner)).then_some(owner)
    }

    pub fn real_folder(&self) -> Option<PathBuf> {
        let named = rustix::fs::readlink(descriptor_path(&self.folder), Vec::new()).ok();
        let named = named.map(|path| PathBuf::from(OsString::from_vec(path.into_bytes())));
        let by_name = || std::fs::canonicalize(self.path.parent()?).ok();
        named.filter(|path| path.is_absolute()).or_else(by_name)
    }

    pub fn open_to_read(&self) -> Option<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let is_file = self.kind() == Some(Kind::File);
        is_file.then(|| open(&self.way, flags, Mode::empty()).ok()).flatten().map(File::from)
    }

    /// Opens the object for writing, without truncation.
    pub fn open_to_write(&self) -> io::Result<File> {
        let Some(object) = &self.object else { return Err(Errno::NOENT.into()) };
        let by_handle =
            open(descriptor_path(&object.handle), OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
        let opened = match by_handle {
            // Without /proc: the name as it is now.
            Err(Errno::NOENT) => {
                let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                openat(&self.folder, &self.name, flags, Mode::empty())
            }
            opened => opened,
        };
        Ok(opened?.into())
    }

    /// Creates a file with this name.
    ///
    /// # Errors
    /// Fails with [`io::ErrorKind::AlreadyExists`], or another error of the kernel.
    pub fn create_new(&self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.folder, &self.name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    /// Creates a folder with this name, accessible only to this user.
    pub(crate) fn make_private_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.folder, &self.name, Mode::RWXU)?)
    }

    /// Waits until the names in the folder are durable.
    pub fn sync_folder(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::fsync(openat(&self.folder, ".", flags, Mode::empty())?)?)
    }
}

impl Location for FolderEntry {
    fn name(&self) -> &Path {
        &self.path
    }

    fn access_path(&self) -> &Path {
        &self.way
    }
}

/// Refuses a path that is a link of another user than this one and root.
///
/// # Errors
/// Fails with [`ReachError::Foreign`].
pub fn refuse_foreign_link(path: &Path) -> Result<(), ReachError> {
    let Ok(found) = rustix::fs::statat(CWD, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) else {
        return Ok(());
    };
    let is_link = FileType::from_raw_mode(found.st_mode) == FileType::Symlink;
    match is_link && ![process::user(), 0].contains(&found.st_uid) {
        true => Err(ReachError::Foreign { owner: found.st_uid }),
        false => Ok(()),
    }
}

/// Exchanges two names, for tests of races.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(CWD, one, CWD, other, rustix::fs::RenameFlags::EXCHANGE)?)
}

#[cfg(test)]
mod tests;
