//! The index of a record: what a list of many runs shows of each. It stands at the beginning of the stored
//! form, so that it is read without the rest.

use super::figures;
use crate::truth::Judged;
use diskspd_model::finding::Severity;
use diskspd_model::profile::RawText;
use diskspd_model::results::{Findings, KnownSpan, Record, UnmeasuredSpan};
use serde::{Deserialize, Serialize};

/// What a list of runs shows of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// The same for all copies of the run's record, and for hardly any other: 16 hexadecimal digits.
    pub identity: String,
    /// When the process of the run started, seconds since 1970-01-01 00:00 UTC; `None` = unknown.
    pub started_at: Option<i64>,
    /// Program name and all arguments.
    pub command_line: RawText,
    /// What the machines call themselves.
    pub hosts: Vec<String>,
    /// What two runs must share to be comparable: a [`diskspd_model::machine::fingerprint`]; `None` = nobody
    /// looked.
    pub fingerprint: Option<String>,
    /// How bad the worst is that was found about the figures; `None` = nothing was found.
    pub worst: Option<Severity>,
    /// The names of all findings, the worst first, each once; `None` = an older program made the index.
    #[serde(default)]
    pub findings: Option<Vec<String>>,
    /// Parameters and figures of each time span, with the percentiles of the text report; `None` = never
    /// measured.
    pub time_spans: Vec<Option<KnownSpan>>,
    /// A number that stands for the machine; `None` = several, an older program made the index, or the
    /// machine has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// What the time spans were asked for that never were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeasured: Vec<UnmeasuredSpan>,
}

impl Index {
    /// That of a record.
    pub fn of(judged: &Judged) -> Index {
        let Judged { record, judgement, .. } = judged;
        let host = record.host();
        let names = judgement.findings.iter().map(|finding| finding.name);
        let Findings { worst, names } = Findings::new(judgement.worst(), names);
        Index {
            identity: identity(record),
            started_at: host.system.start_time,
            command_line: record.profile.command_line.clone(),
            hosts: record.hosts.iter().map(|host| host.name.clone()).collect(),
            fingerprint: host.system.fingerprint.as_ref().map(|fingerprint| fingerprint.hash.clone()),
            worst,
            findings: Some(names),
            time_spans: figures::spans(judged),
            machine: host.system.machine.clone().filter(|_| record.hosts.len() == 1),
            unmeasured: figures::unmeasured(judged),
        }
    }
}

/// The same for all copies of a record ([`Index::identity`]): of what no two runs share: machine, times,
/// amounts. FNV-1a, 64 bits: an accident is one in 10^19, and no more is needed.
pub fn identity(record: &Record) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        // The length keeps neighbours apart.
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(record.profile.command_line.as_bytes());
    for host in &record.hosts {
        add(host.name.as_bytes());
        add(&host.system.start_time.unwrap_or_default().to_le_bytes());
        // Of a merged run the host's figures are in a record of its own.
        host.summary
            .iter()
            .filter_map(|kept| kept.known.identity.as_ref())
            .for_each(|own| add(own.as_bytes()));
        for span in &host.results.time_spans {
            add(&span.measured.to_le_bytes());
            add(&span.started_at.unwrap_or_default().to_le_bytes());
            for target in span.threads.iter().flat_map(|thread| &thread.targets) {
                add(&target.read.ios.to_le_bytes());
                add(&target.write.ios.to_le_bytes());
            }
        }
    }
    format!("{hash:016x}")
}
