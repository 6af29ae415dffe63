//! The folder of a sweep (`--dir`): its command, and every completed run. A killed sweep continues after
//! the last complete run.
//!
//! ```text
//! sweep.json          the command; another one is refused
//! records/0001.json   the record of the first run, as --out of a run writes it
//! runs/0001.json      what was run and its line; written last: without it the run is done again
//! ```
//!
//! Without `--dir` a temporary folder in the user's state directory is used until the sweep ends.

use crate::checks::JudgedRecord;
use crate::cli::SweepRequest;
use crate::clock;
use crate::commands::shared::folder_error::{FolderError, FolderErrorKind};
use crate::commands::shared::input::load_runs::{self, RunFile};
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::experiments::sweep::CompletedPoint;
use crate::formats::json;
use crate::limits;
use crate::profile::RawText;
use crate::run::{HangGuard, OutputPolicy};
use crate::sys::{folder, locks};
use serde::Deserialize;
use serde_json::{Value, json};
use std::env;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

const SWEEP: &str = "sweep";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct StoredSweep {
    sweep: Value,
    command_line: Option<String>,
}

impl StoredSweep {
    /// Reads the content of the file.
    ///
    /// # Errors
    /// It is something else, or damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Result<StoredSweep, crate::json_reader::JsonError> {
        crate::json_reader::read_json(bytes)
    }
}

/// A folder that no other sweep has.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether it was not requested. It is removed after the sweep, and its failure does not prevent the
    /// sweep.
    pub is_spare: bool,
    /// Held as long as this lives; the kernel lets it go when the process ends, however it ends.
    lock: File,
}

impl Folder {
    /// Creates or resumes the folder, with its completed runs.
    ///
    /// # Errors
    /// Fails if it has other content, belongs to another sweep, is in use, or is inaccessible.
    pub(super) fn open(
        path: &Path,
        request: &SweepRequest,
    ) -> Result<(Folder, Vec<CompletedPoint>), FolderError> {
        let failed = |error: io::Error| FolderErrorKind::from(error).at_path(path);
        folder::make_all(path).map_err(failed)?;
        let Some(lock) = locks::hold_folder(path).map_err(failed)? else {
            return Err(FolderErrorKind::InUse { kind: SWEEP }.at_path(path));
        };
        let folder = Folder { path: path.to_owned(), is_spare: false, lock };
        let asked = sweep_identity(request);
        match limits::COMMAND.read_file(&path.join("sweep.json")) {
            Ok(bytes) => {
                let found = StoredSweep::parse(&bytes).map_err(|source| {
                    FolderErrorKind::Damaged { file: "sweep.json", source: Box::new(source) }.at_path(path)
                })?;
                if found.sweep != asked {
                    let command = found.command_line.unwrap_or_else(|| "unknown".to_owned());
                    return Err(FolderErrorKind::Another { kind: SWEEP, command }.at_path(path));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                folder.begin_folder(request, &asked).map_err(|fault| fault.at_path(path))?;
            }
            Err(error) => return Err(failed(error)),
        }
        for part in ["records", "runs"] {
            folder::make_all(&path.join(part)).map_err(failed)?;
        }
        let history = folder.read_history().map_err(|fault| fault.at_path(path))?;
        Ok((folder, history))
    }

    /// Returns a temporary folder for a sweep without `--dir`; `None` if there is no place for it.
    pub(super) fn spare(request: &SweepRequest) -> Option<Folder> {
        let named = |variable: &str| env::var_os(variable).map(PathBuf::from);
        let states = named("XDG_STATE_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| named("LOCALAPPDATA").filter(|_| cfg!(windows)))
            .or_else(|| Some(named("HOME").filter(|path| path.is_absolute())?.join(".local/state")))?;
        let name = format!("{}-{}", clock::wall_millis() / 1000, std::process::id());
        let path = states.join("diskspd").join("sweeps").join(name);
        let (folder, _) = Folder::open(&path, request).ok()?;
        Some(Folder { is_spare: true, ..folder })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes this sweep's files, and the folder if it is then empty.
    pub(super) fn remove(self, runs: usize) {
        for number in 1..=runs {
            for (part, ending) in [("records", "json"), ("records", "xml"), ("runs", "json")] {
                // A run that failed has no results.
                let _ = fs::remove_file(self.path.join(format!("{part}/{number:04}.{ending}")));
            }
        }
        // Nobody else knows of it.
        drop(self.lock);
        for own in ["sweep.json", locks::IN_USE] {
            let _ = fs::remove_file(self.path.join(own));
        }
        for folder in [self.path.join("records"), self.path.join("runs"), self.path] {
            let _ = fs::remove_dir(folder);
        }
    }

    fn begin_folder(&self, request: &SweepRequest, asked: &Value) -> Result<(), FolderErrorKind> {
        let mut there = fs::read_dir(&self.path)?.flatten();
        if there.any(|entry| entry.file_name() != locks::IN_USE) {
            return Err(FolderErrorKind::OtherFiles { kind: SWEEP });
        }
        let command_line = format!("diskspd sweep {}", super::quoted(&request.given));
        let document = json!({
            "format": { "name": "diskspd sweep folder", "version": 1 },
            "program": env!("CARGO_PKG_VERSION"),
            "command_line": command_line,
            "sweep": asked,
        });
        self.put_file("sweep.json", |file| writeln!(file, "{document:#}"))
    }

    fn read_history(&self) -> Result<Vec<CompletedPoint>, FolderErrorKind> {
        let mut history = Vec::new();
        loop {
            let name = format!("runs/{:04}.json", history.len() + 1);
            match limits::COMMAND.read_file(&self.path.join(&name)) {
                Ok(bytes) => {
                    let ran = crate::json_reader::read_json(&bytes);
                    history.push(ran.map_err(|source| FolderErrorKind::DamagedRun {
                        file: name.clone(),
                        source: Box::new(source),
                        remedy: "remove it to run it again",
                    })?);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(history),
                Err(source) => return Err(FolderErrorKind::UnreadableRun { file: name, source }),
            }
        }
    }

    /// Keeps run `number`, from 1.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn keep(
        &self,
        number: usize,
        ran: &CompletedPoint,
        results: Option<&CompletedResults>,
    ) -> Result<(), FolderErrorKind> {
        match results {
            Some(CompletedResults::Here(record)) => self
                .put_file(&format!("records/{number:04}.json"), |file| {
                    json::write_readable(&JudgedRecord::new(record), file)
                })?,
            Some(CompletedResults::ByTool(made)) => {
                self.put_file(&format!("records/{number:04}.xml"), |file| file.write_all(&made.document))?;
            }
            None => {}
        }
        let line = serde_json::to_string(ran)?;
        self.put_file(&format!("runs/{number:04}.json"), |file| writeln!(file, "{line}"))
    }

    pub(super) fn last_results(&self, runs: usize) -> Option<RunFile> {
        let path = |ending| move |number: usize| self.path.join(format!("records/{number:04}.{ending}"));
        let last = |ending| (1..=runs).rev().map(path(ending)).find(|path| path.exists());
        load_runs::run_file(&last("json").or_else(|| last("xml"))?).ok()
    }

    fn put_file(
        &self,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>,
    ) -> Result<(), FolderErrorKind> {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        let permitted = OutputPolicy::permit_own("--dir", &self.path.join(name))?;
        Ok(permitted.open(&HangGuard::default())?.put(bytes)?)
    }
}

fn sweep_identity(request: &SweepRequest) -> Value {
    let arguments: Vec<RawText> = request
        .arguments
        .iter()
        .map(|argument| RawText::from(argument.as_encoded_bytes().to_vec()))
        .collect();
    let mut identity =
        json!({ "arguments": arguments, "settings": request.settings, "between": request.between });
    // Folders of earlier versions lack it.
    if request.iops_only {
        identity["iops_only"] = true.into();
    }
    identity
}
