//! A folder that is held open, and files directly in it. No name or link leads outside, even if created in
//! the meantime.

use crate::fault_points::{self, FileStep, check_step};
use crate::reach;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// Creates a folder that only this user may access.
///
/// # Errors
/// Fails with the kernel's error, including an existing name.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    reach::spot(path)?.make_private_folder()
}

/// Makes the folders of a path that are missing. Links on the way are followed by the rule of [`reach`].
///
/// # Errors
/// Fails if a folder cannot be created, or a link is not followed.
pub fn make_all(path: &Path) -> io::Result<()> {
    Ok(reach::make_folders(path)?)
}

/// Refuses a folder that is a link of another user than this one and root, who could exchange it.
///
/// # Errors
/// Fails with the link and its owner.
pub fn refuse_foreign_link(path: &Path) -> io::Result<()> {
    Ok(reach::refuse_foreign_link(path)?)
}

#[derive(Debug)]
pub struct OpenFolder(OwnedFd);

impl OpenFolder {
    /// Opens a folder, following links by the rule of [`reach`].
    pub fn open(path: &Path) -> io::Result<OpenFolder> {
        Ok(OpenFolder(reach::open_folder(path)?))
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// Fails if the name does not exist, or is a link, a pipe or a device.
    pub fn file(&self, name: &str) -> io::Result<File> {
        right_here(name)?;
        check_step(FileStep::Open)?;
        // A pipe would be waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let opened = match rustix::fs::openat2(&self.0, name, flags, Mode::empty(), resolve) {
            // An older kernel, or a filter of system calls that knows only older ones. A name right in the
            // folder whose link isn't followed leads nowhere else either.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {
                rustix::fs::openat(&self.0, name, flags, Mode::empty())
            }
            opened => opened,
        };
        let opened = opened.map_err(|error| match error {
            Errno::LOOP => io::Error::other("it is a symbolic link, which is not followed"),
            error => error.into(),
        })?;
        match FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) {
            FileType::RegularFile => Ok(File::from(opened)),
            _ => Err(io::Error::other("it is not a regular file")),
        }
    }

    /// Returns a number that changes when another file replaces this one. It combines its inode number,
    /// change time and length. `None` if the file does not exist.
    pub fn stamp(&self, name: &str) -> io::Result<Option<i64>> {
        right_here(name)?;
        check_step(FileStep::Look)?;
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => {
                let changed = (found.st_mtime as u64, found.st_mtime_nsec);
                let parts = (found.st_ino, changed, found.st_size as u64);
                Ok(Some(stamp_of(parts)))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file, or a link itself.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        right_here(name)?;
        check_step(FileStep::Remove)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Returns all names in the folder, sorted.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let named = |entry: rustix::io::Result<rustix::fs::DirEntry>| {
            Ok(OsString::from_vec(entry?.file_name().to_bytes().to_vec()))
        };
        check_step(FileStep::List)?;
        let mut names = Dir::read_from(&self.0)?.map(named).collect::<io::Result<Vec<OsString>>>()?;
        names.retain(|name| name != "." && name != "..");
        names.sort_unstable();
        Ok(names)
    }

    /// Waits until the names of the folder are durable.
    pub fn sync(&self) -> io::Result<()> {
        check_step(FileStep::SyncFolder)?;
        rustix::fs::fsync(&self.0)?;
        if fault_points::is_watched() {
            fault_points::synced(&File::from(self.0.try_clone()?));
        }
        Ok(())
    }
}

/// Hashes several numbers into one, like FNV-1a with 64-bit units.
fn stamp_of((number, (seconds, nanos), length): (u64, (u64, u64), u64)) -> i64 {
    let parts = [number, seconds, nanos, length];
    let hash = parts.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, part| {
        (hash ^ part).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
    });
    hash.cast_signed()
}

fn right_here(name: &str) -> io::Result<()> {
    match name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
        true => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "that is not a name of a file in this folder"))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folder_accepts_single_names_only() {
        let directory = tempfile::tempdir().unwrap();
        let (inside, outside) = (directory.path().join("in"), directory.path().join("out"));
        fs::create_dir(&inside).unwrap();
        fs::write(&outside, "secret").unwrap();
        fs::write(inside.join("own"), "own").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        let folder = OpenFolder::open(&inside).unwrap();
        for name in ["", ".", "..", "../out", "/etc/passwd", "a/b", "a\0b", &"x".repeat(5000)] {
            assert!(folder.file(name).is_err() && folder.remove(name).is_err(), "{name}");
        }
        assert!(folder.file("link").unwrap_err().to_string().contains("symbolic link"));
        assert!(folder.file("own").is_ok());
        assert_eq!(folder.stamp("none").unwrap(), None);
        let first = folder.stamp("own").unwrap();
        assert!(first.is_some() && first == folder.stamp("own").unwrap());
        fs::write(inside.join("new"), "own").unwrap();
        fs::rename(inside.join("new"), inside.join("own")).unwrap();
        assert_ne!(folder.stamp("own").unwrap(), first, "another file of the same length");
        folder.remove("link").unwrap();
        assert_eq!(fs::read(&outside).unwrap(), b"secret");
        assert_eq!(folder.names().unwrap(), ["own"]);
    }
}
