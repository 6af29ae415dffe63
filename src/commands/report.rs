//! `diskspd report FILE.json`: prints the report of a saved record again.

use super::output;
use crate::cli::{EXIT_RUN_FAILED, ReportRequest};
use crate::report::{json, text};
use std::fs::File;
use std::io::BufReader;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// Returns the exit code.
pub fn report(request: &ReportRequest) -> u8 {
    let path = request.file.display();
    let file = match File::open(&request.file) {
        Ok(file) => file,
        Err(e) => {
            eprintln!("ERROR: {path}: can't be read: {e}; a record is what --out FILE.json of a run writes");
            return EXIT_RUN_FAILED;
        }
    };
    match json::read_from(BufReader::with_capacity(BUFFER, file)) {
        Ok(record) => output::to_stdout(&text::text(&record)),
        Err(e) => {
            eprintln!("ERROR: {path}: {e}");
            EXIT_RUN_FAILED
        }
    }
}
