//! Data of a worker that is available from outside, even if it never ends.

use crate::recorder;
use crate::{StuckIo, WorkerLedger, WorkerOutcome};
use diskspd_base::platform::SYSTEM_LOG;
use diskspd_plan::{SpanPlan, WorkerPlan};
use diskspd_results::ThreadResults;
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::handover_cell::Rescuer;
use diskspd_sys::mutex::LockUnpoisoned;
use std::sync::Mutex;

/// Maximum number of I/Os listed individually; others are counted.
const MAX_NAMED_IOS: usize = 16;
const UNCLEAR_CAUSE_TEXT: &str = "a thread is on a CPU or ready for one, so the cause is undetermined: \
                       the storage or a lack of CPU time (other programs, a CPU quota)";

/// Data of a worker's progress, readable if it hangs.
#[derive(Debug, Default)]
pub struct WorkerHandoff {
    heir: Mutex<Option<Rescuer<WorkerLedger>>>,
    handed_in: Mutex<Option<(WorkerOutcome, Vec<StuckIo>)>>,
}

#[derive(Debug)]
pub struct SalvagedResults {
    pub outcome: WorkerOutcome,
    /// I/Os that have not completed.
    pub stuck: Vec<StuckIo>,
    /// Whether the worker hangs before or after its I/Os, or its data is not available.
    pub nothing: bool,
}

impl WorkerHandoff {
    /// Sets the rescuer of the worker's ledger after its setup, for a worker that hangs.
    pub fn names(&self, heir: Option<Rescuer<WorkerLedger>>) {
        *self.heir.lock_anyway() = heir;
    }

    /// Inspects the books while the worker waits for its engine, which keeps them. `None` if it uses them,
    /// or has not created them yet.
    pub fn inspect<R>(&self, look: impl FnOnce(&WorkerLedger) -> R) -> Option<R> {
        self.heir.lock_anyway().as_mut()?.inspect(look)
    }

    /// Stores the outcome of a worker whose engine must still end.
    pub fn hand_in(&self, outcome: WorkerOutcome, in_flight: Vec<StuckIo>) {
        *self.handed_in.lock_anyway() = Some((outcome, in_flight));
    }

    /// Returns the outcome of an ended worker; `None` = not ended.
    pub fn take(&self) -> Option<WorkerOutcome> {
        let handed_in = self.handed_in.lock_anyway().take();
        handed_in.map(|(outcome, _)| outcome)
    }

    pub fn take_over(&self, plan: &WorkerPlan, span: &SpanPlan) -> SalvagedResults {
        if let Some((outcome, stuck)) = self.handed_in.lock_anyway().take() {
            let nothing = stuck.is_empty();
            return SalvagedResults { outcome, stuck, nothing };
        }
        let mut heir = self.heir.lock_anyway();
        match heir.as_mut().and_then(Rescuer::inherit) {
            Some(books) => {
                let stuck = books.in_flight(plan, &[], &[]);
                let (mut results, errors) = books.recorder.finish();
                results.targets = recorder::whole_targets(plan, results.targets);
                SalvagedResults {
                    outcome: WorkerOutcome { results, errors, failure: None },
                    stuck,
                    nothing: false,
                }
            }
            None => SalvagedResults { outcome: nothing_done(plan, span), stuck: Vec::new(), nothing: true },
        }
    }
}

/// Returns the outcome of a worker that never started: all its targets without results.
pub fn nothing_done(plan: &WorkerPlan, span: &SpanPlan) -> WorkerOutcome {
    let targets = recorder::whole_targets(plan, recorder::empty(span, plan));
    let results = ThreadResults { targets, ..ThreadResults::default() };
    WorkerOutcome { results, ..WorkerOutcome::default() }
}

/// Returns a message about missing I/Os, with a line for each. `ended`: end of the run. `ready`: running
/// or ready threads, for which storage need not be the cause.
pub fn describe(mut stuck: Vec<StuckIo>, silent: &[u32], ready: &[u32], ended: Nanos, now: Nanos) -> String {
    let seconds = |since: Nanos| now.saturating_sub(since) as f64 / SECOND as f64;
    let mut text = String::new();
    if !stuck.is_empty() {
        stuck.sort_by_key(|io| io.started.unwrap_or(ended));
        let why = match stuck.iter().any(|io| ready.contains(&io.thread)) {
            true => UNCLEAR_CAUSE_TEXT,
            false => "the storage is not responding",
        };
        text = format!(
            "{} {} not completed {:.1} s after the end: {why}. The figures cover what completed; the kernel \
             may keep the process until the rest does. See {SYSTEM_LOG}, and check the server, the \
             device or a thin pool",
            count(stuck.len(), "I/O"),
            if stuck.len() == 1 { "has" } else { "have" },
            seconds(ended),
        );
        for io in stuck.iter().take(MAX_NAMED_IOS) {
            let name = io.op.row().name;
            let age = match io.started {
                Some(started) => format!("{:.1} s old", seconds(started)),
                None => format!("at least {:.1} s old", seconds(ended)),
            };
            let what = match io.length {
                0 => name.to_owned(),
                length => format!("{name} of {length} bytes at offset {}", io.offset),
            };
            text += &format!("\n    thread {}: {what} of '{}', {age}", io.thread, io.path);
        }
        if stuck.len() > MAX_NAMED_IOS {
            text += &format!("\n    and {} more", stuck.len() - MAX_NAMED_IOS);
        }
    }
    if let [first, others @ ..] = silent {
        let separator = if text.is_empty() { "" } else { "\n" };
        let more =
            if others.is_empty() { String::new() } else { format!(" and {}", count(others.len(), "other")) };
        let why = match silent.iter().any(|thread| ready.contains(thread)) {
            true => UNCLEAR_CAUSE_TEXT,
            false => "it hangs in the kernel while it opens or closes its targets",
        };
        text += &format!(
            "{separator}thread {first}{more} did not end within {:.1} s, and is abandoned: {why}. See \
             {SYSTEM_LOG}, and check the server or device",
            seconds(ended)
        );
    }
    text
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::operation::Operation;

    #[test]
    fn outstanding_requests_are_named_oldest_first() {
        let io = |thread, started| StuckIo {
            thread,
            path: "a file".into(),
            op: Operation::Write,
            offset: 4096,
            length: 512,
            started,
        };
        let text = describe(vec![io(1, None), io(0, Some(SECOND))], &[], &[2], 4 * SECOND, 6 * SECOND);
        assert!(text.contains("the storage is not responding"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("2 I/Os have not completed 2.0 s after the end"));
        assert_eq!(lines[1], "    thread 0: write of 512 bytes at offset 4096 of 'a file', 5.0 s old");
        assert_eq!(
            lines[2],
            "    thread 1: write of 512 bytes at offset 4096 of 'a file', at least 2.0 s old"
        );
        assert_eq!(lines.len(), 3);
        let many = describe(vec![io(0, None); 20], &[], &[], SECOND, SECOND);
        assert!(many.ends_with("\n    and 4 more"), "{many}");
        let silent = describe(Vec::new(), &[3, 4], &[], SECOND, 2 * SECOND);
        assert!(silent.starts_with("thread 3 and 1 other did not end within 1.0 s"), "{silent}");
        assert!(silent.contains("hangs in the kernel"), "{silent}");
        // Threads that don't sleep may lack a CPU, or poll what doesn't come.
        for (stuck, silent) in [(vec![io(0, None), io(1, None)], vec![]), (Vec::new(), vec![1])] {
            let text = describe(stuck, &silent, &[1], SECOND, 2 * SECOND);
            let sure = ["the storage is not responding", "hangs in the kernel"];
            assert!(
                text.contains("is undetermined") && sure.iter().all(|sure| !text.contains(sure)),
                "{text}"
            );
        }
    }
}
