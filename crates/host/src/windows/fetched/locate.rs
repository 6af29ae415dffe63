//! Location of targets.

use crate::windows::uses::place_of;
use diskspd_base::path::path;
use std::path::PathBuf;

pub use std::convert::Infallible as LocateError;

/// Returns the location of a target, as in DISKSPD: `#<n>` is `\\.\PhysicalDrive<n>`, `X:` is the volume
/// `\\.\X:`, and a path is unchanged.
pub fn locate(target: &[u8]) -> Result<PathBuf, LocateError> {
    let path = path(target);
    Ok(place_of(&path.to_string_lossy()).map_or_else(|| path.into_owned(), PathBuf::from))
}
