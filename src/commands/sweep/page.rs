//! `--html`: the page of a sweep.

use super::super::known_runs::RunFile;
use super::AnsweredSweep;
use super::plan::Plan;
use super::walk::{SweepWalk, WalkEnd};
use crate::record::known;
use crate::report::html;
use crate::truth::Judged;

pub fn bytes(plan: &Plan, walk: &SweepWalk, ended: WalkEnd, told: &AnsweredSweep) -> Vec<u8> {
    let results = walk.results();
    let judged = match &results {
        Some(RunFile::Record(record)) => Some(Judged::new(record)),
        _ => None,
    };
    let known = match (&results, &judged) {
        (Some(RunFile::Results(runs)), _) => runs.first().cloned(),
        (_, judged) => judged.as_ref().map(|judged| known::run(judged, "")),
    };
    let run = known.map(|known| html::Run { known, judged: judged.as_ref() });
    let page = html::SweepPage {
        command_line: &plan.command_line,
        settings: &plan.sweep.settings,
        rows: told.rows,
        answers: told.answers,
        drift: told.drift,
        command: &|row| plan.command_of(row),
        unfinished: unfinished_reason(ended),
        run,
    };
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = html::write_sweep(&page, &mut bytes);
    bytes
}

fn unfinished_reason(ended: WalkEnd) -> Option<&'static str> {
    match ended {
        WalkEnd::Complete => None,
        WalkEnd::OutOfBudget => Some(
            "The budget is exhausted: points have fewer repetitions than \
                                      requested.",
        ),
        WalkEnd::Interrupted => Some("The sweep was interrupted: points or repetitions are missing."),
    }
}
