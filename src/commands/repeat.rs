//! `--repeat`: the same run again and again, and what the runs say together.

use super::console::Manner;
use super::load::ToRun;
use super::made::MadeResults;
use super::measure;
use super::measurement::RunTurn;
use super::not_done::{NotDone, told};
use super::output::{self, EarlierReports};
use super::{ctrl_c, ending};
use crate::cli::{Exit, OutRequest, RunRequest};
use crate::lab::RunLine;
use crate::lab::repeat::{Repeat, headline, text};
use crate::machine::fingerprint::Fingerprint;
use crate::profile::{ResultFormat, SEED_STEP};
use crate::report::{self, OfRuns};
use crate::sys::standard_error::{self, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs it as often as asked; it ends as the worst run.
///
/// # Errors
/// It can't be run.
pub fn repeat(asked: &ToRun, request: &RunRequest, how: Repeat) -> Result<Exit, NotDone> {
    if let Some(option) = request.follows_one_run() {
        let message = format!("{option} is for a single run and excludes --repeat; leave out one of them");
        return Err(NotDone::misused([message]));
    }
    if asked.run.profile.time_spans.len() != 1 {
        let message = "--repeat needs a profile of one time span, but this one has several";
        return Err(NotDone::misused([message]));
    }
    let mut earlier = EarlierReports::default();
    let (mut lines, mut fingerprints) = (Vec::new(), Vec::new());
    let mut last = None;
    let mut worst = Exit::Success;
    let tell = |text: &str| {
        if !request.quiet {
            say(text);
        }
    };
    let control = Arc::default();
    // Between two runs, where none of them listens. What is said of it they say.
    let _watch = ctrl_c::ends_silently(&control)?;
    while how.another(&lines.iter().map(|line: &RunLine| line.iops).collect::<Vec<f64>>()) {
        let number = lines.len() + 1;
        let of_this_run = RunRequest { out: numbered(&request.out, number), ..request.clone() };
        if number > 1 && asked.run.profile.result_format == ResultFormat::Xml {
            // The document before ends without a line feed, as DISKSPD's does.
            worst = worst.max(told(output::to_stdout(b"\n")));
        }
        let turn = RunTurn { name: name_of(number, how), earlier: &mut earlier, control: &control };
        let ended = measure::measure(&asked.repetition(number - 1), &of_this_run, Some(turn))?;
        worst = worst.max(ended.exit);
        let line = ended.results.line();
        let failed = ended.interrupted || ended.exit == Exit::RunFailed;
        let Some(line) = line.filter(|_| !failed) else {
            tell(&format!("run {number} failed; the summary covers the runs before it"));
            break;
        };
        tell(&format!("run {number}: {}", headline(&line)));
        fingerprints.extend(ended.results.fingerprint());
        lines.push(line);
        last = Some(ended.results);
    }
    if !lines.is_empty() && !request.quiet {
        standard_error::write(&text(&lines, how, |place| differences(&fingerprints, place)));
        tell(&seeds(asked, lines.len()));
    }
    let document = request.out.iter().any(|out| out.path == Path::new("-"))
        || asked.run.profile.result_format == ResultFormat::Xml;
    let manner = Manner { quiet: request.quiet, document, ..Manner::default() };
    let last = last.as_ref().and_then(MadeResults::record);
    if let Some((last, screen)) = last.zip(ending::place(&manner)) {
        ending::of_repetitions(last, &lines, request, &screen);
    }
    Ok(worst)
}

fn seeds(asked: &ToRun, runs: usize) -> String {
    let first = asked.run.profile.time_spans.first().map_or(0, |span| span.rand_seed);
    match runs {
        1 => format!("random seed: {first} (-z)"),
        _ => format!("random seeds: run 1 uses {first} (-z), each later run {SEED_STEP} more"),
    }
}

fn name_of(number: usize, how: Repeat) -> String {
    match how {
        Repeat::Times(times) => format!("run {number} of {times}"),
        Repeat::Until(_) => format!("run {number}"),
    }
}

/// JSON and CSV hold one run: each has a file of its own, `run-3.json`. Standard output and text and XML
/// take one after the other, a page has all.
fn numbered(out: &[OutRequest], number: usize) -> Vec<OutRequest> {
    let of_one = |out: &OutRequest| {
        let format = out.format.and_then(report::format_named).or_else(|| report::format_of(&out.path));
        format.is_some_and(|format| format.of_runs == OfRuns::OneEach) && out.path != Path::new("-")
    };
    let name = |out: &OutRequest| OutRequest { path: with_number(&out.path, number), ..out.clone() };
    out.iter().map(|out| if of_one(out) { name(out) } else { out.clone() }).collect()
}

fn with_number(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// What about the machine was different in this run than in most others.
fn differences(fingerprints: &[Fingerprint], place: usize) -> Vec<String> {
    let alike = |one: &Fingerprint| fingerprints.iter().filter(|other| other.hash == one.hash).count();
    let Some(usual) = fingerprints.iter().max_by_key(|one| alike(one)) else { return Vec::new() };
    let Some(own) = fingerprints.get(place) else { return Vec::new() };
    let value = |value: Option<String>| value.unwrap_or_else(|| "not known".to_owned());
    let found = own.differences(usual).into_iter();
    found.map(|d| format!("{}: {}, else {}", d.part, value(d.first), value(d.other))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_run_are_numbered_before_their_ending() {
        let out = |format, path: &str| OutRequest { format, path: path.into() };
        let given = [
            out(None, "a/run.json"),
            out(Some("json"), "run"),
            out(None, "x.csv"),
            out(None, "run.xml"),
            out(Some("json"), "-"),
        ];
        let names: Vec<String> =
            numbered(&given, 3).iter().map(|out| out.path.display().to_string()).collect();
        assert_eq!(names, ["a/run-3.json", "run-3", "x-3.csv", "run.xml", "-"]);
    }
}
