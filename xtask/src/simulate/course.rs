//! What happened under a seed, as a number: two courses that are the same have the same.

use std::fmt::{self, Write};

/// FNV-1a, 64 bit.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The course of a simulation.
pub struct Course {
    hash: u64,
    /// Every step is printed too.
    is_shown: bool,
}

impl Course {
    /// Nothing has happened yet.
    pub fn new(is_shown: bool) -> Course {
        Course { hash: BASIS, is_shown }
    }

    /// This happens.
    pub fn step(&mut self, what: fmt::Arguments<'_>) {
        let _ = self.write_fmt(what);
        let _ = self.write_str("\n");
        if self.is_shown {
            println!("    {what}");
        }
    }

    /// Of all steps so far.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

impl Write for Course {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(PRIME);
        }
        Ok(())
    }
}
