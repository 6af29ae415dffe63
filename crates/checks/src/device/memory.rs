//! Devices backed by memory, with I/O that needs no storage device.

use super::effects::{JudgedPart, RuleOutcome, as_counted, names, severity_for};
use super::limits::{HIGH_FOREIGN_SHARE, MIN_FOREIGN_SHARE};
use diskspd_machine::memory_backed::InMemory;
use diskspd_machine::stack::{Layer, LayerKind};
use diskspd_results::Verdict;

impl JudgedPart<'_> {
    /// Returns the lowest devices that are memory.
    pub(super) fn in_memory(&self) -> Vec<(&Layer, InMemory)> {
        self.part.leaves().into_iter().filter_map(|leaf| Some((leaf, leaf.memory?))).collect()
    }

    /// Returns the effect of a memory device. zram is memory too, but processes its data like a disk
    /// stand-in. The verdict mentions it, and it affects the figures if the written data is hardly stored.
    pub(super) fn memory(&self) -> Option<RuleOutcome> {
        let found = self.in_memory();
        let counted = as_counted(self.part).bytes();
        if counted == 0 {
            return None;
        }
        if let Some(why) = self.part.targets.iter().find_map(|target| target.stack.in_memory.as_ref()) {
            return Some(RuleOutcome {
                verdict: Verdict::Cached,
                severity: Some(severity_for(true, true)),
                message: format!("{why}: these I/Os were done in memory, not by a device"),
                remedy: Some("choose a target on a device".into()),
            });
        }
        if let Some((layer, kind)) = found.iter().find(|(_, kind)| *kind != InMemory::Zram) {
            return Some(RuleOutcome {
                verdict: Verdict::Cached,
                severity: Some(severity_for(true, true)),
                message: format!(
                    "{} is {}: these I/Os were done in memory, not by a device",
                    names(&[layer]),
                    kind.describe()
                ),
                remedy: Some("choose a target on a device".into()),
            });
        }
        let (layer, kind) = found.first()?;
        // What a mapper encrypts doesn't compress.
        let changed = self.part.layers().iter().any(|layer| layer.kind == LayerKind::Mapper);
        let share = self.part.easy as f64 / counted as f64;
        (share >= MIN_FOREIGN_SHARE && !changed).then(|| RuleOutcome {
            verdict: Verdict::Cached,
            severity: Some(severity_for(share >= HIGH_FOREIGN_SHARE, true)),
            message: format!(
                "{} is {}, which stores almost nothing of zeros or a repeating pattern",
                names(&[layer]),
                kind.describe()
            ),
            remedy: Some("write random data: -Zr".into()),
        })
    }
}
