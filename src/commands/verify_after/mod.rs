//! `diskspd verify-after JOURNAL`: what a journal says is durable is read back; with
//! `--campaign DIR` the newest of many.

mod campaign;
mod cycle;
mod journal;

pub use cycle::Cycle;

use super::not_done::NotDone;
use super::output;
use crate::cli::{Exit, Journals, VerifyAfterRequest};

/// The table of a campaign of one cycle.
pub fn table(cycle: Cycle) -> String {
    campaign::table_of_one(cycle)
}

/// Reads everything back and prints what came of it.
///
/// # Errors
/// Journal or targets can't be read, or the report can't be written.
pub fn verify_after(request: &VerifyAfterRequest) -> Result<Exit, NotDone> {
    match &request.source {
        Journals::One(journal) => {
            let found = journal::read_all(journal, request)?;
            output::told_to_stdout(&found.text)?;
            Ok(found.exit)
        }
        Journals::Campaign(folder) => campaign::go_on(folder, request),
    }
}
