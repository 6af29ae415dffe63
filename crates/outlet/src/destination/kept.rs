//! What the program itself keeps: an output in its place would destroy it.

use super::place;
use crate::output_error::{OutputError, OutputFault};
use std::path::Path;

/// Refuses the files of a history and of a sweep's folder, wherever they are.
///
/// # Errors
/// A message.
pub fn refuse_kept(by: &str, path: &Path) -> Result<(), OutputError> {
    let Some(path) = place(path) else { return Ok(()) };
    match owner(&path) {
        Some(owner) => Err(OutputFault::Kept(owner).of(by)),
        None => Ok(()),
    }
}

/// Who keeps the file, by its name and what lies beside it.
fn owner(path: &Path) -> Option<&'static str> {
    const HISTORY: &str = "a history of runs";
    const SWEEP: &str = "a sweep (--dir)";
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let inside = |folder_name: &str| folder.file_name().is_some_and(|found| found == folder_name);
    let of_store = [".json.gz", ".xml.gz", ".about.json"].iter().any(|ending| name.ends_with(ending));
    if inside("runs") && of_store || name.starts_with("index.sqlite") && folder.join("runs").is_dir() {
        return Some(HISTORY);
    }
    let of_sweep = |above: &Path| above.join("sweep.json").is_file() && above.join("records").is_dir();
    let numbered = name.strip_suffix(".json").is_some_and(|number| number.parse::<u64>().is_ok());
    let in_part = numbered && (inside("runs") || inside("records")) && folder.parent().is_some_and(of_sweep);
    (in_part || name == "sweep.json" && of_sweep(folder)).then_some(SWEEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_sys::inode::symlink;

    #[test]
    fn what_the_program_keeps_is_known_by_any_name_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for part in ["store/runs", "sweep/runs", "sweep/records", "mine/runs", "mine/records"] {
            std::fs::create_dir_all(at(part)).unwrap();
        }
        for file in ["store/index.sqlite", "sweep/sweep.json", "store/runs/abcdefgh.json.gz"] {
            std::fs::write(at(file), "").unwrap();
        }
        symlink("store/runs/abcdefgh.json.gz", at("link")).unwrap();
        for (name, refused) in [
            ("store/runs/abcdefgh.json.gz", true),
            ("store/../store/runs/abcdefgh.json.gz", true),
            ("link", true),
            ("store/runs/new.xml.gz", true),
            ("store/runs/abcdefgh.about.json", true),
            ("store/index.sqlite", true),
            ("store/index.sqlite-wal", true),
            ("store/page.html", false),
            ("sweep/sweep.json", true),
            ("sweep/runs/0001.json", true),
            ("sweep/records/0001.json", true),
            ("sweep/runs/page.html", false),
            ("sweep/table.json", false),
            ("mine/runs/0001.json", false),
            ("mine/sweep.json", false),
            ("nowhere/runs/a.json.gz", false),
        ] {
            assert_eq!(refuse_kept("--html x", &at(name)).is_err(), refused, "{name}");
        }
    }
}
