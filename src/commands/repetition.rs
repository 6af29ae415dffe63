//! The answer of `--repeat`: of runs that were made, or of a file.

use super::answer_forms::AnswerForms;
use super::known_runs::{self, repeated};
use super::made::MadeResults;
use super::not_done::NotDone;
use crate::lab::repetition::{RepeatedWork, Repetition};
use crate::record::known;
use crate::report::{html, work_in_words};
use crate::results::RunSummary;
use crate::truth::Judged;
use std::io::{self, Write};
use std::path::Path;

pub struct MadeRepetition {
    pub repetition: Repetition,
    /// Results of all runs, or of the last one.
    pub results: Vec<MadeResults>,
}

/// The work of a run and its targets, in words.
pub fn work(run: &RunSummary) -> RepeatedWork {
    let mut targets: Vec<String> = Vec::new();
    for target in work_in_words::targets(run).map(ToString::to_string) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let workload = work_in_words::names(run).into_iter().next().unwrap_or_default();
    RepeatedWork { workload, targets, machine: run.computer() }
}

/// The repetition in a file with the records of its runs; `None` = the file holds something else.
///
/// # Errors
/// The file or a record can't be read.
pub fn read(path: &Path) -> Result<Option<MadeRepetition>, NotDone> {
    let Some(repetition) = repeated::answer::<Repetition>(path)? else { return Ok(None) };
    let mut results = Vec::new();
    for record in repeated::records(&repetition, path).unwrap_or_default() {
        results.push(MadeResults::Here(Box::new(known_runs::record(&record)?)));
    }
    Ok(Some(MadeRepetition { repetition, results }))
}

impl AnswerForms for MadeRepetition {
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

fn write_page(repetition: &Repetition, results: &[MadeResults], sink: &mut dyn Write) -> io::Result<()> {
    let judged: Vec<Option<Judged>> =
        results.iter().map(|results| results.record().map(Judged::new)).collect();
    let run = |(results, judged): (&MadeResults, &'_ Option<Judged<'_>>)| match judged {
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

/// Runs of a repetition have their number as a name.
fn without_name(run: RunSummary) -> RunSummary {
    RunSummary { name: String::new(), ..run }
}
