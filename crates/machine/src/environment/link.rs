//! The PCI Express link of a disk or its controller.

use serde::{Deserialize, Serialize};

/// Current link, and the best link of the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Transfers per second and lane, in 10^6.
    pub speed: u64,
    pub width: u64,
    /// Maximum speed of the device.
    pub max_speed: u64,
    /// Number of lanes of the device.
    pub max_width: u64,
}

impl Link {
    /// Returns the bandwidth of the link in 10^6 bytes per second, including packet headers.
    pub fn bandwidth(&self) -> u64 {
        bandwidth(self.speed, self.width)
    }

    pub fn max_bandwidth(&self) -> u64 {
        bandwidth(self.max_speed, self.max_width)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_bandwidths_match_pcie_generations() {
        for (speed, width, expected) in
            [(2_500, 1, 250), (5_000, 4, 2_000), (8_000, 4, 3_938), (16_000, 4, 7_876), (64_000, 4, 32_000)]
        {
            assert_eq!(bandwidth(speed, width), expected, "{speed} x{width}");
        }
    }
}
