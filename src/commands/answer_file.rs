//! Answers made of many runs in all their forms: repetitions, sweeps and comparisons, made now or read from a
//! file.

use super::known_runs::repeated;
use super::not_done::NotDone;
use super::output::{self, OutFile};
use super::repetition;
use crate::cli::OutRequest;
use crate::lab::compare::{self, RunComparison, Side};
use crate::lab::sweep::SweepResult;
use crate::report::{Format, OfRuns, WithVerdicts, html};
use crate::run::{OutputDoor, OutputError, Patience};
use crate::sys::standard_output;
use crate::units::visible;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The forms of an answer.
pub trait AnswerForms {
    fn text(&self) -> String;

    /// # Errors
    /// The answer contains what JSON has no form for.
    fn json(&self) -> io::Result<String>;
    fn csv(&self) -> String;

    /// Writes the page.
    ///
    /// # Errors
    /// The errors of `sink`.
    fn page(&self, sink: &mut dyn Write) -> io::Result<()>;
}

/// An answer out of a file, with the files of its runs.
pub struct ReadAnswer {
    pub answer: Box<dyn AnswerForms>,
    pub records: Vec<PathBuf>,
}

/// The answer in a file; `None` = the file holds something else.
///
/// # Errors
/// The file or a record of its runs can't be read.
pub fn read(path: &Path) -> Result<Option<ReadAnswer>, NotDone> {
    if let Some(made) = repetition::read(path)? {
        let records = made.repetition.runs.iter().filter_map(|run| run.file.as_ref());
        let records = records.map(|name| path.with_file_name(name)).collect();
        return Ok(Some(ReadAnswer { answer: Box::new(made), records }));
    }
    let answer: Box<dyn AnswerForms> = match repeated::answer::<SweepResult>(path)? {
        Some(sweep) => Box::new(sweep),
        None => match repeated::answer::<RunComparison>(path)? {
            Some(comparison) => Box::new(comparison),
            None => return Ok(None),
        },
    };
    Ok(Some(ReadAnswer { answer, records: Vec::new() }))
}

impl AnswerForms for SweepResult {
    fn text(&self) -> String {
        SweepResult::text(self, standard_output::room())
    }

    fn json(&self) -> io::Result<String> {
        Ok(SweepResult::json(self))
    }

    fn csv(&self) -> String {
        SweepResult::csv(self)
    }

    fn page(&self, sink: &mut dyn Write) -> io::Result<()> {
        html::write_sweep(&html::SweepPage { sweep: self, run: None }, sink)
    }
}

impl AnswerForms for RunComparison {
    fn text(&self) -> String {
        compare::text(self)
    }

    fn json(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn csv(&self) -> String {
        compare::csv(self)
    }

    fn page(&self, sink: &mut dyn Write) -> io::Result<()> {
        let sides = self.sides.each_ref().map(|side| Side { name: side.name.clone(), runs: Vec::new() });
        let sides = [&sides[0], &sides[1]];
        let page =
            html::ComparisonPage { comparison: self, sides, command_line: "", is_noise: false, sentence: None };
        html::write_comparison(&page, sink)
    }
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
                "--out {}: an answer of several runs has no report in this form; write the report of a run: \
                 diskspd report r-1.json --out FILE",
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
pub fn save(file: &OutFile, answer: &dyn AnswerForms) -> Result<(), NotDone> {
    file.save_page(&|sink| match file.form() {
        "json" => sink.write_all(answer.json()?.as_bytes()),
        "csv" => sink.write_all(answer.csv().as_bytes()),
        "html" => answer.page(sink),
        _ => sink.write_all(visible::lines(&answer.text()).as_bytes()),
    })
}
