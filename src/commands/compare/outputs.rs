//! The files that a comparison goes to: tried out before anything is read or run, because eight runs of each
//! side take hours.

use super::super::not_done::NotDone;
use crate::cli::CompareRequest;
use crate::cli::typed::quoted;
use crate::lab::compare::{RunComparison, Side};
use crate::report::html;
use crate::run::{Named, Outlet, OutputDoor, Patience};
use std::path::PathBuf;

/// Where a comparison goes beside standard output.
pub struct ComparisonFiles {
    json: Option<Outlet>,
    html: Option<Outlet>,
}

impl ComparisonFiles {
    /// Looks at all of them; nothing is changed. `read`: the files of both sides. `door`: what is run, if
    /// both sides are.
    ///
    /// # Errors
    /// One can't be written, is named twice, or is read or measured.
    pub fn open(
        request: &CompareRequest,
        read: &[PathBuf],
        door: OutputDoor,
    ) -> Result<ComparisonFiles, NotDone> {
        let read = read.iter().map(|path| Named { by: "compare".into(), path: path.clone() });
        let mut door = door.which_reads(read);
        let mut permitted = |option: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| door.permit(option, path)).transpose()
        };
        let (json, html) = (permitted("--json", &request.json)?, permitted("--html", &request.html)?);
        let patience = Patience::default();
        Ok(ComparisonFiles {
            json: json.map(|json| json.open(&patience)).transpose()?,
            html: html.map(|html| html.open(&patience)).transpose()?,
        })
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
        if let Some(outlet) = &self.json {
            let text = serde_json::to_string_pretty(comparison);
            let text = text.map_err(|error| format!("{}: {error}", outlet.by()))?;
            outlet.put(format!("{text}\n").into_bytes())?;
        }
        if let Some(outlet) = &self.html {
            let command_line = format!("diskspd compare {}", quoted(&request.given));
            let page = html::ComparisonPage { comparison, sides, command_line: &command_line, is_noise };
            let mut bytes = Vec::new();
            // Memory takes everything.
            let _ = html::write_comparison(&page, &mut bytes);
            outlet.put(bytes)?;
        }
        Ok(())
    }
}
