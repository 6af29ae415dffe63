//! A folder among the temporary files with access for this user only.

use super::folder;
use super::leftovers::{LEFTOVERS, Leftover, Removal};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Private folder, removed on drop with all its content.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    _leftover: Leftover,
}

impl PrivateFolder {
    /// Creates a folder among the temporary files (`TMPDIR`).
    ///
    /// # Errors
    /// Fails with the system's error and the affected folder.
    pub fn make(prefix: &str) -> io::Result<PrivateFolder> {
        static CREATED_FOLDERS: AtomicU32 = AtomicU32::new(0);
        let among = std::env::temp_dir();
        loop {
            let number = CREATED_FOLDERS.fetch_add(1, Ordering::Relaxed);
            let path = among.join(format!("{prefix}-{}-{number}", std::process::id()));
            let make = || {
                let folder = path.clone();
                folder::make_private(&path)
                    .map(|()| ((), Box::new(move || drop(fs::remove_dir_all(folder))) as Removal))
            };
            match LEFTOVERS.create(make) {
                Ok(((), _leftover)) => return Ok(PrivateFolder { path, _leftover }),
                // One that was left behind, or a trap: another name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {}
                Err(error) => {
                    return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a new file in the folder.
    pub fn file(&self, name: &str) -> io::Result<File> {
        File::create_new(self.path.join(name))
    }

    /// Writes or replaces a file in the folder; returns its path.
    pub fn write_file(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::write(&path, content)?;
        Ok(path)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn private_folder_is_removed_with_its_contents() {
        let folder = PrivateFolder::make("diskspd-child").unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::create_dir_all(path.join("a/b")).unwrap();
        assert_ne!(PrivateFolder::make("diskspd-child").unwrap().path(), path);
        drop(folder);
        assert!(!path.exists());
    }
}
