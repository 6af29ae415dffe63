//! Counters of a volume of Amazon EBS, or of an instance's own: log page D0h. All are since the volume was
//! attached, least byte first.

use super::bytes::number;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct VolumeCounters {
    pub reads: u64,
    pub writes: u64,
    pub read_bytes: u64,
    pub write_bytes: u64,
    /// Total time of reads in µs.
    pub read_us: u64,
    /// Total time of writes in µs.
    pub write_us: u64,
    /// Time in µs above the volume's IOPS limit.
    pub over_volume_iops_us: u64,
    /// Time in µs above the volume's throughput limit.
    pub over_volume_throughput_us: u64,
    /// Time in µs above the instance's IOPS limit.
    pub over_instance_iops_us: u64,
    /// Time in µs above the instance's throughput limit.
    pub over_instance_throughput_us: u64,
    /// I/Os that wait at the volume at the time of the reading; not a counter.
    pub queue_length: u64,
    /// Reads by latency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_bins: Vec<LatencyBin>,
    /// Writes by latency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write_bins: Vec<LatencyBin>,
}

/// Number of I/Os within a latency range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyBin {
    pub lower_us: u64,
    /// Upper bound in µs.
    pub upper_us: u64,
    pub count: u64,
}

const EBS: u32 = 0x3c23_b510;
const INSTANCE_STORE: u32 = 0xec2c_0d7e;
/// Offset of the read histogram; the write histogram follows.
const READ_BINS: usize = 512;
const WRITE_BINS: usize = 2056;
const BIN: usize = 24;
const MAX_BINS: u64 = 64;

impl VolumeCounters {
    /// Parses the page of an EBS volume; `None` = too short, or another page.
    pub fn of_ebs(page: &[u8]) -> Option<VolumeCounters> {
        let counters = VolumeCounters::parse(page, EBS)?;
        Some(VolumeCounters {
            read_bins: latency_bins(page, READ_BINS)?,
            write_bins: latency_bins(page, WRITE_BINS)?,
            ..counters
        })
    }

    /// Parses the page of an instance's local volume, without its histograms by I/O size.
    pub fn of_instance_store(page: &[u8]) -> Option<VolumeCounters> {
        VolumeCounters::parse(page, INSTANCE_STORE)
    }

    fn parse(page: &[u8], magic: u32) -> Option<VolumeCounters> {
        let eight = |at| number::<8>(page, at);
        if number::<4>(page, 0)? != u64::from(magic) || page.len() < 4096 {
            return None;
        }
        Some(VolumeCounters {
            reads: eight(8)?,
            writes: eight(16)?,
            read_bytes: eight(24)?,
            write_bytes: eight(32)?,
            read_us: eight(40)?,
            write_us: eight(48)?,
            over_volume_iops_us: eight(56)?,
            over_volume_throughput_us: eight(64)?,
            over_instance_iops_us: eight(72)?,
            over_instance_throughput_us: eight(80)?,
            queue_length: eight(88)?,
            ..VolumeCounters::default()
        })
    }

    /// Returns the counts since an earlier reading; `None` = a counter decreased, because it was reset.
    pub fn since(&self, earlier: &VolumeCounters) -> Option<VolumeCounters> {
        let since = |of: fn(&VolumeCounters) -> u64| of(self).checked_sub(of(earlier));
        Some(VolumeCounters {
            reads: since(|counters| counters.reads)?,
            writes: since(|counters| counters.writes)?,
            read_bytes: since(|counters| counters.read_bytes)?,
            write_bytes: since(|counters| counters.write_bytes)?,
            read_us: since(|counters| counters.read_us)?,
            write_us: since(|counters| counters.write_us)?,
            over_volume_iops_us: since(|counters| counters.over_volume_iops_us)?,
            over_volume_throughput_us: since(|counters| counters.over_volume_throughput_us)?,
            over_instance_iops_us: since(|counters| counters.over_instance_iops_us)?,
            over_instance_throughput_us: since(|counters| counters.over_instance_throughput_us)?,
            queue_length: self.queue_length,
            read_bins: bins_since(&self.read_bins, &earlier.read_bins)?,
            write_bins: bins_since(&self.write_bins, &earlier.write_bins)?,
        })
    }
}

fn latency_bins(page: &[u8], at: usize) -> Option<Vec<LatencyBin>> {
    let count = number::<8>(page, at)?.min(MAX_BINS) as usize;
    let bin = |index: usize| {
        let at = at + 8 + BIN * index;
        Some(LatencyBin {
            lower_us: number::<8>(page, at)?,
            upper_us: number::<8>(page, at + 8)?,
            count: number::<4>(page, at + 16)?,
        })
    };
    (0..count).map(bin).collect()
}

/// Returns counts of 32 bits, which restart at 0. `None` = the bins differ.
fn bins_since(now: &[LatencyBin], earlier: &[LatencyBin]) -> Option<Vec<LatencyBin>> {
    let same = |(now, earlier): (&LatencyBin, &LatencyBin)| {
        let count = u64::from((now.count as u32).wrapping_sub(earlier.count as u32));
        let is_same = (now.lower_us, now.upper_us) == (earlier.lower_us, earlier.upper_us);
        is_same.then_some(LatencyBin { count, ..*now })
    };
    (now.len() == earlier.len()).then(|| now.iter().zip(earlier).map(same).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a page with these counters and one bin of reads.
    fn sample_page(counters: [u64; 11], reads: u32) -> Vec<u8> {
        let mut page = vec![0; 4096];
        page[..4].copy_from_slice(&EBS.to_le_bytes());
        for (index, value) in counters.iter().enumerate() {
            page[8 + 8 * index..][..8].copy_from_slice(&value.to_le_bytes());
        }
        page[512] = 1;
        page[528..536].copy_from_slice(&1024u64.to_le_bytes());
        page[536..540].copy_from_slice(&reads.to_le_bytes());
        page
    }

    #[test]
    fn counters_are_read_and_subtracted() {
        let read =
            |counters, reads| VolumeCounters::of_ebs(&sample_page(counters, reads)).unwrap_or_default();
        let before = read([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], u32::MAX);
        let after = read([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 5], 4);
        assert_eq!(before.read_bins, [LatencyBin { lower_us: 0, upper_us: 1024, count: 0xffff_ffff }]);
        let between = after.since(&before).unwrap_or_default();
        assert_eq!((between.reads, between.writes, between.over_volume_iops_us), (9, 18, 63));
        assert_eq!((between.over_instance_throughput_us, between.queue_length), (90, 5));
        assert_eq!(between.read_bins[0].count, 5, "beyond 32 bits it begins again");
        assert_eq!(before.since(&after), None, "attached anew meanwhile");
        let other = VolumeCounters { read_bins: Vec::new(), ..after.clone() };
        assert_eq!(other.since(&before), None, "other bins");
    }

    #[test]
    fn unknown_log_page_is_rejected() {
        let good = sample_page([0; 11], 0);
        assert!(VolumeCounters::of_ebs(&good).is_some());
        assert_eq!(VolumeCounters::of_instance_store(&good), None);
        assert_eq!(VolumeCounters::of_ebs(&good[..4095]), None);
        // As many bins as one likes.
        let mut many = good;
        many[512..520].fill(0xff);
        assert_eq!(VolumeCounters::of_ebs(&many).map(|counters| counters.read_bins.len()), Some(64));
        // An instance's own has others there.
        many[..4].copy_from_slice(&INSTANCE_STORE.to_le_bytes());
        let counters = VolumeCounters::of_instance_store(&many).unwrap_or_default();
        assert_eq!((counters.read_bins, counters.write_bins), (Vec::new(), Vec::new()));
    }
}
