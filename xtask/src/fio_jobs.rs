//! fio's example jobs, converted or rejected with a reason. Converted jobs issue the same I/Os as in fio's
//! log.

mod agree;
mod compared;
mod conversion;
mod logs;

use crate::harness::{Arguments, Failure, program};
use conversion::{convert, name};
use diskspd::fio_jobs::{ConversionError, ConversionErrorKind};
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/design/fio-jobs.md";

/// Converts the jobs of a folder, compares them with fio, and prints tables or writes them into the page.
///
/// # Errors
/// Fails if a file cannot be read, or a converted job differs from fio.
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

fn jobs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut jobs = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        jobs.push(entry?.path());
    }
    jobs.retain(|path| path.extension().is_some_and(|extension| extension == "fio"));
    jobs.sort();
    Ok(jobs)
}

/// Returns the table of the examples, and the convertible jobs.
fn examples(jobs: &[PathBuf]) -> Result<(String, Vec<PathBuf>), Failure> {
    let (mut rows, mut converted) = (String::new(), Vec::new());
    for path in jobs {
        let (result, options) = match convert(path)? {
            Ok(done) => {
                converted.push(path.clone());
                let spans = done.profile.time_spans.len();
                let plural = if spans == 1 { "" } else { "s" };
                let notes = done.notes.iter().map(|note| note.option.clone());
                (format!("converted, {spans} time span{plural}"), unique(notes))
            }
            Err(faults) => ("refused".to_owned(), unique(faults.iter().map(setting))),
        };
        let options: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
        rows += &format!("| {} | {result} | {} |\n", name(path), options.join(", ").replace('|', "\\|"));
    }
    let counts = format!(
        "{} jobs: {} convert, {} are refused.",
        jobs.len(),
        converted.len(),
        jobs.len() - converted.len()
    );
    println!("{counts}");
    Ok((format!("{counts}\n\n| Job | Result | Options |\n|---|---|---|\n{rows}"), converted))
}

/// Returns the option of an error, or the whole message.
fn setting(fault: &ConversionError) -> String {
    match &fault.problem {
        ConversionErrorKind::Refused { setting, .. } | ConversionErrorKind::Value { setting, .. }
            if !setting.is_empty() =>
        {
            setting.clone()
        }
        ConversionErrorKind::Unknown(option) => option.clone(),
        other => other.to_string(),
    }
}

/// Returns texts in order without duplicates.
fn unique(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
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
