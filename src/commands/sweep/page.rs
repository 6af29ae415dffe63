//! `--html`: the page of a sweep.

use super::AnsweredSweep;
use super::plan::Plan;
use super::walk::{SweepWalk, WalkEnd};
use crate::record::known;
use crate::report::html;
use crate::truth::Judged;

/// The whole page.
pub fn bytes(plan: &Plan, walk: &SweepWalk, ended: WalkEnd, told: &AnsweredSweep) -> Vec<u8> {
    let record = walk.record();
    let judged = record.as_ref().map(Judged::new);
    let run = judged.as_ref().map(|judged| html::Run { known: known::run(judged, ""), judged: Some(judged) });
    let page = html::SweepPage {
        command_line: &plan.command_line,
        settings: &plan.sweep.settings,
        rows: told.rows,
        answers: told.answers,
        drift: told.drift,
        command: &|row| plan.command_of(row),
        unfinished: unfinished(ended),
        run,
    };
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = html::write_sweep(&page, &mut bytes);
    bytes
}

fn unfinished(ended: WalkEnd) -> Option<&'static str> {
    match ended {
        WalkEnd::Complete => None,
        WalkEnd::OutOfBudget => Some(
            "The budget is exhausted: points have fewer repetitions than \
                                      requested.",
        ),
        WalkEnd::Interrupted => Some("The sweep was interrupted: points or repetitions are missing."),
    }
}
