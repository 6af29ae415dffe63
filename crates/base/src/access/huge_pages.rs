//! Pages of I/O buffers, and the memory that is mapped for a buffer.

/// Bytes of a huge page on x86-64, and on ARM64 with pages of 4 KiB (`transparent_hugepage/hpage_pmd_size`).
/// Where it is another size, the memory is as good as any.
pub const HUGE_PAGE: u64 = 2 << 20;

/// Use of huge pages for a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HugePages {
    /// No huge pages requested. With `always` in `transparent_hugepage/enabled` the kernel may use them
    /// anyway, as for any program.
    NotAskedFor,
    /// Huge pages for each part of the buffer that fills one.
    AskedFor,
    /// Huge pages, including one for a buffer that is smaller than a huge page.
    Whole,
}

impl HugePages {
    /// Bytes that are mapped for a buffer of `length` bytes, where a page has `page` bytes. `None` = more
    /// than a number holds.
    pub fn mapped(self, length: u64, page: u64) -> Option<u64> {
        let whole = self == HugePages::Whole && (1..HUGE_PAGE).contains(&length);
        length.checked_next_multiple_of(if whole { HUGE_PAGE } else { page })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_length_is_rounded_up_to_pages() {
        let (small, huge) = (4096, HUGE_PAGE);
        for (pages, length, mapped) in [
            (HugePages::NotAskedFor, 0, 0),
            (HugePages::NotAskedFor, 1, small),
            (HugePages::AskedFor, 128 << 10, 128 << 10),
            (HugePages::AskedFor, huge + 1, huge + small),
            (HugePages::Whole, 0, 0),
            (HugePages::Whole, 1, huge),
            (HugePages::Whole, huge - 1, huge),
            (HugePages::Whole, huge, huge),
            (HugePages::Whole, huge + 1, huge + small),
        ] {
            assert_eq!(pages.mapped(length, small), Some(mapped), "{pages:?} {length}");
        }
        assert_eq!(HugePages::Whole.mapped(u64::MAX, small), None);
    }
}
