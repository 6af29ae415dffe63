//! Follows a path. Making a link takes a privilege here, so links are followed without a rule.

#[path = "../reach/ends.rs"]
mod ends;

use super::inode::{self, Kind};
pub use ends::{LastName, ReachError};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of links in a path, as in the system.
const LINKS: usize = 40;
/// The folder of the descriptors of this process, as Linux calls it: `-` is a name in it.
const DESCRIPTORS: &str = "/proc/self/fd";

#[derive(Debug)]
pub enum ReachedObject {
    Descriptor(i32),
    FolderEntry(FolderEntry),
}

impl From<ReachError> for io::Error {
    fn from(error: ReachError) -> io::Error {
        match error {
            ReachError::Io(error) => error,
            refused => io::Error::other(refused.to_string()),
        }
    }
}

/// Identity of a file, the same for all of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpotKey {
    There((u64, u64)),
    New(PathBuf),
}

#[derive(Debug)]
pub struct FolderEntry {
    path: PathBuf,
}

/// Follows a path to its end, which need not exist.
///
/// # Errors
/// Fails if the path does not end with a name.
pub fn reach(path: &Path, last: LastName) -> Result<ReachedObject, ReachError> {
    let name = path.file_name().ok_or(ReachError::Directory)?;
    let number = name.to_str().and_then(|name| name.parse().ok());
    if let Some(number) = number.filter(|_| path.parent() == Some(Path::new(DESCRIPTORS))) {
        return Ok(ReachedObject::Descriptor(number));
    }
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Some(link) = std::fs::read_link(&path).ok().filter(|_| last == LastName::Followed) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    Ok(ReachedObject::FolderEntry(FolderEntry { path }))
}

impl FolderEntry {
    /// Returns the path without links at its end.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn location(&self) -> &Path {
        &self.path
    }

    /// Returns the kind of the object; `None` = the name is free.
    pub fn kind(&self) -> Option<Kind> {
        std::fs::metadata(&self.path).ok().map(|found| Kind::from_metadata(&found))
    }

    /// Returns a key that is equal for all names of a file.
    pub fn key(&self) -> Option<SpotKey> {
        match inode::identity_at(&self.path) {
            Ok(identity) => Some(SpotKey::There(identity)),
            Err(_) => Some(SpotKey::New(self.real_folder()?.join(self.path.file_name()?))),
        }
    }

    /// The owner of the object, if another user may have put it there: never on this system.
    pub fn foreign_owner(&self) -> Option<u32> {
        None
    }

    pub fn real_folder(&self) -> Option<PathBuf> {
        let parent = self.path.parent()?;
        let here = parent.as_os_str().is_empty();
        std::fs::canonicalize(if here { Path::new(".") } else { parent }).ok()
    }

    pub fn open_to_read(&self) -> Option<File> {
        (self.kind() == Some(Kind::File)).then(|| File::open(&self.path).ok()).flatten()
    }

    /// Opens the object for writing, without truncation.
    pub fn open_to_write(&self) -> io::Result<File> {
        File::options().write(true).open(&self.path)
    }

    /// Creates a file with this name.
    ///
    /// # Errors
    /// Fails with [`io::ErrorKind::AlreadyExists`], or another error of the system.
    pub fn create_new(&self) -> io::Result<File> {
        File::create_new(&self.path)
    }

    /// Returns when the names in the folder are on the disk: the file system sees to that.
    pub fn sync_folder(&self) -> io::Result<()> {
        Ok(())
    }
}
