//! The log of single I/Os, and which of them the measured time holds.

use crate::harness::Failure;
use diskspd::stats::Series;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// I/O with times in ns since the start signal.
#[derive(Debug, Clone)]
pub struct Line {
    pub thread: usize,
    pub target: usize,
    pub write: bool,
    pub offset: u64,
    pub size: u64,
    pub start: u64,
    pub latency: u64,
    pub due: Option<u64>,
}

impl Line {
    pub fn end(&self) -> u64 {
        self.start + self.latency
    }
}

/// Reads all I/Os of a run with one time span.
pub fn read(path: &Path) -> Result<Vec<Line>, Failure> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    if head != "thread,target,direction,offset,size,start_ns,latency_ns,due_ns" {
        return Err(format!("the log begins with {head}").into());
    }
    let line = |text: &str| {
        let cells: Vec<&str> = text.split(',').collect();
        let number = |index: usize| -> Option<u64> { cells.get(index)?.parse().ok() };
        Some(Line {
            thread: number(0)? as usize,
            target: number(1)? as usize,
            write: *cells.get(2)? == "write",
            offset: number(3)?,
            size: number(4)?,
            start: number(5)?,
            latency: number(6)?,
            due: number(7),
        })
    };
    let lines = lines.filter(|text| !text.starts_with('#'));
    lines.map(|text| line(text).ok_or_else(|| format!("the log has the line {text}").into())).collect()
}

type Sums = (u64, u64, Option<u128>);

/// Returns the I/Os of the measured time.
///
/// The log does not contain its exact beginning, because a worker checks the phase after its timestamp.
/// The I/Os of a thread are logged in order of counting, and the counted ones are adjacent. There is
/// therefore a first one, from which the record's number of I/Os has the record's sums. It must be where
/// the measured time can begin.
pub fn measured(all: &[Line], results: &Value, warm_up: u64) -> Result<Vec<Line>, Failure> {
    let empty = Vec::new();
    let threads = results["threads"].as_array().unwrap_or(&empty);
    let mut counted = Vec::new();
    for (thread, recorded) in threads.iter().enumerate() {
        let lines: Vec<&Line> = all.iter().filter(|line| line.thread == thread).collect();
        let mut wanted: Vec<Sums> = Vec::new();
        for target in recorded["targets"].as_array().unwrap_or(&empty) {
            for direction in ["read", "write"] {
                let direction = &target[direction];
                let sum = direction["latency"]["moments"]["sum"].as_str().and_then(|sum| sum.parse().ok());
                let number = |name: &str| direction[name].as_u64().unwrap_or(0);
                let sum = sum.or((direction["latency"].is_object()).then_some(0));
                wanted.push((number("ios"), number("bytes"), sum));
            }
        }
        // A thread of -t has one target, whatever its number; one of a pool has all of them.
        let single = wanted.len() == 2;
        let place = |line: &Line| 2 * if single { 0 } else { line.target } + usize::from(line.write);
        let count: u64 = wanted.iter().map(|sums| sums.0).sum();
        let Some(last) = (lines.len() as u64).checked_sub(count) else {
            return Err(format!("thread {thread}: {count} I/Os were counted, {} logged", lines.len()).into());
        };
        let mut sums: Vec<Sums> = wanted.iter().map(|sums| (0, 0, sums.2.map(|_| 0))).collect();
        let add = |sums: &mut Vec<Sums>, line: &Line, sign: bool| {
            let sums = &mut sums[place(line)];
            match sign {
                true => (sums.0, sums.1) = (sums.0 + 1, sums.1 + line.size),
                false => (sums.0, sums.1) = (sums.0 - 1, sums.1 - line.size),
            }
            let latency = u128::from(line.latency);
            sums.2 = sums.2.map(|sum| if sign { sum + latency } else { sum - latency });
        };
        lines[..count as usize].iter().for_each(|line| add(&mut sums, line, true));
        let mut found = None;
        for first in 0..=last as usize {
            let begins = count == 0 || lines[first].end() >= warm_up;
            if begins && sums == wanted {
                found = Some(first);
                break;
            }
            if first < last as usize {
                add(&mut sums, lines[first], false);
                add(&mut sums, lines[first + count as usize], true);
            }
        }
        let Some(first) = found else {
            return Err(format!(
                "thread {thread}: no {count} I/Os side by side in the log make its sums {wanted:?}"
            )
            .into());
        };
        counted.extend(lines[first..first + count as usize].iter().map(|line| (*line).clone()));
    }
    Ok(counted)
}

pub fn beginning(counted: &[Line], results: &Value, width: u64, warm_up: u64) -> Result<u64, Failure> {
    let (mut after, mut until) = (0u64, u64::MAX);
    let empty = Vec::new();
    let mut rows: BTreeMap<(usize, usize, bool), Vec<u64>> = BTreeMap::new();
    for (thread, recorded) in results["threads"].as_array().unwrap_or(&empty).iter().enumerate() {
        let targets = recorded["targets"].as_array().unwrap_or(&empty);
        for (index, target) in targets.iter().enumerate() {
            for (write, name) in [(false, "read"), (true, "write")] {
                let series =
                    serde_json::from_value::<Series>(target[name]["series"].clone()).unwrap_or_default();
                let counts = series.valid().map(|interval| interval.count()).collect();
                let index = if targets.len() == 1 { usize::MAX } else { index };
                rows.insert((thread, index, write), counts);
            }
        }
    }
    for ((thread, target, write), counts) in rows {
        let of_row = |line: &&Line| {
            line.thread == thread && line.write == write && (target == usize::MAX || line.target == target)
        };
        let mut lines = counted.iter().filter(of_row);
        for (number, count) in counts.iter().enumerate() {
            for _ in 0..*count {
                let Some(line) = lines.next() else { return Err("the intervals hold more I/Os".into()) };
                let from = number as u64 * width;
                until = until.min(line.end().saturating_sub(from));
                after = after.max((line.end() + 1).saturating_sub(from + width));
            }
        }
        let behind = counts.len() as u64 * width;
        lines.for_each(|line| until = until.min(line.end().saturating_sub(behind)));
    }
    match after.max(warm_up) <= until {
        true if until == u64::MAX => Ok(warm_up),
        true => Ok(after.max(warm_up)),
        false => {
            Err(format!("no beginning of the measured time makes these intervals: {after} to {until} ns")
                .into())
        }
    }
}
