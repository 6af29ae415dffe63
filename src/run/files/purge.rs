//! All that is on a target is thrown away, so that the device knows of nothing it would have to keep.

use crate::profile::RawText;
use crate::run::control::Control;
use crate::sys::files::{self, AccessHint, OpenMode};
use crate::sys::{block, room};
use crate::system::{claims, target};
use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes in one call: after each it can be ended.
const PIECE: u64 = 1 << 30;

/// Discards a whole block device (`BLKDISCARD`), or punches a regular file hollow. Devices are claimed
/// meanwhile, and refused as for writing: `destroy` permits one that carries something. Returns how many
/// bytes were discarded, fewer than there are when the user ended it; `None` = there is no such file yet.
///
/// # Errors
/// A message: it is refused, or can't be done there; nothing has been thrown away then.
pub fn purge(target: &RawText, destroy: bool, control: &Control) -> Result<Option<u64>, String> {
    let location = target::locate(target.as_bytes())?;
    let path = location.as_path();
    if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let claims = claims::protect([path], destroy).map_err(|denial| denial.to_string())?;
    let mode =
        OpenMode { read: false, write: true, direct: false, dsync: false, hint: AccessHint::default() };
    let opened = files::open(path, &mode).map_err(|error| error.to_string())?;
    claims.permit(path, &opened).map_err(|denial| denial.to_string())?;
    let (size, is_device) = (opened.size, opened.device.is_some());
    let file = File::from(opened.file);
    let mut done = 0;
    while done < size && !control.is_interrupted() {
        let length = PIECE.min(size - done);
        let discarded = match is_device {
            true => block::discard(&file, done, length),
            false => room::punch(&file, done, length),
        };
        discarded.map_err(|error| refused(path, is_device, &error))?;
        done += length;
    }
    // Of a file it is the file system that discards, when it has written that down.
    if !is_device {
        file.sync_all().map_err(|error| format!("'{}': --purge: fsync: {error}", path.display()))?;
    }
    Ok(Some(done))
}

fn refused(path: &Path, is_device: bool, error: &io::Error) -> String {
    let what = if is_device { "the device can't discard" } else { "the file can't be punched hollow" };
    format!(
        "'{}': --purge: {what}: {error}; purge it by its own means (nvme format, blkdiscard --secure, hdparm \
         --security-erase), and leave --purge out",
        path.display()
    )
}
