//! `diskspd report FILE.json`: prints the report of a saved record again.

use super::output;
use crate::cli::{EXIT_RUN_FAILED, ReportRequest};
use crate::report::{findings, json, text};
use crate::results::summarize;
use crate::truth::judge;

/// Returns the exit code.
pub fn report(request: &ReportRequest) -> u8 {
    let path = request.file.display();
    let bytes = match std::fs::read(&request.file) {
        Ok(bytes) => bytes,
        Err(e) => {
            eprintln!("ERROR: {path}: can't be read: {e}; a record is what --out FILE.json of a run writes");
            return EXIT_RUN_FAILED;
        }
    };
    match json::read(&bytes) {
        Ok(record) => {
            let code = output::to_stdout(&text::text(&record));
            eprint!("{}", findings::text(&judge(&record, &summarize(&record))));
            code
        }
        Err(e) => {
            eprintln!("ERROR: {path}: {e}");
            EXIT_RUN_FAILED
        }
    }
}
