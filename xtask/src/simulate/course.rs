//! A hash of the events under a seed: equal courses have equal numbers.

use diskspd::fnv::Fnv;
use std::fmt::{self, Write};

pub struct RunTotals {
    hash: Fnv,
    is_shown: bool,
}

impl RunTotals {
    pub fn new(is_shown: bool) -> RunTotals {
        RunTotals { hash: Fnv::default(), is_shown }
    }

    pub fn step(&mut self, what: fmt::Arguments<'_>) {
        let _ = self.write_fmt(what);
        let _ = self.write_str("\n");
        if self.is_shown {
            println!("    {what}");
        }
    }

    pub fn hash(&self) -> u64 {
        self.hash.value()
    }
}

impl Write for RunTotals {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.hash.add(text.as_bytes());
        Ok(())
    }
}
