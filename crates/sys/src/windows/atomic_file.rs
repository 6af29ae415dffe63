//! Atomically replaced files: an earlier file of the name stays until a new one is ready.
//!
//! A new file has an unpredictable name next to its place, and replaces it in one step. A killed program
//! leaves the file in progress.

#[path = "../atomic_file/error.rs"]
mod error;
#[path = "../atomic_file/guard.rs"]
mod guard;
mod hint;
#[path = "../atomic_file/put_error.rs"]
mod put_error;

use crate::fault_points;
use crate::reach::FolderEntry;
pub use error::FileTargetError;
pub use guard::Guard;
pub use put_error::{PutError, kept_text};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of taken random names; more indicate an attack.
const MAX_NAME_TRIES: usize = 100;

/// Location of a new file: a folder and a name in it.
#[derive(Debug)]
pub struct FileTarget {
    folder: PathBuf,
    name: OsString,
    is_taken: bool,
    guard: Option<Box<dyn Guard>>,
}

impl FileTarget {
    /// Checks and tests a place: creates a file there and removes it at once, and opens an earlier one
    /// without changing it.
    ///
    /// # Errors
    /// Fails with the reason why no file can be placed there.
    pub fn open(path: &Path) -> Result<Arc<FileTarget>, FileTargetError> {
        FileTarget::inspect_path(path, None)
    }

    /// Prepares the replacement of a followed path in the same way. `guard` judges the replaced file.
    ///
    /// # Errors
    /// Fails with the reason why no file can be placed there.
    pub fn at(spot: FolderEntry, guard: Option<Box<dyn Guard>>) -> Result<Arc<FileTarget>, FileTargetError> {
        FileTarget::inspect_path(spot.path(), guard)
    }

    fn inspect_path(path: &Path, guard: Option<Box<dyn Guard>>) -> Result<Arc<FileTarget>, FileTargetError> {
        let name = path.file_name().ok_or(FileTargetError::NotAFile)?.to_owned();
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let is_taken = match std::fs::symlink_metadata(path) {
            Ok(found) if !found.is_file() => return Err(FileTargetError::NotAFile),
            Ok(found) if found.permissions().readonly() => {
                return Err(FileTargetError::Earlier(io::ErrorKind::PermissionDenied.into()));
            }
            Ok(_) => {
                let file = File::options().write(true).open(path).map_err(FileTargetError::Earlier)?;
                guard
                    .as_ref()
                    .map_or(Ok(()), |guard| guard.permit(&file))
                    .map_err(FileTargetError::Guarded)?;
                true
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(FileTargetError::Earlier(error)),
        };
        let place = Arc::new(FileTarget { folder, name, is_taken, guard });
        place.begin().map_err(FileTargetError::Folder)?;
        Ok(place)
    }

    /// Creates a file for this location, not yet under its name.
    pub fn begin(self: &Arc<FileTarget>) -> io::Result<NewFile> {
        let (file, path) = random_names(&self.folder, &self.name)?;
        Ok(NewFile { place: Arc::clone(self), file, path: Some(path) })
    }

    fn rename(&self, from: &Path) -> io::Result<()> {
        let path = self.folder.join(&self.name);
        if let (Some(guard), Ok(there)) = (&self.guard, File::open(&path)) {
            guard.permit(&there)?;
        }
        std::fs::rename(from, path)
    }
}

/// Tries random names until an unused one is found.
fn random_names(folder: &Path, like: &OsStr) -> io::Result<(File, PathBuf)> {
    let mut failed = io::ErrorKind::AlreadyExists.into();
    for _ in 0..MAX_NAME_TRIES {
        let path = folder.join(random_name(like));
        match File::options().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                failed = error;
                break;
            }
        }
    }
    Err(failed)
}

/// `run.json` becomes `run.<16 random digits>.json`, so that its content is recognizable. Files that a
/// collector reads by extension become `run.prom.<16 random digits>`.
fn random_name(like: &OsStr) -> OsString {
    // With a new key from the system's random numbers each time, so the next name is unpredictable.
    let random = format!("{:016x}", fault_points::random());
    let name = like.to_string_lossy();
    // Compressed content begins with its format.
    let packed = ["json.gz", "xml.gz"].into_iter().find(|ending| name.ends_with(ending));
    let ending =
        packed.or_else(|| Path::new(&*name).extension()?.to_str()).filter(|ending| *ending != "prom");
    match ending.and_then(|ending| Some((name.strip_suffix(ending)?.strip_suffix('.')?, ending))) {
        Some((stem, ending)) => format!("{stem}.{random}.{ending}").into(),
        None => format!("{name}.{random}").into(),
    }
}

/// A file that is not yet in its place. If it is dropped before, it leaves no trace.
#[derive(Debug)]
pub struct NewFile {
    place: Arc<FileTarget>,
    file: File,
    /// Current path; `None` = in place, or kept under another name.
    path: Option<PathBuf>,
}

impl NewFile {
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Whether another file existed at this location at the check.
    pub fn replaces(&self) -> bool {
        self.place.is_taken
    }

    pub fn is_placed(&self) -> bool {
        self.path.is_none()
    }

    /// Gives it its name, replacing an existing file. Writing can continue.
    ///
    /// # Errors
    /// Fails with its current location if it is not there.
    pub fn put(&mut self) -> Result<(), PutError> {
        let Some(path) = self.path.take() else { return Ok(()) };
        let Err(error) = self.place.rename(&path) else { return Ok(()) };
        let kept = match path.exists() {
            true => Ok(path),
            false => self.copy_elsewhere(),
        };
        Err(PutError { error, kept })
    }

    /// Keeps the file next to its location, under a separate name.
    pub fn keep_beside(&mut self) -> io::Result<PathBuf> {
        Ok(self.path.take().unwrap_or_else(|| self.place.folder.join(&self.place.name)))
    }

    fn copy_elsewhere(&mut self) -> io::Result<PathBuf> {
        let (mut copy, path) = create_elsewhere(&self.place.name)?;
        self.file.rewind()?;
        let copied = io::copy(&mut self.file, &mut copy);
        if copied.is_err() {
            let _ = std::fs::remove_file(&path);
        }
        copied.map(|_| path)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Creates a private file in the folder for temporary files, for data that cannot be written to its place.
pub fn create_elsewhere(like: &OsStr) -> io::Result<(File, PathBuf)> {
    random_names(&std::env::temp_dir(), like)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn list_names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn old_file_stays_until_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        std::fs::write(&path, "earlier").unwrap();
        let place = FileTarget::open(&path).unwrap();
        assert_eq!(list_names(folder.path()), ["run.json"], "what it was tried out with is gone");
        let mut new = place.begin().unwrap();
        new.file().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        new.put().unwrap();
        assert!(new.replaces() && new.is_placed());
        new.file().write_all(b" and more").unwrap();
        drop(new);
        assert_eq!(std::fs::read(&path).unwrap(), b"new and more");
        drop(place.begin().unwrap());
        let beside = place.begin().unwrap().keep_beside().unwrap();
        assert!(beside.exists() && beside != path);
        assert_eq!(list_names(folder.path()).len(), 2);
    }

    #[test]
    fn unreplaceable_file_is_refused_before_writing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(FileTarget::open(folder.path()), Err(FileTargetError::NotAFile)));
        let nowhere = folder.path().join("none").join("run.json");
        assert!(matches!(FileTarget::open(&nowhere), Err(FileTargetError::Folder(_))));
        let kept = folder.path().join("kept.json");
        std::fs::write(&kept, "").unwrap();
        let mut rights = std::fs::metadata(&kept).unwrap().permissions();
        rights.set_readonly(true);
        std::fs::set_permissions(&kept, rights.clone()).unwrap();
        assert!(matches!(FileTarget::open(&kept), Err(FileTargetError::Earlier(_))));
        #[allow(clippy::permissions_set_readonly_false)] // that is for other systems
        rights.set_readonly(false);
        std::fs::set_permissions(&kept, rights).unwrap();
    }

    #[test]
    fn random_names_include_the_purpose() {
        for (name, start, end) in [
            ("run.json", "run.", ".json"),
            ("run.json.gz", "run.", ".json.gz"),
            ("run.prom", "run.prom.", ""),
            ("run", "run.", ""),
        ] {
            let random = random_name(OsStr::new(name)).into_string().unwrap();
            assert!(random.starts_with(start) && random.ends_with(end), "{random}");
            assert_eq!(random.len(), start.len() + 16 + end.len(), "{random}");
        }
    }
}
