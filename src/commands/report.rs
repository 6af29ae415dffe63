//! `diskspd report FILE.json [-v]`: prints the report of a saved record again.

use super::not_done::{NotDone, told};
use super::output;
use crate::cli::{Exit, ReportRequest};
use crate::report;
use crate::report::findings::{self, Detail};
use crate::report::json::{self, RecordError};
use crate::results::Record;
use crate::sys::standard_error;
use crate::truth::Judged;
use crate::units::visible;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// Longest record that is read from what has no size, bytes: a pipe, or what never ends.
const LONGEST: u64 = 256 << 20;

/// Prints the report, and what was found about the run.
///
/// # Errors
/// There is no record to be read.
pub fn report(request: &ReportRequest) -> Result<Exit, NotDone> {
    let record = record(&request.file)?;
    let judged = Judged::new(&record);
    let exit = told(output::report_to_stdout(&report::TEXT, &judged));
    let detail = if request.verbose { Detail::Full } else { Detail::Brief };
    standard_error::write(&findings::text(&judged.judgement, detail));
    Ok(exit)
}

/// The record in a file.
///
/// # Errors
/// It can't be read, or is none.
pub fn record(file: &Path) -> Result<Record, NotDone> {
    let path = visible::line(&file.to_string_lossy()).into_owned();
    match read(file) {
        Ok(read) => read.map_err(|why| format!("{path}: {why}").into()),
        Err(why) => {
            Err(format!("{path}: can't be read: {why}; a record is what --out FILE.json of a run writes")
                .into())
        }
    }
}

/// The record in a file, or what a pipe gives.
fn read(path: &Path) -> io::Result<Result<Record, RecordError>> {
    let file = File::open(path)?;
    if file.metadata()?.is_file() {
        return Ok(json::read_from(BufReader::with_capacity(BUFFER, file)));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(io::Error::other(format!(
            "it goes on after {} MiB, which no record does",
            LONGEST >> 20
        )));
    }
    Ok(json::read(&bytes))
}
