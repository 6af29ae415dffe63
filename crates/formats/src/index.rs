//! The index of a record: the values for lists of runs. It is at the start of the stored form, so that it
//! can be read alone.

use super::figures;
use diskspd_base::finding::Severity;
use diskspd_base::fnv::Fnv;
use diskspd_checks::JudgedRecord;
use diskspd_profile::RawText;
use diskspd_results::{Findings, Origin, Record, RecordFormat, RunSummary, SpanSummary, UnmeasuredSpan};
use serde::{Deserialize, Deserializer, Serialize};

/// Index of one run, with the percentiles of the text report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Index(#[serde(with = "IndexForm")] pub RunSummary);

/// Stored form of a summary at the start of a record, without the run's name and location.
#[derive(Serialize, Deserialize)]
#[serde(remote = "RunSummary")]
struct IndexForm {
    /// Identity of the run: equal for all copies of its record, and practically unique otherwise; 16
    /// hexadecimal digits.
    #[serde(deserialize_with = "some_value")]
    identity: Option<String>,
    started_at: Option<i64>,
    #[serde(with = "command_line")]
    command_line: Option<RawText>,
    hosts: Vec<String>,
    fingerprint: Option<String>,
    #[serde(flatten, with = "FindingsForm")]
    findings: Option<Findings>,
    time_spans: Vec<Option<SpanSummary>>,
    /// Machine; `None` also for several machines, or in an index of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    /// Disks; also empty in an index of an older program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disks: Vec<Option<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unmeasured: Vec<UnmeasuredSpan>,
    #[serde(skip)]
    name: String,
    #[serde(skip, default = "this_version")]
    origin: Origin,
    #[serde(skip)]
    label: Option<String>,
}

fn some_value<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn this_version() -> Origin {
    Origin::Record { version: RecordFormat::VERSION }
}

mod command_line {
    use super::*;
    use serde::Serializer;

    pub(super) fn serialize<S: Serializer>(line: &Option<RawText>, to: S) -> Result<S::Ok, S::Error> {
        line.clone().unwrap_or_default().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<RawText>, D::Error> {
        Ok(Some(RawText::deserialize(from)?).filter(|line| !line.as_bytes().is_empty()))
    }
}

/// Findings as two fields of the index.
#[derive(Serialize, Deserialize)]
struct FindingsForm {
    severity: Option<Severity>,
    /// Names of findings; `None` = an index of an older program.
    #[serde(default)]
    findings: Option<Vec<String>>,
}

impl FindingsForm {
    fn serialize<S: serde::Serializer>(found: &Option<Findings>, to: S) -> Result<S::Ok, S::Error> {
        let worst = found.as_ref().and_then(|found| found.severity);
        Serialize::serialize(
            &FindingsForm { severity: worst, findings: found.clone().map(|found| found.names) },
            to,
        )
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Findings>, D::Error> {
        let FindingsForm { severity: worst, findings } = Deserialize::deserialize(from)?;
        Ok(findings.map(|names| Findings { severity: worst, names }))
    }
}

impl Index {
    pub fn from_record(judged: &JudgedRecord) -> Index {
        let JudgedRecord { record, judgement, .. } = judged;
        let host = record.host();
        let names = judgement.findings.iter().map(|finding| finding.name);
        Index(RunSummary {
            identity: Some(identity(record)),
            started_at: host.system.start_time,
            command_line: Some(record.profile.command_line.clone())
                .filter(|line| !line.as_bytes().is_empty()),
            hosts: record.hosts.iter().map(|host| host.name.clone()).collect(),
            fingerprint: host.system.fingerprint.as_ref().map(|fingerprint| fingerprint.hash.clone()),
            disks: host.system.disk_identities(),
            findings: Some(Findings::new(judgement.worst(), names)),
            time_spans: figures::spans(judged),
            machine: host.system.machine.clone().filter(|_| record.hosts.len() == 1),
            unmeasured: figures::unmeasured(judged),
            ..RunSummary::new("", this_version())
        })
    }
}

/// Returns an identity shared by all copies of a record ([`RunSummary::identity`]). It is a hash of values
/// that differ between runs: machine, times, amounts. FNV-1a, 64 bits: a collision has a probability of 1
/// in 10^19.
pub fn identity(record: &Record) -> String {
    let mut hash = Fnv::default();
    let mut add = |bytes: &[u8]| {
        // The length keeps neighbours apart.
        hash.add(&(bytes.len() as u64).to_le_bytes());
        hash.add(bytes);
    };
    add(record.profile.command_line.as_bytes());
    for host in &record.hosts {
        add(host.name.as_bytes());
        add(&host.system.start_time.unwrap_or_default().to_le_bytes());
        // Of a merged run the host's figures are in a record of its own.
        host.summary.iter().filter_map(|kept| kept.run.identity.as_ref()).for_each(|own| add(own.as_bytes()));
        for span in &host.results.time_spans {
            add(&span.measured.to_le_bytes());
            add(&span.started_at.unwrap_or_default().to_le_bytes());
            for target in span.threads.iter().flat_map(|thread| &thread.targets) {
                add(&target.read.ios.to_le_bytes());
                add(&target.write.ios.to_le_bytes());
            }
        }
    }
    hash.to_string()
}
