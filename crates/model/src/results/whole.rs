//! What the hosts of a merged run add up to, and what is kept of each of them.
//!
//! Percentiles can't be derived from percentiles, so all latencies of a run are added up in one histogram. A
//! histogram for every thread of every host would make the record of a large run as large as all of theirs
//! together: of a thread its amounts, exact moments and series are kept.

use super::merged_latencies::MergedLatencies;
use super::{AddUp, Host, Work};
use crate::profile::Profile;
use serde::{Deserialize, Serialize};

/// All hosts of a merged run as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// Their processors as further groups, their targets as `host:path`, their threads numbered through.
    pub host: Host,
    /// What each of them was asked to run; where their targets differ, it is that of the first.
    pub profile: Profile,
    pub alignments: Vec<Alignment>,
}

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
    pub truncated: bool,
    /// By how much two hosts' times may be wrong against each other, ns; `None` = not known: they are those
    /// of the hosts' own clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty_ns: Option<u64>,
    /// By how much the intervals of two hosts that are added up lie apart at most, ns, if the clocks are
    /// right; `None` = there are no intervals, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals_apart_ns: Option<u64>,
}

impl AddUp<MergedLatencies> for Work {
    fn add(&mut self, other: &MergedLatencies) {
        for (mine, theirs) in [(&mut self.read, &other.read), (&mut self.write, &other.write)] {
            mine.latency.add(&theirs.latency);
            mine.paced.add(&theirs.paced);
        }
    }
}
