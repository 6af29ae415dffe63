//! The files that the table goes to, tried out before the first run.

use super::plan::Plan;
use crate::cli::SweepRequest;
use crate::run::destination;
use crate::sys::place::Place;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Places of files, with how they were named.
type NamedPlaces = Vec<(PathBuf, Arc<Place>)>;

/// Where the table goes, by its form.
pub struct TablePlaces {
    csv: NamedPlaces,
    json: NamedPlaces,
    html: NamedPlaces,
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
        Ok(TablePlaces {
            csv: open("--csv", &request.csv)?,
            json: open("--json", &request.json)?,
            html: open("--html", &request.html)?,
        })
    }

    /// Whether there is to be a page.
    pub fn have_page(&self) -> bool {
        !self.html.is_empty()
    }

    /// Writes them all; each text goes to the files of its form.
    ///
    /// # Errors
    /// Messages about those that can't be.
    pub fn write(&self, csv: &str, json: &str, html: &[u8]) -> Result<(), Vec<String>> {
        let all =
            [(&self.csv, csv.as_bytes()), (&self.json, json.as_bytes()), (&self.html, html)].into_iter();
        let all = all.flat_map(|(places, bytes)| places.iter().map(move |place| (place, bytes)));
        let failed = |((path, place), bytes): (&(PathBuf, Arc<Place>), &[u8])| {
            put(place, |file| file.write_all(bytes)).map_err(|why| unwritten(path, &why)).err()
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
