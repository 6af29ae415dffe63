//! The files that a suite goes to, tried out before the first run.

use super::super::not_done::NotDone;
use super::source::PlannedSuite;
use crate::cli::SuiteRequest;
use crate::lab::suite::SuiteRow;
use crate::report::html;
use crate::results::RunSummary;
use crate::run::{Outlet, OutputDoor, Patience};
use serde::Serialize;

/// Where a suite goes beside standard output.
pub struct SuiteFiles {
    json: Option<Outlet>,
    html: Option<Outlet>,
}

/// What a suite has come to.
#[derive(Serialize)]
pub struct ToldSuite<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// What its runs are called in the history.
    pub label: &'a str,
    /// A row for each test.
    #[serde(rename = "tests")]
    pub rows: &'a [SuiteRow],
}

/// What tells it from other JSON.
#[derive(Serialize)]
struct SuiteDocument<'a> {
    format: SuiteFormat,
    #[serde(flatten)]
    told: &'a ToldSuite<'a>,
}

#[derive(Serialize)]
struct SuiteFormat {
    name: &'static str,
    version: u32,
}

impl SuiteFiles {
    /// Looks at all of them; nothing is changed.
    ///
    /// # Errors
    /// One can't be written, is named twice, or is a target.
    pub fn open(request: &SuiteRequest, planned: &PlannedSuite) -> Result<SuiteFiles, NotDone> {
        let mut door = planned.tests.iter().fold(OutputDoor::default(), |door, planned| {
            door.which_runs(&planned.run.profile, &planned.run.method)
        });
        let patience = Patience::default();
        let json = request.json.as_ref().map(|path| door.permit("--json", path)).transpose()?;
        let html = request.html.as_ref().map(|path| door.permit("--html", path)).transpose()?;
        Ok(SuiteFiles {
            json: json.map(|json| json.open(&patience)).transpose()?,
            html: html.map(|html| html.open(&patience)).transpose()?,
        })
    }

    /// Writes them. `runs`: all runs, those of a test one after the other.
    ///
    /// # Errors
    /// One can't be written.
    pub fn write<'a>(
        &self,
        told: &ToldSuite,
        runs: impl Iterator<Item = &'a RunSummary>,
    ) -> Result<(), NotDone> {
        if let Some(outlet) = &self.json {
            let format = SuiteFormat { name: "diskspd-suite", version: 1 };
            let text = serde_json::to_string_pretty(&SuiteDocument { format, told });
            let text = text.map_err(|error| format!("{}: {error}", outlet.by()))?;
            outlet.put(format!("{text}\n").into_bytes())?;
        }
        if let Some(outlet) = &self.html {
            let tests = told
                .rows
                .iter()
                .flat_map(|row| (1..=row.runs.len()).map(move |n| format!("{} {n}", row.test)));
            let named = runs.zip(tests).map(|(run, name)| RunSummary { name, ..run.clone() });
            let runs: Vec<html::Run> = named.map(|known| html::Run { known, judged: None }).collect();
            let mut bytes = Vec::new();
            // Memory takes everything.
            let _ = html::write_runs(&runs, &mut bytes);
            outlet.put(bytes)?;
        }
        Ok(())
    }
}
