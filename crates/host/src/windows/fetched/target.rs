//! Locations and properties of targets.

pub use super::locate::{LocateError, locate};
use super::{found, place};
use diskspd_machine::completion::Completion;
use diskspd_machine::target::{DirectRequirements, TargetFacts, TargetKind};
use diskspd_sys::raw_devices::{self, may_be_device};
use diskspd_sys::storage_answers::open_to_ask;
use std::io;
use std::path::Path;

const MIN_SECTOR: u32 = 512;

/// Reads the properties of a target without write permission; a missing target is a valid result.
///
/// # Errors
/// Fails if the target is inaccessible, or if the disk or volume does not exist or does not report its
/// size.
pub fn probe(path: &Path) -> io::Result<TargetFacts> {
    if may_be_device(path) {
        return device_facts(path).map_err(|error| io::Error::new(error.kind(), explain_error(path, &error)));
    }
    let (file_system, direct) = place::at(path).unwrap_or_default();
    let facts = TargetFacts { location: path.to_owned(), file_system, direct, ..TargetFacts::default() };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(TargetFacts { kind: TargetKind::Directory, ..facts }),
        Ok(found) => Ok(TargetFacts { kind: TargetKind::File, size: found.len(), ..facts }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(TargetFacts { missing_folder: place::missing_folder(path), ..facts })
        }
        Err(error) => Err(error),
    }
}

/// Reads a disk or a volume. Its size requires read permission. A disk's size does not, for simulations.
fn device_facts(path: &Path) -> io::Result<TargetFacts> {
    let (device, refused) = match raw_devices::open_to_look(path) {
        Ok(device) => (device, None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => (open_to_ask(path)?, Some(error)),
        Err(error) => return Err(error),
    };
    let size = raw_devices::size(&device).map_err(|error| refused.unwrap_or(error))?;
    let sector = found::sector(&device).unwrap_or(MIN_SECTOR);
    let direct = Some(DirectRequirements { offset: sector, memory: sector });
    let (location, kind) = (path.to_owned(), TargetKind::BlockDevice);
    let completion = Completion::Overlapped;
    Ok(TargetFacts { location, kind, size, direct, completion, ..TargetFacts::default() })
}

fn explain_error(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("there is no {path}: diskspd devices lists the disks, with their content")
        }
        io::ErrorKind::PermissionDenied => {
            format!("{path} cannot be opened: {error}; disks and volumes need an administrator's rights")
        }
        _ => format!("{path} cannot be inspected: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_disk_is_not_a_missing_file() {
        let place = locate(b"#4711").unwrap();
        assert_eq!(place, Path::new(r"\\.\PhysicalDrive4711"));
        let error = probe(&place).unwrap_err().to_string();
        assert!(error.contains("there is no") && error.contains("diskspd devices"), "{error}");
        assert_eq!(locate(b"x.dat").unwrap(), Path::new("x.dat"));
    }
}
