//! Combined results of a merged run's hosts, and the retained data of each.
//!
//! Percentiles cannot be computed from percentiles, so all latencies of a run are added in one histogram.
//! A histogram for every thread of every host would make a large run's record as large as all host
//! records. Each thread therefore keeps its amounts, exact moments and series.

use super::merged_latencies::MergedLatencies;
use super::{Accumulate, Host, Work};
use diskspd_profile::Profile;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedHosts {
    /// Combined host: CPUs as further groups, targets as `host:path`, and consecutive thread numbers.
    pub host: Host,
    /// Profile of each host; if targets differ, of the first host.
    pub profile: Profile,
    pub alignments: Vec<Alignment>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// Time from the first to the last start of a window in ns; `None` if unknown for any host.
    pub start_skew_ns: Option<u64>,
    /// Time from the first to the last end of a window in ns; `None` if unknown for any host.
    pub stop_skew_ns: Option<u64>,
    /// Time in ns during which all hosts measured; `None` = unknown for a host.
    pub common_ns: Option<u64>,
    /// Whether the hosts' intervals were shifted against each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shifted: bool,
    /// Whether only intervals measured by all hosts are kept, because they were shifted, or a host
    /// measured fewer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Maximum error between two hosts' times in ns; `None` if unknown, because the hosts' own clocks were
    /// used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty_ns: Option<u64>,
    /// Maximum distance between added intervals of two hosts in ns, if the clocks are right; `None`
    /// without intervals, or if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals_apart_ns: Option<u64>,
}

impl Accumulate<MergedLatencies> for Work {
    fn add(&mut self, other: &MergedLatencies) {
        for (mine, theirs) in [(&mut self.read, &other.read), (&mut self.write, &other.write)] {
            mine.latency.add(&theirs.latency);
            mine.paced.add(&theirs.paced);
        }
    }
}
