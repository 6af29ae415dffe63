//! Recomputes every figure of a run from its log of single I/Os, and compares it with the reports and with
//! the devices' counters.
//!
//! ```text
//! diskspd --io-log ──▶ single I/Os ──recompute──▶ figures ┐
//!         --out    ──▶ text, XML, JSON, CSV ─────▶ figures ┴─▶ differences: docs/reference/measuring.md
//! ```

mod device;
mod lines;
mod log;
mod recompute;
mod reports;
mod tracepoints;

use crate::harness::{Arguments, Failure};
use recompute::{Figure, Figures, Run};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Maximum number of listed differences of a report; others are counted.
const LISTED: usize = 5;

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let below = arguments.directory()?;
    let only = arguments.value("--line")?;
    let diskspd = arguments.program()?;
    arguments.finish()?;
    let directory = tempfile::tempdir_in(below)?;
    let place = device::AuditStorage::new(directory.path())?;
    let (mut compared, mut differences, mut runs) = (0, 0, 0);
    for line in lines::LINES.iter().filter(|line| only.as_ref().is_none_or(|only| line.contains(only))) {
        let Some(words) = place.fill_in(line) else {
            println!("   skipped: {line}: it takes root and losetup");
            continue;
        };
        let found = audit(&diskspd, &words, &place, directory.path())?;
        runs += 1;
        compared += found.compared;
        differences += found.differences.len();
        println!("{:>8} figures, {} differences: {line}", found.compared, found.differences.len());
        found.differences.iter().for_each(|difference| println!("         {difference}"));
    }
    println!("{runs} runs, {compared} figures, {differences} differences");
    if differences == 0 { Ok(()) } else { Err("reports and logs differ".into()) }
}

#[derive(Default)]
struct AuditResult {
    compared: usize,
    differences: Vec<String>,
}

fn audit(
    diskspd: &Path,
    words: &[String],
    place: &device::AuditStorage,
    directory: &Path,
) -> Result<AuditResult, Failure> {
    let [log, text, xml, json, csv] =
        ["io.log", "run.txt", "run.xml", "run.json", "run.csv"].map(|name| directory.join(name));
    let mut command = Command::new(diskspd);
    command.arg("--io-log").arg(&log);
    for report in [&text, &xml, &json, &csv] {
        command.arg("--out").arg(report);
    }
    let before = place.counters().filter(|_| place.is_device(words));
    let trace = before.as_ref().and_then(|_| place.trace());
    let ended = command.args(words).output()?;
    let after = place.counters();
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    if !ended.status.success() {
        return Err(format!("diskspd {}: {errors}", words.join(" ")).into());
    }
    let record: Value = serde_json::from_slice(&std::fs::read(&json)?)?;
    let results = &record["hosts"][0]["results"]["time_spans"][0];
    let lines = log::read(&log)?;
    let mut found = AuditResult::default();
    if errors.contains("are missing") {
        found.differences.push("the log is incomplete: the I/Os came too fast for it".into());
        return Ok(found);
    }
    let (run, counted) = match understand(&record, &lines) {
        Ok(understood) => understood,
        Err(difference) => {
            found.differences.push(difference.to_string());
            return Ok(found);
        }
    };
    found.differences.extend(edges(&run, &lines, &counted, words));
    let figures = recompute::figures(&run, &counted);
    for (report, printed, exact) in printed(&record, [&text, &xml, &csv])? {
        found.compared += printed.len();
        let each =
            printed.iter().filter_map(|(name, value)| difference(report, name, value, &figures, exact));
        found.differences.extend(the_first(each.collect(), report));
    }
    if let (Some(before), Some(after)) = (before, after) {
        let depth: u64 = results["observed"]["resource_usage"]["workers"]
            .as_array()
            .map_or(0, |workers| workers.iter().filter_map(|worker| worker["depth"].as_u64()).sum());
        found.compared += 2;
        found.differences.extend(place.compare(&lines, depth, &before, &after));
        if let Some(trace) = trace {
            let (compared, differences) = trace.end(&lines, device::AuditStorage::missing(&lines, depth))?;
            found.compared += compared;
            found.differences.extend(differences);
        }
    }
    Ok(found)
}

fn printed(
    record: &Value,
    [text, xml, csv]: [&Path; 3],
) -> Result<[(&'static str, reports::Printed, bool); 4], Failure> {
    let read = |path: &Path| std::fs::read_to_string(path);
    Ok([
        ("text", reports::text(&read(text)?), false),
        ("XML", reports::xml(&read(xml)?), false),
        ("CSV", reports::csv(&read(csv)?), false),
        ("JSON", reports::json(&record["figures"]["time_spans"][0]), true),
    ])
}

fn the_first(mut differences: Vec<String>, report: &str) -> Vec<String> {
    let more = differences.len().saturating_sub(LISTED);
    if more > 0 {
        differences.truncate(LISTED);
        differences.push(format!("{report}: and {more} more"));
    }
    differences
}

fn understand(record: &Value, lines: &[log::Line]) -> Result<(Run, Vec<log::Line>), Failure> {
    let (asked, results) =
        (&record["profile"]["time_spans"][0], &record["hosts"][0]["results"]["time_spans"][0]);
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let warm_up = number(&asked["warmup"]) * 1_000_000_000;
    let counted = log::measured(lines, results, warm_up)?;
    let empty = Vec::new();
    let targets = asked["targets"].as_array().unwrap_or(&empty);
    let paths: Vec<String> =
        targets.iter().map(|target| target["path"].as_str().unwrap_or_default().to_owned()).collect();
    let has_intervals = asked["calculate_iops_std_dev"].as_bool() == Some(true);
    let milliseconds = if has_intervals { number(&asked["io_bucket_duration"]) } else { 0 };
    let mut rows = Vec::new();
    for (thread, results) in results["threads"].as_array().unwrap_or(&empty).iter().enumerate() {
        for target in results["targets"].as_array().unwrap_or(&empty) {
            let id = target["target"].as_u64().map(|id| id as usize);
            rows.push((thread, id.filter(|id| *id < paths.len()).ok_or("a row of no target")?));
        }
    }
    let width = milliseconds * 1_000_000;
    let begin = match width {
        0 => warm_up,
        _ => log::beginning(&counted, results, width, warm_up)?,
    };
    let run = Run {
        measured: number(&results["measured"]),
        width,
        allocated: (number(&asked["duration"]) * 1000).div_ceil(milliseconds.max(1)),
        begin,
        latency: asked["measure_latency"].as_bool() == Some(true),
        paths,
        rows,
        paced: lines.iter().any(|line| line.due.is_some()),
    };
    Ok((run, counted))
}

/// Tolerance in ns between a worker's phase check and the controlling thread's clock, because either may
/// wait for a CPU. Zero in simulated time.
const LOOSE: u64 = 300_000_000;

fn edges(run: &Run, all: &[log::Line], counted: &[log::Line], words: &[String]) -> Option<String> {
    let loose = if words.iter().any(|word| word.starts_with("sim")) { 0 } else { LOOSE };
    let (begin, end) = (run.begin, run.begin + run.measured);
    let inside = |line: &&log::Line| line.end() >= begin + loose && line.end() + loose < end;
    let must = all.iter().filter(inside).count();
    let early = counted.iter().filter(|line| line.end() + loose < begin).count();
    let late = counted.iter().filter(|line| line.end() > end + loose).count();
    let have = counted.iter().filter(inside).count();
    (must != have || early + late > 0).then(|| {
        format!(
            "{must} I/Os of the log are in the measured time, {have} of them were counted; {early} before \
             it, {late} after it"
        )
    })
}

fn difference(report: &str, name: &str, printed: &str, figures: &Figures, exact: bool) -> Option<String> {
    let Some(figure) = figures.get(name) else {
        return Some(format!("{report}: {name}: {printed}, but the log does not show it"));
    };
    let Figure { value, others, share } = figure;
    let number: Option<f64> = printed.parse().ok();
    // An average of nothing is printed as nothing, or as zero.
    let Some(value) = value else {
        return number
            .filter(|number| *number != 0.0)
            .map(|_| format!("{report}: {name}: {printed} instead of nothing"));
    };
    let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let rounding = if exact { 1e-12 } else { 0.5001 * 10f64.powi(-(decimals as i32)) };
    let right = |value: &f64, number: f64| (number - value).abs() <= rounding + share * value.abs();
    match number {
        Some(number) if right(value, number) || others.iter().any(|other| right(other, number)) => None,
        _ => Some(format!("{report}: {name}: {printed} instead of {value}")),
    }
}
