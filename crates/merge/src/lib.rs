//! Merging of several hosts' records of the same run into one record, by adding their results.
//!
//! ```text
//! Record of a host, one at a time ──add──▶ sums, and a summary of each ──finish──▶ Record
//! ```
//!
//! Records are added one at a time and then dropped. Memory grows only with the part of each host in the
//! merged record ([`diskspd_results::MergedHosts`]). `axis` aligns the times of the hosts.
//!
//! Invariant: memory does not grow with the time series of the hosts.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod axis;
mod host_place;
mod known;
mod machines;
mod merged_profile;
mod same_machine;
mod spans;
mod summary;

pub use known::merge_known;

use axis::DisjointWindows;
use diskspd_base::limits;
use diskspd_checks::JudgedRecord;
use diskspd_figures::units::visible::drives;
use diskspd_formats::index;
use diskspd_machine::storage::Storage;
use diskspd_profile::{Profile, RawText, RunOptions, TargetId, TargetIds};
use diskspd_results::{Host, HostTarget, MergedHosts, Record, RecordFormat, Results};
use host_place::HostIndexes;
use same_machine::RankObserved;
use spans::SpanSum;
use std::collections::{HashMap, HashSet};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("there is no record to merge")]
    Nothing,
    #[error("{name} is a merged record; name the records of its hosts instead")]
    Merged { name: String },
    #[error(
        "{name} is the same run of the same host as {first}: its figures would count twice; name each host's \
         record once"
    )]
    Twice { name: String, first: String },
    #[error(
        "{name} belongs to another run than {first}: {what}; only runs of the same profile can be \
             merged"
    )]
    Different { name: String, first: String, what: String },
    /// The host was measured at another time.
    #[error("{name} was not measured at the same time as the hosts before it: {what}")]
    Apart {
        name: String,
        #[source]
        what: Box<DisjointWindows>,
    },
}

#[derive(Debug, Default)]
pub struct Merge {
    first: Option<First>,
    /// Profile of the merged record so far.
    profile: Profile,
    hosts: Vec<Host>,
    names: HashSet<String>,
    added: HashMap<(String, u32), String>,
    /// Rank and number of ranks of each added record.
    ranks: Vec<(u32, Option<u32>)>,
    /// Next number for each host name.
    numbers: HashMap<String, u32>,
    machine: machines::Machines,
    observed: Vec<RankObserved>,
    /// Targets of all hosts in order.
    targets: Vec<HostTarget>,
    spans: Vec<SpanSum>,
}

#[derive(Debug)]
struct First {
    called: String,
    profile: Profile,
    run_options: Option<RunOptions>,
    version: Option<String>,
}

impl Merge {
    /// Adds the record of one host; `called` is its file name in messages.
    ///
    /// # Errors
    /// Fails if it belongs to another run; the sums are then unchanged.
    pub fn add(&mut self, record: Record, called: &str) -> Result<(), MergeError> {
        let name = || called.to_owned();
        if record.merged.is_some() {
            return Err(MergeError::Merged { name: name() });
        }
        if let Some(first) = &self.first
            && let Some(what) = first.find_difference(&record)
        {
            return Err(MergeError::Different { name: name(), first: first.called.clone(), what });
        }
        // Ranks of one machine that were started in one second differ by their rank at least.
        let copies = (index::identity(&record), record.host().rank);
        if let Some(first) = self.added.get(&copies).filter(|_| in_real_time(&record)) {
            return Err(MergeError::Twice { name: name(), first: first.clone() });
        }
        for (sum, results) in self.spans.iter().zip(&record.host().results.time_spans) {
            let window = axis::window(record.host(), sum.index, results);
            let apart = |what| MergeError::Apart { name: name(), what: Box::new(what) };
            sum.axis.admits(window).map_err(apart)?;
        }
        let first = self.first.get_or_insert_with(|| First {
            called: called.to_owned(),
            profile: record.profile.clone(),
            run_options: record.run_options.clone(),
            version: program_version(&record).map(str::to_owned),
        });
        if self.spans.is_empty() {
            self.profile = merged_profile::without_targets(&first.profile);
            self.spans = (0..record.profile.time_spans.len()).map(SpanSum::new).collect();
        }
        self.added.insert(copies, name());
        self.take_record(record, called);
        Ok(())
    }

    /// Adds a host without figures; [`Host::missing`] is the reason.
    pub fn miss(&mut self, host: Host) {
        let (name, rank) = (self.unique_label(&host.name), self.hosts.len() as u32);
        self.hosts.push(Host { name, rank, ..host });
    }

    /// Adds the ranks of the job without a record; nothing where the records are not of one job.
    pub fn miss_absent_ranks(&mut self) {
        let Some((_, Some(all))) = self.ranks.first().copied() else { return };
        let present: HashSet<u32> = self.ranks.iter().map(|(rank, _)| *rank).collect();
        if present.len() < self.ranks.len() || self.ranks.iter().any(|(_, ranks)| *ranks != Some(all)) {
            return;
        }
        let missed = self.hosts.iter().filter(|host| host.missing.is_some());
        let unread: Vec<String> = missed.map(|host| host.name.clone()).collect();
        let is_unread = |rank: u32| {
            let file = format!("{}-of-", kept_record_of(rank));
            unread.iter().any(|name| name.starts_with(&file))
        };
        for rank in (0..all.min(limits::RANKS)).filter(|rank| !present.contains(rank) && !is_unread(*rank)) {
            if self.hosts.len() < all as usize {
                let (name, missing) = (format!("rank {rank}"), Some("its record was not given".to_owned()));
                self.miss(Host { name, missing, ..Host::default() });
            }
        }
    }

    pub fn hosts(&self) -> usize {
        self.hosts.len() - self.count_missing()
    }

    pub fn count_missing(&self) -> usize {
        self.hosts.iter().filter(|host| host.missing.is_some()).count()
    }

    pub fn last_name(&self) -> &str {
        self.hosts.last().map_or("", |host| &host.name)
    }

    fn take_record(&mut self, record: Record, called: &str) {
        let label = self.unique_label(&record.host().name);
        let judged = JudgedRecord::new(&record);
        let mut summary = summary::from_record(&judged, called);
        let charts = summary::charts(&judged);
        self.observed.extend(RankObserved::from_record(&judged, self.hosts.len(), &label));
        let Record { profile, mut hosts, .. } = record;
        let Some(mut host) = hosts.pop() else { return };
        let place = HostIndexes {
            label: label.clone(),
            first_target: self.targets.len() as u32,
            machine: self.machine.add(&host.system),
        };
        merged_profile::add(&mut self.profile, &profile, &place, &host.system);
        let results = std::mem::take(&mut host.results);
        let spans = self.spans.iter_mut().zip(results.time_spans).zip(charts);
        for ((sum, results), charts) in spans {
            let window = axis::window(&host, sum.index, &results);
            summary.windows.push(sum.add(results, window, charts, &place));
        }
        self.targets.extend(host.targets.iter().map(|target| HostTarget {
            id: TargetId(place.first_target + target.id.0),
            storage: Storage { path: place.path(&target.storage.path), ..target.storage.clone() },
        }));
        self.ranks.push((host.rank, host.ranks));
        host.rank = self.hosts.len() as u32;
        host.name = label;
        host.summary = Some(Box::new(summary));
        self.hosts.push(host);
    }

    /// Returns the name of a host, numbered if it is a duplicate. It becomes part of paths, texts and file
    /// names.
    fn unique_label(&mut self, name: &str) -> String {
        let name = if name.is_empty() { "host".to_owned() } else { host_name(name) };
        let number = self.numbers.entry(name.clone()).or_insert(1);
        let mut label = name.clone();
        while !self.names.insert(label.clone()) {
            *number += 1;
            label = format!("{name}#{number}");
        }
        label
    }

    /// Returns the merged record.
    ///
    /// # Errors
    /// Fails if no record was added.
    pub fn finish(self) -> Result<Record, MergeError> {
        let First { profile: asked, run_options, .. } = self.first.ok_or(MergeError::Nothing)?;
        let profile = self.profile;
        let (targets, renumbered) = in_order(self.targets, TargetIds::from_profile(&profile).paths());
        let finished = self.spans.into_iter().map(|sum| sum.finish(&renumbered));
        let (time_spans, alignments) = finished.unzip();
        let mut hosts = self.hosts;
        for (host, devices) in same_machine::judge(&self.observed) {
            if let Some(summary) = hosts.get_mut(host).and_then(|host| host.summary.as_mut()) {
                summary::judge_anew(summary, devices);
            }
        }
        let system = self.machine.finish(&hosts);
        let name = system.computer_name.clone();
        let results = Results { time_spans };
        let host = Host { name, system, targets, results, ..Host::default() };
        let whole = MergedHosts { host, profile: asked, alignments };
        let whole = Some(Box::new(whole));
        Ok(Record {
            format: RecordFormat::default(),
            profile,
            run_options,
            preconditioning: None,
            program: None,
            hosts,
            merged: whole,
        })
    }
}

/// Returns the prefix of the file name of a rank's record on its host.
pub fn kept_record_of(rank: u32) -> String {
    format!("diskspd-rank-{rank}")
}

/// Maximum length of a host's name in characters. With a number and a file name it stays below the limit
/// of 255 bytes, in any script.
const MAX_NAME_LENGTH: usize = 48;

/// Returns a name that is safe in a path, a text and a file name. Colons separate host and path, slashes
/// separate folders, and edited records may contain any text.
fn host_name(name: &str) -> String {
    let harmless = |letter: char| if matches!(letter, ':' | '/') || drives(letter) { '_' } else { letter };
    name.chars().take(MAX_NAME_LENGTH).map(harmless).collect()
}

/// Whether it was measured in real time. Two simulated runs with one seed are equal, but separate runs.
fn in_real_time(record: &Record) -> bool {
    record.host().results.time_spans.iter().any(|span| span.started_at.is_some())
}

/// The targets of all hosts by their positions in the profile, and those positions.
fn in_order(targets: Vec<HostTarget>, paths: &[RawText]) -> (Vec<HostTarget>, Vec<TargetId>) {
    let mut ids: HashMap<RawText, u32> = paths.iter().cloned().zip(0..).collect();
    let mut place = |path: &RawText| {
        let next = ids.len() as u32;
        TargetId(*ids.entry(path.clone()).or_insert(next))
    };
    let renumbered: Vec<TargetId> = targets.iter().map(|target| place(&target.storage.path)).collect();
    let mut ordered: Vec<HostTarget> = vec![HostTarget::default(); ids.len()];
    for (id, path) in paths.iter().enumerate() {
        ordered[id].storage.path = path.clone();
    }
    for (target, id) in targets.into_iter().zip(&renumbered) {
        ordered[id.index()].storage = target.storage;
    }
    (0..).zip(&mut ordered).for_each(|(id, target)| target.id = TargetId(id));
    (ordered, renumbered)
}

impl First {
    /// Returns the difference from another record; `None` = the records belong to the same run.
    fn find_difference(&self, other: &Record) -> Option<String> {
        let version = program_version(other);
        if let (Some(own), Some(its)) = (&self.version, version)
            && own != its
        {
            return Some(format!("made by version {its} of the program instead of {own}"));
        }
        if self.run_options != other.run_options {
            return Some(merged_profile::difference(&self.run_options, &other.run_options, "method"));
        }
        let (own, its) =
            (merged_profile::to_comparable(&self.profile), merged_profile::to_comparable(&other.profile));
        (own != its).then(|| merged_profile::difference(&own, &its, "profile"))
    }
}

/// Returns the program version of a record; `None` = unknown.
fn program_version(record: &Record) -> Option<&str> {
    let fingerprint = record.host().system.fingerprint.as_ref()?;
    fingerprint.parts.get("program").map(String::as_str)
}

/// Merges the records of all ranks of a run; `missing` are hosts without a record. `asked`: the profile as
/// given by the user, with `%r` and `%h` unexpanded.
///
/// # Errors
/// Fails if the records belong to different runs.
pub fn merge_all(asked: &Profile, records: Vec<Record>, missing: Vec<Host>) -> Result<Record, MergeError> {
    let mut merge = Merge::default();
    let rank = |record: &Record| record.host().rank;
    let mut missing = missing.into_iter().peekable();
    for record in records {
        while let Some(before) = missing.next_if(|host| host.rank < rank(&record)) {
            merge.miss(before);
        }
        let called = record.host().name.clone();
        merge.add(record, &called)?;
    }
    missing.for_each(|host| merge.miss(host));
    let mut record = merge.finish()?;
    if let Some(whole) = &mut record.merged {
        whole.profile = asked.clone();
        record.profile.command_line = asked.command_line.clone();
    }
    Ok(record)
}
