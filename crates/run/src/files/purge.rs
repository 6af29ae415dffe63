//! Discarding of a target's whole content, so that the device has no data to preserve.

use diskspd_base::access::OpenMode;
use diskspd_base::message_error::MessageError;
use diskspd_host::claims::{self, Claims};
use diskspd_host::target;
use diskspd_output::{HangGuard, TimeoutError};
use diskspd_profile::RawText;
use diskspd_sys::{block, files, free_space};
use diskspd_worker::Control;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes per call; the user can end the purge between calls.
const PIECE: u64 = 1 << 30;

/// Discards a whole block device (`BLKDISCARD`), or punches a hole over a regular file. Devices are
/// claimed for this, and rejected as for writing; `destroy` permits a device with content. Returns the
/// discarded bytes, fewer after an interruption; `None` = no such file yet.
///
/// # Errors
/// Fails without discarding data if it is rejected or unsupported.
pub fn purge(target: &RawText, destroy: bool, control: &Arc<Control>) -> Result<Option<u64>, MessageError> {
    let patience = HangGuard::of_run(control);
    let by = format!("--purge {target}");
    let gone = |unanswered: TimeoutError| format!("{by}: {unanswered}");
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
    fn open(target: &RawText, destroy: bool) -> Result<Option<Purged>, MessageError> {
        let path = target::locate(target.as_bytes()).map_err(|error| error.to_string())?;
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let claims = claims::protect([path.as_path()], destroy).map_err(|refusal| refusal.to_string())?;
        let mode = OpenMode { write: true, ..OpenMode::default() };
        let opened = files::open(&path, &mode).map_err(|error| error.to_string())?;
        claims.permit(&path, &opened).map_err(|refusal| refusal.to_string())?;
        let (size, is_device) = (opened.size, opened.device.is_some());
        Ok(Some(Purged { path, file: File::from(opened.file), size, is_device, _claims: claims }))
    }

    fn discard(&self, from: u64, length: u64) -> Result<(), MessageError> {
        let discarded = match self.is_device {
            true => block::discard(&self.file, from, length),
            false => free_space::punch(&self.file, from, length),
        };
        discarded.map_err(|error| {
            let reason = match self.is_device {
                true => "the device does not support discard",
                false => "the file system cannot punch a hole into the file",
            };
            format!(
                "'{}': --purge: {reason}: {error}; leave out --purge, and purge it with its own command \
                 (nvme format, blkdiscard --secure, hdparm --security-erase)",
                self.path.display()
            )
            .into()
        })
    }

    fn settle_device(&self) -> Result<(), MessageError> {
        if self.is_device {
            return Ok(());
        }
        let failed = |error| format!("'{}': --purge: fsync: {error}", self.path.display()).into();
        self.file.sync_all().map_err(failed)
    }
}
