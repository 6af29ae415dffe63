//! Additional kernel options of I/Os: flags of single reads and writes in the kernel's encoding (`RWF_*`
//! of linux/fs.h, preadv2(2)), and the lifetime of written data (fcntl(2)).

use serde::{Deserialize, Serialize};

/// Flags of the I/Os on a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct IoFeatures {
    /// `--atomic`: whether each write is atomic even in a power loss (Linux 6.11).
    pub atomic: bool,
    /// `--dontcache`: whether I/O through the page cache leaves no data there (Linux 6.14).
    pub dont_cache: bool,
    /// `--nowait`: whether I/Os that would wait fail with `EAGAIN` (Linux 4.14).
    pub no_wait: bool,
    /// Whether a completed write is durable (`--fua`, Linux 4.7).
    pub durable: bool,
    /// `--write-stream`: write stream of the device (Linux 6.16, io_uring only); 0 = none.
    pub write_stream: u8,
    /// `--fdp`: placement identifier of NVMe write commands; `None` = none.
    pub placement: Option<u16>,
}

/// `RWF_DSYNC`
const DURABLE: u32 = 0x2;
/// `RWF_NOWAIT`
const NO_WAIT: u32 = 0x8;
const ATOMIC: u32 = 0x40;
const DONT_CACHE: u32 = 0x80;

impl IoFeatures {
    pub fn are_plain(self) -> bool {
        self == IoFeatures::default()
    }

    /// Returns the flags with this durability.
    #[inline]
    pub fn with_durable(self, durable: bool) -> IoFeatures {
        IoFeatures { durable, ..self }
    }

    /// The kernel's flags of a read (`write` = false) or a write. Only writes can be atomic or durable.
    pub fn encoded(self, write: bool) -> u32 {
        let atomic = if self.atomic && write { ATOMIC } else { 0 };
        let no_wait = if self.no_wait { NO_WAIT } else { 0 };
        let durable = if self.durable && write { DURABLE } else { 0 };
        atomic | no_wait | durable | if self.dont_cache { DONT_CACHE } else { 0 }
    }

    /// Returns the flags without `no_wait`.
    pub fn waiting(self) -> IoFeatures {
        IoFeatures { no_wait: false, ..self }
    }
}

/// Expected lifetime of written data (`--write-hint`), a hint to file system and device for grouping data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteLifetime {
    None,
    Short,
    Medium,
    Long,
    Extreme,
}

/// Lifetimes with their names in the kernel's order, which starts at 1 (`RWH_WRITE_LIFE_NONE`).
const LIFETIMES: [(WriteLifetime, &str); 5] = [
    (WriteLifetime::None, "none"),
    (WriteLifetime::Short, "short"),
    (WriteLifetime::Medium, "medium"),
    (WriteLifetime::Long, "long"),
    (WriteLifetime::Extreme, "extreme"),
];

impl WriteLifetime {
    pub const NAMES: &'static [&'static str] = &["none", "short", "medium", "long", "extreme"];

    pub fn from_name(name: &str) -> Option<WriteLifetime> {
        LIFETIMES.iter().find(|(_, known)| *known == name).map(|(lifetime, _)| *lifetime)
    }

    pub fn name(self) -> &'static str {
        LIFETIMES[self as usize].1
    }

    pub fn encoded(self) -> u64 {
        self as u64 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_flags_and_write_hints_match_the_kernel() {
        let [plain, atomic, dont_cache] = [(false, false), (true, false), (false, true)]
            .map(|(atomic, dont_cache)| IoFeatures { atomic, dont_cache, ..IoFeatures::default() });
        let no_wait = IoFeatures { no_wait: true, ..atomic };
        assert_eq!([true, false].map(|write| no_wait.encoded(write)), [0x48, 0x8]);
        assert_eq!(no_wait.waiting(), atomic);
        assert!(plain.are_plain() && !atomic.are_plain() && !dont_cache.are_plain());
        let placed = IoFeatures { write_stream: 1, ..plain };
        assert!(!placed.are_plain() && placed.encoded(true) == 0, "a stream is no flag");
        assert_eq!([plain, atomic, dont_cache].map(|ways| ways.encoded(true)), [0, 0x40, 0x80]);
        assert_eq!([plain, atomic, dont_cache].map(|ways| ways.encoded(false)), [0, 0, 0x80]);
        let durable = atomic.with_durable(true);
        assert_eq!([durable.encoded(true), durable.encoded(false)], [0x42, 0]);
        assert_eq!(atomic.with_durable(false), atomic);
        for (number, name) in (1..).zip(WriteLifetime::NAMES) {
            let lifetime = WriteLifetime::from_name(name).unwrap();
            assert_eq!((lifetime.name(), lifetime.encoded()), (*name, number));
        }
        assert_eq!(WriteLifetime::from_name("Short"), None);
    }
}
