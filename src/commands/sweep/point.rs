//! What came of one run.

use crate::lab::RunLine;
use crate::run::Executed;
use crate::truth::Judged;

/// Its line, or why there is none.
pub fn line(executed: &Executed, judged: &Judged) -> Result<RunLine, String> {
    if !executed.failures.is_empty() {
        return Err(executed.failures.join("; "));
    }
    RunLine::of(judged).ok_or_else(|| "nothing was measured".to_owned())
}

/// Whether it ran to its end.
pub fn is_whole(executed: &Executed) -> bool {
    executed.record.host().results.time_spans.iter().all(|span| span.ended.is_none())
}
