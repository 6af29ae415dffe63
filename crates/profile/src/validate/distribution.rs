//! Rules of a random distribution (`-rd`), after its automatic last range was appended.

use super::Case;
use crate::{DistributionKind, DistributionRange};
use diskspd_base::finding::{Finding, Severity};

fn broken_rule(rule: &'static str, message: String) -> Option<Finding> {
    Some(Finding::of_machine(rule, Severity::Error, message))
}

/// Walks the ranges with running sums up to the first that breaks a rule (D1 to D4), then judges the sums
/// that were reached (D5, D6).
pub(super) fn check(case: &Case) -> Vec<Finding> {
    let Some(distribution) = case.target.distribution.as_ref().filter(|d| !d.ranges.is_empty()) else {
        return Vec::new();
    };
    let mut walk = RangeWalk { block_size: case.target.block_size.into(), io: 0, target: 0, open_end: None };
    let mut findings = Vec::new();
    for (index, range) in distribution.ranges.iter().enumerate() {
        let found = match distribution.kind {
            DistributionKind::Percent => walk.percent_range(range, index + 1),
            DistributionKind::Absolute => walk.absolute_range(range, index + 1),
        };
        if found.is_some() {
            findings.extend(found);
            break;
        }
    }
    findings.extend(match distribution.kind {
        DistributionKind::Percent if walk.target != 100 => broken_rule(
            "D5",
            format!(
                "-rd (Distribution): the ranges cover {}% of the target, not 100%; state a part without I/O \
                 as a gap, such as :0/10",
                walk.target
            ),
        ),
        DistributionKind::Absolute if walk.open_end.is_some_and(|at| at < distribution.ranges.len()) => {
            broken_rule(
                "D6",
                "-rd (Distribution): only the last range may have length 0 (to the end of the target)"
                    .to_owned(),
            )
        }
        _ => None,
    });
    findings.extend(alignment_above_range(case));
    findings
}

/// Sums over the ranges that were found good, and where the first range of length 0 is (1-based).
struct RangeWalk {
    block_size: u64,
    io: u64,
    target: u64,
    open_end: Option<usize>,
}

impl RangeWalk {
    fn absolute_range(&mut self, range: &DistributionRange, number: usize) -> Option<Finding> {
        let first_open_end = range.span == 0 && self.open_end.is_none();
        if first_open_end {
            self.open_end = Some(number);
        } else if range.span < self.block_size {
            return broken_rule(
                "D1",
                format!(
                    "-rd (Distribution): range {number} has {} bytes, less than a block of {} bytes; use a \
                     longer range or smaller blocks (-b)",
                    range.span, self.block_size
                ),
            );
        }
        self.add_io(range, number)
    }

    fn percent_range(&mut self, range: &DistributionRange, number: usize) -> Option<Finding> {
        let above = self.add_io(range, number);
        if above.is_some() {
            return above;
        }
        let covered = self.target.saturating_add(range.span);
        if covered > 100 {
            return broken_rule(
                "D3",
                format!(
                    "-rd (Distribution): range {number} covers {}% of the target, but only {}% was left",
                    range.span,
                    100 - self.target
                ),
            );
        }
        if covered == 100 && self.io < 100 {
            return broken_rule(
                "D4",
                format!(
                    "-rd (Distribution): range {number} ends the target while {}% of the I/O is left",
                    100 - self.io
                ),
            );
        }
        self.target = covered;
        None
    }

    fn add_io(&mut self, range: &DistributionRange, number: usize) -> Option<Finding> {
        if self.io + u64::from(range.io) > 100 {
            return broken_rule(
                "D2",
                format!(
                    "-rd (Distribution): range {number} gets {}% of the I/O, but only {}% was left",
                    range.io,
                    100 - self.io
                ),
            );
        }
        self.io += u64::from(range.io);
        None
    }
}

/// Warns of an alignment above the length of a range, which leaves at most one position in it.
fn alignment_above_range(case: &Case) -> Option<Finding> {
    let target = case.target;
    let distribution = target.distribution.as_ref()?;
    if distribution.kind != DistributionKind::Absolute || target.random_ratio == 0 {
        return None;
    }
    let (block_size, stride) = (u64::from(target.block_size), target.stride());
    let narrow = |r: &&DistributionRange| r.io > 0 && r.span >= block_size && r.span > 0 && r.span < stride;
    let range = distribution.ranges.iter().find(narrow)?;
    let message = format!(
        "the alignment of random I/O (-r, Random) of {stride} bytes exceeds a range of -rd (Distribution) of \
         {} bytes, so that range has one offset or none; use a smaller alignment",
        range.span
    );
    Some(Finding::of_machine("G13", Severity::Warning, message))
}
