//! The files that the table goes to, tried out before the first run.

use super::plan::Plan;
use crate::cli::SweepRequest;
use crate::run::destination;
use crate::sys::place::Place;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// TablePlaces of files, with how they were named.
pub struct TablePlaces {
    csv: Vec<(PathBuf, Arc<Place>)>,
    json: Vec<(PathBuf, Arc<Place>)>,
}

impl TablePlaces {
    /// Looks at all of them; nothing is changed.
    ///
    /// # Errors
    /// A message: one can't be written, or is a target.
    pub fn open(request: &SweepRequest, plan: &Plan) -> Result<TablePlaces, String> {
        let mut targets: Vec<PathBuf> =
            plan.points.iter().flat_map(|point| destination::targets(&point.profile)).collect();
        targets.dedup();
        let open = |option: &str, paths: &[PathBuf]| {
            let one = |path: &PathBuf| {
                destination::refuse_target(option, path, &targets)?;
                let place =
                    Place::open(path).map_err(|error| format!("{option} {}: {error}", path.display()))?;
                Ok((path.clone(), place))
            };
            paths.iter().map(one).collect::<Result<Vec<_>, String>>()
        };
        Ok(TablePlaces { csv: open("--csv", &request.csv)?, json: open("--json", &request.json)? })
    }

    /// Writes them all.
    ///
    /// # Errors
    /// Messages about those that can't be.
    pub fn write(&self, csv: &str, json: &str) -> Result<(), Vec<String>> {
        let all =
            self.csv.iter().map(|place| (place, csv)).chain(self.json.iter().map(|place| (place, json)));
        let failed = |((path, place), text): (&(PathBuf, Arc<Place>), &str)| {
            put(place, |file| file.write_all(text.as_bytes())).map_err(|why| unwritten(path, &why)).err()
        };
        let failures: Vec<String> = all.filter_map(failed).collect();
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }
}

fn unwritten(path: &Path, why: &str) -> String {
    format!("{}: can't be written: {why}", path.display())
}

/// Writes a whole file in one step: it's there complete, or not at all.
///
/// # Errors
/// A message.
pub fn put(
    place: &Arc<Place>,
    write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
) -> Result<(), String> {
    let mut new = place.begin().map_err(|error| error.to_string())?;
    write(new.file()).and_then(|()| new.file().sync_all()).map_err(|error| error.to_string())?;
    new.put().map_err(|not| not.to_string())
}
