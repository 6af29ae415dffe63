//! Reader of fio results: JSON and JSON+ of fio 2 and 3, including surrounding output. Missing values are
//! unknown, and unknown fields are ignored.
//!
//! ```text
//! bytes ─decode─▶ text ─documents─▶ JSON ─jobs of a group, which ran together─▶ a time span ─▶ RunSummary
//! ```
//!
//! A document is a run, and a group of jobs is a time span; `stonewall` starts a new group. The jobs of a
//! group are summed like `group_reporting`. Percentiles are computed only from the bins of JSON+, because
//! percentiles of several jobs cannot be added.

mod documents;
mod jobs;
mod latency;
mod logs;
mod options;
mod span;

use super::decode::{decoded, name_runs};
use super::error::{LineError, ResultError};
use diskspd_base::finding::Severity;
use diskspd_base::limits;
use diskspd_profile::xml::text::bytes as plain_bytes;
use diskspd_results::{Findings, Origin, RunSummary, SpanSummary};
use documents::{FioDocument, VERSION};
use jobs::FioJob;
use serde_json::Value;

pub use logs::{MAX_LOG_BYTES, is_any_log, is_log_of, series};

/// Maximum file size in bytes: JSON+ of a thousand jobs.
pub const MAX_BYTES: u64 = limits::FIO_RESULTS.bytes;

/// Maximum number of jobs in a result: four times fio's limit per host.
const MAX_JOBS: usize = 1 << 14;

/// Whether the beginning of a text identifies output of fio, even if unreadable.
pub fn begins_so(text: &str) -> bool {
    text.contains("\"fio version\"") || documents::is_without_json(text)
}

/// Reads all runs of a file.
///
/// # Errors
/// Fails with the line if the text is not fio's JSON, or is truncated.
pub fn read(bytes: &[u8], name: &str) -> Result<Vec<RunSummary>, ResultError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(LineError::of_all(format!("larger than {} MiB, the limit", MAX_BYTES >> 20)).into());
    }
    if is_dense(bytes) {
        let what = "more lists, objects and values than results of fio of this size have";
        return Err(LineError::of_all(what.to_owned()).into());
    }
    let text = decoded(bytes);
    let documents = documents::split_documents(&text)?;
    let runs = documents.iter().map(run).collect::<Result<Vec<RunSummary>, LineError>>()?;
    Ok(name_runs(runs, name))
}

/// Whether a text would take far more memory when it is parsed than fio's own, which has at least 230 bytes
/// for each list or object, and
/// 29 for each value.
fn is_dense(bytes: &[u8]) -> bool {
    let count = |these: &[u8]| bytes.iter().filter(|byte| these.contains(byte)).count();
    count(b"[{") > (1 << 14) + bytes.len() / 100 || count(b",") > (1 << 16) + bytes.len() / 12
}

pub fn parts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let text = decoded(bytes);
    let documents = documents::split_documents(&text).unwrap_or_default();
    documents.into_iter().map(|document| plain_bytes(&text[document.place])).collect()
}

fn run(document: &FioDocument) -> Result<RunSummary, LineError> {
    let jobs = jobs::read_jobs(&document.value);
    if jobs.len() > MAX_JOBS {
        let what = format!("{} jobs in one result; at most {MAX_JOBS} are read", jobs.len());
        return Err(LineError::at_line(document.line, what));
    }
    if jobs.is_empty() {
        let fault = LineError::at_line(document.line, "fio's results hold no jobs");
        return Err(fault.hint("did fio fail before its first job? see the messages next to the JSON"));
    }
    let mut run = RunSummary::new("", Origin::Fio { version: fio_version(&document.value) });
    run.started_at = started_at(&document.value, &jobs);
    run.hosts = host_names(&jobs);
    let groups = jobs::groups(&jobs);
    let mut spans: Vec<SpanSummary> = groups.iter().map(|group| span::from_group(group)).collect();
    for (span, files) in spans.iter_mut().zip(logs::files_of(&groups)) {
        span.fio.iter_mut().for_each(|fio| fio.logs.clone_from(&files));
    }
    let named: Vec<&String> =
        spans.iter().filter_map(|span| span.fio.as_ref()).flat_map(|fio| &fio.jobs).collect();
    if let [name] = named[..] {
        run.label = Some(name.clone()).filter(|name| !name.is_empty());
    }
    if spans.iter().any(|span| span.fio.as_ref().is_some_and(|fio| !fio.failed.is_empty())) {
        run.findings = Some(Findings::new(Some(Severity::Wrong), ["fio-job-failed"]));
    }
    run.time_spans = spans.into_iter().map(Some).collect();
    Ok(run)
}

/// Returns `3.33` of `fio-3.33`.
fn fio_version(document: &Value) -> Option<String> {
    let version = document.get(VERSION)?.as_str()?;
    Some(version.strip_prefix("fio-").unwrap_or(version).to_owned())
}

/// Returns the start of the first job, as reported by newer fio versions. Otherwise it is the print time
/// minus fio's run time, or minus the longest job without a run time (client and server).
fn started_at(document: &Value, jobs: &[FioJob]) -> Option<i64> {
    let stated = jobs.iter().filter_map(|job| job.value.get("job_start")?.as_i64());
    if let Some(ms) = stated.min().filter(|ms| *ms > 0) {
        return Some(ms / 1000);
    }
    let printed = document.get("timestamp")?.as_i64()?;
    let elapsed = jobs.iter().filter_map(|job| job.value.get("elapsed")?.as_i64()).max();
    let lasted = || (jobs.iter().map(FioJob::runtime_ms).max().unwrap_or(0) / 1000) as i64;
    printed.checked_sub(elapsed.unwrap_or_else(lasted))
}

fn host_names(jobs: &[FioJob]) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for host in jobs.iter().filter_map(|job| job.host) {
        if !hosts.iter().any(|known| known == host) {
            hosts.push(host.to_owned());
        }
    }
    hosts
}
