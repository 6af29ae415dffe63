//! fio's example jobs: each is converted or refused with its reason, and those that convert do the same I/Os
//! as fio's own log says it does.

mod agree;
mod compared;
mod conversion;
mod logs;

use crate::{Failure, arguments::Arguments, program};
use conversion::{convert, name};
use diskspd::fio_jobs::{JobFault, JobProblem};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the tables belong.
const PAGE: &str = "docs/fio-jobs.md";

/// Converts the jobs of a folder, compares them with fio, and prints tables or writes them into the page.
///
/// # Errors
/// A file can't be read, or a job that converts differs from fio.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    if let Some(target) = arguments.value("--agree")? {
        return agreement(target.into(), arguments);
    }
    let write = arguments.flag("--write");
    let compares = arguments.flag("--compare");
    let fio = arguments.value("--fio")?.unwrap_or_else(|| "fio".to_owned());
    let ours = arguments.value("--ours")?;
    let folder = arguments.command().ok_or("name the folder of the jobs: fio's examples")?;
    arguments.finish()?;
    let jobs = jobs(Path::new(&folder))?;
    let (examples, converted) = examples(&jobs)?;
    put(write, "examples", &examples)?;
    if !compares {
        return Ok(());
    }
    let own = self::jobs(Path::new("tests/data/fio-jobs"))?;
    let ours = program::path(ours)?;
    let mut table = compared::HEAD.to_owned();
    let mut differ = Vec::new();
    for path in own.iter().chain(&converted) {
        for row in compared::rows(path, &ours, &fio)? {
            if row.differs() {
                differ.push(format!("{} [{}]", row.file, row.section));
            }
            println!("{row}");
            table += &format!("{row}\n");
        }
    }
    put(write, "compared", &table)?;
    match differ.is_empty() {
        true => Ok(()),
        false => Err(format!("these differ from fio: {}", differ.join(", ")).into()),
    }
}

/// Runs jobs in both programs on a file.
fn agreement(target: PathBuf, arguments: &mut Arguments) -> Result<(), Failure> {
    let asked = agree::Agreement {
        target,
        rounds: arguments.number("--rounds", 8)?,
        seconds: arguments.number("--seconds", 2)?,
        only: arguments.value("--only")?.unwrap_or_default(),
        fio: arguments.value("--fio")?.unwrap_or_else(|| "fio".to_owned()),
        ours: arguments.value("--ours")?,
    };
    arguments.finish()?;
    agree::main(&asked)
}

/// The job files of a folder, by name.
fn jobs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut jobs = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        jobs.push(entry?.path());
    }
    jobs.retain(|path| path.extension().is_some_and(|extension| extension == "fio"));
    jobs.sort();
    Ok(jobs)
}

/// The table of the examples, and those that convert.
fn examples(jobs: &[PathBuf]) -> Result<(String, Vec<PathBuf>), Failure> {
    let (mut rows, mut converted) = (String::new(), Vec::new());
    for path in jobs {
        let result = match convert(path)? {
            Ok(done) => {
                converted.push(path.clone());
                let notes: Vec<&str> = done.notes.iter().map(|note| note.option.as_str()).collect();
                let notes = if notes.is_empty() {
                    String::new()
                } else {
                    format!("; differs in: {}", notes.join(", "))
                };
                let spans = done.profile.time_spans.len();
                let plural = if spans == 1 { "" } else { "s" };
                format!("converted, {spans} time span{plural}{notes}")
            }
            Err(faults) => format!("refused: {}", reasons(&faults)),
        };
        rows += &format!("| {} | {} |\n", name(path), result.replace('|', "\\|"));
    }
    let counts = format!(
        "{} jobs: {} convert, {} are refused.",
        jobs.len(),
        converted.len(),
        jobs.len() - converted.len()
    );
    println!("{counts}");
    Ok((format!("{counts}\n\n| Job | Result |\n|---|---|\n{rows}"), converted))
}

/// Why a job is refused: each reason once, with its options.
fn reasons(faults: &[JobFault]) -> String {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for fault in faults {
        let (reason, setting) = match &fault.problem {
            JobProblem::Refused { setting, reason } => (reason.clone(), setting.clone()),
            other => (other.to_string(), String::new()),
        };
        let at = reasons.iter().position(|(known, _)| *known == reason);
        let at = at.unwrap_or_else(|| {
            reasons.push((reason, Vec::new()));
            reasons.len() - 1
        });
        if !setting.is_empty() && !reasons[at].1.contains(&setting) {
            reasons[at].1.push(setting);
        }
    }
    let told = reasons.iter().map(|(reason, settings)| match settings.is_empty() {
        true => reason.clone(),
        false => format!("{}: {reason}", settings.join(", ")),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// Puts a table between its marks in the page, or prints it.
fn put(write: bool, mark: &str, table: &str) -> Result<(), Failure> {
    if !write {
        println!("{table}");
        return Ok(());
    }
    let page = fs::read_to_string(PAGE)?;
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let found = page.split_once(&begin).and_then(|(head, rest)| Some((head, rest.split_once(&end)?.1)));
    let (head, tail) = found.ok_or_else(|| format!("{PAGE} has no {begin}"))?;
    fs::write(PAGE, format!("{head}{begin}{}\n{end}{tail}", table.trim_end()))?;
    Ok(())
}
