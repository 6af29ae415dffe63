//! What the hosts of a merged run add up to, and what is kept of each of them.
//!
//! Percentiles can't be derived from percentiles, so all latencies of a run are added up in one histogram. A
//! histogram for every thread of every host would make the record of a large run as large as all of theirs
//! together: of a thread its amounts, exact moments and series are kept.

use super::{AddUp, Chart, ChartRow, DirectionResults, Host, PERCENTILES, Paced, RunSummary, Verdict, Work};
use crate::finding::Severity;
use crate::profile::{Profile, TargetId};
use crate::stats::Histogram;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// All hosts of a merged run as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// Their processors as further groups, their targets as `host:path`, their threads numbered through.
    pub host: Host,
    /// What each of them was asked to run; where their targets differ, it is that of the first.
    pub asked: Profile,
    /// How the hosts' windows lie to each other, by time span.
    pub alignments: Vec<Alignment>,
}

/// How the windows of a time span lie to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// From the first start of a window to the last, ns; `None` = not known of all hosts.
    pub start_skew_ns: Option<u64>,
    /// From the first end of a window to the last, ns; `None` = not known of all hosts.
    pub stop_skew_ns: Option<u64>,
    /// So long all hosts measured at the same time, ns; `None` = not known of all hosts.
    pub common_ns: Option<u64>,
    /// Whether the hosts' intervals were shifted against each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shifted: bool,
    /// Whether the intervals are only those in which all hosts measured: they were shifted, or some host
    /// measured for fewer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// By how much two hosts' times may be wrong against each other, ns; `None` = not known: they are those
    /// of the hosts' own clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty_ns: Option<u64>,
    /// By how much the intervals of two hosts that are added up lie apart at most, ns, if the clocks are
    /// right; `None` = there are no intervals, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals_apart_ns: Option<u64>,
}

/// What is kept of one host of a merged run beside the machine and its targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostSummary {
    /// Its figures, as lists show them.
    pub known: RunSummary,
    /// Its measured window in each time span.
    pub windows: Vec<HostWindow>,
    /// What was found about its figures, the worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<HostFinding>,
    /// Whether its devices did what was counted: of each time span the worst that was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<HostDevices>,
}

/// The measured window of one host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostWindow {
    /// When it began, ns since 1970-01-01 00:00 UTC: on the clock that all hosts share, where there is one,
    /// or by the host's own; `None` = unknown, or in simulated time.
    pub begin_ns: Option<i64>,
    /// How long it was, ns; 0 = never measured.
    pub measured: u64,
    /// By how many intervals it began later than that of the first host.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shift: i64,
}

fn is_zero(shift: &i64) -> bool {
    *shift == 0
}

/// Something that was found about the figures of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFinding {
    /// Its name for programs.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// Its time span, from 1; `None` = the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_span: Option<usize>,
    /// What is the matter, for people.
    pub message: String,
}

/// Whether the devices of one host did what was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostDevices {
    /// The time span, from 1.
    pub time_span: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// How much it takes away from the figures; `None` = nothing.
    pub severity: Option<Severity>,
    /// The same for people.
    pub message: String,
    /// How many ranks of its machine used these devices: what they counted is compared together. Missing =
    /// this one alone.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub ranks: usize,
}

fn one() -> usize {
    1
}

fn is_one(ranks: &usize) -> bool {
    *ranks == 1
}

/// Latencies of all threads of a merged time span, whose own are not kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MergedLatencies {
    /// Reads.
    pub read: MergedTimes,
    /// Writes.
    pub write: MergedTimes,
    /// By target, as the report shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetLatencies>,
    /// How long the intervals cover, ns; `None` = all that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<u64>,
}

/// Those of one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MergedTimes {
    /// `-L`: latencies, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Histogram>,
    /// `-g`: how I/Os kept to the times at which they were to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced: Option<Paced>,
    /// `-g` and `-L`: latencies of the same I/Os, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Histogram>,
}

/// Latencies of all threads on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetLatencies {
    /// Which one.
    pub target: TargetId,
    /// Of reads, writes and both, ms, null = no I/O: the shortest, at each of the percentiles of
    /// the text report ([`super::PERCENTILES`]), the longest. In the precision of DISKSPD's single latencies,
    /// which JSON keeps.
    rows: Vec<[Option<f32>; 3]>,
}

impl TargetLatencies {
    /// Those of a chart.
    pub fn new(target: TargetId, chart: &Chart) -> TargetLatencies {
        let rows = std::iter::once(&chart.min).chain(&chart.percentiles).chain([&chart.max]);
        let single = |of: Option<Millis>| of.map(|time| time.ms() as f32);
        let rows = rows.map(|row| [row.read, row.write, row.total].map(single)).collect();
        TargetLatencies { target, rows }
    }

    /// The chart; what an edited record lacks is missing in it.
    pub fn chart(&self) -> Chart {
        let double = |of: Option<f32>| of.map(|ms| Millis::new(ms.into()));
        let mut rows = self.rows.iter().map(|row| {
            let [read, write, total] = row.map(double);
            ChartRow { read, write, total }
        });
        let min = rows.next().unwrap_or_default();
        let mut percentiles: Vec<ChartRow> = rows.collect();
        let max = percentiles.pop().unwrap_or_default();
        percentiles.resize(PERCENTILES.len(), ChartRow::default());
        Chart { min, percentiles, max }
    }
}

impl MergedTimes {
    /// Takes the times of one thread on one target out of its results, which keep the moments; `paced`:
    /// whether I/Os of that target had times to start at.
    pub fn take(&mut self, from: &mut DirectionResults, paced: bool) {
        if paced {
            self.service.add(&from.latency);
        }
        self.paced.add(&from.paced.take());
        if let Some(latency) = from.latency.take() {
            self.latency.get_or_insert_default().add(&latency);
            from.moments = Some(*latency.moments());
        }
    }
}

impl AddUp<MergedLatencies> for Work {
    fn add(&mut self, other: &MergedLatencies) {
        for (mine, theirs) in [(&mut self.read, &other.read), (&mut self.write, &other.write)] {
            mine.latency.add(&theirs.latency);
            mine.paced.add(&theirs.paced);
        }
    }
}
