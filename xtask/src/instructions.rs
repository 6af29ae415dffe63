//! Instructions per I/O of the worker loop on the engine `null`, counted by valgrind. They are the same on
//! a busy machine, unlike time, so a slower loop is detected at its place.
//!
//! `Worker::run` itself is counted (see `diskspd::run::exact_loop`), once for few I/Os and once for many. The
//! difference per I/O excludes one-time costs. Time is virtual, so that the result is independent of it
//! and reading it is nearly free. `cargo xtask ceiling` measures the cost of a clock.

use crate::harness::{Arguments, Failure, is_installed, program, table};
use diskspd::host;
use diskspd::run::Options;
use diskspd::run::exact_loop::{Time, run_exactly};
use std::fs;
use std::process::Command;

/// Command lines without engine, block size, file size and target.
const WORKLOADS: &[&str] = &[
    "-o1 -r",
    "-o1 -r -L",
    "-o32 -s",
    "-o32 -si",
    "-o32 -r",
    "-o32 -r -L",
    "-o32 -r -L -D",
    "-o32 -r -x -L",
    "-o32 -r -w30",
    "-o32 -r -w30 --bs-split 4K/60:8K/30:64K/10",
    "-o32 -r -rdpct90/10:10/90",
    "-o32 -w30 -rs50 -rdpct90/10:10/90 -L -D",
    "-o32 -r -b512 -w100 -Z",
    "-o32 -r -b512 -w100 -Z1M",
    "-o32 -r -b512 -w100 -Zr",
];
/// I/Os of the short and the long run, multiples of every depth.
const SHORT_RUN_IOS: u64 = 3_200;
const LONG_RUN_IOS: u64 = SHORT_RUN_IOS + 64_000;
const EACH: Time = Time::Steady(800);
const TOLERANCE: f64 = 0.03;
const OTHER_COMPILER: f64 = 0.15;

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    if let Some(line) = arguments.value("--one")? {
        let ios = arguments.number("--ios", SHORT_RUN_IOS)?;
        return one(&line, ios);
    }
    let (check, record) = (arguments.flag("--check"), arguments.flag("--record"));
    arguments.finish()?;
    if !is_installed("valgrind") {
        return Err("valgrind is not installed (apt-get install valgrind)".into());
    }
    let counted = WORKLOADS
        .iter()
        .map(|workload| Ok(Row { workload: (*workload).to_owned(), instructions: count(workload)? }))
        .collect::<Result<Vec<Row>, Failure>>()?;
    let now = Record { built: built()?, rows: counted };
    if record {
        fs::write(record_path(), now.to_text())?;
    }
    if check {
        let kept = fs::read_to_string(record_path())
            .map_err(|e| format!("{}: {e}; cargo xtask instructions --record", record_path()))?;
        return compare(&Record::from_text(&kept)?, &now);
    }
    let rows: Vec<Vec<String>> = now
        .rows
        .iter()
        .map(|row| vec![row.workload.clone(), table::number(Some(row.instructions), 1)])
        .collect();
    table::print(&["workload", "instructions per I/O"], &rows, false);
    Ok(())
}

fn record_path() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/instructions.txt").to_owned()
}

fn one(line: &str, ios: u64) -> Result<(), Failure> {
    // Sizes are said once.
    let size = if line.contains("--bs-split") { "" } else { "-b4K" };
    let request = program::request(&format!("{size} -c64G --engine null -n -W0 -d3600 {line} target"))?;
    let options = Options::from(request.run_options.clone());
    run_exactly(&request.profile, &host::snapshot(), &options, ios, EACH)?;
    Ok(())
}

/// Instructions per I/O.
fn count(workload: &str) -> Result<f64, Failure> {
    let (few, many) = (total(workload, SHORT_RUN_IOS)?, total(workload, LONG_RUN_IOS)?);
    Ok((many as f64 - few as f64) / (LONG_RUN_IOS - SHORT_RUN_IOS) as f64)
}

fn total(workload: &str, ios: u64) -> Result<u64, Failure> {
    let out = tempfile::NamedTempFile::new()?;
    let ran = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--collect-atstart=no",
            "--toggle-collect=diskspd_run::span::system::exact_loop::worker_outcome*",
        ])
        .arg(format!("--callgrind-out-file={}", out.path().display()))
        .arg(std::env::current_exe()?)
        .args(["instructions", "--one", workload, "--ios", &ios.to_string()])
        .output()?;
    if !ran.status.success() {
        return Err(format!("{workload}: {}", String::from_utf8_lossy(&ran.stderr)).into());
    }
    let text = fs::read_to_string(out.path())?;
    let counted = text.lines().find_map(|line| line.strip_prefix("totals:")?.trim().parse().ok());
    match counted {
        Some(0) | None => Err(format!("{workload}: valgrind has counted nothing").into()),
        Some(instructions) => Ok(instructions),
    }
}

/// Returns compiler and architecture, because counts of others differ.
fn built() -> Result<String, Failure> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = String::from_utf8(Command::new(rustc).arg("--version").output()?.stdout)?;
    let version = version.split_ascii_whitespace().nth(1).unwrap_or("unknown");
    Ok(format!("rustc {version}, {}", std::env::consts::ARCH))
}

#[derive(Debug, PartialEq)]
struct Record {
    built: String,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    workload: String,
    /// Instructions per I/O.
    instructions: f64,
}

impl Record {
    fn to_text(&self) -> String {
        let rows = self.rows.iter().map(|row| format!("{:8.1}  {}\n", row.instructions, row.workload));
        format!(
            "# Instructions per I/O of the worker loop on `null`: cargo xtask instructions --record\n# \
             {}\n{}",
            self.built,
            rows.collect::<String>()
        )
    }

    fn from_text(text: &str) -> Result<Record, Failure> {
        let mut comments = text.lines().filter_map(|line| line.strip_prefix("# "));
        let built = comments.nth(1).ok_or("the record does not name its build tools")?.to_owned();
        let row = |line: &str| {
            let (number, workload) = line.trim().split_once("  ")?;
            Some(Row { workload: workload.to_owned(), instructions: number.parse().ok()? })
        };
        let rows = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                row(line).ok_or_else(|| format!("the record has a line of no meaning: {line}").into())
            })
            .collect::<Result<Vec<Row>, Failure>>()?;
        Ok(Record { built, rows })
    }

    fn architecture(&self) -> &str {
        self.built.rsplit(' ').next().unwrap_or_default()
    }
}

/// Prints both, and fails where there are more now than the tolerance allows.
fn compare(kept: &Record, now: &Record) -> Result<(), Failure> {
    if kept.architecture() != now.architecture() {
        println!("not compared: the record is of {}, this is {}", kept.built, now.built);
        return Ok(());
    }
    let same = kept.built == now.built;
    let tolerance = if same { TOLERANCE } else { OTHER_COMPILER };
    if !same {
        println!(
            "the record is of {}, this is {}: {:.0} % are allowed",
            kept.built,
            now.built,
            tolerance * 100.0
        );
    }
    let (mut rows, mut dearer, mut cheaper) = (Vec::new(), Vec::new(), false);
    for row in &now.rows {
        let before = kept.rows.iter().find(|old| old.workload == row.workload).map(|old| old.instructions);
        let change = before.map(|before| row.instructions / before - 1.0);
        match change {
            Some(change) if change <= tolerance => cheaper |= change < -tolerance,
            Some(_) => dearer.push(row.workload.clone()),
            None => dearer.push(format!("{} (not in the record)", row.workload)),
        }
        rows.push(vec![
            row.workload.clone(),
            table::number(before, 1),
            table::number(Some(row.instructions), 1),
            change.map_or_else(|| "-".to_owned(), |change| format!("{:+.1} %", change * 100.0)),
        ]);
    }
    table::print(&["workload, instructions per I/O", "record", "now", "change"], &rows, false);
    if !dearer.is_empty() {
        return Err(format!(
            "more instructions per I/O than recorded: {}. If that is worth it, say why in the commit and \
             keep the new counts: cargo xtask instructions --record",
            dearer.join(", ")
        )
        .into());
    }
    if cheaper {
        println!("fewer than recorded; record the new figure with cargo xtask instructions --record");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(built: &str, instructions: &[f64]) -> Record {
        let rows = instructions.iter().zip(WORKLOADS);
        let row = |(n, workload): (&f64, &&str)| Row { workload: (*workload).to_owned(), instructions: *n };
        Record { built: built.to_owned(), rows: rows.map(row).collect() }
    }

    #[test]
    fn instruction_record_round_trips() {
        let there = record("rustc 1.90.0, x86_64", &[57.0, 1234.5]);
        assert_eq!(Record::from_text(&there.to_text()).unwrap(), there);
        assert!(Record::from_text("# a\n# b\nnonsense\n").is_err());
    }

    #[test]
    fn only_differences_above_the_tolerance_fail() {
        let kept = record("rustc 1.90.0, x86_64", &[100.0, 50.0]);
        for (built, now, fine) in [
            ("rustc 1.90.0, x86_64", [102.9, 50.0], true),
            ("rustc 1.90.0, x86_64", [80.0, 50.0], true),
            ("rustc 1.90.0, x86_64", [100.0, 52.0], false),
            ("rustc 1.91.0, x86_64", [110.0, 52.0], true),
            ("rustc 1.91.0, x86_64", [120.0, 50.0], false),
            ("rustc 1.90.0, aarch64", [200.0, 50.0], true),
        ] {
            assert_eq!(compare(&kept, &record(built, &now)).is_ok(), fine, "{built} {now:?}");
        }
        let more = record("rustc 1.90.0, x86_64", &[100.0, 50.0, 1.0]);
        assert!(compare(&kept, &more).is_err(), "a workload that has no record");
    }

    #[test]
    fn every_workload_is_a_command_line() {
        for workload in WORKLOADS {
            one(workload, 32).unwrap();
        }
    }
}
