//! The same jobs in fio and in this program, alternately on the same file, compared by the program's own
//! `compare`.

mod jobs;

use crate::harness::{Failure, program, table};
use jobs::JOBS;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Agreement {
    /// File that is written and read; created if missing.
    pub target: PathBuf,
    pub rounds: usize,
    pub seconds: u32,
    /// Only jobs with this in their names.
    pub only: String,
    pub ours: Option<String>,
    pub fio: String,
}

struct Answer {
    verdict: String,
    row: Vec<String>,
}

impl Answer {
    fn differs(&self) -> bool {
        self.verdict == "better" || self.verdict == "worse"
    }
}

/// Runs all jobs and prints a table. One of twenty equal jobs is expected to differ, at an error rate of 5
/// % each. A differing job is therefore measured again, and differs only if both measurements agree.
///
/// # Errors
/// Fails if a job cannot be run, or one differs.
pub fn main(asked: &Agreement) -> Result<(), Failure> {
    let ours = program::path(asked.ours.clone())?;
    let folder = tempfile::tempdir()?;
    let mut rows = Vec::new();
    let mut differ = Vec::new();
    for (name, settings) in JOBS.iter().filter(|(name, _)| name.contains(&asked.only)) {
        let job = folder.path().join("job.fio");
        fs::write(&job, text(asked, settings))?;
        let first = measured(asked, name, &job, &ours, folder.path())?;
        let again = match first.differs() {
            true => Some(measured(asked, name, &job, &ours, folder.path())?),
            false => None,
        };
        if again.as_ref().is_some_and(|again| again.verdict == first.verdict) {
            differ.push(*name);
        }
        for answer in std::iter::once(first).chain(again) {
            println!("{}", answer.row.join("  "));
            rows.push(answer.row);
        }
    }
    let head = ["Job", "fio, IOPS", "here, IOPS", "change", "95 % interval", "verdict"];
    table::print(&head, &rows, true);
    match differ.is_empty() {
        true => Ok(()),
        false => Err(format!("called different twice: {}", differ.join(", ")).into()),
    }
}

/// Returns the job for both programs, without fio's change of its buffer before each write, which takes CPU
/// time.
fn text(asked: &Agreement, settings: &str) -> String {
    let Agreement { target, seconds, .. } = asked;
    format!(
        "[global]\nfilename={}\nsize=512m\ndirect=1\nnorandommap\ntime_based\nruntime={seconds}\n\
         scramble_buffers=0\ngroup_reporting\n[job]\n{}\n",
        target.display(),
        settings.replace("; ", "\n")
    )
}

fn measured(
    asked: &Agreement,
    name: &str,
    job: &Path,
    ours: &Path,
    folder: &Path,
) -> Result<Answer, Failure> {
    let mut files = [Vec::new(), Vec::new()];
    for round in 0..asked.rounds {
        for turn in 0..2 {
            let side = (round + turn) % 2;
            let file = folder.join(format!("{}{round}.json", ["fio-", "here-"][side]));
            let mut line = match side {
                0 => Command::new(&asked.fio),
                _ => Command::new(ours),
            };
            match side {
                0 => line.args(["--output-format=json+", "--output"]).arg(&file).arg(job),
                _ => line.arg("--fio").arg(job).args(["--quiet", "--out"]).arg(&file),
            };
            done(line.stdout(Stdio::null()), name)?;
            files[side].push(file.display().to_string());
        }
    }
    let json = folder.join("answer.json");
    let mut line = Command::new(ours);
    line.args(["compare", &files[0].join(","), &files[1].join(","), "--metric", "iops", "--json"]).arg(&json);
    done(line.stdout(Stdio::null()), name)?;
    answer(name, &serde_json::from_str(&fs::read_to_string(&json)?)?)
        .ok_or_else(|| format!("{name}: compare says nothing of IOPS").into())
}

fn done(line: &mut Command, name: &str) -> Result<(), Failure> {
    let ended = line.stderr(Stdio::piped()).output().map_err(|error| format!("{line:?}: {error}"))?;
    match ended.status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {line:?}: {}", String::from_utf8_lossy(&ended.stderr)).into()),
    }
}

fn answer(name: &str, json: &Value) -> Option<Answer> {
    let metric = json["time_spans"].get(0)?["metrics"].get(0)?;
    let median = |side: usize| table::number(metric["sides"][side]["median"].as_f64(), 0);
    let percent = |field: &str| metric[field].as_f64().map(|value| format!("{value:+.1} %"));
    let interval = match (percent("low_percent"), percent("high_percent")) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        _ => "-".to_owned(),
    };
    let verdict = metric["verdict"].as_str()?.to_owned();
    let change = percent("change_percent").unwrap_or_else(|| "-".to_owned());
    let row = vec![name.to_owned(), median(0), median(1), change, interval, verdict.replace('_', " ")];
    Some(Answer { verdict, row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_answer_is_parsed_to_a_row() {
        let json = serde_json::json!({"time_spans": [{"metrics": [{
            "sides": [{"median": 1000.2}, {"median": 1010.0}], "verdict": "cant_tell",
            "change_percent": 1.0, "low_percent": -2.0, "high_percent": 3.5,
        }]}]});
        let answer = answer("reads", &json).expect("an answer");
        assert!(!answer.differs());
        assert_eq!(answer.row, ["reads", "1000", "1010", "+1.0 %", "-2.0 % to +3.5 %", "cant tell"]);
    }
}
