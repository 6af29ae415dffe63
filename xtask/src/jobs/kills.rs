//! Ranks that are killed at any time. Completed points and time spans are kept, missing ranks are named, and
//! no false cause is reported.

use super::launched::{EndedJob, Jobs, LAUNCHERS};
use crate::harness::{Failure, Random, output, table};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const RANKS: usize = 4;
/// Sweep of three points of a second each.
const SWEEP: &str = "sweep --dir kept -w0,50,100 --engine null -b4K -r -t1 -g100i -c64K -d1 -W0 %r.dat";
/// Profile with three time spans of a second.
const SPANS: &str = "-Xspans.xml --engine null --out r.json %r.dat";
const SPAN: &str = "-Rpxml -b4K -r -t1 -g100i -c64K -d1 -W0 *1";
const POINTS: usize = 3;
/// Latest time of a kill in ms.
const LATEST: usize = 6500;
/// Words of findings that a killed rank must not cause.
const ACCUSATIONS: [&str; 3] = ["SIGSTOP", "was stopped", "suspended"];

#[derive(Default)]
struct Tally {
    untouched: usize,
    ended: usize,
    points: usize,
    merges: usize,
}

pub fn check(jobs: &Jobs, count: usize, seed: u64) -> Result<Vec<String>, Failure> {
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    let mut random = Random(seed);
    let profile = three_spans(jobs)?;
    for launcher in LAUNCHERS {
        let mut tally = Tally::default();
        for number in 0..count {
            let folder = jobs.new_folder()?;
            let (victim, moment) = (random.below(RANKS), Duration::from_millis(random.below(LATEST) as u64));
            let line = if number.is_multiple_of(2) { SWEEP } else { SPANS };
            fs::write(folder.path().join("spans.xml"), &profile)?;
            let pid = folder.path().join(format!("pid{victim}"));
            let mut is_killed = false;
            let ended =
                jobs.run(jobs.command(launcher, RANKS, line, folder.path()), folder.path(), |now| {
                    if !is_killed && now >= moment {
                        is_killed = kill_rank(&pid);
                    }
                })?;
            let job = format!("kill {number}, {}, rank {victim} after {} ms", launcher.0, moment.as_millis());
            let found = judge(jobs, &ended, is_killed, folder.path(), &mut tally)?;
            failures.extend(found.into_iter().map(|why| format!("{job}: {why}: {}", ended.stderr)));
        }
        let cells = [tally.untouched, tally.ended, tally.points, tally.merges].map(|cell| cell.to_string());
        rows.push([vec![launcher.0.to_owned(), count.to_string()], cells.to_vec()].concat());
    }
    let head =
        ["launcher", "kills", "ended before", "ended by the kill", "kept points", "merges with n of m"];
    table::print(&head, &rows, false);
    Ok(failures)
}

/// Returns a profile with the same time span three times.
fn three_spans(jobs: &Jobs) -> Result<String, Failure> {
    let profile = output(Command::new(&jobs.program).args(SPAN.split(' ')))?;
    let profile = profile.replace("<ResultFormat>xml<", "<ResultFormat>text<");
    let (begin, end) = ("<TimeSpan>", "</TimeSpan>");
    let (before, rest) = profile.split_once(begin).ok_or("the profile has no time span")?;
    let (span, after) = rest.split_once(end).ok_or("the time span has no end")?;
    Ok(format!("{before}{}{after}", format!("{begin}{span}{end}").repeat(3)))
}

/// Kills a rank if it has started; returns whether it has.
fn kill_rank(pid: &Path) -> bool {
    let pid = fs::read_to_string(pid).unwrap_or_default();
    let pid = pid.trim();
    !pid.is_empty() && Command::new("kill").args(["-KILL", pid]).status().is_ok_and(|status| status.success())
}

fn judge(
    jobs: &Jobs,
    ended: &EndedJob,
    is_killed: bool,
    folder: &Path,
    tally: &mut Tally,
) -> Result<Vec<String>, Failure> {
    let mut faults = Vec::new();
    let told = format!("{}{}", ended.stdout, ended.stderr);
    faults.extend(
        ACCUSATIONS.iter().filter(|word| told.contains(**word)).map(|word| format!("it reports '{word}'")),
    );
    let points = json_files(&folder.join("kept/records"));
    tally.points += points.len();
    let is_complete = points.len() == POINTS || ended.stdout.contains("Results for timespan 3");
    if !is_killed || ended.code == Some(0) && is_complete {
        tally.untouched += 1;
        return Ok(faults);
    }
    tally.ended += 1;
    let has_figures = |point: &&PathBuf| {
        let run = folder.join("kept/runs").join(point.file_name().unwrap_or_default());
        let run = fs::read(run).ok().and_then(|run| serde_json::from_slice::<Value>(&run).ok());
        run.is_some_and(|run| run["failure"].is_null())
    };
    for point in points.iter().filter(has_figures) {
        let record: Value = serde_json::from_slice(&fs::read(point)?)?;
        let hosts = record["hosts"].as_array().cloned().unwrap_or_default();
        let missing = hosts.iter().filter(|host| host["missing"].is_string()).count();
        if hosts.len() != RANKS || missing == RANKS {
            faults.push(format!("{} has {} hosts, {missing} of them missing", point.display(), hosts.len()));
        }
    }
    let records = json_files(folder);
    let kept: Vec<&PathBuf> =
        records.iter().filter(|path| path.to_string_lossy().contains("diskspd-rank-")).collect();
    if !kept.is_empty() {
        let merged = Command::new(&jobs.program).arg("merge").args(&kept).current_dir(folder).output()?;
        let text = String::from_utf8_lossy(&merged.stdout).into_owned();
        let errors = String::from_utf8_lossy(&merged.stderr).into_owned();
        let expected = format!("of {RANKS} hosts");
        // Records without figures have nothing to merge.
        match text.is_empty()
            || kept.len() == RANKS
            || text.lines().next().is_some_and(|line| line.contains(&expected))
        {
            true => tally.merges += usize::from(!text.is_empty()),
            false => {
                faults.push(format!("merge of {} records does not print '{expected}': {errors}", kept.len()))
            }
        }
        let accused = ACCUSATIONS.iter().filter(|word| text.contains(**word) || errors.contains(**word));
        faults.extend(accused.map(|word| format!("merge reports '{word}'")));
    }
    Ok(faults)
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|name| name == "json")).collect()
}
