//! Comparison of a job in fio and in the program, both without storage, by their logs of I/Os.

use super::logs::{self, LoggedIo};
use super::{convert, name};
use crate::harness::Failure;
use diskspd::profile::Target;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

pub const HEAD: &str = "\
| Job | Section | I/Os | Largest difference of a share | Offsets |
|---|---|---:|---:|---:|
";
/// Maximum I/Os of each section.
const IOS: usize = 200_000;
/// Maximum difference of shares of sizes and directions in percent.
const SHARE: f64 = 0.5;
/// Maximum distance of distributions of offsets.
const DISTANCE: f64 = 0.02;
/// Maximum distance of distributions by popularity: fio's hash puts several ranks on one block, and none on
/// others.
const POPULARITY: f64 = 0.1;

/// Compared section of a job.
pub struct Row {
    pub file: String,
    pub section: String,
    ios: usize,
    /// Largest difference in percent.
    share: f64,
    distance: f64,
    /// Whether blocks are compared by popularity instead of position.
    by_popularity: bool,
}

impl Row {
    /// Whether it differs by more than it may.
    pub fn differs(&self) -> bool {
        let most = if self.by_popularity { POPULARITY } else { DISTANCE };
        self.share > SHARE || self.distance > most
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { file, section, ios, share, distance, .. } = self;
        let by = if self.by_popularity { " (by popularity)" } else { "" };
        write!(f, "| {file} | {section} | {ios} | {share:.2} % | {distance:.4}{by} |")
    }
}

/// Compares the sections of a job; empty for a job in zones, which require a device.
///
/// # Errors
/// Fails if either program cannot be run.
pub fn rows(path: &Path, ours: &Path, fio: &str) -> Result<Vec<Row>, Failure> {
    let Ok(converted) = convert(path)? else { return Err(format!("{}: refused", path.display()).into()) };
    let mut spans = converted.profile.time_spans.iter();
    if spans.any(|span| span.targets.iter().any(|target| target.zoned)) {
        return Ok(Vec::new());
    }
    let folder = std::env::temp_dir().join(format!("fio-jobs-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let sections = sections(&fs::read_to_string(path)?);
    let targets: Vec<&Target> = converted.profile.time_spans.iter().flat_map(|span| &span.targets).collect();
    let theirs = theirs(path, &folder, &sections, fio);
    let ours = own(path, &folder, ours);
    let rows = theirs.and_then(|theirs| {
        let ours = ours?;
        let pairs = sections.iter().zip(&theirs).enumerate();
        pairs
            .map(|(number, (section, theirs))| {
                let own =
                    ours.get(number).ok_or_else(|| format!("{}: [{section}] did no I/O", path.display()))?;
                let target = targets.get(number).or(targets.last());
                Ok(row(name(path), section, theirs, own, target.is_some_and(|target| is_hashed(target))))
            })
            .collect()
    });
    fs::remove_dir_all(&folder)?;
    rows
}

fn is_hashed(target: &Target) -> bool {
    target.portions().iter().any(|portion| portion.target.spread.is_some())
}

/// Returns the names of the jobs in a text.
fn sections(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix('[')?;
        Some(name.split(']').next()?.to_owned())
    });
    names.filter(|name| !name.starts_with("global")).collect()
}

const ALONE: &str = "ioengine=null\niodepth=1\nnumjobs=1\nloops=1\nrate=0\nrate_iops=0\nthinktime=0\n\
                     startdelay=0\n\
                     ramp_time=0\nfsync=0\nfdatasync=0\nend_fsync=0\nfsync_on_close=0\n\
                     nrfiles=1\nio_submit_mode=inline\n";

fn with_lines(path: &Path, lines: impl Fn(usize) -> String) -> Result<String, Failure> {
    let mut made = String::new();
    let (mut job, mut number) = (false, 0);
    let text = fs::read_to_string(path)?;
    for line in text.lines().chain(["[end"]) {
        let ends = line.trim().starts_with('[');
        if ends && job {
            made += &lines(number);
            number += 1;
        }
        if ends {
            job = !line.trim().starts_with("[global");
        }
        let line = line.trim();
        // Without storage there are no names, nothing to verify, no atomic writes, and no options of an
        // engine. When a run ends changes none of its I/Os, and an older fio doesn't know all that can be
        // steady.
        let left_out = [
            "cmd_type",
            "sqthread_poll",
            "nonvectored",
            "registerfiles",
            "filename",
            "directory",
            "wait_for=",
            "verify",
            "do_verify",
            "atomic",
            "steadystate",
            "ss=",
            "ss_",
        ];
        if line != "[end" && !left_out.iter().any(|word| line.starts_with(word)) {
            made += line;
            made.push('\n');
        }
    }
    Ok(made)
}

fn size(path: &Path) -> Result<&'static str, Failure> {
    let text = fs::read_to_string(path)?;
    let stated = text.lines().any(|line| line.trim_start().starts_with("size="));
    Ok(if stated { "" } else { "size=1g\n" })
}

/// Returns the I/Os of each section in fio.
fn theirs(path: &Path, folder: &Path, sections: &[String], fio: &str) -> Result<Vec<Vec<LoggedIo>>, Failure> {
    let log = |number: usize| folder.join(format!("{number}.iolog"));
    let size = size(path)?;
    let job = with_lines(path, |number| {
        let log = log(number);
        format!("{ALONE}{size}time_based=1\nruntime=1\nio_size=0\nwrite_iolog={}\n", log.display())
    })?;
    let file = folder.join("theirs.fio");
    fs::write(&file, job)?;
    let done = Command::new(fio).arg("--output=/dev/null").arg(&file).current_dir(folder).output()?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(format!("{}: fio failed: {why}", path.display()).into());
    }
    (0..sections.len()).map(|number| logs::of_fio(&fs::read_to_string(log(number))?)).collect()
}

/// Returns the I/Os of each section in the program, in simulated time.
fn own(path: &Path, folder: &Path, ours: &Path) -> Result<Vec<Vec<LoggedIo>>, Failure> {
    let size = size(path)?;
    let job =
        with_lines(path, |_| format!("{ALONE}{size}time_based=1\nruntime=20\nio_size=0\nnumber_ios=1\n"))?;
    let (file, log) = (folder.join("ours.fio"), folder.join("ours.csv"));
    fs::write(&file, job)?;
    let mut line = Command::new(ours);
    line.arg("--fio").arg(&file).args(["--engine", "sim", "--quiet", "--io-log"]).arg(&log);
    let done = line.output()?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(format!("{}: diskspd failed: {why}", path.display()).into());
    }
    logs::own(&fs::read_to_string(log)?)
}

fn row(file: String, section: &str, theirs: &[LoggedIo], ours: &[LoggedIo], hashed: bool) -> Row {
    let ios = theirs.len().min(ours.len()).min(IOS);
    let (theirs, ours) = (&theirs[..ios], &ours[..ios]);
    let (one, other) = (shares(theirs), shares(ours));
    let kinds = one.keys().chain(other.keys());
    let difference = |kind| (one.get(kind).unwrap_or(&0.0) - other.get(kind).unwrap_or(&0.0)).abs();
    let share = kinds.map(difference).fold(0.0, f64::max) * 100.0;
    let distance = match hashed {
        true => distance(&popularity(theirs), &popularity(ours)),
        false => distance(&offsets(theirs), &offsets(ours)),
    };
    Row { file, section: section.to_owned(), ios, share, distance, by_popularity: hashed }
}

/// Returns the shares of each direction and size.
fn shares(ios: &[LoggedIo]) -> BTreeMap<(&str, u64), f64> {
    let mut shares = BTreeMap::new();
    for io in ios {
        *shares.entry((io.direction, io.size)).or_insert(0.0) += 1.0 / ios.len() as f64;
    }
    shares
}

fn offsets(ios: &[LoggedIo]) -> Vec<u64> {
    let mut offsets: Vec<u64> = ios.iter().map(|io| io.offset).collect();
    offsets.sort_unstable();
    offsets
}

fn popularity(ios: &[LoggedIo]) -> Vec<u64> {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    ios.iter().for_each(|io| *counts.entry(io.offset).or_insert(0) += 1);
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    let ranks = (0..).zip(counts);
    ranks.flat_map(|(rank, count)| std::iter::repeat_n(rank, usize::try_from(count).unwrap_or(0))).collect()
}

/// Returns the Kolmogorov-Smirnov distance of two sorted samples.
fn distance(one: &[u64], other: &[u64]) -> f64 {
    let below =
        |sample: &[u64], value| sample.partition_point(|known| *known <= value) as f64 / sample.len() as f64;
    one.iter().chain(other).map(|value| (below(one, *value) - below(other, *value)).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_distances_match_known_values() {
        assert_eq!(distance(&[1, 2, 3, 4], &[1, 2, 3, 4]), 0.0);
        assert_eq!(distance(&[1, 1], &[2, 2]), 1.0);
        assert_eq!(distance(&[1, 2, 3, 4], &[3, 3, 4, 4]), 0.5);
    }
}
