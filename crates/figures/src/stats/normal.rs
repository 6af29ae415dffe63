//! The normal distribution.

use std::f64::consts::PI;

const MAX_DEVIATIONS: f64 = 8.0;

/// The chance of a value of at most `x` deviations above the mean; exact to 14 digits (Marsaglia's series).
pub fn cumulative(x: f64) -> f64 {
    if x.abs() >= MAX_DEVIATIONS {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut power) = (x, x, 1.0);
    while sum + term != sum {
        power += 2.0;
        term *= x * x / power;
        sum += term;
    }
    (0.5 + sum * density(x)).clamp(0.0, 1.0)
}

/// Returns the density at `x` standard deviations from the mean.
pub fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// Standard normal random values, determined by the seed. They are for simulations, not for addresses,
/// which must match DISKSPD.
#[derive(Debug, Clone)]
pub struct NormalValues(u64);

impl NormalValues {
    pub fn new(seed: u64) -> NormalValues {
        NormalValues(seed)
    }

    pub fn draw(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (2.0 * PI * self.uniform()).cos()
    }

    /// Returns a number above 0 and at most 1 (SplitMix64).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_values_match_mean_and_deviation() {
        let mut values = NormalValues::new(5);
        let drawn: Vec<f64> = (0..20_000).map(|_| values.draw()).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let square = drawn.iter().map(|value| value * value).sum::<f64>() / 20_000.0;
        let beyond = drawn.iter().filter(|value| value.abs() > 1.96).count();
        assert!(mean.abs() < 0.03 && (square - 1.0).abs() < 0.04 && beyond.abs_diff(1000) < 120);
    }

    #[test]
    fn normal_quantiles_match_scipy() {
        // scipy.stats.norm.cdf
        for (x, expected) in [
            (-3.0, 0.0013498980316300933),
            (-1.959963984540054, 0.025),
            (0.0, 0.5),
            (0.5, 0.6914624612740131),
            (2.5758293035489004, 0.995),
            (9.0, 1.0),
        ] {
            assert!((cumulative(x) - expected).abs() < 1e-13, "{x}");
        }
    }
}
