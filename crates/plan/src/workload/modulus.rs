//! Remainders without a division.

/// A divisor known beforehand: `n.of(x)` is exactly `x % n`, for every 64-bit `x`, at the price of two
/// multiplications instead of a division, which takes several times as long. Without a branch, powers of
/// two included: a thread with several targets would mispredict it.
///
/// The quotient is `floor(x * m / 2^(64 + bits))` with `m = floor(2^64 * (2^bits - n) / n) + 1 + 2^64` and
/// `bits = ceil(log2 n)` (Granlund and Montgomery, "Division by Invariant Integers using Multiplication",
/// 1994). `m` has 65 bits; `multiplier` holds all but the top one, which the averaging step in
/// [`Modulus::round_down`] makes up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulus {
    divisor: u64,
    multiplier: u64,
    /// `bits` in two shifts, the first of at most 1.
    shifts: [u8; 2],
}

impl Modulus {
    /// Prepares a divisor; 0 counts as 1.
    pub fn new(divisor: u64) -> Modulus {
        let divisor = divisor.max(1);
        let bits = (u64::BITS - (divisor - 1).leading_zeros()) as u8;
        let excess = (1u128 << bits) - u128::from(divisor);
        // Below 2^64, because the excess is smaller than the divisor.
        let multiplier = ((excess << 64) / u128::from(divisor)) as u64 + 1;
        let first = bits.min(1);
        Modulus { divisor, multiplier, shifts: [first, bits - first] }
    }

    /// The bits of `x % divisor` in `x`; `None` = the divisor is not a power of two.
    pub fn power_mask(self) -> Option<u64> {
        self.divisor.is_power_of_two().then(|| self.divisor - 1)
    }

    /// Returns `x % divisor`.
    #[inline]
    pub fn reduce(self, x: u64) -> u64 {
        x - self.round_down(x)
    }

    /// Returns `x` rounded down to a multiple of the divisor.
    #[inline]
    pub fn round_down(self, x: u64) -> u64 {
        let high = ((u128::from(x) * u128::from(self.multiplier)) >> 64) as u64;
        let quotient = (((x - high) >> (self.shifts[0] & 63)) + high) >> (self.shifts[1] & 63);
        quotient * self.divisor
    }
}

#[cfg(test)]
mod tests {
    use super::Modulus;
    use proptest::prelude::*;

    #[test]
    fn remainders_at_edges_are_exact() {
        let edges: Vec<u64> = (0..64)
            .flat_map(|bit| [(1u64 << bit).wrapping_sub(1), 1 << bit, (1 << bit) + 1, (1 << bit) / 2 * 3])
            .chain([100, 3000, 5, 7, 641, 6_700_417, u64::MAX - 1, u64::MAX, (1 << 63) + 12345])
            .collect();
        for &n in edges.iter().filter(|&&n| n > 0) {
            let modulus = Modulus::new(n);
            let multiples = [n, n.wrapping_mul(2), u64::MAX / n * n].into_iter();
            let around = multiples.flat_map(|m| [m.wrapping_sub(1), m, m.wrapping_add(1)]);
            for x in around.chain(edges.iter().copied()) {
                assert_eq!(modulus.reduce(x), x % n, "{x} % {n}");
                assert_eq!(modulus.round_down(x), x / n * n, "{x} / {n} * {n}");
                assert!(modulus.power_mask().is_none_or(|mask| x & mask == x % n), "{x} % {n}");
            }
        }
    }

    #[test]
    fn modulus_zero_equals_modulus_one() {
        assert_eq!(Modulus::new(0).reduce(u64::MAX), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Divisors of all magnitudes, because a plain `any::<u64>()` is almost never small.
        #[test]
        fn fast_remainder_equals_operator(
            n in 1..=u64::MAX,
            shift in 0u32..64,
            x in any::<u64>(),
            k in any::<u64>(),
        ) {
            let n = (n >> shift).max(1);
            let modulus = Modulus::new(n);
            prop_assert_eq!(modulus.reduce(x), x % n);
            let multiple = (k % (u64::MAX / n).max(1)).wrapping_mul(n);
            for x in [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1)] {
                prop_assert_eq!(modulus.reduce(x), x % n);
            }
        }
    }
}
