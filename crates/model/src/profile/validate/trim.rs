//! Rules of discards as part of a workload (`--trim`).

use super::Case;
use crate::finding::{Finding, Severity};

/// What they don't go with; what the method forbids is among its own rules.
pub(super) fn check(case: &Case) -> Vec<Finding> {
    let Case { target, span, .. } = case;
    if target.trim_ratio == 0 {
        return Vec::new();
    }
    let rules = [
        (
            target.trim_ratio > 100,
            "T1",
            "--trim (linux:TrimRatio): the share of discards is at most 100 %; give 1 to 100",
        ),
        (
            target.memory_mapped_io,
            "T2",
            "--trim (linux:TrimRatio) and -Sm (MemoryMappedIo) exclude each other: memory-mapped I/O has no \
             discards; leave out one of them",
        ),
        (
            span.completion_routines,
            "T3",
            "--trim (linux:TrimRatio) and completion routines (-x, CompletionRoutines) exclude each other: \
             routines submit only reads and writes; leave out one of them",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| Finding::of_machine(rule, Severity::Error, message)).collect()
}
