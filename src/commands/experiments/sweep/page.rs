//! The result of a sweep, and its page (`--html`).

use super::plan::Plan;
use super::walk::SweepWalk;
use crate::checks::JudgedRecord;
use crate::commands::read::repetition::work;
use crate::commands::shared::input::load_runs::RunFile;
use crate::experiments::StoredAnswer;
use crate::experiments::repetition::RepeatedWork;
use crate::experiments::sweep::{Drift, SweepAnswer, SweepOutcome, SweepResult, rows};
use crate::formats::known;
use crate::page;
use crate::report::workload_text;
use crate::results::RunSummary;

pub(super) fn result(plan: &Plan, walk: &SweepWalk, ended: SweepOutcome) -> SweepResult {
    let points = rows(&plan.sweep, &walk.history);
    let run = walk.results().and_then(|results| match results {
        RunFile::Record(record) => Some(known::run(&JudgedRecord::new(&record), "")),
        RunFile::Results(runs) => runs.into_iter().next(),
    });
    let swept: Vec<&str> =
        points.iter().flat_map(|row| &row.settings).map(|setting| setting.option.as_str()).collect();
    let work = |run: &RunSummary| RepeatedWork {
        workload: workload_text::describe_without(run, &swept),
        ..work(run)
    };
    SweepResult {
        format: SweepResult::format(),
        command_line: plan.command_line.clone(),
        work: run.as_ref().map(work).unwrap_or_default(),
        ended,
        settings: plan.sweep.settings.clone(),
        commands: points.iter().map(|row| plan.command_of(row)).collect(),
        answers: SweepAnswer::find_answers(&points, &plan.sweep.settings),
        drift: Drift::detect(&plan.sweep, &walk.history),
        points,
    }
}

pub(super) fn bytes(result: &SweepResult, walk: &SweepWalk) -> Vec<u8> {
    let results = walk.results();
    let judged = match &results {
        Some(RunFile::Record(record)) => Some(JudgedRecord::new(record)),
        _ => None,
    };
    let known = match (&results, &judged) {
        (Some(RunFile::Results(runs)), _) => runs.first().cloned(),
        (_, judged) => judged.as_ref().map(|judged| known::run(judged, "")),
    };
    let run = known.map(|known| page::Run { known, judged: judged.as_ref() });
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = page::write_sweep(&page::SweepPage { sweep: result, run }, &mut bytes);
    bytes
}
