//! The folder of a sweep (`--dir`): its command (`sweep.json`), and every completed run.
//!
//! Without `--dir` a temporary folder in the user's state directory is used until the sweep ends.

use crate::cli::SweepRequest;
use crate::clock;
use crate::commands::shared::folder_error::{FolderError, FolderErrorKind};
use crate::commands::shared::input::load_runs::{self, RunFile};
use crate::commands::shared::run_folder::{FolderKind, RunFolder};
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::experiments::sweep::CompletedPoint;
use crate::profile::RawText;
use crate::sys::locks;
use serde::Deserialize;
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const SWEEP: FolderKind =
    FolderKind { name: "sweep", file: "sweep.json", remedy: "remove it to run it again" };

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
    /// Fails if the content is of another kind, or damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Result<StoredSweep, crate::json_reader::JsonError> {
        crate::json_reader::read_json(bytes)
    }
}

/// Folder locked against other sweeps.
pub(super) struct Folder {
    files: RunFolder,
    /// Whether it was not requested. It is removed after the sweep, and its failure does not prevent the
    /// sweep.
    pub is_spare: bool,
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
        let asked = sweep_identity(request);
        let command = json!({
            "format": { "name": "diskspd sweep folder", "version": 1 },
            "program": env!("CARGO_PKG_VERSION"),
            "command_line": format!("diskspd sweep {}", super::quoted(&request.given)),
            "sweep": asked,
        });
        let check = |found: StoredSweep| match found.sweep == asked {
            true => Ok(()),
            false => {
                let command = found.command_line.unwrap_or_else(|| "unknown".to_owned());
                Err(FolderErrorKind::Another { kind: SWEEP.name, command })
            }
        };
        let opened = RunFolder::open(path, &SWEEP, &command, check).map_err(|fault| fault.at_path(path));
        opened.map(|(files, history)| (Folder { files, is_spare: false }, history))
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
        &self.files.path
    }

    /// Removes this sweep's files, and the folder if it is then empty.
    pub(super) fn remove(self, runs: usize) {
        let RunFolder { path, lock, .. } = self.files;
        for number in 1..=runs {
            for (part, ending) in [("records", "json"), ("records", "xml"), ("runs", "json")] {
                // A run that failed has no results.
                let _ = fs::remove_file(path.join(format!("{part}/{number:04}.{ending}")));
            }
        }
        // Nobody else knows of it.
        drop(lock);
        for own in [SWEEP.file, locks::IN_USE] {
            let _ = fs::remove_file(path.join(own));
        }
        for folder in [path.join("records"), path.join("runs"), path] {
            let _ = fs::remove_dir(folder);
        }
    }

    /// Stores run `number`, counted from 1.
    pub(super) fn keep(
        &self,
        number: usize,
        ran: &CompletedPoint,
        results: Option<&CompletedResults>,
    ) -> Result<(), FolderErrorKind> {
        match results {
            Some(CompletedResults::Here(record)) => self.files.keep_record(number, record)?,
            Some(CompletedResults::ByTool(made)) => {
                let name = format!("records/{number:04}.xml");
                self.files.put_file(&name, |file| file.write_all(&made.document))?;
            }
            None => {}
        }
        self.files.keep_run(number, ran)
    }

    pub(super) fn last_results(&self, runs: usize) -> Option<RunFile> {
        let path =
            |ending| move |number: usize| self.files.path.join(format!("records/{number:04}.{ending}"));
        let last = |ending| (1..=runs).rev().map(path(ending)).find(|path| path.exists());
        load_runs::run_file(&last("json").or_else(|| last("xml"))?).ok()
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
