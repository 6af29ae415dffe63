//! The folder of a comparison of two kernels (`--dir`): the command line of the run and the machine
//! (`comparison.json`), and every completed run with its side, kernel and boot.

use super::turn::BootRun;
use crate::cli::BootPlan;
use crate::commands::shared::folder_error::{FolderError, FolderErrorKind};
use crate::commands::shared::run_folder::{FolderKind, RunFolder};
use crate::machine::System;
use crate::results::Record;
use serde_json::{Value, json};
use std::path::PathBuf;

const COMPARISON: FolderKind = FolderKind {
    name: "comparison",
    file: "comparison.json",
    remedy: "remove it and all later ones to repeat these runs",
};

const FORMAT: &str = "diskspd comparison folder";

/// Folder locked against other comparisons.
pub(super) struct BootFolder(RunFolder);

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
        let (path, about) = (&asked.folder, describe_comparison(asked, command_line, system));
        let opened = RunFolder::open(path, &COMPARISON, &about, |found| check_agreement(&found, &about));
        let (folder, history) = opened.map_err(|fault| fault.at_path(path))?;
        Ok((BootFolder(folder), history))
    }

    /// Stores run `number`, counted from 0 over all boots.
    pub(super) fn keep(&self, number: usize, run: &BootRun, record: &Record) -> Result<(), FolderErrorKind> {
        self.0.keep_record(number + 1, record)?;
        self.0.keep_run(number + 1, run)
    }

    pub(super) fn record(&self, number: usize) -> PathBuf {
        self.0.path.join(format!("records/{:04}.json", number + 1))
    }
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
            return Err(FolderErrorKind::Another { kind: COMPARISON.name, command });
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
