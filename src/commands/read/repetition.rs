//! The answer of `--repeat`, from new runs or from a file.

use crate::checks::JudgedRecord;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs::{self, repeated};
use crate::commands::shared::output::answer_forms::AnswerForms;
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::experiments::repetition::{RepeatedWork, Repetition};
use crate::formats::known;
use crate::page as html;
use crate::report::workload_text;
use crate::results::RunSummary;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

pub(crate) struct LoadedRepetition {
    pub repetition: Repetition,
    /// Results of all runs, or only of the last one.
    pub results: Vec<CompletedResults>,
}

/// Describes the work and the targets of a run.
pub(crate) fn work(run: &RunSummary) -> RepeatedWork {
    let mut known = HashSet::new();
    let targets = workload_text::targets(run).map(ToString::to_string);
    let targets = targets.filter(|target| known.insert(target.clone())).collect();
    let workload = workload_text::names(run).into_iter().next().unwrap_or_default();
    RepeatedWork { workload, targets, machine: run.computer() }
}

/// The repetition in a file with the records of its runs; `None` = the file holds something else.
pub(crate) fn read(path: &Path) -> Result<Option<LoadedRepetition>, CommandError> {
    let Some(repetition) = repeated::answer::<Repetition>(path)? else { return Ok(None) };
    let mut results = Vec::new();
    for record in repeated::records(&repetition, path).unwrap_or_default() {
        results.push(CompletedResults::Here(Box::new(load_runs::record(&record)?)));
    }
    Ok(Some(LoadedRepetition { repetition, results }))
}

impl AnswerForms for LoadedRepetition {
    fn text(&self, room: usize) -> String {
        self.repetition.text(room)
    }

    fn json(&self) -> io::Result<String> {
        Ok(self.repetition.json())
    }

    fn csv(&self) -> String {
        self.repetition.csv()
    }

    fn page(&self, sink: &mut dyn Write) -> io::Result<()> {
        write_page(&self.repetition, &self.results, sink)
    }
}

fn write_page(repetition: &Repetition, results: &[CompletedResults], sink: &mut dyn Write) -> io::Result<()> {
    let judged: Vec<Option<JudgedRecord>> =
        results.iter().map(|results| results.record().map(JudgedRecord::new)).collect();
    let run = |(results, judged): (&CompletedResults, &'_ Option<JudgedRecord<'_>>)| match judged {
        Some(judged) => known::run(judged, ""),
        None => RunSummary { name: String::new(), ..results.to_summary() },
    };
    let known: Vec<RunSummary> = match results.len() == repetition.runs.len() {
        true => results.iter().zip(&judged).map(run).collect(),
        false => repetition.summaries("").into_iter().map(without_name).collect(),
    };
    let runs: Vec<html::Run> = known
        .into_iter()
        .enumerate()
        .map(|(place, known)| html::Run { known, judged: judged.get(place).and_then(Option::as_ref) })
        .collect();
    html::write_repetition(repetition, &runs, sink)
}

/// Removes the name, because runs of a repetition have only numbers.
fn without_name(run: RunSummary) -> RunSummary {
    RunSummary { name: String::new(), ..run }
}
