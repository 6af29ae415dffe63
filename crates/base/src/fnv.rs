//! A hash that is stable across versions: FNV-1a of 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). It
//! detects accidents, but not forgeries.

use std::fmt;

/// 64-bit FNV-1a hash of the added data, displayed as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes; the division into calls has no effect.
    pub fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }

    pub fn value(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_matches_published_values() {
        let of = |parts: &[&str]| {
            let mut hash = Fnv::default();
            parts.iter().for_each(|part| hash.add(part.as_bytes()));
            hash.to_string()
        };
        for (parts, expected) in [
            (&[""][..], "cbf29ce484222325"),
            (&["a"], "af63dc4c8601ec8c"),
            (&["foobar"], "85944171f73967e8"),
            (&["foo", "", "bar"], "85944171f73967e8"),
        ] {
            assert_eq!(of(parts), expected, "{parts:?}");
        }
    }
}
