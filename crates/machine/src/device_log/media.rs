//! Media writes of an endurance group with flexible data placement: FDP Statistics, log page 22h (NVM
//! Express Base Specification 2.1, 5.1.12.1.31; TP4146).

use super::bytes::number;
use serde::{Deserialize, Serialize};

/// Counters of all namespaces of the group, by all hosts, since data placement was enabled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaCounters {
    /// Bytes written by hosts, including metadata (HBMW).
    pub host_bytes: u64,
    /// Bytes written to the media (MBMW): host writes, garbage collection, and other writes of the device.
    pub media_bytes: u64,
    /// Erased bytes of the media (MBE).
    pub erased_bytes: u64,
}

impl MediaCounters {
    pub fn parse(page: &[u8]) -> Option<MediaCounters> {
        // The page ends behind what is reserved.
        page.get(63)?;
        // Sixteen bytes each: beyond eight it is as good as endless.
        let counter = |at: usize| match number::<8>(page, at + 8)? {
            0 => number::<8>(page, at),
            _ => Some(u64::MAX),
        };
        Some(MediaCounters { host_bytes: counter(0)?, media_bytes: counter(16)?, erased_bytes: counter(32)? })
    }

    pub fn since(&self, before: &MediaCounters) -> Option<MediaCounters> {
        Some(MediaCounters {
            host_bytes: self.host_bytes.checked_sub(before.host_bytes)?,
            media_bytes: self.media_bytes.checked_sub(before.media_bytes)?,
            erased_bytes: self.erased_bytes.checked_sub(before.erased_bytes)?,
        })
    }

    /// Returns media bytes per byte written by hosts; `None` = they wrote nothing.
    pub fn write_amplification(&self) -> Option<f64> {
        (self.host_bytes > 0).then(|| self.media_bytes as f64 / self.host_bytes as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counter_offsets_match_specification() {
        let mut page = [0; 64];
        for (at, value) in [(0, 1000u64), (16, 1500), (32, 700)] {
            page[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let counted = MediaCounters::parse(&page).unwrap_or_default();
        assert_eq!(counted, MediaCounters { host_bytes: 1000, media_bytes: 1500, erased_bytes: 700 });
        assert_eq!(counted.write_amplification(), Some(1.5));
        assert_eq!(MediaCounters::default().write_amplification(), None);
        page[24] = 1;
        assert_eq!(MediaCounters::parse(&page).map(|counted| counted.media_bytes), Some(u64::MAX));
        assert_eq!(MediaCounters::parse(&page[..63]), None);
    }

    #[test]
    fn a_page_of_an_emulated_device_is_read() {
        // Of QEMU 10.0, after 6336 KiB were written and nothing erased.
        let mut page = [0; 64];
        (page[2], page[18]) = (0x63, 0x63);
        let expected = MediaCounters { host_bytes: 6336 << 10, media_bytes: 6336 << 10, erased_bytes: 0 };
        assert_eq!(MediaCounters::parse(&page), Some(expected));
    }

    #[test]
    fn reset_counters_give_no_delta() {
        let [small, large] = [10, 30].map(|bytes| MediaCounters {
            host_bytes: bytes,
            media_bytes: 2 * bytes,
            erased_bytes: bytes / 2,
        });
        let expected = MediaCounters { host_bytes: 20, media_bytes: 40, erased_bytes: 10 };
        assert_eq!(large.since(&small), Some(expected));
        assert_eq!(small.since(&large), None);
        assert_eq!(small.since(&small).and_then(|none| none.write_amplification()), None);
    }
}
