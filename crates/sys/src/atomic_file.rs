//! Atomically replaced files. An earlier file of the name stays until a new one is ready, and then passes
//! on its owner, mode and access control list.
//!
//! ```text
//! Place::at ────▶ a folder and a name, looked at and tried out; nothing has changed
//! Place::begin ─▶ NewFile without a name, or with one that nobody can guess
//! NewFile::put ─▶ under its name, in one step
//! ```
//!
//! Planted entries in a world-writable folder have no effect: no link is followed, and no existing file of
//! another name is opened. A killed program leaves no file where the file system supports unnamed files
//! (`O_TMPFILE`), which is common. Elsewhere it leaves the file in progress.

mod earlier;
mod error;
mod guard;
mod hint;
mod put_error;

use crate::fault_points::{self, FileStep};
use crate::files;
use crate::leftovers::{LEFTOVERS, Leftover, Removal};
use crate::mutex::LockUnpoisoned;
use crate::reach::{self, FolderEntry, ReachError};
use earlier::PreviousFile;
pub use error::FileTargetError;
pub use guard::Guard;
pub use put_error::{PutError, kept_text};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Linux's maximum length of a file name in bytes.
const NAME_MAX: usize = 255;
/// Maximum number of taken random names; more indicate an attack.
const MAX_NAME_TRIES: usize = 100;
/// Mode of a new file before the process's `umask`.
const MODE: Mode = Mode::from_raw_mode(0o666);
/// Mode of a file before it is published.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

/// Location of a new file: an open folder and a name in it.
#[derive(Debug)]
pub struct FileTarget {
    spot: FolderEntry,
    earlier: Option<PreviousFile>,
    guard: Option<Box<dyn Guard>>,
    /// Device and inode of the last file placed there.
    own: Mutex<Option<(u64, u64)>>,
}

impl FileTarget {
    /// Checks and tests a place: creates a file there and removes it at once, and opens an earlier one
    /// without changing it. The last part of the path is used unchanged; a link is rejected.
    ///
    /// # Errors
    /// Fails with the reason why no file can be placed there.
    pub fn open(path: &Path) -> Result<Arc<FileTarget>, FileTargetError> {
        path.file_name().ok_or(FileTargetError::NotAFile)?;
        let spot = reach::spot(path).map_err(|error| match error {
            ReachError::Directory => FileTargetError::NotAFile,
            error => FileTargetError::Folder(error.into()),
        })?;
        FileTarget::at(spot, None)
    }

    /// Prepares the replacement of a followed path in the same way. `guard` judges the replaced file.
    ///
    /// # Errors
    /// Fails with the reason why no file can be placed there.
    pub fn at(spot: FolderEntry, guard: Option<Box<dyn Guard>>) -> Result<Arc<FileTarget>, FileTargetError> {
        let earlier = PreviousFile::read_previous(&spot, guard.as_deref())?;
        let place = Arc::new(FileTarget { spot, earlier, guard, own: Mutex::default() });
        place.begin().map_err(|error| match (&place.earlier, error.kind()) {
            (Some(earlier), io::ErrorKind::PermissionDenied) if earlier.is_foreign() => {
                FileTargetError::NotOurs(earlier.owner())
            }
            _ => FileTargetError::Folder(error),
        })?;
        Ok(place)
    }

    /// Creates a file for this location, not yet under its name.
    pub fn begin(self: &Arc<FileTarget>) -> io::Result<NewFile> {
        // Other users must not access it before it has the earlier file's permissions.
        let mode = if self.earlier.is_some() { PRIVATE } else { MODE };
        let new = match self.create_unnamed(mode) {
            Ok(file) => NewFile { place: Arc::clone(self), file, state: NameState::Unnamed },
            Err(_) => {
                let (file, draft) = self.create_named(mode)?;
                NewFile { place: Arc::clone(self), file, state: NameState::Named(draft) }
            }
        };
        if let Some(earlier) = &self.earlier {
            earlier.apply(&new.file)?;
        }
        Ok(new)
    }

    /// Creates a file without a name, which disappears with the program.
    fn create_unnamed(&self, mode: Mode) -> io::Result<File> {
        fault_points::check_step(FileStep::MakeUnnamed)?;
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(self.spot.folder(), ".", flags, mode)?);
        // It gets its name by this path.
        rustix::fs::stat(crate::anchor::descriptor_path(&file))?;
        Ok(file)
    }

    fn create_named(self: &Arc<FileTarget>, mode: Mode) -> io::Result<(File, Draft)> {
        self.make_draft(|name| {
            announce_step(FileStep::MakeNamed)?;
            rustix::fs::openat(self.spot.folder(), name, flags_of_new(), mode).map(File::from)
        })
    }

    /// Makes a file of a random name, which a signal removes.
    fn make_draft<T>(
        self: &Arc<FileTarget>,
        make: impl FnMut(&OsStr) -> Result<T, Errno>,
    ) -> io::Result<(T, Draft)> {
        let ((made, name), leftover) = LEFTOVERS.create(|| {
            let (made, name) = random_names(self.spot.name(), make)?;
            let (place, draft) = (Arc::clone(self), name.clone());
            Ok::<_, io::Error>(((made, name), Box::new(move || place.remove(&draft)) as Removal))
        })?;
        Ok((made, Draft { name, _leftover: leftover }))
    }

    fn rename(&self, from: &OsStr, file: &File) -> io::Result<()> {
        announce_step(FileStep::Rename)?;
        self.permit_replacement()?;
        let folder = self.spot.folder();
        rustix::fs::renameat(folder, from, folder, self.spot.name())?;
        *self.own.lock_anyway() = files::identity(file);
        Ok(())
    }

    /// Whether the file of this name, which may be another one than before or in use by now, may be replaced.
    fn permit_replacement(&self) -> io::Result<()> {
        let Some(guard) = &self.guard else { return Ok(()) };
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let open =
            |access| rustix::fs::openat(self.spot.folder(), self.spot.name(), access | flags, Mode::empty());
        match open(OFlags::RDONLY).or_else(|_| open(OFlags::WRONLY)) {
            Ok(file) if files::identity(&file) == *self.own.lock_anyway() => Ok(()),
            Ok(file) => guard.permit(&file.into()),
            // The name is free, or a link, which is replaced itself.
            Err(Errno::NOENT | Errno::LOOP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file that was not placed.
    fn remove(&self, name: &OsStr) {
        if announce_step(FileStep::Remove).is_ok() {
            let _ = rustix::fs::unlinkat(self.spot.folder(), name, AtFlags::empty());
        }
    }

    fn path_of(&self, name: &OsStr) -> PathBuf {
        self.spot.path().with_file_name(name)
    }
}

fn announce_step(step: FileStep) -> Result<(), Errno> {
    fault_points::check_step(step).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Returns flags that create a new file and follow no link.
fn flags_of_new() -> OFlags {
    OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Tries random names until an unused one is found.
fn random_names<T>(
    like: &OsStr,
    mut make: impl FnMut(&OsStr) -> Result<T, Errno>,
) -> io::Result<(T, OsString)> {
    let mut result = Errno::EXIST;
    for _ in 0..MAX_NAME_TRIES {
        let name = random_name(like);
        match make(&name) {
            Ok(made) => return Ok((made, name)),
            Err(Errno::EXIST) => {}
            Err(error) => {
                result = error;
                break;
            }
        }
    }
    Err(result.into())
}

/// Extension of files that a collector reads regardless of their names. It must not find two files with
/// the same metrics, even during a replacement.
const COLLECTED: &[u8] = b"prom";

/// Converts `run.json` to `run.<16 random digits>.json`, so that the content is recognizable, and `run.prom`
/// to `run.prom.<16 random digits>`.
fn random_name(like: &OsStr) -> OsString {
    let random = format!(".{:016x}", fault_points::random());
    let bytes = like.as_bytes();
    let ending = Path::new(like).extension().map(|ending| ending.as_bytes()).unwrap_or_default();
    // Compressed content begins with its format.
    let packed = [&b"json.gz"[..], b"xml.gz"].into_iter().find(|ending| bytes.ends_with(ending));
    let ending =
        packed.unwrap_or(if ending.len() < NAME_MAX / 4 && ending != COLLECTED { ending } else { &[] });
    let stem = &bytes[..bytes.len() - ending.len()];
    let stem = stem.strip_suffix(b".").unwrap_or(stem);
    let room = NAME_MAX - random.len() - 1 - ending.len();
    let mut name = stem[..stem.len().min(room)].to_vec();
    name.extend_from_slice(random.as_bytes());
    if !ending.is_empty() {
        name.push(b'.');
        name.extend_from_slice(ending);
    }
    OsStr::from_bytes(&name).to_owned()
}

/// A file that is not yet in its place. If it is dropped before, it leaves no trace.
#[derive(Debug)]
pub struct NewFile {
    place: Arc<FileTarget>,
    file: File,
    state: NameState,
}

#[derive(Debug)]
enum NameState {
    Unnamed,
    Named(Draft),
    /// The file is in place, or kept under another name.
    Placed,
}

/// A file under a random name.
#[derive(Debug)]
struct Draft {
    name: OsString,
    _leftover: Leftover,
}

impl NewFile {
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Whether another file existed at this location at the check.
    pub fn replaces(&self) -> bool {
        self.place.earlier.is_some()
    }

    pub fn is_placed(&self) -> bool {
        matches!(self.state, NameState::Placed)
    }

    /// Gives it its name, replacing an existing file. Writing can continue.
    ///
    /// # Errors
    /// Fails with its current location if it is not there.
    pub fn put(&mut self) -> Result<(), PutError> {
        if matches!(self.state, NameState::Unnamed) && self.place.earlier.is_none() {
            let direct = self.link(self.place.spot.name());
            if direct.is_ok() {
                self.state = NameState::Placed;
                *self.place.own.lock_anyway() = files::identity(&self.file);
                return Ok(());
            }
        }
        if let Err(error) = self.name_it() {
            self.state = NameState::Placed;
            return Err(PutError { error, kept: self.copy_elsewhere() });
        }
        let NameState::Named(draft) = std::mem::replace(&mut self.state, NameState::Placed) else {
            return Ok(());
        };
        self.place
            .rename(&draft.name, &self.file)
            .map_err(|error| PutError { error, kept: Ok(self.place.path_of(&draft.name)) })
    }

    /// Keeps the file next to its location, under a separate name.
    pub fn keep_beside(&mut self) -> io::Result<PathBuf> {
        if self.name_it().is_err() {
            self.state = NameState::Placed;
            return self.copy_elsewhere();
        }
        match std::mem::replace(&mut self.state, NameState::Placed) {
            NameState::Named(draft) => Ok(self.place.path_of(&draft.name)),
            _ => Ok(self.place.spot.path().to_owned()),
        }
    }

    fn name_it(&mut self) -> io::Result<()> {
        if matches!(self.state, NameState::Unnamed) {
            let draft = match self.place.make_draft(|name| self.link(name)) {
                Ok(((), draft)) => draft,
                Err(_) => self.copy_beside()?,
            };
            self.state = NameState::Named(draft);
        }
        Ok(())
    }

    /// Copies the file under a name, for file systems that cannot name an unnamed file later.
    fn copy_beside(&mut self) -> io::Result<Draft> {
        let mode = if self.place.earlier.is_some() { PRIVATE } else { MODE };
        let (mut copy, draft) = self.place.create_named(mode)?;
        let copied = self.place.earlier.as_ref().map_or(Ok(()), |earlier| earlier.apply(&copy));
        let copied = copied.and_then(|()| self.file.rewind());
        let copied = copied.and_then(|()| io::copy(&mut self.file, &mut copy)).and_then(|_| copy.sync_all());
        if copied.is_err() {
            self.place.remove(&draft.name);
        }
        copied?;
        // Later output belongs there.
        self.file = copy;
        Ok(draft)
    }

    fn link(&self, name: &OsStr) -> Result<(), Errno> {
        announce_step(FileStep::Link)?;
        rustix::fs::linkat(
            CWD,
            crate::anchor::descriptor_path(&self.file),
            self.place.spot.folder(),
            name,
            AtFlags::SYMLINK_FOLLOW,
        )
    }

    fn copy_elsewhere(&mut self) -> io::Result<PathBuf> {
        let (mut copy, path) = create_elsewhere(self.place.spot.name())?;
        self.file.rewind()?;
        let copied = io::copy(&mut self.file, &mut copy);
        if copied.is_err() {
            let _ = std::fs::remove_file(&path);
        }
        copied?;
        // There is no better place for it; whether a power cut would take it is another matter.
        let _ = copy.sync_all();
        Ok(path)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let NameState::Named(draft) = &self.state {
            self.place.remove(&draft.name);
        }
    }
}

/// Creates a private file in the folder for temporary files, for data that cannot be written to its place.
pub fn create_elsewhere(like: &OsStr) -> io::Result<(File, PathBuf)> {
    let path = std::env::temp_dir();
    let folder = reach::hold_folder(&path)?;
    let (file, name) = random_names(like, |name| {
        announce_step(FileStep::MakeElsewhere)?;
        rustix::fs::openat(&folder, name, flags_of_new(), PRIVATE).map(File::from)
    })?;
    Ok((file, path.join(name)))
}

#[cfg(test)]
mod tests;
