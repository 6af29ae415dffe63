//! The answer of `--repeat` in all its forms: of runs that were made, or of a file.

use super::known_runs::{self, repeated};
use super::made::MadeResults;
use super::not_done::NotDone;
use super::output::{self, OutFile};
use crate::cli::OutRequest;
use crate::lab::repetition::{RepeatedWork, Repetition};
use crate::record::known;
use crate::report::{Format, OfRuns, WithVerdicts, html, work_in_words};
use crate::results::RunSummary;
use crate::run::{OutputDoor, OutputError, Patience};
use crate::truth::Judged;
use crate::units::visible;
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
    RepeatedWork { workload, targets }
}

/// The repetition in a file with the records of its runs; `None` = the file holds something else.
///
/// # Errors
/// The file or a record can't be read.
pub fn read(path: &Path) -> Result<Option<MadeRepetition>, NotDone> {
    let Some(repetition) = repeated::repetition(path)? else { return Ok(None) };
    let mut results = Vec::new();
    for record in repeated::records(&repetition, path).unwrap_or_default() {
        results.push(MadeResults::Here(Box::new(known_runs::record(&record)?)));
    }
    Ok(Some(MadeRepetition { repetition, results }))
}

/// Opens the files of the answer before the first run.
///
/// # Errors
/// One of them can't be written, or should not.
pub fn open(
    outs: &[OutRequest],
    door: OutputDoor,
    verdicts: WithVerdicts,
    patience: &Patience,
) -> Result<Vec<OutFile>, NotDone> {
    let formats = outs.iter().map(|out| {
        let format = output::format_of(out, verdicts)?;
        match format.of_runs {
            OfRuns::AsOne | OfRuns::OneEach => Ok(format),
            OfRuns::InTurn | OfRuns::Latest => Err(NotDone::misused([format!(
                "--out {}: a repetition has no report in this form; write the report of a run: diskspd \
                 report r-1.json --out FILE",
                visible::line(&out.path.to_string_lossy())
            )])),
        }
    });
    let formats = formats.collect::<Result<Vec<&Format>, NotDone>>()?;
    let permitted = {
        let (outs, mut door) = (outs.to_vec(), door);
        patience.attempt("outputs", move || {
            outs.iter().map(|out| door.permit("--out", &out.path)).collect::<Result<Vec<_>, OutputError>>()
        })
    };
    let permitted =
        permitted.map_err(|unanswered| format!("a file that is read or written: {unanswered}"))??;
    let opened = permitted.into_iter().zip(outs).zip(formats);
    opened.map(|((permitted, out), format)| OutFile::open(permitted, &out.path, format, patience)).collect()
}

/// Writes the answer to a file, in the form of the file.
///
/// # Errors
/// The file can't be written.
pub fn save(file: &OutFile, made: &MadeRepetition) -> Result<(), NotDone> {
    file.save_page(&|sink| write(file.form(), made, sink))
}

fn write(form: &str, made: &MadeRepetition, sink: &mut dyn Write) -> io::Result<()> {
    let MadeRepetition { repetition, results } = made;
    match form {
        "json" => sink.write_all(repetition.json().as_bytes()),
        "csv" => sink.write_all(repetition.csv().as_bytes()),
        "html" => write_page(repetition, results, sink),
        _ => sink.write_all(visible::lines(&repetition.text()).as_bytes()),
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
