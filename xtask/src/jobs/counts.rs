//! Counts of every rank, recomputed from the log of its I/Os.

use super::launched::{Jobs, LAUNCHERS};
use crate::harness::{Failure, table};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SIZES: [usize; 3] = [2, 8, 32];
const LINE: &str = "--engine null -b4K -r -w30 -t1 -g200i -c64K -d2 -W1 --io-log %r.csv --out r.json %r.dat";

pub fn check(jobs: &Jobs) -> Result<Vec<String>, Failure> {
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for launcher in LAUNCHERS {
        for size in SIZES {
            let folder = jobs.new_folder()?;
            let ended = jobs.run(jobs.command(launcher, size, LINE, folder.path()), folder.path(), |_| ())?;
            let job = format!("counts, {}, {size} ranks", launcher.0);
            if ended.code != Some(0) {
                failures.push(format!("{job}: exit code {:?}: {}", ended.code, ended.stderr));
                continue;
            }
            let (counted, wrong) = recount(size, folder.path())?;
            rows.push(vec![
                launcher.0.to_owned(),
                size.to_string(),
                counted.to_string(),
                wrong.len().to_string(),
            ]);
            failures.extend(wrong.into_iter().map(|why| format!("{job}: {why}")));
        }
    }
    table::print(&["launcher", "ranks", "I/Os", "wrong ranks"], &rows, false);
    Ok(failures)
}

/// Returns the I/Os of all logs, and the ranks whose record has another number.
fn recount(size: usize, folder: &Path) -> Result<(u64, Vec<String>), Failure> {
    let record: Value = serde_json::from_slice(&fs::read(folder.join("r.json"))?)?;
    let (mut all, mut wrong) = (0, Vec::new());
    for rank in 0..size {
        let host = &record["hosts"][rank];
        let measured = host["summary"]["windows"][0]["measured"].as_u64().unwrap_or(0);
        let log = fs::read_to_string(folder.join(format!("{rank}.csv")))?;
        let logged = measured_ios(&log, measured);
        let figures = &host["summary"]["run"]["time_spans"][0];
        let recorded = ["read", "write"].map(|direction| figures[direction]["ios"].as_u64().unwrap_or(0));
        if logged != recorded {
            wrong.push(format!(
                "rank {rank}: its log has {logged:?} reads and writes, its record {recorded:?}"
            ));
        }
        all += logged.iter().sum::<u64>();
    }
    let total = ["read", "write"].map(|direction| {
        let threads = record["merged"]["host"]["results"]["time_spans"][0]["threads"].as_array();
        let ios = |thread: &Value| thread["targets"][0][direction]["ios"].as_u64().unwrap_or(0);
        threads.map_or(0, |threads| threads.iter().map(ios).sum::<u64>())
    });
    if total.iter().sum::<u64>() != all {
        wrong.push(format!("the record of all has {total:?} reads and writes, the logs {all} I/Os"));
    }
    Ok((all, wrong))
}

/// Reads and writes whose completion is in the measured time.
fn measured_ios(log: &str, measured: u64) -> [u64; 2] {
    let begin = log.lines().find_map(|line| {
        let words = line.strip_prefix('#')?.split(' ');
        words.filter_map(|word| word.strip_prefix("measuring_ns=")?.parse::<u64>().ok()).next()
    });
    let begin = begin.unwrap_or(0);
    let mut counts = [0; 2];
    for line in log.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells.get(cell).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let completed = number(5) + number(6);
        if (begin..=begin + measured).contains(&completed) {
            counts[usize::from(cells[2] == "write")] += 1;
        }
    }
    counts
}
