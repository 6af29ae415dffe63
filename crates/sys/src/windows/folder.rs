//! A folder, and files directly in it. No name or link leads outside.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Creates a folder with the rights of its parent, because the user's temporary files are private.
///
/// # Errors
/// Fails with the system's error, including an existing name.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Creates the missing folders of a path.
pub fn make_all(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Permits all folders, because the creation of a link requires a privilege.
pub fn refuse_foreign_link(_: &Path) -> io::Result<()> {
    Ok(())
}

#[derive(Debug)]
pub struct OpenFolder(PathBuf);

impl OpenFolder {
    /// Opens a folder by its location.
    ///
    /// # Errors
    /// Fails if it does not exist.
    pub fn open(path: &Path) -> io::Result<OpenFolder> {
        let folder = std::fs::canonicalize(path)?;
        if !folder.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(OpenFolder(folder))
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// Fails if the name does not exist, or is a link.
    pub fn file(&self, name: &str) -> io::Result<File> {
        let path = self.right_here(name)?;
        match std::fs::symlink_metadata(&path)?.file_type() {
            kind if kind.is_symlink() => {
                Err(io::Error::other("it is a symbolic link, which is not followed"))
            }
            kind if !kind.is_file() => Err(io::Error::other("it is not a regular file")),
            _ => File::open(path),
        }
    }

    /// Returns a number that changes when another file replaces this one, from its change time and length.
    /// `None` if the file does not exist.
    pub fn stamp(&self, name: &str) -> io::Result<Option<i64>> {
        match std::fs::symlink_metadata(self.right_here(name)?) {
            Ok(found) => {
                let since = found.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                let length = found.len().rotate_left(40);
                Ok(Some((since.as_nanos() as u64 ^ length).cast_signed()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes a file, or a link itself.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.right_here(name)?)
    }

    /// Returns all names in the folder.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Returns at once, because the file system makes names durable automatically.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Rejects names other than files directly in the folder. A colon would name a drive or a stream of a
    /// file.
    fn right_here(&self, name: &str) -> io::Result<PathBuf> {
        match name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', ':', '\0']) {
            true => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "that is not a name of a file in this folder",
            )),
            false => Ok(self.0.join(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_accepts_single_names_only() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("in");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(directory.path().join("out"), "secret").unwrap();
        std::fs::write(inside.join("own"), "own").unwrap();
        let folder = OpenFolder::open(&inside).unwrap();
        for name in ["", ".", "..", "../out", "..\\out", "C:\\out", "own:stream", "a/b", "a\0b"] {
            assert!(folder.file(name).is_err() && folder.remove(name).is_err(), "{name}");
        }
        assert!(folder.file("own").is_ok());
        assert_eq!(folder.names().unwrap(), ["own"]);
        folder.remove("own").unwrap();
        assert!(folder.names().unwrap().is_empty() && OpenFolder::open(&inside.join("own")).is_err());
    }
}
