//! Discarding of a target's whole content, so that the device has no data to preserve.

use diskspd_base::access::OpenMode;
use diskspd_host::claims::{self, ClaimError, Claims};
use diskspd_host::target::{self, LocateError};
use diskspd_output::{HangGuard, TimeoutError};
use diskspd_profile::RawText;
use diskspd_sys::target_error::TargetError;
use diskspd_sys::{block, files, free_space};
use diskspd_worker::Control;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum PurgeError {
    #[error("--purge {target}: {source}")]
    Unanswered { target: RawText, source: TimeoutError },
    /// There is no such device.
    #[error(transparent)]
    NotLocated(#[from] LocateError),
    #[error(transparent)]
    Denied(#[from] ClaimError),
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The device or the file system can't.
    #[error(
        "'{}': --purge: {}: {source}; leave out --purge, and purge it with its own command (nvme format, \
         blkdiscard --secure, hdparm --security-erase)",
        .path.display(),
        match .is_device {
            true => "the device does not support discard",
            false => "the file system cannot punch a hole into the file",
        }
    )]
    Refused {
        path: PathBuf,
        /// Whether the target is a block device.
        is_device: bool,
        source: io::Error,
    },
    #[error("'{}': --purge: fsync: {source}", .path.display())]
    Flush { path: PathBuf, source: io::Error },
}

/// Bytes in one call: after each it can be ended.
const PIECE: u64 = 1 << 30;

/// Discards a whole block device (`BLKDISCARD`), or punches a hole over a regular file. Devices are
/// claimed for this, and rejected as for writing; `destroy` permits a device with content. Returns the
/// discarded bytes, fewer after an interruption; `None` = no such file yet.
///
/// # Errors
/// Fails without discarding data if it is rejected or unsupported.
pub fn purge(target: &RawText, destroy: bool, control: &Arc<Control>) -> Result<Option<u64>, PurgeError> {
    let patience = HangGuard::of_run(control);
    let by = format!("--purge {target}");
    let gone = |source| PurgeError::Unanswered { target: target.clone(), source };
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
    patience.attempt(&by, move || purged.settle_device()).map_err(gone)??;
    Ok(Some(done))
}

struct Purged {
    path: PathBuf,
    file: File,
    size: u64,
    is_device: bool,
    _claims: Claims,
}

impl Purged {
    fn open(target: &RawText, destroy: bool) -> Result<Option<Purged>, PurgeError> {
        let path = target::locate(target.as_bytes())?;
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let claims = claims::protect([path.as_path()], destroy)?;
        let mode = OpenMode { write: true, ..OpenMode::default() };
        let opened = files::open(&path, &mode)?;
        claims.permit(&path, &opened)?;
        let (size, is_device) = (opened.size, opened.device.is_some());
        Ok(Some(Purged { path, file: File::from(opened.file), size, is_device, _claims: claims }))
    }

    fn discard(&self, from: u64, length: u64) -> Result<(), PurgeError> {
        let discarded = match self.is_device {
            true => block::discard(&self.file, from, length),
            false => free_space::punch(&self.file, from, length),
        };
        let Purged { path, is_device, .. } = self;
        let refused = |source| PurgeError::Refused { path: path.clone(), is_device: *is_device, source };
        discarded.map_err(refused)
    }

    fn settle_device(&self) -> Result<(), PurgeError> {
        if self.is_device {
            return Ok(());
        }
        self.file.sync_all().map_err(|source| PurgeError::Flush { path: self.path.clone(), source })
    }
}
