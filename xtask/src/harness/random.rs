//! Random numbers that repeat for a seed.

#[path = "../../../tests/common/random.rs"]
mod splitmix;

pub use splitmix::Random;

impl Random {
    /// Returns a number below a limit; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit.max(1) as u64) as usize
    }
}
