//! Distributions of offsets (`-rd`).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Consecutive ranges of random I/O (`-rd`), including the automatic last one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Distribution {
    pub kind: DistributionKind,
    /// Ranges in the order of the target; their I/O shares sum to 100 in a valid profile.
    pub ranges: Vec<DistributionRange>,
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            DistributionKind::Percent => "pct",
            DistributionKind::Absolute => "abs",
        })?;
        let ranges = self.ranges.iter().map(|range| format!("{}/{}", range.io, range.span));
        f.write_str(&ranges.collect::<Vec<_>>().join(":"))
    }
}

/// Unit of [`DistributionRange::span`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DistributionKind {
    Percent,
    /// Bytes; 0 in the last range = to the end of the target.
    Absolute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DistributionRange {
    /// Share of the I/Os in percent; 0 = a gap.
    pub io: u32,
    /// Length of the range in the distribution's unit.
    pub span: u64,
}

impl Distribution {
    /// Returns a distribution with DISKSPD's implicit last range, if the I/O shares sum to less than 100
    /// (`-rd` in the command line's description). It gives the rest of the I/Os to the rest of the target.
    pub fn with_tail(kind: DistributionKind, mut ranges: Vec<DistributionRange>) -> Distribution {
        let io: u64 = ranges.iter().map(|r| u64::from(r.io)).sum();
        if io < 100 {
            let covered: u64 = ranges.iter().map(|r| r.span).fold(0, u64::saturating_add);
            let span = match kind {
                DistributionKind::Percent => 100u64.saturating_sub(covered),
                DistributionKind::Absolute => 0,
            };
            ranges.push(DistributionRange { io: (100 - io) as u32, span });
        }
        Distribution { kind, ranges }
    }
}
