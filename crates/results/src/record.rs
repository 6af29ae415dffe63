//! The record: profile, hosts and results of one run, in a versioned form.

use super::record_mismatch::RecordMismatchError;
use super::{Host, JudgedProgram, MergedHosts, Preconditioning, Results, SpanResults, TargetResults};
use diskspd_machine::System;
use diskspd_profile::{Profile, RateTotal, RunOptions, TargetId, TargetIds, TimeSpan};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// All data for printing any report of a run again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub format: RecordFormat,
    pub profile: Profile,
    /// Run options, which suffice together with the profile to repeat the run; `None` = not recorded.
    #[serde(default)]
    #[serde(rename = "method")]
    pub run_options: Option<RunOptions>,
    /// Preconditioning of the target, if the run is its last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconditioning: Option<Preconditioning>,
    /// Other program whose I/O was observed; `None` = this program performed the I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<JudgedProgram>>,
    /// Machines of the run with their results; usually one.
    pub hosts: Vec<Host>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Box<MergedHosts>>,
}

/// Host of a record without hosts.
static NOWHERE: LazyLock<Host> = LazyLock::new(Host::default);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFormat {
    /// Always [`RecordFormat::NAME`].
    pub name: String,
    /// Format version. It rises with each change that a reader of the previous version could misunderstand,
    /// but not with fields that old readers may ignore and new readers do not require.
    pub version: u32,
}

impl RecordFormat {
    pub const NAME: &str = "diskspd-record";
    pub const VERSION: u32 = 3;
}

impl Default for RecordFormat {
    fn default() -> Self {
        RecordFormat { name: Self::NAME.into(), version: Self::VERSION }
    }
}

impl Record {
    /// Creates a record in the current format.
    pub fn new(profile: Profile, system: System, results: Results) -> Record {
        let ids = TargetIds::from_profile(&profile);
        Record::with_targets(profile, &ids, system, results)
    }

    /// Creates the record with targets that the profile need not contain.
    pub(super) fn with_targets(
        profile: Profile,
        targets: &TargetIds,
        system: System,
        results: Results,
    ) -> Record {
        let hosts = vec![Host::single(targets, system, results)];
        let (run_options, preconditioning, program, whole) = (None, None, None, None);
        Record {
            format: RecordFormat::default(),
            profile,
            run_options,
            preconditioning,
            program,
            hosts,
            merged: whole,
        }
    }

    /// Returns the host whose figures reports show: the only host, or the merged one.
    pub fn host(&self) -> &Host {
        match &self.merged {
            Some(whole) => &whole.host,
            None => self.hosts.first().unwrap_or(&NOWHERE),
        }
    }

    pub fn present(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter().filter(|host| host.missing.is_none())
    }

    pub fn is_complete(&self) -> bool {
        self.hosts.iter().all(|host| host.missing.is_none())
    }

    pub fn asked_of_each(&self) -> &Profile {
        self.merged.as_ref().map_or(&self.profile, |whole| &whole.profile)
    }

    /// Returns the only host for modification.
    pub fn host_mut(&mut self) -> &mut Host {
        if self.hosts.is_empty() {
            self.hosts.push(Host::default());
        }
        &mut self.hosts[0]
    }

    pub fn with_run_options(self, run_options: RunOptions) -> Record {
        Record { run_options: Some(run_options), ..self }
    }

    /// The total rate of all threads and targets (`--rate-total`), if any. The ranks of a job share the
    /// requested rate, and missing ranks did not use their part. Hosts that ran alone each had the whole
    /// rate.
    pub fn rate_total(&self) -> Option<RateTotal> {
        let total = self.run_options.as_ref()?.rate_total?;
        let hosts = if self.merged.is_some() { self.present().count() as u64 } else { 1 };
        let ranks = self.hosts.iter().find_map(|host| host.ranks).map_or(1, u64::from).max(1);
        Some(RateTotal { ios_per_s: total.ios_per_s.saturating_mul(hosts) / ranks, ..total })
    }

    /// Returns the total offered rate in I/Os per second on the targets of a time span with a rate.
    pub fn offered_ios_per_s(&self, span: &TimeSpan) -> f64 {
        if let Some(replay) = self.run_options.as_ref().and_then(|run_options| run_options.replay.as_ref()) {
            return replay.ios_per_s().unwrap_or(0.0);
        }
        let each = span.targets.iter().filter_map(|target| span.offered_ios_per_s(target, self.rate_total()));
        each.fold(0.0, |sum, rate| sum + rate)
    }

    /// Checks that it has at most `most` intervals. Their number alone decides how much memory a report
    /// takes.
    ///
    /// # Errors
    /// Fails with the number of intervals.
    pub fn check_intervals(&self, most: u64) -> Result<(), RecordMismatchError> {
        let of_host =
            |host: &Host| host.results.time_spans.iter().map(longest_series).fold(0, u64::saturating_add);
        match self.hosts.iter().map(of_host).max() {
            Some(found) if found > most => Err(RecordMismatchError::Intervals { found, most }),
            _ => Ok(()),
        }
    }

    /// Checks that the parts are consistent: numbers of time spans, threads, targets and CPUs, and
    /// matching counts. A run's own record is always consistent, an edited one may not be. The error
    /// contains the inconsistency and its position.
    pub fn check(&self) -> Result<(), RecordMismatchError> {
        if self.merged.is_none() {
            must_equal("record", "hosts", 1, self.hosts.len() as u64)?;
        }
        let host = self.host();
        let misplaced = (0..).zip(&host.targets).find(|(place, target)| target.id != TargetId(*place));
        if let Some((place, target)) = misplaced {
            return Err(RecordMismatchError::MisplacedTarget {
                at: place,
                host: host.name.to_string(),
                id: target.id.0,
            });
        }
        let asked = &self.profile.time_spans;
        let got = &host.results.time_spans;
        must_equal("results", "time spans", asked.len() as u64, got.len() as u64)?;
        let active = host.system.topology.active_cpus().count() as u64;
        for (index, (asked, got)) in asked.iter().zip(got).enumerate() {
            if got.was_measured() {
                let place = format!("time span {}", index + 1);
                check_possible(&place, got)?;
                // A machine can hide the times of its CPUs.
                if !got.cpus.is_empty() {
                    must_equal(&place, "CPUs", active, got.cpus.len() as u64)?;
                }
                match &self.merged {
                    None => check_threads(&place, host, asked, got)?,
                    Some(_) => check_merged(&place, host, got)?,
                }
            }
        }
        Ok(())
    }
}

/// Returns the length of the longest series of a time span in intervals, including empty ones.
fn longest_series(span: &SpanResults) -> u64 {
    let rows = span.threads.iter().flat_map(|thread| &thread.targets);
    let series = rows.flat_map(|row| [&row.read.series, &row.write.series]).flatten();
    let covered = span.covered();
    series.map(|series| series.valid_count().max(series.begun_count(covered))).max().unwrap_or(0)
}

/// Maximum plausible bytes of one thread on one target: 1 EiB are 50 GB/s for nine months.
const MAX_BYTES: u64 = 1 << 60;
/// Maximum number of I/Os: 10 million per second for 28 years.
const MAX_IOS: u64 = 1 << 53;
/// Maximum duration of a run: a hundred years, in ns.
const MAX_TIME_NS: u64 = 100 * 31_557_600 * 1_000_000_000;

/// Checks that all figures are physically possible, because an impossible one would dominate sums.
fn check_possible(place: &str, got: &SpanResults) -> Result<(), RecordMismatchError> {
    let limit = |what: &'static str, found: u64, most: u64| match found > most {
        true => Err(RecordMismatchError::Impossible { place: place.to_owned(), what, found, most }),
        false => Ok(()),
    };
    limit("ns measured", got.measured, MAX_TIME_NS)?;
    for row in got.threads.iter().flat_map(|thread| &thread.targets) {
        for done in [&row.read, &row.write] {
            limit("bytes of one thread on a target", done.bytes, MAX_BYTES)?;
            limit("I/Os of one thread on a target", done.ios, MAX_IOS)?;
        }
    }
    Ok(())
}

/// Checks that a merged run refers only to existing items and contains all latencies.
fn check_merged(place: &str, host: &Host, got: &SpanResults) -> Result<(), RecordMismatchError> {
    let rows = || got.threads.iter().flat_map(|thread| &thread.targets);
    if let Some(row) = rows().find(|row| row.target.index() >= host.targets.len()) {
        return Err(RecordMismatchError::NoTarget { place: place.to_owned(), id: row.target.0 });
    }
    let merged =
        got.merged.as_deref().ok_or_else(|| RecordMismatchError::NoLatencies { place: place.to_owned() })?;
    let read = rows().map(|row| (&row.read, "reads")).collect::<Vec<_>>();
    let write = rows().map(|row| (&row.write, "writes")).collect::<Vec<_>>();
    for (rows, all) in [(read, &merged.read), (write, &merged.write)] {
        let Some(latency) = &all.latency else { continue };
        let what = rows.first().map_or("I/Os", |(_, name)| name);
        let ios = rows.iter().map(|(row, _)| row.ios).fold(0, u64::saturating_add);
        must_equal(place, &format!("latencies of {what}"), ios, latency.moments().count())?;
    }
    Ok(())
}

fn check_threads(
    place: &str,
    host: &Host,
    asked: &TimeSpan,
    got: &SpanResults,
) -> Result<(), RecordMismatchError> {
    must_equal(place, "threads", asked.threads(), got.threads.len() as u64)?;
    let targets = TargetCounts::new(asked);
    for (thread, results) in got.threads.iter().enumerate() {
        let place = format!("{place}, thread {thread}");
        let targets = targets.of_thread(thread as u32);
        must_equal(&place, "targets", targets, results.targets.len() as u64)?;
        for target in &results.targets {
            if target.target.index() >= host.targets.len() {
                return Err(RecordMismatchError::NoTarget { place, id: target.target.0 });
            }
            let path = host.path(target.target);
            check_target(&format!("{place}, target '{path}'"), asked, target)?;
        }
    }
    Ok(())
}

/// Number of targets of each thread: one with `-t`; in a pool all targets without their own list of threads.
struct TargetCounts {
    of_all: u64,
    /// Further ids, by thread.
    listed: BTreeMap<u32, u64>,
}

impl TargetCounts {
    fn new(span: &TimeSpan) -> TargetCounts {
        let mut counts = TargetCounts { of_all: 0, listed: BTreeMap::new() };
        if span.thread_count == 0 {
            counts.of_all = 1;
            return counts;
        }
        for target in &span.targets {
            let threads: BTreeSet<u32> = target.thread_targets.iter().map(|entry| entry.thread).collect();
            counts.of_all += u64::from(threads.is_empty());
            threads.into_iter().for_each(|thread| *counts.listed.entry(thread).or_default() += 1);
        }
        counts
    }

    fn of_thread(&self, thread: u32) -> u64 {
        self.of_all + self.listed.get(&thread).copied().unwrap_or(0)
    }
}

fn check_target(place: &str, asked: &TimeSpan, target: &TargetResults) -> Result<(), RecordMismatchError> {
    for (direction, name) in [(&target.read, "reads"), (&target.write, "writes")] {
        if direction.short > direction.ios {
            let (short, ios) = (direction.short, direction.ios);
            return Err(RecordMismatchError::Short { place: place.to_owned(), what: name, short, ios });
        }
        if let Some(misses) = direction.nowait_misses.filter(|misses| *misses > direction.ios) {
            let ios = direction.ios;
            return Err(RecordMismatchError::Misses { place: place.to_owned(), what: name, misses, ios });
        }
        if let Some(latency) = &direction.latency {
            must_equal(place, &format!("latencies of {name}"), direction.ios, latency.moments().count())?;
        }
        if let Some(paced) = &direction.paced {
            must_equal(
                place,
                &format!("start times of {name}"),
                direction.ios,
                paced.delay.moments().count(),
            )?;
            if let Some(response) = &paced.response {
                let what = format!("response times of {name}");
                must_equal(place, &what, direction.ios, response.moments().count())?;
            }
        }
        if let Some(series) = &direction.series
            && !series.has_shape(asked.io_bucket_duration, asked.duration)
        {
            return Err(RecordMismatchError::Series {
                place: place.to_owned(),
                what: name,
                interval_ms: asked.io_bucket_duration,
                duration_s: asked.duration,
            });
        }
    }
    Ok(())
}

fn must_equal(place: &str, what: &str, expected: u64, found: u64) -> Result<(), RecordMismatchError> {
    match expected == found {
        true => Ok(()),
        false => Err(RecordMismatchError::Count {
            place: place.to_owned(),
            what: what.to_owned(),
            expected,
            found,
        }),
    }
}
