//! The output files of the table, tested before the first run.

use super::plan::Plan;
use crate::cli::SweepRequest;
use crate::commands::shared::command_error::CommandError;
use crate::run::{HangGuard, Outlet, OutputError, OutputPolicy, PermittedOutput};
use std::path::PathBuf;

pub(super) struct TableOutlets {
    csv: Vec<Outlet>,
    json: Vec<Outlet>,
    html: Vec<Outlet>,
}

impl TableOutlets {
    /// Checks all output files without changes.
    ///
    /// # Errors
    /// Fails if a file cannot be written, is named twice, or is a target or input.
    pub(super) fn open(request: &SweepRequest, plan: &Plan) -> Result<TableOutlets, OutputError> {
        let door = OutputPolicy::default().which_keeps(request.folder.clone());
        let mut door = plan.points.iter().fold(door, |door, point| point.door(door));
        let mut permitted = |option: &str, paths: &[PathBuf]| {
            let permitted = paths.iter().map(|path| door.permit(option, path));
            permitted.collect::<Result<Vec<PermittedOutput>, OutputError>>()
        };
        let csv = permitted("--csv", &request.csv)?;
        let json = permitted("--json", &request.json)?;
        let html = permitted("--html", &request.html)?;
        let patience = HangGuard::default();
        let open = |permitted: Vec<PermittedOutput>| {
            let opened = permitted.into_iter().map(|permitted| permitted.open(&patience));
            opened.collect::<Result<Vec<Outlet>, OutputError>>()
        };
        Ok(TableOutlets { csv: open(csv)?, json: open(json)?, html: open(html)? })
    }

    pub(super) fn have_page(&self) -> bool {
        !self.html.is_empty()
    }

    /// Writes all files, each text to the files of its format.
    ///
    /// # Errors
    /// Fails with messages about failed files.
    pub(super) fn write(&self, csv: &str, json: &str, html: &[u8]) -> Result<(), CommandError> {
        let all = [(&self.csv, csv.as_bytes()), (&self.json, json.as_bytes()), (&self.html, html)];
        let all =
            all.into_iter().flat_map(|(outlets, bytes)| outlets.iter().map(move |outlet| (outlet, bytes)));
        let failures: Vec<String> = all
            .filter_map(|(outlet, bytes)| outlet.put(bytes.to_vec()).err())
            .map(|error| error.to_string())
            .collect();
        if failures.is_empty() { Ok(()) } else { Err(CommandError::failed(failures)) }
    }
}
