//! The PCI Express link that a disk or its controller is attached by.

use crate::system::root::{number, text};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A link as it is, and as the device could have it in another slot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Transfers per second and lane, 10^6.
    pub speed: u64,
    /// Lanes.
    pub width: u64,
    /// The speed that the device can do.
    pub max_speed: u64,
    /// The lanes that the device has.
    pub max_width: u64,
}

impl Link {
    /// What the link can carry, 10^6 bytes per second, headers of packets included.
    pub fn bandwidth(&self) -> u64 {
        bandwidth(self.speed, self.width)
    }

    /// What the best link of the device could carry, as [`Link::bandwidth`].
    pub fn max_bandwidth(&self) -> u64 {
        bandwidth(self.max_speed, self.max_width)
    }

    /// The link of a PCI function; `None` = it has none that is told (virtual ones say `Unknown`).
    pub(super) fn of(function: &Path) -> Option<Link> {
        let speed = |file: &str| mega_transfers(&text(&function.join(file))?);
        let width =
            |file: &str| number::<u64>(&function.join(file)).filter(|&width| (1..=32).contains(&width));
        Some(Link {
            speed: speed("current_link_speed")?,
            width: width("current_link_width")?,
            max_speed: speed("max_link_speed")?,
            max_width: width("max_link_width")?,
        })
    }
}

/// The first two generations send 8 bits as 10, the next three 128 as 130; later ones as good as none more.
fn bandwidth(speed: u64, width: u64) -> u64 {
    let bits = speed.saturating_mul(width);
    match speed {
        ..=5000 => bits / 10,
        5001..=32_000 => bits.saturating_mul(128) / 130 / 8,
        _ => bits / 8,
    }
}

/// `16.0 GT/s PCIe`
fn mega_transfers(text: &str) -> Option<u64> {
    let (giga, _) = text.split_once(" GT/s")?;
    let (whole, tenth) = giga.split_once('.').unwrap_or((giga, "0"));
    let tenth: u64 = tenth.get(..1)?.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(tenth * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read_as_old_and_new_kernels_print_them() {
        for (text, expected) in [
            ("16.0 GT/s PCIe", Some(16_000)),
            ("2.5 GT/s PCIe", Some(2_500)),
            ("8 GT/s", Some(8_000)),
            ("Unknown", None),
            ("x GT/s", None),
            ("8. GT/s", None),
            ("99999999999999999999 GT/s", None),
        ] {
            assert_eq!(mega_transfers(text), expected, "{text}");
        }
    }

    #[test]
    fn bandwidths_are_those_of_the_generations() {
        for (speed, width, expected) in
            [(2_500, 1, 250), (5_000, 4, 2_000), (8_000, 4, 3_938), (16_000, 4, 7_876), (64_000, 4, 32_000)]
        {
            assert_eq!(bandwidth(speed, width), expected, "{speed} x{width}");
        }
    }
}
