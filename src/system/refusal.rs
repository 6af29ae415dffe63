//! Whether writing to a block device is refused: because it's in use, or because there is something on it.

use super::device::{Device, block_number};
use super::root::Root;
use super::signatures;
pub use super::usage::{How, Use};
use crate::sys::problem::{Problem, TargetError};
use crate::sys::{block, files};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Why a device isn't written to. The text is for the user: what is in use or would be lost, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Never allowed.
    #[error("{}: not written to, because it is in use:{}", path.display(), lines(uses))]
    InUse {
        /// As the user gave it.
        path: PathBuf,
        /// At least one.
        uses: Vec<Use>,
    },
    /// Allowed with `--destroy`.
    #[error(
        "{}: not written to, because the test would destroy what is on it: {}; if that may be lost, say --destroy",
        path.display(),
        found.join(", ")
    )]
    WouldDestroy {
        /// As the user gave it.
        path: PathBuf,
        /// What there is, as [`signatures::find`] names it; at least one.
        found: Vec<&'static str>,
    },
}

fn lines(uses: &[Use]) -> String {
    uses.iter().map(|each| format!("\n  {each}")).collect()
}

/// Why the target at the path must not be written to; `None` = nothing against it. Regular files are never refused, nor
/// is what doesn't exist. `destroy` permits to overwrite what lies on a device, not to write to one in use.
///
/// The answer is a snapshot, for telling. What is written to goes through [`super::claims::protect`], which lets the kernel
/// keep others away, and knows uses that leave no trace in /proc and /sys (ZFS, other mount namespaces).
///
/// # Errors
/// The device can't be read, so that it isn't known what is on it.
pub fn write_refusal(path: &Path, destroy: bool) -> Result<Option<Refusal>, TargetError> {
    let Some(number) = block_number(path) else { return Ok(None) };
    let uses = uses(&Root::live(), number);
    if !uses.is_empty() {
        return Ok(Some(Refusal::InUse { path: path.to_owned(), uses }));
    }
    if destroy {
        return Ok(None);
    }
    let found = found_on(path, &files::look_into(path)?.into())?;
    Ok((!found.is_empty()).then(|| Refusal::WouldDestroy { path: path.to_owned(), found }))
}

/// What is on an open block device, as [`signatures::find`] names it.
pub(super) fn found_on(path: &Path, device: &File) -> Result<Vec<&'static str>, TargetError> {
    let fail = |error: io::Error| match error.raw_os_error() {
        // Claimed for writing, because we may not read it.
        Some(libc::EBADF) => TargetError::new(path, Problem::Permission { access: "read what is on it" }),
        _ => TargetError::from_io(path, "read what is on it", "read", error),
    };
    let size = block::capacity(device.as_fd()).map_err(fail)?;
    signatures::find(device, size).map_err(fail)
}

/// The uses of a device, by (major, minor), of the machine whose files lie in a directory; empty when it doesn't know
/// the device.
pub fn uses(root: &Root, number: (u32, u32)) -> Vec<Use> {
    Device::of(root, number).map(|device| super::usage::uses(root, &device)).unwrap_or_default()
}
