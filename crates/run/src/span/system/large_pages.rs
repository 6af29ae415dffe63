//! Large pages for the I/O buffers of all threads (`-l`): their total, compared with the previously free
//! pages.

use crate::sources;
use diskspd_plan::SpanPlan;
use diskspd_sys::memory::{LargePages, LargePagesError};

/// Large pages of the machine, and the number that a time span needs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HugePagePool {
    before: LargePages,
    needed: u64,
}

impl HugePagePool {
    /// Reserves large pages before the start of the span's threads.
    pub(crate) fn reserve_for(span: &SpanPlan) -> HugePagePool {
        if !span.workers.iter().any(|worker| worker.large_pages) {
            return HugePagePool::default();
        }
        HugePagePool::with(LargePages::now(), span)
    }

    fn with(before: LargePages, span: &SpanPlan) -> HugePagePool {
        let workers = span.workers.iter().filter(|worker| worker.large_pages);
        HugePagePool {
            before,
            needed: workers.map(|worker| before.needed_for(sources::with_sources(worker, span))).sum(),
        }
    }

    /// Returns the reason for missing large pages, and the remedy.
    pub(crate) fn explain(&self, why: &LargePagesError) -> String {
        let HugePagePool { before: LargePages { size, total, free }, needed } = *self;
        if size == 0 {
            return format!("-l: {why}; leave out -l");
        }
        if needed <= free {
            return format!("-l: {why}");
        }
        let plural = if needed == 1 { " is" } else { "s are" };
        format!(
            "-l: {needed} large page{plural} needed for all threads ({} KiB each), {free} of {total} are \
             free; reserve them as root with sysctl vm.nr_hugepages={} (/proc/sys/vm/nr_hugepages; \
             HugePages_Free of /proc/meminfo shows whether the memory was not too fragmented for it), or \
             lower -b, -o or -t",
            size / 1024,
            needed.saturating_add(total.saturating_sub(free))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::System;
    use diskspd_machine::target::{TargetFacts, TargetKind};
    use diskspd_plan::{PlanContext, plan};
    use diskspd_profile::{Profile, RandomDataSource, RunOptions, Target, TimeSpan};
    use std::io;

    const MIB: u64 = 1 << 20;

    fn explain_reserve(source: Option<u64>, before: LargePages) -> String {
        let target = Target {
            path: "f.dat".into(),
            use_large_pages: true,
            threads_per_file: 2,
            request_count: 2,
            block_size: 65536,
            write_ratio: 100,
            random_data_source: source.map(|size| RandomDataSource { size, path: None }),
            ..Target::default()
        };
        let span = TimeSpan { targets: vec![target], ..TimeSpan::default() };
        let profile = Profile { time_spans: vec![span.clone()], ..Profile::default() };
        let facts = [TargetFacts { kind: TargetKind::File, size: 16 * MIB, ..TargetFacts::default() }];
        let (system, run_options) = (System::default(), RunOptions::default());
        let plan = plan(
            &profile,
            &span,
            PlanContext {
                system: &system,
                facts: &facts,
                run_options: &run_options,
                rank: Default::default(),
            },
        )
        .unwrap();
        let pages = LargePages { free: 0, ..before };
        let why = LargePagesError { bytes: 5, pages, source: io::ErrorKind::OutOfMemory.into() };
        HugePagePool::with(before, &plan).explain(&why)
    }

    #[test]
    fn reserve_covers_all_threads() {
        let pages = |total, free| LargePages { size: 2 * MIB, total, free };
        for (source, before, expected) in [
            (None, pages(0, 0), "2 large pages are needed for all threads (2048 KiB each), 0 of 0 are free"),
            (None, pages(0, 0), "vm.nr_hugepages=2 "),
            // A copy of the source for each thread: 8 MiB and 128 KiB.
            (Some(8 * MIB), pages(0, 0), "10 large pages are needed"),
            (Some(8 * MIB), pages(0, 0), "vm.nr_hugepages=10 "),
            // What other programs have is to stay theirs.
            (None, pages(4, 1), "1 of 4 are free"),
            (None, pages(4, 1), "vm.nr_hugepages=5 "),
            // There are enough: something else is the matter.
            (None, pages(2, 2), "-l: 1 large page is needed (2048 KiB each), 0 of 2 are free"),
            (None, LargePages::default(), "leave out -l"),
        ] {
            let text = explain_reserve(source, before);
            assert!(text.contains(expected), "{expected:?} is not in {text}");
        }
    }
}
