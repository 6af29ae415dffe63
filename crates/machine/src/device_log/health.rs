//! Health of an NVMe controller: SMART / Health Information, log page 02h (NVM Express Base Specification
//! 2.0, figure 207).

use super::bytes::number;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Bits of critical warnings: 0 spare, 1 temperature, 2 reliability, 3 read-only, 4 backup of volatile
    /// memory, 5 persistent memory.
    pub critical: u8,
    pub kelvin: u16,
    /// Remaining spare capacity in percent.
    pub spare: u8,
    /// Critical percentage of spare capacity.
    pub spare_threshold: u8,
    /// Used part of the rated endurance in percent; may exceed 100; 255 = at least that.
    pub used: u8,
    /// Number of uncorrectable or wrong data errors.
    pub media_errors: u64,
    /// Minutes above the temperature of the manufacturer's warning.
    pub warning_minutes: u32,
    pub critical_minutes: u32,
    /// Number of starts of light thermal throttling.
    pub light_throttles: u32,
    pub heavy_throttles: u32,
    /// Time of light throttling in s.
    pub light_throttled_s: u32,
    /// Time of heavy throttling in s.
    pub heavy_throttled_s: u32,
}

const CRITICAL: [&str; 6] = [
    "its spare capacity is below the threshold",
    "its temperature is outside of the limits",
    "it is no longer reliable, because of media errors or an internal error",
    "it is read-only",
    "the backup of its volatile memory failed",
    "its persistent memory is unreliable or read-only",
];

impl Health {
    pub fn parse(page: &[u8]) -> Option<Health> {
        let four = |at| Some(number::<4>(page, at)? as u32);
        let byte = |at: usize| page.get(at).copied();
        // The last number first: the page is whole.
        let heavy_throttled_s = four(228)?;
        // The page ends behind what is reserved.
        page.get(511)?;
        Some(Health {
            critical: byte(0)?,
            kelvin: number::<2>(page, 1)? as u16,
            spare: byte(3)?,
            spare_threshold: byte(4)?,
            used: byte(5)?,
            // Sixteen bytes: beyond eight it is as good as endless.
            media_errors: if number::<8>(page, 168)? == 0 { number::<8>(page, 160)? } else { u64::MAX },
            warning_minutes: four(192)?,
            critical_minutes: four(196)?,
            light_throttles: four(216)?,
            heavy_throttles: four(220)?,
            light_throttled_s: four(224)?,
            heavy_throttled_s,
        })
    }

    pub fn critical_words(&self) -> Vec<&'static str> {
        let set = |bit: &usize| self.critical & 1 << bit != 0;
        (0..CRITICAL.len()).filter(set).map(|bit| CRITICAL[bit]).collect()
    }

    pub fn celsius(&self) -> Option<i32> {
        (self.kelvin > 0).then(|| i32::from(self.kelvin) - 273)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_offsets_match_specification() {
        let mut page = [0; 512];
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &[0b10_0010]);
        put(1, &353u16.to_le_bytes());
        put(3, &[99, 10, 255]);
        put(160, &7u64.to_le_bytes());
        for (at, value) in [(192, 61u32), (196, 2), (216, 4), (220, 1), (224, 300), (228, 20)] {
            put(at, &value.to_le_bytes());
        }
        let health = Health::parse(&page).unwrap_or_default();
        let expected = Health {
            critical: 0b10_0010,
            kelvin: 353,
            spare: 99,
            spare_threshold: 10,
            used: 255,
            media_errors: 7,
            warning_minutes: 61,
            critical_minutes: 2,
            light_throttles: 4,
            heavy_throttles: 1,
            light_throttled_s: 300,
            heavy_throttled_s: 20,
        };
        assert_eq!(health, expected);
        assert_eq!(health.celsius(), Some(80));
        assert_eq!(health.critical_words(), [CRITICAL[1], CRITICAL[5]]);
        page[175] = 1;
        assert_eq!(Health::parse(&page).map(|health| health.media_errors), Some(u64::MAX));
        assert_eq!(Health { critical: 0xff, ..Health::default() }.critical_words(), CRITICAL);
        assert_eq!(Health::default().celsius(), None);
    }
}
