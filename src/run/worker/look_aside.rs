//! How many I/Os are handed over at a time when latencies are measured.
//!
//! An I/O that completes while others are handed over isn't stamped before that is done: a large batch costs truth. A
//! small one costs system calls. So a batch may be as large as can be handed over in a few microseconds.

use crate::clock::Nanos;

/// How long handing over a batch, and looking for completions, may take, ns. See docs/measuring.md.
const LONGEST: Nanos = 16_000;
/// I/Os in a batch, powers of two.
const LEAST: usize = 4;
const MOST: usize = 16;

/// The present bound.
#[derive(Debug)]
pub struct LookAside {
    most: usize,
}

impl LookAside {
    /// In the middle.
    pub fn new() -> LookAside {
        LookAside { most: 8 }
    }

    /// I/Os that are handed over at most before completions are looked for.
    #[inline]
    pub fn most(&self) -> usize {
        self.most
    }

    /// So many were handed over, and completions looked for, in so many ns.
    #[inline]
    pub fn took(&mut self, ios: usize, nanos: Nanos) {
        // Fewer than the bound tell nothing about it.
        if ios < self.most {
            return;
        }
        if nanos > LONGEST {
            self.most = (self.most / 2).max(LEAST);
        } else if 2 * nanos + nanos / 8 < LONGEST {
            self.most = (self.most * 2).min(MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_as_large_as_can_be_handed_over_in_time() {
        for (per_io, settled) in [(100, 16), (900, 16), (1100, 8), (1900, 8), (2100, 4), (9000, 4)] {
            let mut bound = LookAside::new();
            for _ in 0..10 {
                let ios = bound.most();
                bound.took(ios, ios as Nanos * per_io);
            }
            assert_eq!(bound.most(), settled, "{per_io} ns each");
            bound.took(1, 1_000_000);
            assert_eq!(bound.most(), settled, "a batch that was not full");
        }
    }
}
