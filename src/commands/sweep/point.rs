//! One run: a profile and a method become a record.

use super::Runnable;
use crate::lab::RunLine;
use crate::run::{Control, Executed, Listener, NotRun, Session, execute};
use crate::truth::Judged;
use std::sync::Arc;

/// Runs it. `first`: what is to be made anew is, once in a sweep.
///
/// # Errors
/// It can't be run.
pub fn measure(
    point: &Runnable,
    first: bool,
    control: &Arc<Control>,
    listener: &Arc<dyn Listener>,
) -> Result<Executed, NotRun> {
    let session = Session {
        one_of_several: true,
        recreate: point.recreate && first,
        destroy: point.destroy,
        listener: Arc::clone(listener),
        control: Arc::clone(control),
        ..Session::default()
    };
    execute(&point.profile, &point.method, &session)
}

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
