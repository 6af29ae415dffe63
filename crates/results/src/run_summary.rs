//! Known data of one run from any program and format: plain data for lists, tables, comparisons and pages.
//! Data missing in the source is `None`.
//!
//! `record::known` of the `judge` crate creates it from a record, `record::formats` from other programs'
//! results: DISKSPD's result XML and text reports, fio's JSON.

use super::which_ios::WhichIos;
use super::{ChartRow, FioFigures, Quantiles, Verdict, find_percentile};
use diskspd_base::finding::Severity;
use diskspd_figures::units::table::Cell;
use diskspd_figures::units::{Millis, amount};
use diskspd_machine::fingerprint::disk_identity;
use diskspd_profile::{Parameters, RawText};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::mem::discriminant;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Display name: the file, or a label. Runs of a file with several have a number: `a.xml#2`.
    pub name: String,
    pub origin: Origin,
    pub label: Option<String>,
    /// Identity shared by all copies of a record; missing in XML.
    pub identity: Option<String>,
    /// Start of the run in seconds since 1970-01-01 00:00 UTC.
    pub started_at: Option<i64>,
    /// Names of the machines, several for a merged run; empty = unknown.
    #[serde(rename = "computer", default, with = "joined")]
    pub hosts: Vec<String>,
    /// Identifying number of the machine: [`diskspd_machine::System::machine`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    pub fingerprint: Option<String>,
    /// Identity of each disk under the targets, in the order of `disk <n>` in fingerprints, which do not
    /// contain it. Empty if all are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<Option<String>>,
    pub command_line: Option<RawText>,
    pub findings: Option<Findings>,
    /// Time spans in order; `None` = ended before the measurement.
    pub time_spans: Vec<Option<SpanSummary>>,
    /// Time spans that ended before the measurement, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeasured: Vec<UnmeasuredSpan>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnmeasuredSpan {
    pub time_span: u32,
    pub parameters: Parameters,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Record {
        version: u32,
    },
    /// Result XML of DISKSPD or of this program.
    ResultXml {
        version: Option<String>,
    },
    /// Text report of DISKSPD or of this program.
    ResultText,
    Fio {
        version: Option<String>,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Record { version } => write!(f, "record {version}"),
            Origin::ResultXml { version: Some(version) } => write!(f, "XML {version}"),
            Origin::ResultXml { version: None } => f.write_str("XML"),
            Origin::ResultText => f.write_str("text"),
            Origin::Fio { version: Some(version) } => write!(f, "fio {version}"),
            Origin::Fio { version: None } => f.write_str("fio"),
        }
    }
}

/// Serialization of several names as one text; missing = no names.
mod joined {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(names: &[String], to: S) -> Result<S::Ok, S::Error> {
        (!names.is_empty()).then(|| names.join(", ")).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        Ok(Option::deserialize(from)?.into_iter().collect())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Severity of the worst finding; `None` = no findings.
    pub severity: Option<Severity>,
    /// Names without duplicates, sorted by severity (docs/reference/verdicts.md).
    pub names: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpanSummary {
    pub parameters: Parameters,
    pub seconds: Option<f64>,
    /// Mean utilization of the machine's CPUs in percent.
    pub cpu_percent: Option<f64>,
    /// Usage of the busiest CPU in percent; unknown in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_cpu_percent: Option<f64>,
    pub verdict: Option<Verdict>,
    pub read: DirectionSummary,
    pub write: DirectionSummary,
    pub total: DirectionSummary,
    /// Latency at the percentiles that the source has, ascending, without minimum and maximum; empty = no
    /// latency was measured.
    pub percentiles: Vec<PercentileSummary>,
    /// Response times, from the due time; `None` = no due times (no rate), or latencies were not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseSummary>,
    /// Results of each part of a mix; empty without parts in the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartSummary>,
    /// Mean time of a read or write at the devices in ms; `None` = unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_mean_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outages: Option<u64>,
    /// Longest outage in s; 0 = none, `None` = unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_outage_s: Option<f64>,
    /// Additional figures of fio's results; `None` for other sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fio: Option<Box<FioFigures>>,
}

/// Part and I/O size of a mix on a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartKey {
    pub target: u32,
    /// Number of the part in the mix, from 1.
    pub part: u32,
    pub block_size: u32,
}

impl PartKey {
    pub fn name(self) -> String {
        format!("target-{}-part-{}-{}", self.target, self.part, self.block_size)
    }

    pub fn title(self, with_target: bool) -> String {
        let target = if with_target { format!("target {}, ", self.target) } else { String::new() };
        format!("{target}part {}, {}", self.part, amount(self.block_size.into()))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartSummary {
    #[serde(flatten)]
    pub key: PartKey,
    pub ios: u64,
    pub iops: f64,
    /// Mean latency in ms.
    pub mean_ms: Option<Millis>,
    /// 99th percentile of the latency in ms.
    pub p99_ms: Option<Millis>,
}

/// Response times in ms of the I/Os with scheduled start times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponseSummary {
    /// Number of these I/Os; not all I/Os if only some targets have a rate.
    pub ios: u64,
    pub mean_ms: ChartRow,
    /// Latencies at the percentiles of the text report, ascending.
    pub percentiles: Vec<PercentileSummary>,
}

/// Figures of one direction. Latencies are `None` without I/O or measurement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectionSummary {
    pub ios: Option<u64>,
    pub bytes: Option<u64>,
    pub iops: Option<f64>,
    pub mib_per_s: Option<f64>,
    /// Mean latency in ms.
    pub mean_ms: Option<Millis>,
    /// Standard deviation of the latency in ms.
    pub std_dev_ms: Option<Millis>,
    /// Shortest latency in ms.
    pub min_ms: Option<Millis>,
    /// Longest latency in ms.
    pub max_ms: Option<Millis>,
    /// `-D`: standard deviation of the I/Os per second over intervals.
    pub iops_std_dev: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nowait_misses: Option<u64>,
    /// I/Os per second of the devices under the targets; `None` = unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_iops: Option<f64>,
    /// 2^20 bytes per second of the devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_mib_per_s: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PercentileSummary {
    pub percent: f64,
    /// Latency that this share of the I/Os did not exceed, by direction.
    #[serde(flatten)]
    pub latency: ChartRow,
}

impl Findings {
    pub fn new<'a>(worst: Option<Severity>, names: impl IntoIterator<Item = &'a str>) -> Findings {
        let mut once: Vec<String> = Vec::new();
        for name in names {
            if !once.iter().any(|known| known == name) {
                once.push(name.to_owned());
            }
        }
        Findings { severity: worst, names: once }
    }
}

impl SpanSummary {
    pub fn figures_mut(&mut self, of: WhichIos) -> &mut DirectionSummary {
        match of {
            WhichIos::Total => &mut self.total,
            WhichIos::Read => &mut self.read,
            WhichIos::Write => &mut self.write,
        }
    }

    pub fn figures(&self, of: WhichIos) -> &DirectionSummary {
        match of {
            WhichIos::Total => &self.total,
            WhichIos::Read => &self.read,
            WhichIos::Write => &self.write,
        }
    }

    /// The latency that `percent` of the I/Os did not exceed, by direction, ms; `None` = the source has no
    /// such percentile.
    pub fn percentile(&self, percent: f64) -> Option<ChartRow> {
        percentile_row(&self.percentiles, percent)
    }

    pub fn quantiles(&self) -> Quantiles {
        let at = |percent: f64| self.percentile(percent)?.total;
        Quantiles::from_percentiles(self.total.mean_ms, at, self.total.max_ms)
    }

    /// Whether a percentile of the latency is a lower bound: the last bin of fio's histogram has no upper
    /// end.
    pub fn is_lower_bound(&self, percentile: Millis) -> bool {
        self.fio.as_ref().and_then(|fio| fio.open_end).is_some_and(|from| percentile >= from)
    }

    /// Returns the table cell of a latency percentile.
    pub fn percentile_cell(&self, percentile: Option<Millis>) -> Cell {
        match percentile {
            Some(time) if self.is_lower_bound(time) => Cell::AtLeast(time),
            time => Cell::time(time),
        }
    }
}

impl ResponseSummary {
    /// Returns the response time in ms not exceeded by `percent` of the I/Os, by direction; `None` if
    /// unknown.
    pub fn percentile(&self, percent: f64) -> Option<ChartRow> {
        percentile_row(&self.percentiles, percent)
    }
}

fn percentile_row(percentiles: &[PercentileSummary], percent: f64) -> Option<ChartRow> {
    find_percentile(percentiles.iter().map(|row| (row.percent, row.latency)), percent)
}

impl RunSummary {
    /// Returns the name of the machine or machines; `None` if unknown.
    pub fn computer(&self) -> Option<String> {
        (!self.hosts.is_empty()).then(|| self.hosts.join(", "))
    }

    pub fn named_disks(&self) -> impl Iterator<Item = (String, &str)> {
        let disks = (1..).zip(&self.disks);
        disks.filter_map(|(number, disk)| Some((disk_identity(number), disk.as_deref()?)))
    }

    /// Returns the highest severity of the findings; `None` without findings, or if not examined.
    pub fn worst_severity(&self) -> Option<Severity> {
        self.findings.as_ref()?.severity
    }

    /// Returns the worst verdict of the time spans; `None` if no device was observed.
    pub fn verdict(&self) -> Option<Verdict> {
        self.time_spans.iter().flatten().filter_map(|span| span.verdict).max()
    }

    pub fn new(name: impl Into<String>, origin: Origin) -> RunSummary {
        RunSummary {
            name: name.into(),
            origin,
            label: None,
            identity: None,
            started_at: None,
            hosts: Vec::new(),
            machine: None,
            fingerprint: None,
            disks: Vec::new(),
            command_line: None,
            findings: None,
            time_spans: Vec::new(),
            unmeasured: Vec::new(),
        }
    }

    /// Whether both are of one run: copies of its record, or its record and its reports in other forms.
    /// Reports of one form are copies only if all that they say is the same: two jobs of one file of fio may
    /// begin together and do equally much.
    pub fn is_of_run(&self, other: &RunSummary) -> bool {
        if let (Some(own), Some(its)) = (&self.identity, &other.identity) {
            return own == its;
        }
        if self.started_at.is_none() || (self.started_at, &self.hosts) != (other.started_at, &other.hosts) {
            return false;
        }
        if discriminant(&self.origin) == discriminant(&other.origin) {
            return self.time_spans == other.time_spans;
        }
        let amounts = |of: &RunSummary| {
            let amount = |figures: &DirectionSummary| (figures.ios, figures.bytes);
            let span = |span: &Option<SpanSummary>| {
                span.as_ref().map(|span| [amount(&span.read), amount(&span.write), amount(&span.total)])
            };
            of.time_spans.iter().map(span).collect::<Vec<_>>()
        };
        amounts(self) == amounts(other)
    }

    pub fn requested_work(&self) -> impl Iterator<Item = &Parameters> {
        static UNKNOWN: Parameters = Parameters::UNKNOWN;
        self.time_spans.iter().zip(1..).map(|(span, number)| match span {
            Some(span) => &span.parameters,
            None => {
                let of_it = self.unmeasured.iter().find(|span| span.time_span == number);
                of_it.map_or(&UNKNOWN, |span| &span.parameters)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_in_last_bin_is_lower_bound() {
        let mut span = SpanSummary::default();
        let [below, from] = [Millis::new(17_045.0), Millis::new(17_046.0)];
        assert_eq!(span.percentile_cell(Some(from)), Cell::Time(from));
        span.fio = Some(Box::new(FioFigures { open_end: Some(from), ..FioFigures::default() }));
        for (percentile, cell) in
            [(None, Cell::Missing), (Some(below), Cell::Time(below)), (Some(from), Cell::AtLeast(from))]
        {
            assert_eq!(span.percentile_cell(percentile), cell);
        }
        assert_eq!(
            (Cell::AtLeast(from).plain(), Cell::AtLeast(from).readable()),
            (">=17046".into(), ">= 17046.000".into())
        );
    }
}
