//! The files that a comparison goes to: tried out before anything is read or run, because eight runs of each
//! side take hours.

use super::super::not_done::NotDone;
use super::super::output::OutFile;
use crate::cli::CompareRequest;
use crate::cli::typed::quoted;
use crate::lab::compare::{RunComparison, Side};
use crate::report::{HTML, html};
use crate::run::destination::{Named, named, refuse_doubles, refuse_target};
use crate::sys::place::Place;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a comparison goes beside standard output.
pub struct ComparisonFiles {
    json: Option<(PathBuf, Arc<Place>)>,
    html: Option<(PathBuf, OutFile)>,
}

impl ComparisonFiles {
    /// Looks at all of them; nothing is changed. `read`: the files of both sides.
    ///
    /// # Errors
    /// One can't be written, is named twice, or is read.
    pub fn open(request: &CompareRequest, read: &[PathBuf]) -> Result<ComparisonFiles, NotDone> {
        let written = [("--json", &request.json), ("--html", &request.html)];
        let written = written.into_iter().filter_map(|(option, path)| {
            let path = path.as_ref()?;
            Some(Named { by: format!("{option} {}", path.display()), path: named(path) })
        });
        let read: Vec<Named> =
            read.iter().map(|path| Named { by: "compare".into(), path: path.clone() }).collect();
        refuse_doubles(&written.collect::<Vec<_>>(), &read)?;
        let json = |path: &PathBuf| {
            let place = Place::open(path).map_err(|error| format!("--json {}: {error}", path.display()))?;
            Ok::<_, NotDone>((path.clone(), place))
        };
        let html = |path: &PathBuf| Ok::<_, NotDone>((path.clone(), OutFile::open("--html", path, &HTML)?));
        Ok(ComparisonFiles {
            json: request.json.as_ref().map(json).transpose()?,
            html: request.html.as_ref().map(html).transpose()?,
        })
    }

    /// Refuses to write over what is measured.
    ///
    /// # Errors
    /// A message.
    pub fn spare(&self, targets: &[PathBuf]) -> Result<(), String> {
        let written = self.json.iter().map(|(path, _)| ("--json", path));
        let mut written = written.chain(self.html.iter().map(|(path, _)| ("--html", path)));
        written.try_for_each(|(option, path)| refuse_target(option, &named(path), targets))
    }

    /// Writes them. `is_noise`: both sides ask for the same.
    ///
    /// # Errors
    /// One can't be written.
    pub fn write(
        &self,
        comparison: &RunComparison,
        sides: [&Side; 2],
        request: &CompareRequest,
        is_noise: bool,
    ) -> Result<(), NotDone> {
        if let Some((path, place)) = &self.json {
            json(comparison, place).map_err(|why| unwritten("--json", path, &why))?;
        }
        if let Some((_, file)) = &self.html {
            let command_line = format!("diskspd compare {}", quoted(&request.given));
            let page = html::ComparisonPage { comparison, sides, command_line: &command_line, is_noise };
            file.save_page(&|sink| html::write_comparison(&page, sink))?;
        }
        Ok(())
    }
}

fn unwritten(option: &str, path: &Path, why: &str) -> String {
    format!("{option} {}: can't be written: {why}", path.display())
}

/// The comparison as JSON; an earlier file is replaced when the new one is whole.
fn json(comparison: &RunComparison, place: &Arc<Place>) -> Result<(), String> {
    let text = serde_json::to_string_pretty(comparison).map_err(|error| error.to_string())?;
    let mut new = place.begin().map_err(|error| error.to_string())?;
    let written = new.file().write_all(format!("{text}\n").as_bytes()).and_then(|()| new.file().sync_all());
    written.map_err(|error| error.to_string())?;
    new.put().map_err(|not| not.to_string())
}
