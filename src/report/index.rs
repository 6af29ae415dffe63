//! The index of a record: what a list of many runs shows of each. It stands at the beginning of the stored
//! form, so that it is read without the rest.

use crate::profile::RawText;
use crate::results::{ChartRow, Measured, PERCENTILES, Record, Table};
use crate::truth::Judged;
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
    /// What two runs must share to be comparable: [`crate::system::fingerprint`]; `None` = nobody looked.
    pub fingerprint: Option<String>,
    /// How bad the worst is that was found about the figures: `note`, `warning`, `wrong`; `None` = nothing
    /// was found.
    pub worst: Option<String>,
    /// The figures of each time span; `None` = never measured.
    pub time_spans: Vec<Option<Headline>>,
}

/// The figures of a time span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    /// Measured time, s.
    pub seconds: f64,
    /// Reads.
    pub read: HeadlineFigures,
    /// Writes.
    pub write: HeadlineFigures,
    /// Both.
    pub total: HeadlineFigures,
}

/// The figures of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeadlineFigures {
    /// I/Os per second.
    pub iops: f64,
    /// 2^20 bytes per second.
    pub mib_per_s: f64,
    /// Mean latency, ms; `None` = no I/O, or not measured (`-L`), as below.
    pub mean_ms: Option<f64>,
    /// Half of them took no longer.
    pub p50_ms: Option<f64>,
    /// 99 % of them took no longer.
    pub p99_ms: Option<f64>,
    /// 99.9 % of them took no longer.
    pub p999_ms: Option<f64>,
}

impl Index {
    /// That of a record.
    pub fn of(judged: &Judged) -> Index {
        let Judged { record, summary, judgement } = judged;
        let host = record.host();
        Index {
            identity: identity(record),
            started_at: host.system.start_time,
            command_line: record.profile.command_line.clone(),
            hosts: record.hosts.iter().map(|host| host.name.clone()).collect(),
            fingerprint: host.system.fingerprint.as_ref().map(|fingerprint| fingerprint.hash.clone()),
            worst: judgement.worst().map(|worst| worst.word().to_owned()),
            time_spans: summary.time_spans.iter().map(|span| span.as_ref().map(Headline::of)).collect(),
        }
    }
}

impl Headline {
    fn of(span: &Measured) -> Headline {
        let at = |share: f64, direction: fn(&ChartRow) -> Option<f64>| {
            let row = PERCENTILES.iter().position(|p| *p == share)?;
            direction(span.latency.as_ref()?.all.percentiles.get(row)?)
        };
        let figures = |table: &Table, direction: fn(&ChartRow) -> Option<f64>| HeadlineFigures {
            iops: table.total.throughput.iops,
            mib_per_s: table.total.throughput.mib_per_s,
            mean_ms: table.total.latency.and_then(|latency| latency.mean),
            p50_ms: at(0.5, direction),
            p99_ms: at(0.99, direction),
            p999_ms: at(0.999, direction),
        };
        Headline {
            seconds: span.seconds,
            read: figures(&span.read, |row| row.read),
            write: figures(&span.write, |row| row.write),
            total: figures(&span.total, |row| row.total),
        }
    }
}

/// Of what no two runs share: machine, times, amounts. FNV-1a, 64 bits: an accident is one in 10^19, and no
/// more is needed.
fn identity(record: &Record) -> String {
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
