//! A folder that keeps the runs of one command (`--dir`). A killed command continues after the last complete
//! run.
//!
//! ```text
//! records/0001.json   the record of the first run, as --out of a run writes it
//! runs/0001.json      what was run; written last: without it the run is made again
//! ```

use crate::checks::JudgedRecord;
use crate::commands::shared::folder_error::FolderErrorKind;
use crate::formats::json;
use crate::json_reader::read_json;
use crate::limits;
use crate::results::Record;
use crate::run::{HangGuard, OutputPolicy};
use crate::sys::{files, folder, locks};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

pub(crate) struct FolderKind {
    pub name: &'static str,
    /// File with the command, which identifies the kind of folder.
    pub file: &'static str,
    pub remedy: &'static str,
}

/// Folder locked against other processes.
pub(crate) struct RunFolder {
    pub path: PathBuf,
    pub kind: &'static FolderKind,
    /// Lock held during the life of this value. The kernel releases it at any end of the process.
    pub lock: File,
}

impl RunFolder {
    /// Creates the folder with a command, or resumes it with its completed runs after `check` of its command.
    ///
    /// # Errors
    /// Fails if it has other content, another command, is in use, or is inaccessible.
    pub(crate) fn open<C: DeserializeOwned, R: DeserializeOwned>(
        path: &Path,
        kind: &'static FolderKind,
        command: &Value,
        check: impl FnOnce(C) -> Result<(), FolderErrorKind>,
    ) -> Result<(RunFolder, Vec<R>), FolderErrorKind> {
        folder::make_all(path)?;
        let Some(lock) = locks::hold_folder(path)? else {
            return Err(FolderErrorKind::InUse { kind: kind.name });
        };
        let folder = RunFolder { path: path.to_owned(), kind, lock };
        let damaged = |source| FolderErrorKind::Damaged { file: kind.file, source: Box::new(source) };
        match files::read_input(&path.join(kind.file), limits::COMMAND) {
            Ok(bytes) => check(read_json(&bytes).map_err(damaged)?)?,
            Err(error) if error.kind() == ErrorKind::NotFound => folder.begin(command)?,
            Err(error) => return Err(error.into()),
        }
        for part in ["records", "runs"] {
            folder::make_all(&path.join(part))?;
        }
        let history = folder.read_history()?;
        Ok((folder, history))
    }

    fn begin(&self, command: &Value) -> Result<(), FolderErrorKind> {
        let mut there = fs::read_dir(&self.path)?.flatten();
        if there.any(|entry| entry.file_name() != locks::IN_USE) {
            return Err(FolderErrorKind::OtherFiles { kind: self.kind.name });
        }
        self.put_file(self.kind.file, |file| writeln!(file, "{command:#}"))
    }

    fn read_history<R: DeserializeOwned>(&self) -> Result<Vec<R>, FolderErrorKind> {
        let mut history = Vec::new();
        loop {
            let file = format!("runs/{:04}.json", history.len() + 1);
            let bytes = match files::read_input(&self.path.join(&file), limits::COMMAND) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(history),
                Err(source) => return Err(FolderErrorKind::UnreadableRun { file, source }),
            };
            history.push(read_json(&bytes).map_err(|source| {
                let remedy = self.kind.remedy;
                FolderErrorKind::DamagedRun { file, source: Box::new(source), remedy }
            })?);
        }
    }

    /// Stores the record of run `number`, counted from 1.
    pub(crate) fn keep_record(&self, number: usize, record: &Record) -> Result<(), FolderErrorKind> {
        let write = |file: &mut Vec<u8>| json::write_readable(&JudgedRecord::new(record), file);
        self.put_file(&format!("records/{number:04}.json"), write)
    }

    /// Stores the description of the run, after its record.
    pub(crate) fn keep_run(&self, number: usize, run: &impl Serialize) -> Result<(), FolderErrorKind> {
        let line = serde_json::to_string(run)?;
        self.put_file(&format!("runs/{number:04}.json"), |file| writeln!(file, "{line}"))
    }

    pub(crate) fn put_file(
        &self,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> Result<(), FolderErrorKind> {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        let permitted = OutputPolicy::permit_own("--dir", &self.path.join(name))?;
        Ok(permitted.open(&HangGuard::default())?.put(bytes)?)
    }
}
