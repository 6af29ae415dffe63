//! All that is on a target is thrown away, so that the device knows of nothing it would have to keep.

use crate::control::Control;
use crate::tell::patience::{Patience, Unanswered};
use diskspd_host::claims::{self, Claims};
use diskspd_host::target;
use diskspd_model::access::{AccessHint, OpenMode};
use diskspd_model::profile::RawText;
use diskspd_sys::{block, files, room};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes in one call: after each it can be ended.
const PIECE: u64 = 1 << 30;

/// Discards a whole block device (`BLKDISCARD`), or punches a regular file hollow. Devices are claimed
/// meanwhile, and refused as for writing: `destroy` permits one that carries something. Returns how many
/// bytes were discarded, fewer than there are when the user ended it; `None` = there is no such file yet.
///
/// # Errors
/// A message: it is refused, or can't be done there; nothing has been thrown away then.
pub fn purge(target: &RawText, destroy: bool, control: &Arc<Control>) -> Result<Option<u64>, String> {
    let patience = Patience::of_run(control);
    let by = format!("--purge {target}");
    let gone = |unanswered: Unanswered| format!("{by}: {unanswered}");
    let opened = {
        let target = target.clone();
        patience.attempt(&by, move || Purged::open(&target, destroy)).map_err(gone)??
    };
    let Some(purged) = opened.map(Arc::new) else { return Ok(None) };
    let mut done = 0;
    while done < purged.size && !control.is_interrupted() {
        let length = PIECE.min(purged.size - done);
        let piece = Arc::clone(&purged);
        patience.attempt(&by, move || piece.discard(done, length)).map_err(gone)??;
        done += length;
    }
    // Of a file it is the file system that discards, when it has written that down.
    patience.attempt(&by, move || purged.settle()).map_err(gone)??;
    Ok(Some(done))
}

/// What is thrown away.
struct Purged {
    path: PathBuf,
    file: File,
    size: u64,
    is_device: bool,
    _claims: Claims,
}

impl Purged {
    fn open(target: &RawText, destroy: bool) -> Result<Option<Purged>, String> {
        let path = target::locate(target.as_bytes()).map_err(|error| error.to_string())?;
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let claims = claims::protect([path.as_path()], destroy).map_err(|denial| denial.to_string())?;
        let mode = OpenMode {
            read: false,
            write: true,
            direct: false,
            dsync: false,
            hint: AccessHint::default(),
            lifetime: None,
        };
        let opened = files::open(&path, &mode).map_err(|error| error.to_string())?;
        claims.permit(&path, &opened).map_err(|denial| denial.to_string())?;
        let (size, is_device) = (opened.size, opened.device.is_some());
        Ok(Some(Purged { path, file: File::from(opened.file), size, is_device, _claims: claims }))
    }

    fn discard(&self, from: u64, length: u64) -> Result<(), String> {
        let discarded = match self.is_device {
            true => block::discard(&self.file, from, length),
            false => room::punch(&self.file, from, length),
        };
        discarded.map_err(|error| refused(&self.path, self.is_device, &error))
    }

    fn settle(&self) -> Result<(), String> {
        if self.is_device {
            return Ok(());
        }
        self.file.sync_all().map_err(|error| format!("'{}': --purge: fsync: {error}", self.path.display()))
    }
}

fn refused(path: &Path, is_device: bool, error: &io::Error) -> String {
    let what = if is_device {
        "the device doesn't support \
                               discard"
    } else {
        "the file system can't punch a hole into \
         the file"
    };
    format!(
        "'{}': --purge: {what}: {error}; leave out --purge, and purge it with its own command (nvme format, \
         blkdiscard --secure, hdparm --security-erase)",
        path.display()
    )
}
