//! A rank's record on its own disk, until rank 0 has it.

use crate::merge::kept_record_of;
use crate::record::json;
use crate::results::Record;
use crate::run::{OutputDoor, OutputError, Patience};
use std::path::{Path, PathBuf};

/// A record that is kept. It stays there unless it is removed.
#[derive(Debug)]
pub struct KeptRecord {
    path: PathBuf,
}

/// Keeps a record in `$TMPDIR`, else in /var/tmp, which is on a disk: `diskspd report` and the like read it.
///
/// # Errors
/// It can't be kept.
pub fn keep(record: &Record, rank: usize, size: usize) -> Result<KeptRecord, OutputError> {
    let name = kept_record_of(rank as u32);
    let path = kept_folder().join(format!("{name}-of-{size}-{}.json", std::process::id()));
    let permitted = OutputDoor::permit_own("its record", &path)?;
    permitted.open(&Patience::default())?.put(json::bytes(record))?;
    Ok(KeptRecord { path })
}

fn kept_folder() -> PathBuf {
    let folder = std::env::var_os("TMPDIR").filter(|folder| !folder.is_empty());
    folder.map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from)
}

/// Where those of all ranks are that share this one's disk, as a shell finds them.
pub fn of_all_ranks(size: usize) -> String {
    kept_folder().join(format!("diskspd-rank-*-of-{size}-*.json")).display().to_string()
}

impl KeptRecord {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It is somewhere else by now.
    pub fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
