//! A hash of the events under a seed: equal courses have equal numbers.

use diskspd::fnv::Fnv;
use std::fmt::{self, Write};

pub struct Course {
    hash: Fnv,
    is_shown: bool,
}

impl Course {
    pub fn new(is_shown: bool) -> Course {
        Course { hash: Fnv::default(), is_shown }
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

impl Write for Course {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.hash.add(text.as_bytes());
        Ok(())
    }
}
