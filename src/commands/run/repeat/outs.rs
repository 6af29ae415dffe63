//! The files of `--out` in a repetition: the answer, and the reports of single runs.

use crate::cli::{OutRequest, RunRequest};
use crate::commands::shared::command_error::CommandError;
use crate::profile::{Profile, ResultFormat};
use crate::report_formats::ReportRuns;
use std::path::{Path, PathBuf};

pub(super) struct RepeatOutputs {
    outs: Vec<OutRequest>,
    each: bool,
    /// Whether the CSV of a run has lines (`-D`).
    has_intervals: bool,
    /// Whether this program makes the runs, so that there are records.
    has_records: bool,
    /// Whether each run has a report on standard output.
    pub reports: bool,
    /// Whether the answer is printed as text on standard output.
    pub text_to_stdout: bool,
    pub keeps_all: bool,
}

impl RepeatOutputs {
    /// # Errors
    /// Fails if a file of the answer would replace the record of a run.
    pub(super) fn new(request: &RunRequest, profile: &Profile) -> Result<RepeatOutputs, CommandError> {
        let is_xml = profile.result_format == ResultFormat::Xml;
        let to_stdout = request.out.iter().any(OutRequest::is_stdout);
        let outs = RepeatOutputs {
            outs: request.out.clone(),
            each: request.each,
            has_intervals: profile.time_spans.iter().any(|span| span.calculate_iops_std_dev),
            has_records: request.with.is_none(),
            reports: !to_stdout && (is_xml || request.each),
            text_to_stdout: !to_stdout && !is_xml,
            keeps_all: request.out.iter().any(|out| name_of(out) == "html"),
        };
        outs.are_apart()?;
        Ok(outs)
    }

    pub(super) fn of_answer(&self) -> Vec<OutRequest> {
        let has_answer =
            |out: &&OutRequest| !matches!(of_runs(out), Some(ReportRuns::InTurn | ReportRuns::Latest));
        self.outs.iter().filter(has_answer).cloned().collect()
    }

    /// Returns the files of a run; numbers start at 1.
    pub(super) fn of_run(&self, number: usize) -> Vec<OutRequest> {
        let of_run = |out: &OutRequest| match of_runs(out)? {
            ReportRuns::InTurn | ReportRuns::Latest => Some(out.clone()),
            ReportRuns::AsOne if name_of(out) == "html" => None,
            ReportRuns::AsOne => self.each.then(|| out.clone()),
            ReportRuns::OneEach if out.is_stdout() => self.each.then(|| out.clone()),
            ReportRuns::OneEach => {
                let path = with_number(&out.path, number);
                self.is_numbered(out).then(|| OutRequest { path, ..out.clone() })
            }
        };
        self.outs.iter().filter_map(of_run).collect()
    }

    /// The name of the record of a run, next to the answer in JSON; `None` = it has no record.
    pub(super) fn record_of(&self, number: usize) -> Option<String> {
        let out = self.outs.iter().find(|out| name_of(out) == "json" && !out.is_stdout())?;
        let name = with_number(&out.path, number).file_name()?.to_string_lossy().into_owned();
        self.is_numbered(out).then_some(name)
    }

    fn is_numbered(&self, out: &OutRequest) -> bool {
        match name_of(out) {
            "csv" => self.has_intervals,
            _ => self.has_records,
        }
    }

    fn are_apart(&self) -> Result<(), CommandError> {
        let numbered = |out: &&OutRequest| {
            of_runs(out) == Some(ReportRuns::OneEach) && !out.is_stdout() && self.is_numbered(out)
        };
        for out in self.outs.iter().filter(numbered) {
            let of_run = |other: &&OutRequest| is_with_number(&other.path, &out.path);
            if let Some(other) = self.outs.iter().find(of_run) {
                return Err(CommandError::usage_errors([format!(
                    "--out {}: --out {} writes the report of a run to this file; name another file",
                    other.path.display(),
                    out.path.display()
                )]));
            }
        }
        Ok(())
    }
}

fn of_runs(out: &OutRequest) -> Option<ReportRuns> {
    Some(out_format(out)?.of_runs)
}

fn name_of(out: &OutRequest) -> &'static str {
    out_format(out).map_or("", |format| format.name)
}

fn out_format(out: &OutRequest) -> Option<&'static crate::report_formats::Format> {
    out.format
        .and_then(crate::report_formats::format_named)
        .or_else(|| crate::report_formats::format_of(&out.path))
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

/// Whether `path` is `whole` with the number of a run.
fn is_with_number(path: &Path, whole: &Path) -> bool {
    let number = || {
        let stem = path.file_stem()?.to_str()?;
        let digits = stem.strip_prefix(whole.file_stem()?.to_str()?)?.strip_prefix('-')?;
        digits.parse::<usize>().ok()
    };
    number().is_some_and(|number| number > 0 && with_number(whole, number) == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_outs(each: bool, has_records: bool) -> RepeatOutputs {
        let out = |format, path: &str| OutRequest { format, path: path.into() };
        let outs = vec![
            out(None, "a/run.json"),
            out(Some("json"), "run"),
            out(None, "x.csv"),
            out(None, "run.xml"),
            out(None, "run.txt"),
            out(None, "page.html"),
            out(None, "last.prom"),
            out(Some("json"), "-"),
        ];
        let (reports, text_to_stdout, keeps_all) = (false, false, true);
        let has_intervals = true;
        RepeatOutputs { outs, each, has_intervals, has_records, reports, text_to_stdout, keeps_all }
    }

    fn out_names(outs: &[OutRequest]) -> Vec<String> {
        outs.iter().map(|out| out.path.display().to_string()).collect()
    }

    #[test]
    fn runs_and_answer_have_separate_files() {
        let some = sample_outs(false, true);
        assert_eq!(out_names(&some.of_run(3)), ["a/run-3.json", "run-3", "x-3.csv", "run.xml", "last.prom"]);
        assert_eq!(out_names(&some.of_answer()), ["a/run.json", "run", "x.csv", "run.txt", "page.html", "-"]);
        assert_eq!(some.record_of(2).as_deref(), Some("run-2.json"));
        let each = sample_outs(true, true).of_run(1);
        assert_eq!(
            out_names(&each),
            ["a/run-1.json", "run-1", "x-1.csv", "run.xml", "run.txt", "last.prom", "-"]
        );
        let by_tool = sample_outs(false, false);
        assert_eq!(out_names(&by_tool.of_run(1)), ["x-1.csv", "run.xml", "last.prom"]);
        assert_eq!(by_tool.record_of(1), None);
        let without = RepeatOutputs { has_intervals: false, ..sample_outs(false, true) };
        assert!(!out_names(&without.of_run(1)).contains(&"x-1.csv".to_owned()));
    }

    #[test]
    fn answer_never_replaces_a_record() {
        for (other, is_apart) in [
            ("r-1.json", false),
            ("r-30.json", false),
            ("r-0.json", true),
            ("r-01.json", true),
            ("r-1.html", true),
            ("other/r-1.json", true),
            ("rr-1.json", true),
        ] {
            let out = |path: &str| OutRequest { format: Some("json"), path: path.into() };
            let both = RepeatOutputs { outs: vec![out("r.json"), out(other)], ..sample_outs(false, true) };
            assert_eq!(both.are_apart().is_ok(), is_apart, "{other}");
        }
    }
}
