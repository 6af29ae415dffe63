//! A rank's record on its own disk, until rank 0 has it.

use crate::report::json;
use crate::results::Record;
use crate::sys::place::Place;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A record that is kept. It stays there unless it is removed.
#[derive(Debug)]
pub struct KeptRecord {
    path: PathBuf,
}

/// Keeps a record in `$TMPDIR`, else in /var/tmp, which is on a disk: `diskspd report` and the like read it.
///
/// # Errors
/// It can't be kept, as a message.
pub fn keep(record: &Record, rank: usize, size: usize) -> Result<KeptRecord, String> {
    let folder = std::env::var_os("TMPDIR").filter(|folder| !folder.is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from);
    let path = folder.join(format!("diskspd-rank-{rank}-of-{size}-{}.json", std::process::id()));
    let not = |why: String| format!("its record can't be kept in {}: {why}", path.display());
    let place = Place::open(&path).map_err(|error| not(error.to_string()))?;
    let mut file = place.begin().map_err(|error| not(error.to_string()))?;
    let written = file.file().write_all(&json::bytes(record)).and_then(|()| file.file().sync_all());
    written.map_err(|error| not(error.to_string()))?;
    file.put().map_err(|error| not(format!("{error:?}")))?;
    Ok(KeptRecord { path })
}

impl KeptRecord {
    /// Where.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It is somewhere else by now.
    pub fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
