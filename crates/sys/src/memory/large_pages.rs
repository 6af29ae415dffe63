//! Large pages: their size and number, and reasons for a lack of them.

use std::fmt;
use std::io;

/// Large pages of the default size, from `/proc/meminfo`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LargePages {
    pub size: u64,
    pub total: u64,
    pub free: u64,
}

impl LargePages {
    pub fn now() -> LargePages {
        LargePages::parse(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default())
    }

    fn parse(meminfo: &str) -> LargePages {
        let value = |name: &str| -> u64 {
            let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.unwrap_or(0)
        };
        LargePages {
            size: value("Hugepagesize") * 1024,
            total: value("HugePages_Total"),
            free: value("HugePages_Free").saturating_sub(value("HugePages_Rsvd")),
        }
    }

    pub fn needed_for(&self, bytes: u64) -> u64 {
        if self.size == 0 { 0 } else { bytes.div_ceil(self.size) }
    }
}

#[derive(Debug, thiserror::Error)]
pub struct LargePagesError {
    pub bytes: u64,
    pub pages: LargePages,
    pub source: io::Error,
}

impl fmt::Display for LargePagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LargePages { size, total, free } = self.pages;
        if size == 0 {
            return write!(f, "this kernel has no large pages (CONFIG_HUGETLBFS)");
        }
        let (needed, kib) = (self.pages.needed_for(self.bytes), size / 1024);
        let plural = if needed == 1 { " is" } else { "s are" };
        write!(f, "{needed} large page{plural} needed ({kib} KiB each), {free} of {total} are free")?;
        if needed <= free {
            write!(
                f,
                "; those may be on NUMA nodes that this thread cannot use (cpuset, numactl), or a limit of \
                 the cgroup (hugetlb) forbids them ({})",
                self.source
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "MemTotal:       24605944 kB\nHugePages_Total:      10\nHugePages_Free:        7\n\
                           HugePages_Rsvd:        3\nHugePages_Surp:        0\nHugepagesize:       2048 kB\n";

    #[test]
    fn reserved_large_pages_are_not_free() {
        let pages = LargePages::parse(MEMINFO);
        assert_eq!(pages, LargePages { size: 2 << 20, total: 10, free: 4 });
        assert_eq!([0, 1, 2 << 20, (2 << 20) + 1].map(|bytes| pages.needed_for(bytes)), [0, 1, 1, 2]);
        assert_eq!(LargePages::parse("MemTotal: 1 kB\n"), LargePages::default());
    }

    #[test]
    fn space_refusal_has_needed_and_free_bytes() {
        let told = |bytes, meminfo| {
            let source = io::Error::from(io::ErrorKind::OutOfMemory);
            LargePagesError { bytes, pages: LargePages::parse(meminfo), source }.to_string()
        };
        assert!(
            told(11 << 20, MEMINFO).contains("6 large pages are needed (2048 KiB each), 4 of 10 are free")
        );
        assert!(told(1 << 20, MEMINFO).contains("NUMA"));
        assert!(told(1 << 20, "").contains("no large pages"));
    }
}
