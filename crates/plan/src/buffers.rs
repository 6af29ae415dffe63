//! Memory of the workers' I/O buffers, and its page size.

use super::{WorkerPlan, WriteContent};
use diskspd_base::access::{HUGE_PAGE, HugePages};
use diskspd_machine::System;

/// Page size if the machine is unknown.
const PAGE: u64 = 4096;

/// Bytes of the smallest buffer that gets a huge page for itself: a smaller one cannot win enough.
const MIN_HUGE_PAGE_BUFFER: u64 = 64 << 10;

/// Divisor of the available memory that gives the maximum for huge pages.
const SHARE: u64 = 4;

impl WorkerPlan {
    /// Returns the maximum mapped bytes of its buffer.
    pub fn mapped_buffer(&self, system: &System) -> u64 {
        let page = if system.page_size == 0 { PAGE } else { system.page_size };
        self.huge_pages.mapped(self.buffer, page).unwrap_or(u64::MAX)
    }

    /// Whether a huge page puts its I/Os into one piece each, although the buffer does not fill the page.
    /// An I/O of one small page is in one piece anyway.
    fn wins_by_whole_page(&self) -> bool {
        let in_pieces = |target: &super::WorkerTarget| u64::from(target.slot) > PAGE;
        let shares = |target: &super::WorkerTarget| matches!(target.content, WriteContent::Source { .. });
        self.huge_pages == HugePages::AskedFor
            && !self.large_pages
            && self.separation == 0
            && (MIN_HUGE_PAGE_BUFFER..HUGE_PAGE).contains(&self.buffer)
            && self.targets.iter().any(in_pieces)
            && !self.targets.iter().any(shares)
    }
}

/// Gives huge pages to small buffers, if all of these together are a small part of the memory.
pub(super) fn give_whole_pages(workers: &mut [WorkerPlan], system: &System) {
    let needed = workers.iter().filter(|worker| worker.wins_by_whole_page()).count() as u64 * HUGE_PAGE;
    let available = system.memory_to_take();
    if available > 0 && needed > available / SHARE {
        return;
    }
    let wins = workers.iter_mut().filter(|worker| worker.wins_by_whole_page());
    wins.for_each(|worker| worker.huge_pages = HugePages::Whole);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanContext, PlanError, plan};
    use diskspd_machine::target::{TargetFacts, TargetKind};
    use diskspd_profile::{Profile, RunOptions, Target, TimeSpan};

    /// Plans the huge pages of two buffers with `available` bytes of free memory.
    fn plan_pages(block_size: u32, depth: u32, available: u64) -> Result<HugePages, Vec<PlanError>> {
        let target = Target {
            path: "f.dat".into(),
            threads_per_file: 2,
            request_count: depth,
            block_size,
            ..Target::default()
        };
        let span = TimeSpan { targets: vec![target], ..TimeSpan::default() };
        let facts = [TargetFacts { kind: TargetKind::File, size: 64 << 20, ..TargetFacts::default() }];
        let system = System { memory_available: available, ..System::default() };
        let around = PlanContext {
            system: &system,
            facts: &facts,
            run_options: &RunOptions::default(),
            rank: Default::default(),
        };
        Ok(plan(&Profile::default(), &span, around)?.workers[1].huge_pages)
    }

    #[test]
    fn large_ios_get_huge_page_if_memory_allows() {
        const KIB: u32 = 1 << 10;
        for (block_size, depth, available, pages) in [
            (4 * KIB, 32, 0, HugePages::AskedFor),
            (64 * KIB, 4, 0, HugePages::Whole),
            (64 * KIB, 4, 16 << 20, HugePages::Whole),
            (64 * KIB, 4, (16 << 20) - 1, HugePages::AskedFor),
            (8 * KIB, 7, 0, HugePages::AskedFor),
            (8 * KIB, 8, 0, HugePages::Whole),
            (2048 * KIB, 1, 0, HugePages::AskedFor),
        ] {
            let planned = plan_pages(block_size, depth, available).ok();
            assert_eq!(planned, Some(pages), "{block_size} {depth} {available}");
        }
        assert!(plan_pages(4 * KIB, 32, 256 << 10).is_ok());
        assert!(plan_pages(4 * KIB, 32, (256 << 10) - 1).is_err(), "more than there is");
    }
}
