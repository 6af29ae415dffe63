//! The JSON in fio's output. Warnings and notes may surround it, and a file may contain several documents.

use super::super::error::LineError;
use diskspd_base::json_reader::{JsonError, read_json};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::Range;

pub(super) const VERSION: &str = "fio version";

pub(super) struct FioDocument {
    pub line: usize,
    pub place: Range<usize>,
    pub value: Value,
}

/// Whether the text is output of fio in another form than JSON.
pub(super) fn is_without_json(text: &str) -> bool {
    let terse = |line: &str| line.starts_with("3;fio-") || line.starts_with("4;fio-");
    let begins = |line: &str| line.starts_with("fio-") && line[4..].starts_with(|c: char| c.is_ascii_digit());
    text.lines().take(1000).any(|line| terse(line) || begins(line))
}

/// Returns all fio documents in a text, in order. Only the last of the `--status-interval` snapshots is
/// included.
///
/// # Errors
/// Fails if there is no document, or one is truncated.
pub(super) fn split_documents(text: &str) -> Result<Vec<FioDocument>, LineError> {
    let mut found: Vec<FioDocument> = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(piece) = text[at..].split_inclusive('\n').next() {
        let Some(begin) = begin_of_json(piece, &text[at + piece.len()..]).map(|begin| at + begin) else {
            (at, line) = (at + piece.len(), line + 1);
            continue;
        };
        let Some(length) = object_length(&text[begin..]) else {
            let fault = LineError::at_line(line, "the JSON that begins here does not end");
            return Err(fault.hint("was the file cut off, or is fio still running?"));
        };
        let place = begin..begin + length;
        let json_text = without_nan(&text[place.clone()]);
        let mut value: Value = read_json(json_text.as_bytes()).map_err(|error| line_fault(line, error))?;
        forget_lost_names(&json_text, &mut value);
        if value.get(VERSION).is_some() {
            let document = FioDocument { line, place: place.clone(), value };
            match found.last_mut().filter(|last| is_snapshot(&last.value, &document.value)) {
                Some(last) => *last = document,
                None => found.push(document),
            }
        }
        line += text[at..place.end].matches('\n').count();
        at = place.end;
    }
    if found.is_empty() {
        let fault = LineError::of_all("not fio's JSON");
        return Err(fault
            .hint("fio's normal and terse output have rounded figures: run fio with --output-format=json+"));
    }
    Ok(found)
}

/// Removes incomplete file names: fio writes all `filename` options of a job under one key, so only the
/// last survives.
fn forget_lost_names(json: &str, document: &mut Value) {
    let Value::Object(parts) = document else { return };
    let mut options: Vec<&mut Map<String, Value>> = Vec::new();
    for (name, part) in parts {
        match (name.as_str(), part) {
            ("global options", Value::Object(all)) => options.push(all),
            ("jobs" | "client_stats", Value::Array(jobs)) => {
                let of_jobs = jobs.iter_mut().filter_map(|job| job.get_mut("job options"));
                options.extend(of_jobs.filter_map(Value::as_object_mut));
            }
            _ => {}
        }
    }
    let is_known =
        |name: &str| options.iter().any(|of| of.get("filename").is_some_and(|known| known == name));
    let name = |line: &str| {
        let value = line.trim().strip_prefix("\"filename\"")?.trim_start().strip_prefix(':')?;
        serde_json::from_str::<String>(value.trim().trim_end_matches(',')).ok()
    };
    if !json.lines().filter_map(name).all(|name| is_known(&name)) {
        options.iter_mut().for_each(|of| drop(of.remove("filename")));
    }
}

/// Returns the start of JSON in a line: its first letter, or after other text if fio's JSON follows.
fn begin_of_json(line: &str, behind: &str) -> Option<usize> {
    if line.trim_start().starts_with('{') {
        return Some(line.len() - line.trim_start().len());
    }
    let before = line.trim_end().strip_suffix('{')?;
    let is_fios = behind.trim_start().strip_prefix('"').is_some_and(|name| name.starts_with(VERSION));
    is_fios.then_some(before.len())
}

fn line_fault(line: usize, error: JsonError) -> LineError {
    // Lines count from the document's first.
    let error = error.moved_by(line.saturating_sub(1));
    LineError::of_all(error.to_string()).hint("was the file edited or damaged?")
}

/// Returns the length in bytes of the object at the start of the text; `None` if it is not closed.
fn object_length(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Replaces `nan`, `-nan` and `inf`, which fio prints after a division by zero. They are invalid in JSON.
fn without_nan(json: &str) -> Cow<'_, str> {
    let is_value = |piece: &str| {
        let piece = piece.trim().trim_end_matches(',').trim_end().trim_start_matches('-');
        piece.eq_ignore_ascii_case("nan") || piece.eq_ignore_ascii_case("inf")
    };
    let is_undefined = |line: &str| line.rsplit_once(':').is_some_and(|(_, value)| is_value(value));
    if !json.lines().any(is_undefined) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for line in json.split_inclusive('\n') {
        match line.rsplit_once(':').filter(|(_, value)| is_value(value)) {
            Some((name, value)) => {
                text.push_str(name);
                text.push_str(if value.trim_end().ends_with(',') { ": null,\n" } else { ": null\n" });
            }
            None => text.push_str(line),
        }
    }
    Cow::Owned(text)
}

fn job_values(document: &Value) -> &[Value] {
    document.get("jobs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Whether the second is a later state of the same run: the jobs are the same, and the sums and the longest
/// I/O became no less. Newer versions of fio state when each job began. Older ones state to the millisecond
/// when the results were printed and how long the jobs ran, so that a run which began before the first was
/// printed is the same. The oldest state both in seconds.
fn is_snapshot(first: &Value, second: &Value) -> bool {
    let (before, after) = (job_values(first), job_values(second));
    let start = |job: &Value| job.get("job_start").and_then(Value::as_i64).filter(|ms| *ms > 0);
    let starts = |jobs: &[Value]| jobs.iter().map(start).collect::<Option<Vec<i64>>>();
    let goes_on = match (starts(before), starts(after)) {
        (Some(began), Some(later)) if !began.is_empty() => began == later,
        _ => began_before(first, second).unwrap_or_else(|| goes_on_by_seconds(first, second)),
    };
    let grown = |(before, after): (&Value, &Value)| {
        let figures = ["/read/total_ios", "/write/total_ios", "/read/lat_ns/max", "/write/lat_ns/max"];
        let figure = |job: &Value, at: &str| job.pointer(at).and_then(Value::as_f64);
        let same = before.get("jobname") == after.get("jobname");
        same && figures.iter().all(|at| figure(before, at) <= figure(after, at))
    };
    goes_on && before.len() == after.len() && before.iter().zip(after).all(grown)
}

/// Whether the jobs of the second document began before the first was printed; `None` = not stated.
fn began_before(first: &Value, second: &Value) -> Option<bool> {
    let printed = |value: &Value| value.get("timestamp_ms")?.as_i64();
    let longest =
        |value: &Value| job_values(value).iter().filter_map(|job| job.get("job_runtime")?.as_i64()).max();
    let (before, after) = (printed(first)?, printed(second)?);
    let (earlier, later) = (longest(first)?, longest(second)?);
    // Before its first I/O, fio states the time of its preparations, or 0 while it ramps up (`ramp_time`).
    let not_begun = !has_done_io(first) && is_same_start(first, second);
    let is_later = before <= after && earlier <= later && (before, earlier) != (after, later);
    Some(not_begun || is_later && after.saturating_sub(later) < before)
}

fn has_done_io(document: &Value) -> bool {
    let done = |job: &Value, figure: &&str| job.pointer(figure).and_then(Value::as_f64) > Some(0.0);
    let figures = ["/read/total_ios", "/write/total_ios", "/trim/total_ios"];
    job_values(document).iter().any(|job| figures.iter().any(|figure| done(job, figure)))
}

/// Whether fio began at the same time, within a second, and the document is later.
fn goes_on_by_seconds(first: &Value, second: &Value) -> bool {
    elapsed_s(second) > elapsed_s(first) && is_same_start(first, second)
}

fn elapsed_s(document: &Value) -> Option<i64> {
    job_values(document).iter().filter_map(|job| job.get("elapsed")?.as_i64()).max()
}

/// Whether fio began at the same time, within a second.
fn is_same_start(first: &Value, second: &Value) -> bool {
    let start = |document: &Value| {
        let printed = document.get("timestamp")?.as_i64()?;
        Some(printed.saturating_sub(elapsed_s(document)?))
    };
    start(first).zip(start(second)).is_some_and(|(first, second)| first.abs_diff(second) <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time of printing in ms, seconds since the start of fio, time of the job, I/Os.
    type State = (i64, i64, i64, u64);

    fn count_runs(states: &[State]) -> usize {
        let document = |(printed, elapsed, runtime, ios): &State| {
            let job = format!(
                "{{\"jobname\": \"j\", \"elapsed\": {elapsed}, \"job_runtime\": {runtime}, \
                 \"read\": {{\"total_ios\": {ios}, \"lat_ns\": {{\"max\": {ios}}}}}}}"
            );
            let timestamp = printed / 1000;
            format!(
                "{{\"fio version\": \"fio-3.33\", \"timestamp\": {timestamp}, \
                 \"timestamp_ms\": {printed}, \"jobs\": [{job}]}}\n"
            )
        };
        split_documents(&states.iter().map(document).collect::<String>()).unwrap().len()
    }

    #[test]
    fn snapshots_of_one_run_are_one_document() {
        let begun = (86_117, 2, 266, 3373);
        for (states, runs) in [
            // Before the first I/O the time of the preparations is stated.
            (&[(85_207, 1, 627, 0), (85_840, 2, 1135, 0), begun, (86_406, 2, 566, 6823)][..], 1),
            (&[(95_807, 1, 1113, 0), (96_892, 2, 2116, 0), (97_374, 3, 523, 3296)], 1),
            (&[(95_807, 1, 0, 0), (97_374, 3, 523, 3296)], 1),
            // The last snapshot and the result of an ended job.
            (&[(98_955, 4, 2000, 14_900), (99_018, 4, 2000, 14_900)], 1),
            // Other runs: begun later, with fewer I/Os, without any before.
            (&[begun, (96_117, 2, 266, 3373)], 2),
            (&[begun, (88_406, 2, 900, 100)], 2),
            (&[(85_207, 1, 627, 0), (96_117, 2, 266, 3373)], 2),
            // The same result twice.
            (&[begun, begun], 2),
        ] {
            assert_eq!(count_runs(states), runs, "{states:?}");
        }
    }
}
