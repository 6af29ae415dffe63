//! `diskspd verify-after JOURNAL`: the durable data of a journal is read back; with `--campaign DIR` the
//! newest of many.

mod campaign;
mod cycle;
mod journal;

pub(crate) use cycle::Cycle;

use crate::cli::{Exit, Journals, VerifyAfterRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job_command::RankReply;
use crate::commands::shared::output;

pub(crate) fn table(cycle: Cycle) -> String {
    campaign::table_of_one(cycle)
}

/// Reads all data back and prints the result.
///
/// # Errors
/// Fails if journal or targets cannot be read, or the report cannot be written.
pub(crate) fn verify_after(request: &VerifyAfterRequest) -> Result<Exit, CommandError> {
    if request.shift_ranks > 0 {
        return Err(CommandError::usage_errors([
            "--shift-ranks needs several ranks: start them with a launcher",
        ]));
    }
    let (text, exit) = read_back(request)?;
    output::print_sentences(&text)?;
    Ok(exit)
}

/// Prints the results of all ranks of a job.
pub(crate) fn print_all(ranks: Vec<RankReply>) -> Result<Exit, CommandError> {
    let text = |rank: &RankReply| format!("{}\n{}\n", rank.name, rank.text);
    let read = || ranks.iter().filter(|rank| rank.failure.is_none());
    output::print_sentences(&read().map(text).collect::<String>())?;
    let worst = read().map(|rank| rank.exit).max().unwrap_or(Exit::Success);
    let failures = ranks.iter().filter_map(|rank| Some(format!("{}: {}", rank.name, rank.failure.as_ref()?)));
    let failures: Vec<String> = failures.collect();
    Ok(if failures.is_empty() { worst } else { worst.max(CommandError::failed(failures).report()) })
}

/// Reads all written data back. Returns the report.
pub(crate) fn read_back(request: &VerifyAfterRequest) -> Result<(String, Exit), CommandError> {
    match &request.source {
        Journals::One(journal) => journal::read_all(journal, request).map(|found| (found.text, found.exit)),
        Journals::Campaign(folder) => campaign::continue_campaign(folder, request),
    }
}
