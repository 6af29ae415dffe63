//! Refusals to write: the target is in use, or contains data.

use super::found::{open_found, page_files, volumes_found};
use super::locate::locate;
pub use crate::disks::{DiskUse, Use};
use crate::permission::Permission;
use crate::signatures;
use crate::windows::disk_answers::DeviceNumber;
use crate::windows::uses::{PathKind, UncheckedUse, of_file, of_open, path_kind};
pub use crate::write_refused::WriteRefusedError;
use diskspd_profile::RawText;
use diskspd_sys::memory::Buffer;
use diskspd_sys::raw_devices::{self, may_be_device};
use diskspd_sys::storage_answers::{StorageQuery, ask};
use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt;
use std::os::windows::io::AsHandle;
use std::path::{Path, PathBuf};

impl WriteRefusedError {
    fn unknown_use(path: &Path, why: impl Into<String>) -> WriteRefusedError {
        let remedy = "run as an administrator, or take another disk";
        WriteRefusedError::Unknown { path: path.to_owned(), why: why.into(), remedy }
    }
}

/// Returns the refusal of a write to a paging file of Windows.
fn file_refusal(path: &Path) -> Option<WriteRefusedError> {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let uses = of_file(&whole.to_string_lossy(), &page_files());
    (!uses.is_empty()).then(|| WriteRefusedError::InUse { path: path.to_owned(), uses })
}

/// Returns the reason why the open disk or volume must not be written to, regardless of its content. It
/// queries this handle; only the list of volumes covers the machine.
fn use_refusal(path: &Path, device: &impl AsHandle) -> Option<WriteRefusedError> {
    let named = path_kind(&path.to_string_lossy());
    let volumes =
        volumes_found().map_err(|error| UncheckedUse { why: format!("no list of volumes: {error}") });
    let uses = volumes.and_then(|all| of_open(named, &open_found(named, device), &all, &page_files()));
    match uses {
        Ok(uses) if uses.is_empty() => None,
        Ok(uses) => Some(WriteRefusedError::InUse { path: path.to_owned(), uses }),
        Err(unknown) => Some(WriteRefusedError::unknown_use(path, unknown.why)),
    }
}

/// Returns the content of an open disk or volume, recognized by Windows or by the signatures.
fn held_by(device: &File) -> io::Result<Vec<signatures::Name>> {
    const PIECE: usize = 1 << 20;
    // Whole sectors, into memory that is aligned to them.
    let mut buffer = Buffer::new(PIECE)?;
    signatures::find_in(raw_devices::size(device)?, |bytes, offset| {
        let mut done = 0;
        for part in bytes.chunks_mut(PIECE) {
            let length = part.len();
            let from = buffer.as_mut_slice().get_mut(..length).ok_or(io::ErrorKind::InvalidInput)?;
            if device.seek_read(from, offset + done)? != length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            part.copy_from_slice(from);
            done += length as u64;
        }
        Ok(())
    })
}

pub mod claims {
    use super::*;

    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum ClaimOwner {
        #[default]
        Alone,
    }

    /// The disks and volumes written by a run, open until its end, so their numbers are not reused.
    /// Windows refuses writes to volumes mounted after the claim.
    #[derive(Debug, Default)]
    #[must_use]
    pub struct Claims {
        held: Vec<(PathBuf, DeviceNumber, File)>,
    }

    /// Claims the disks and volumes among the places before they are written, and refuses to destroy user
    /// data: see [`WriteRefusedError`]. Each is opened and checked by that handle. Paging files are refused.
    ///
    /// # Errors
    /// Fails for the first place that is in use, has content without permission to destroy it, is not named
    /// on the command line, or whose users or content are unknown.
    pub fn protect<'a>(
        places: impl IntoIterator<Item = &'a Path>,
        permission: impl Into<Permission<'a>>,
    ) -> Result<Claims, WriteRefusedError> {
        let Permission { destroy, named } = permission.into();
        let mut claims = Claims::default();
        for place in places {
            let path = place.to_owned();
            let unknown = |why: String| WriteRefusedError::unknown_use(place, why);
            if !may_be_device(place) {
                file_refusal(place).map_or(Ok(()), Err)?;
                continue;
            }
            if claims.held.iter().any(|(held, ..)| held == place) {
                continue;
            }
            if named.is_some_and(|named| !named.iter().any(|target| names_device(target, place))) {
                return Err(WriteRefusedError::Unnamed { path });
            }
            let opened = raw_devices::open_to_look(place);
            let device = opened.map_err(|error| unknown(format!("it cannot be opened: {error}")))?;
            use_refusal(place, &device).map_or(Ok(()), Err)?;
            let number = number_of(&device).ok_or_else(|| unknown(NO_NUMBER.to_owned()))?;
            if !destroy {
                let found = held_by(&device);
                let found = found.map_err(|error| unknown(format!("its content cannot be read: {error}")))?;
                if !found.is_empty() {
                    return Err(WriteRefusedError::WouldDestroy { path, found });
                }
            }
            claims.held.push((path, number, device));
        }
        Ok(claims)
    }

    /// Whether a target of the command line is the disk or volume at this path.
    pub fn names_device(target: &RawText, place: &Path) -> bool {
        may_be_device(place) && locate(target.as_bytes()).is_ok_and(|named| named == place)
    }

    const NO_NUMBER: &str = "Windows does not report which disk it is";

    fn number_of(device: &impl AsHandle) -> Option<DeviceNumber> {
        let answer = ask(device, StorageQuery::DeviceNumber).ok()?;
        DeviceNumber::parse(&answer.bytes)
    }

    impl Claims {
        /// Checks a disk or volume right before writing with this handle. It must be the checked device,
        /// and unused since. Files are skipped.
        ///
        /// # Errors Fails if it is not held, is in use, or its use is unknown.
        pub fn permit(&self, path: &Path, device: &impl AsHandle) -> Result<(), WriteRefusedError> {
            if !may_be_device(path) {
                return Ok(());
            }
            let number = number_of(device);
            if number.is_none() || !self.held.iter().any(|(held, of, _)| held == path && Some(*of) == number)
            {
                return Err(WriteRefusedError::unknown_use(path, "its name now refers to another device"));
            }
            use_refusal(path, device).map_or(Ok(()), Err)
        }
    }

    /// Whether files may be written there: no device is a file, and paging files are Windows' own.
    ///
    /// # Errors
    /// Fails for the first output that must not be written.
    pub fn spare<'a>(outputs: impl IntoIterator<Item = &'a Path>) -> Result<(), WriteRefusedError> {
        for path in outputs {
            if path_kind(&path.to_string_lossy()) != PathKind::File {
                return Err(WriteRefusedError::NoOutput { path: path.to_owned() });
            }
            file_refusal(path).map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Checks an open output file.
    ///
    /// # Errors
    /// Fails if writing is not permitted.
    pub fn permit_output(path: &Path, _: &File) -> Result<(), WriteRefusedError> {
        spare([path])
    }

    /// Checks an inherited descriptor as [`permit_output`].
    pub fn permit_inherited(path: &Path, file: &File) -> Result<(), WriteRefusedError> {
        permit_output(path, file)
    }

    /// Permits standard output and standard error.
    ///
    /// # Errors
    /// Never fails, because the names are unknown.
    pub fn permit_stream(_: &Path, _: &File) -> Result<(), WriteRefusedError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn devices_are_refused_as_outputs_and_unknown_targets() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        assert_eq!(claims::spare([&*file]), Ok(()));
        for device in [r"\\.\PhysicalDrive0", r"\\.\C:"] {
            let refused = claims::spare([Path::new(device)]).unwrap_err();
            assert!(refused.to_string().contains("name a file"), "{refused}");
        }
        for destroy in [false, true] {
            let missing = claims::protect([Path::new(r"\\.\PhysicalDrive4711")], destroy).unwrap_err();
            assert!(matches!(missing, WriteRefusedError::Unknown { .. }), "{missing}");
            assert!(missing.to_string().contains("it cannot be opened"), "{missing}");
            // The system's, whatever is permitted.
            assert!(claims::protect([Path::new(r"\\.\C:")], destroy).is_err());
        }
        let claims = claims::protect([&*file], false).unwrap();
        fs::write(&file, "x").unwrap();
        let open = File::open(&file).unwrap();
        assert_eq!(claims.permit(&file, &open), Ok(()));
        let other = claims.permit(Path::new(r"\\.\C:"), &open).unwrap_err();
        assert!(other.to_string().contains("another device"), "{other}");
    }

    #[test]
    fn signatures_are_read_from_both_ends() {
        let mut bytes = vec![0_u8; 9 << 20];
        let held = |bytes: &[u8]| {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), bytes).unwrap();
            held_by(&File::open(file.path()).unwrap()).unwrap()
        };
        assert_eq!(held(&bytes), [""; 0]);
        assert_eq!(held(&bytes[..4096]), [""; 0], "smaller than one end");
        bytes[..4].copy_from_slice(b"XFSB");
        assert_eq!(held(&bytes), ["an xfs file system"]);
        bytes[..4].fill(0);
        bytes[512..520].copy_from_slice(b"EFI PART");
        assert_eq!(held(&bytes).len(), 1);
    }
}
