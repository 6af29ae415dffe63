//! Findings about I/O that the counters do not show.

use super::done::{DeviceIo, UncountedIo};
use super::effects::{JudgedPart, RuleOutcome, as_counted, did, names};
use super::limits::MIN_EQUAL_RATIO;
use super::part::IoCount;
use super::wording::amount;
use crate::Severity;
use diskspd_base::engines::Direction;
use diskspd_machine::stack::LayerKind;
use diskspd_results::Verdict;

fn unknown_effect(message: String, remedy: Option<String>) -> RuleOutcome {
    RuleOutcome { verdict: Verdict::Unknown, severity: Some(Severity::Warning), message, remedy }
}

impl JudgedPart<'_> {
    /// Returns the reason why the counters are inconclusive: unknown devices, or disabled statistics.
    /// `first`: activity of the targets' devices; `below`: activity of the lowest devices, if different.
    pub(super) fn unseen(
        &self,
        first: Result<&DeviceIo, &UncountedIo>,
        below: Option<&Result<DeviceIo, UncountedIo>>,
    ) -> Vec<RuleOutcome> {
        let part = self.part;
        if as_counted(part).bytes() == 0 || !part.has_devices() {
            return Vec::new();
        }
        let dark = part.layers().into_iter().filter(|layer| layer.memory.is_none());
        let dark = dark.filter_map(|layer| Some((layer, layer.lower_unknown.as_ref()?)));
        let mut effects: Vec<RuleOutcome> = dark
            .map(|(layer, why)| {
                let message =
                    format!("the storage below {} is unknown and may be memory: {why}", names(&[layer]));
                unknown_effect(message, Some("choose a target on a device of this machine".into()))
            })
            .collect();
        // Where nothing on the way answers by itself, either end of it tells.
        let straight = part.is_faithful() && !part.has_loop();
        let below = below.map(|below| below.as_ref());
        let blind = match (first, below) {
            (Err(why), _) if why.switched => Some(why),
            (Err(why), None | Some(Err(_))) if why.off => Some(why),
            (Ok(_), Some(Err(why))) if why.off && !straight => Some(why),
            _ => None,
        };
        effects.extend(blind.map(|not| unknown_effect(not.why.clone(), not.remedy.clone())));
        effects
    }

    /// Replaces findings between devices that changed during the measurement with an inconclusive one,
    /// because each side is incomplete. The first `above` findings do not depend on the lowest devices, so
    /// they stay.
    pub(super) fn unless_moved(&self, found: &mut Vec<RuleOutcome>, above: usize) {
        let moved_to = self.part.moved_to();
        if moved_to.is_empty() || found.len() <= above {
            return;
        }
        found.truncate(above);
        let message = format!(
            "the devices below it changed during the measurement, from {} to {}: neither counted all of it",
            names(&self.part.leaves()),
            moved_to.join(", ")
        );
        let remedy = "repeat the run while nothing is moved (pvmove, dmsetup, a member of a RAID)";
        found.push(unknown_effect(message, Some(remedy.into())));
    }

    /// Returns a device with incomplete counters. The process requested the I/O from block devices, or a
    /// lower device did it, so memory cannot have served it.
    pub(super) fn counter_gap(
        &self,
        direction: Direction,
        counted: IoCount,
        ours: u64,
        leaves: Option<&DeviceIo>,
    ) -> Option<RuleOutcome> {
        let enough = |bytes: &u64| *bytes as f64 >= MIN_EQUAL_RATIO * counted.bytes as f64;
        let first = self.part.first();
        // A partition is counted with its disk, where others' I/O is too.
        let whole = first.iter().all(|layer| layer.kind != LayerKind::Partition);
        let below = leaves.filter(|_| whole && !self.part.buffered).map(|leaves| match direction {
            Direction::Read => leaves.read.bytes,
            Direction::Write => leaves.write.bytes,
        });
        let who = match (direction, self.own_read) {
            (Direction::Read, Some(asked)) => {
                enough(&asked).then(|| format!("this process asked block devices for {}", amount(asked)))
            }
            _ => below.filter(enough).map(|bytes| {
                let below = names(&self.part.leaves());
                format!("{below} below it {} {}", did(direction), amount(bytes))
            }),
        }?;
        let message = format!(
            "{} counted {} of the {} {}, but {who}: its statistics miss I/Os",
            names(&first),
            amount(ours),
            amount(counted.bytes),
            if direction == Direction::Read { "read" } else { "written" },
        );
        Some(unknown_effect(message, Some("keep queue/iostats at 1 all the time, and repeat the run".into())))
    }
}
