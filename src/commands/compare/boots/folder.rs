//! The folder of a comparison of two kernels (`--dir`): the run, its machine, and every completed run.
//!
//! ```text
//! comparison.json     the command line of the run and the machine; others are refused
//! records/0001.json   the record of the first run, as --out of a run writes it
//! runs/0001.json      its side, kernel and boot; written last: without it the run is made again
//! ```

use super::turn::BootRun;
use crate::checks::JudgedRecord;
use crate::cli::BootPlan;
use crate::commands::shared::folder_error::{FolderError, FolderErrorKind};
use crate::formats::json;
use crate::limits;
use crate::machine::System;
use crate::results::Record;
use crate::run::{HangGuard, OutputPolicy};
use crate::sys::{folder, locks};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

const COMPARISON: &str = "comparison";

/// The file that makes a folder one of these.
const NOTES_FILE: &str = "comparison.json";

const FORMAT: &str = "diskspd comparison folder";

/// A folder that no other comparison has.
pub(super) struct BootFolder {
    path: PathBuf,
    /// Held as long as this lives; the kernel lets it go when the process ends, however it ends.
    _lock: File,
}

impl BootFolder {
    /// Creates or resumes the folder, with its completed runs.
    ///
    /// # Errors
    /// Fails with a message if it has other content, belongs to another comparison or machine, is in use,
    /// or is inaccessible.
    pub(super) fn open(
        asked: &BootPlan,
        command_line: &str,
        system: &System,
    ) -> Result<(BootFolder, Vec<BootRun>), FolderError> {
        let path = &asked.folder;
        let failed = |error: io::Error| FolderErrorKind::from(error).at_path(path);
        folder::make_all(path).map_err(failed)?;
        let Some(lock) = locks::hold_folder(path).map_err(failed)? else {
            return Err(FolderErrorKind::InUse { kind: COMPARISON }.at_path(path));
        };
        let folder = BootFolder { path: path.clone(), _lock: lock };
        let about = describe_comparison(asked, command_line, system);
        match limits::COMMAND.read_file(&path.join(NOTES_FILE)) {
            Ok(bytes) => {
                let found: Value = crate::json_reader::read_json(&bytes).map_err(|source| {
                    FolderErrorKind::Damaged { file: NOTES_FILE, source: Box::new(source) }.at_path(path)
                })?;
                check_agreement(&found, &about).map_err(|fault| fault.at_path(path))?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                folder.begin_folder(&about).map_err(|fault| fault.at_path(path))?;
            }
            Err(error) => return Err(failed(error)),
        }
        for part in ["records", "runs"] {
            folder::make_all(&path.join(part)).map_err(failed)?;
        }
        let history = folder.read_history().map_err(|fault| fault.at_path(path))?;
        Ok((folder, history))
    }

    fn begin_folder(&self, about: &Value) -> Result<(), FolderErrorKind> {
        let mut there = fs::read_dir(&self.path)?;
        if there.next().is_some() {
            return Err(FolderErrorKind::OtherFiles { kind: COMPARISON });
        }
        self.put_file(NOTES_FILE, |file| writeln!(file, "{about:#}"))
    }

    fn read_history(&self) -> Result<Vec<BootRun>, FolderErrorKind> {
        let mut history = Vec::new();
        loop {
            let name = format!("runs/{}", file_name(history.len()));
            match limits::COMMAND.read_file(&self.path.join(&name)) {
                Ok(bytes) => {
                    let run = crate::json_reader::read_json(&bytes);
                    history.push(run.map_err(|source| FolderErrorKind::DamagedRun {
                        file: name.clone(),
                        source: Box::new(source),
                        remedy: "remove it and all later ones to repeat these runs",
                    })?);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(history),
                Err(source) => return Err(FolderErrorKind::UnreadableRun { file: name, source }),
            }
        }
    }

    /// Keeps a run; `number` counts all of them, from 0.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn keep(&self, number: usize, run: &BootRun, record: &Record) -> Result<(), FolderErrorKind> {
        let name = file_name(number);
        self.put_file(&format!("records/{name}"), |file| {
            json::write_readable(&JudgedRecord::new(record), file)
        })?;
        let line = serde_json::to_string(run)?;
        self.put_file(&format!("runs/{name}"), |file| writeln!(file, "{line}"))
    }

    pub(super) fn record(&self, number: usize) -> PathBuf {
        self.path.join("records").join(file_name(number))
    }

    fn put_file(
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

fn file_name(number: usize) -> String {
    format!("{:04}.json", number + 1)
}

fn describe_comparison(asked: &BootPlan, command_line: &str, system: &System) -> Value {
    json!({
        "format": { "name": FORMAT, "version": 2 },
        "program": env!("CARGO_PKG_VERSION"),
        "command_line": command_line,
        "run": asked.typed,
        "repeat": asked.repeat,
        "machine": { "name": system.computer_name, "number": system.machine },
    })
}

fn check_agreement(found: &Value, asked: &Value) -> Result<(), FolderErrorKind> {
    if found["format"] != asked["format"] {
        let is_old = found["format"] == json!({ "name": FORMAT, "version": 1 });
        return Err(if is_old { FolderErrorKind::FixedOrder } else { FolderErrorKind::NoBoots });
    }
    for what in ["run", "repeat"] {
        if found[what] != asked[what] {
            let command = found["command_line"].as_str().unwrap_or("unknown");
            let command = command.to_owned();
            return Err(FolderErrorKind::Another { kind: COMPARISON, command });
        }
    }
    if found["program"] != asked["program"] {
        let found = found["program"].as_str().unwrap_or("?").to_owned();
        return Err(FolderErrorKind::OtherVersion { found });
    }
    // A machine without a number is known by its name alone.
    let [of_found, here] = [&found["machine"], &asked["machine"]];
    let by = if of_found["number"].is_null() || here["number"].is_null() { "name" } else { "number" };
    if of_found[by] != here[by] {
        let name = |machine: &Value| machine["name"].as_str().unwrap_or("?").to_owned();
        return Err(FolderErrorKind::OtherMachine { found: name(of_found), here: name(here) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_case(found: &Value, asked: &Value) -> Result<(), String> {
        check_agreement(found, asked).map_err(|fault| fault.to_string())
    }

    #[test]
    fn another_line_program_or_machine_is_refused() {
        let one = json!({
            "format": { "name": FORMAT, "version": 2 },
            "program": "0.1.0", "command_line": "diskspd compare --dir x -o1 a", "run": "-o1 a", "repeat": 3,
            "machine": { "name": "m", "number": "1" },
        });
        let changed = |place: &str, value: Value| {
            let mut changed = one.clone();
            *changed.pointer_mut(place).unwrap() = value;
            changed
        };
        for (place, value, words) in [
            (
                "/run",
                json!("-o2 a"),
                "it holds another comparison: diskspd compare --dir x -o1 a; repeat that command",
            ),
            ("/repeat", json!(4), "another comparison"),
            ("/program", json!("0.2.0"), "measure both kernels with one"),
            ("/machine/number", json!("2"), "another machine (m,"),
            ("/format", json!({ "name": "diskspd sweep folder" }), "no comparison of two kernels"),
            ("/format/version", json!(3), "no comparison of two kernels"),
        ] {
            let told = check_case(&one, &changed(place, value)).unwrap_err();
            assert!(told.contains(words), "{place}: {told}");
        }
        let fixed_order = check_case(&changed("/format/version", json!(1)), &one).unwrap_err();
        assert!(fixed_order.contains("in a fixed order"), "{fixed_order}");
        // A new name is no new machine; without numbers it is.
        assert_eq!(check_case(&one, &changed("/machine/name", json!("n"))), Ok(()));
        let unnumbered = changed("/machine", json!({ "name": "n", "number": null }));
        assert!(check_case(&one, &unnumbered).unwrap_err().contains("another machine"));
    }
}
