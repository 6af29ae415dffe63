//! Sizes of the I/Os at the devices compared with the counted I/Os: merged ones are larger, split ones
//! smaller.

use super::done::OwnDeviceIo;
use super::effects::{JudgedPart, RuleOutcome, did, severity_for};
use super::limits::*;
use super::part::IoCount;
use super::wording::{amount, size};
use crate::Severity;
use diskspd_base::engines::Direction;
use diskspd_machine::stack::Layer;
use diskspd_results::Verdict;

impl JudgedPart<'_> {
    pub(super) fn sizes(
        &self,
        direction: Direction,
        counted: IoCount,
        ours: OwnDeviceIo,
        devices: &[&Layer],
    ) -> Option<RuleOutcome> {
        // Of another program's bytes the number of I/Os can be unknown.
        if counted.ios == 0 {
            return None;
        }
        self.merge_effect(direction, counted, ours)
            .or_else(|| self.split_effect(direction, counted, ours, devices))
    }

    fn merge_effect(&self, direction: Direction, counted: IoCount, ours: OwnDeviceIo) -> Option<RuleOutcome> {
        let sure = counted.ios.saturating_sub(self.part.in_flight.ios) as f64;
        let sure = sure - counted.ios as f64 * self.slack;
        if ours.ios == 0 || sure < MERGED * ours.ios as f64 {
            return None;
        }
        let block = counted.bytes / counted.ios.max(1);
        let much = sure >= HIGH_MERGE_RATIO * ours.ios as f64 && block < LARGE_BLOCK;
        let message = format!(
            "the device {} in fewer, larger I/Os: {} instead of {}",
            did(direction),
            size(ours.bytes, ours.ios),
            size(counted.bytes, counted.ios)
        );
        let remedy = match self.part.buffered {
            true => {
                "the IOPS are the page cache's, the MiB/s the device's; to measure the device's IOPS use -Su"
            }
            false => {
                "IOPS count I/Os that were merged on the way: sequential ones by the kernel (random I/O (-r) \
                 is not merged), others in the cache of a layer (losetup --direct-io=on bypasses that of a \
                 loop device)"
            }
        };
        Some(RuleOutcome {
            verdict: Verdict::Coalesced,
            severity: Some(severity_for(much, false)),
            message,
            remedy: Some(remedy.into()),
        })
    }

    fn split_effect(
        &self,
        direction: Direction,
        counted: IoCount,
        ours: OwnDeviceIo,
        devices: &[&Layer],
    ) -> Option<RuleOutcome> {
        let possible = counted.ios.saturating_add(self.part.in_flight.ios) as f64;
        let possible = possible + counted.ios as f64 * self.slack;
        if counted.ios == 0 || (ours.least as f64) < MERGED * possible {
            return None;
        }
        let block = counted.bytes / counted.ios;
        let mut message = format!(
            "the device {} in more, smaller I/Os: {} instead of {}",
            did(direction),
            size(ours.bytes, ours.ios),
            size(counted.bytes, counted.ios)
        );
        // A limit below the mean size was not in force. What is cut up far further than a limit demands was
        // cut up by something else.
        let explains = |largest: u64| {
            let pieces = block.div_ceil(largest.max(1)) as f64;
            ours.bytes <= largest.saturating_mul(ours.ios) && (ours.least as f64) < MERGED * possible * pieces
        };
        let limit = |layer: &&Layer| {
            let traits = layer.queue_limits.as_ref()?;
            let largest = traits.largest_io.filter(|largest| *largest < block && explains(*largest))?;
            Some((layer.name.clone(), largest, traits.hardware_max_io))
        };
        let layers = self.part.layers();
        let above = layers.iter().filter(|layer| devices.iter().all(|device| device.name != layer.name));
        let smallest = devices.iter().chain(above).filter_map(limit).min_by_key(|(_, largest, _)| *largest);
        let mut remedy = None;
        let mut severity = Severity::Note;
        match smallest {
            Some((device, largest, possible)) => {
                let setting = if self.part.is_remote() { "rsize, wsize" } else { "max_sectors_kb" };
                message += &format!(": {device} takes no more than {} at once ({setting})", amount(largest));
                let better = block.min(possible.unwrap_or(0));
                if better > largest {
                    remedy =
                        Some(format!("echo {} > /sys/block/{device}/queue/max_sectors_kb", better >> 10));
                    // Set by somebody, and nothing but the storage kept the run from more.
                    severity = if self.by_storage { Severity::Warning } else { Severity::Note };
                }
            }
            None => match self.fragment.filter(|fragment| *fragment < block) {
                Some(fragment) => {
                    message +=
                        &format!(": the file consists of fragments of {} on average", amount(fragment));
                    remedy = Some("copy the file to where there is free space in one piece".to_owned());
                }
                None => message += ": striping, a fragmented file, or a limit of a layer in between",
            },
        }
        Some(RuleOutcome { verdict: Verdict::Split, severity: Some(severity), message, remedy })
    }
}
