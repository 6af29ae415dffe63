//! Where targets are, and what they are.

use super::place;
use diskspd_model::machine::target::{TargetFacts, TargetKind};
use diskspd_model::path::path;
use std::io;
use std::path::{Path, PathBuf};

/// Looks at a target without the right to write to it; nothing there is a finding too.
///
/// # Errors
/// What keeps us from looking.
pub fn probe(path: &Path) -> io::Result<TargetFacts> {
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

/// A target isn't found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotLocated {}

/// The path of a target: as it was given.
///
/// # Errors
/// None is known.
pub fn locate(target: &[u8]) -> Result<PathBuf, NotLocated> {
    Ok(path(target).into_owned())
}
