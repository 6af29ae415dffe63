//! `diskspd verify-after JOURNAL`: what a journal says is durable is read back; with
//! `--campaign DIR` the newest of many.

mod campaign;
mod cycle;
mod journal;

pub use cycle::Cycle;

use super::not_done::NotDone;
use super::{here, output};
use crate::cli::{Exit, Journals, VerifyAfterRequest};

/// The table of a campaign of one cycle.
pub fn table(cycle: Cycle) -> String {
    campaign::table_of_one(cycle)
}

/// Reads everything back and prints what came of it: in a job, on each rank by its own journal.
///
/// # Errors
/// Journal or targets can't be read, or the report can't be written.
pub fn verify_after(request: &VerifyAfterRequest) -> Result<Exit, NotDone> {
    let Some(read) = here::read_back_on_ranks(request) else {
        if request.shift_ranks > 0 {
            return Err(NotDone::misused(["--shift-ranks needs several ranks: start them with a launcher"]));
        }
        let (text, exit) = read_back(request)?;
        output::told_to_stdout(&text)?;
        return Ok(exit);
    };
    let (mut all, mut worst, mut failures) = (String::new(), Exit::Success, Vec::new());
    for rank in read? {
        match rank.read {
            Ok((text, exit)) => {
                all += &format!("{}\n{text}\n", rank.name);
                worst = worst.max(exit);
            }
            Err(why) => failures.push(format!("{}: {why}", rank.name)),
        }
    }
    output::told_to_stdout(&all)?;
    if !failures.is_empty() {
        worst = worst.max(NotDone::failed(failures).tell());
    }
    Ok(worst)
}

/// Reads everything back. Returns the report.
///
/// # Errors
/// Journal or targets can't be read.
pub fn read_back(request: &VerifyAfterRequest) -> Result<(String, Exit), NotDone> {
    match &request.source {
        Journals::One(journal) => journal::read_all(journal, request).map(|found| (found.text, found.exit)),
        Journals::Campaign(folder) => campaign::go_on(folder, request),
    }
}
