//! Limits of a job of several ranks, each with the reason and the remedy.

use crate::cli::RunRequest;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::runs::runnable::{self, Runnable};
use crate::finding::Finding;
use crate::plan::creates;
use crate::profile::RawText;

pub(crate) fn is_by_rank(path: &RawText) -> bool {
    let text = path.to_string();
    text.contains("%r") || text.contains("%h")
}

/// Refuses commands that run on one host only.
///
/// # Errors
/// Fails if this process leads a job.
pub(crate) fn refuse(what: &str) -> Result<(), CommandError> {
    match runnable::is_led() {
        true => {
            Err(CommandError::failed([format!("{what} runs on one host: start it without the launcher")]))
        }
        false => Ok(()),
    }
}

/// Returns the obstacles of a run with `size` ranks.
pub(crate) fn find_unfit(run: &Runnable, size: usize) -> Vec<Finding> {
    let targets = || run.profile.time_spans.iter().flat_map(|span| &span.targets);
    let is_common = |path: &Option<RawText>| path.as_ref().is_some_and(|path| !is_by_rank(path));
    let refused = [
        (
            run.with.is_some(),
            "--with starts another DISKSPD, which cannot join the ranks: run it on each host without the \
             launcher, and add up the results (diskspd merge)",
        ),
        (
            is_common(&run.io_log),
            "--io-log: every rank writes a separate log; put %r (the rank) or %h (the host) into its path",
        ),
        (
            is_common(&run.journal),
            "--journal: every rank writes a separate journal; put %r (the rank) or %h (the host) into its \
             path",
        ),
        (
            run.run_options.replay.is_some(),
            "--replay runs in one process only: start it without the launcher",
        ),
        (
            run.hosts.is_some_and(|hosts| hosts as usize > size),
            "--hosts is larger than the number of ranks that the launcher started: start more, or lower it",
        ),
        (
            run.shift_ranks > 0 && run.hosts.map_or(size, |hosts| hosts as usize) < 2,
            "--shift-ranks needs at least 2 ranks that do I/O",
        ),
        (
            run.shift_ranks > 0 && targets().any(|target| target.is_changed() || creates(target)),
            "--shift-ranks reads what another rank wrote, and this run writes or creates its targets (-w, \
             -c): write them first by a run without it",
        ),
        (run.profile.time_spans.is_empty(), "there is nothing to run: the profile has no time span"),
    ];
    refused.into_iter().filter(|(is, _)| *is).map(|(_, why)| Finding::error(why)).collect()
}

/// Returns the options of the request that ranks do not support.
pub(crate) fn refused_options(request: &RunRequest) -> Vec<&'static str> {
    if !runnable::is_led() {
        return Vec::new();
    }
    let by_rank = |path: &std::path::Path| is_by_rank(&RawText::from(path.as_os_str().to_owned()));
    let refused = [(
        request.out.iter().any(|out| by_rank(&out.path)),
        "--out: rank 0 alone writes the report of all ranks, so that %r and %h in its path mean nothing: \
             name one file",
    )];
    refused.into_iter().filter(|(is, _)| *is).map(|(_, why)| why).collect()
}
