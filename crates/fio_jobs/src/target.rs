//! Conversion of a job's part of a file to a target of a profile.

use super::access::JobContent;
use super::files::FilePiece;
use super::job::RequestedJob;
use super::random::RandomAccess;
use super::shape::{JobDirection, JobShape};
use diskspd_base::engines::EngineKind;
use diskspd_base::operation::Operation;
use diskspd_profile::{CacheMode, MixPart, OperationShares, RandomDataSource, RawText, SizeShare, Target};

const BUFFER: u64 = 4 << 20;

impl RequestedJob {
    pub(super) fn target(&self, piece: &FilePiece, threads: u32) -> Target {
        let mapped = self.engine == EngineKind::Mmap;
        let mut target = Target {
            path: RawText::from(piece.path.as_str()),
            base_file_offset: piece.from,
            max_file_size: piece.length.map_or(0, |length| piece.from.saturating_add(length)),
            file_size: piece.create,
            request_count: self.depth,
            threads_per_file: threads,
            cache_mode: if self.direct { CacheMode::DisableOsCache } else { CacheMode::Cached },
            uncached_devices: self.direct || mapped,
            write_through: self.write_through,
            atomic: self.atomic && self.has_writes(),
            dont_cache: self.dont_cache && !self.direct,
            memory_mapped_io: mapped,
            random_access: self.hints && self.shape.random_percent > 0 && !self.direct,
            sequential_scan: self.hints && self.shape.random_percent == 0 && !self.direct,
            use_large_pages: self.large_pages,
            throughput: self.throughput,
            // The threads of a target share its bursts.
            burst_size: self.pause.map(|(blocks, _)| blocks.saturating_mul(threads)),
            think_time: self.pause.map(|(_, ms)| ms),
            io_priority: self.priority,
            write_hint: self.write_hint.filter(|_| self.has_writes()),
            zoned: self.zoned,
            ..Target::default()
        };
        self.shape_target(&mut target);
        if self.has_writes() && !self.run.verify {
            self.fill_target(&mut target);
        }
        target.sum_up_parts();
        target
    }

    fn shape_target(&self, target: &mut Target) {
        let shape = &self.shape;
        let JobShape { sizes, alignment, random, .. } = shape;
        let part = |sizes: &[SizeShare], align: Option<u64>, random: &RandomAccess, writes: u32| {
            let mut part =
                Target { write_ratio: writes, random_ratio: shape.random_percent, ..Target::default() };
            let smallest = sizes.iter().map(|size| size.block_size).min().unwrap_or(1);
            let fixed = sizes.len() == 1;
            part.block_size = sizes.iter().map(|size| size.block_size).max().unwrap_or(smallest);
            part.sizes = if fixed { Vec::new() } else { sizes.to_vec() };
            part.block_alignment = match (shape.random_percent, fixed) {
                (0, true) if shape.hole == 0 => 0,
                (0, _) => u64::from(smallest).saturating_add(shape.hole),
                (_, true) => align.unwrap_or(0),
                (_, false) => align.unwrap_or_else(|| smallest.into()),
            };
            if shape.random_percent > 0 {
                match random {
                    RandomAccess::Uniform => {}
                    RandomAccess::Spread(spread) => part.spread = Some(*spread),
                    RandomAccess::Ranges(ranges) => part.distribution = Some(ranges.clone()),
                }
            }
            part
        };
        let reads = || part(&sizes.read, alignment.read, &random.read, 0);
        let writes = || part(&sizes.write, alignment.write, &random.write, 100);
        let alone = match shape.way {
            JobDirection::Read => reads(),
            JobDirection::Write => writes(),
            JobDirection::Trim => {
                target.shares = OperationShares::default().with(Operation::Discard, 100);
                part(&sizes.trim, alignment.trim, &random.trim, 0)
            }
            JobDirection::Mixed(percent) => {
                let (reads, writes) = (reads(), writes());
                let same = Target { write_ratio: writes.write_ratio, ..reads.clone() } == writes;
                // Sequential reads and writes have a position each, as parts of a mix have.
                if !same || shape.random_percent == 0 {
                    target.mix = vec![
                        MixPart::new(reads, percent, None, None),
                        MixPart::new(writes, 100 - percent, None, None),
                    ];
                    return;
                }
                Target { write_ratio: 100 - percent, ..reads }
            }
        };
        target.block_size = alone.block_size;
        target.block_alignment = alone.block_alignment;
        target.sizes = alone.sizes;
        target.random_ratio = alone.random_ratio;
        target.write_ratio = alone.write_ratio;
        target.each_once = shape.each_once;
        target.distribution = alone.distribution;
        target.spread = alone.spread;
    }

    fn fill_target(&self, target: &mut Target) {
        match self.content {
            JobContent::Zeros => target.zero_write_buffers = true,
            JobContent::Made(shape) => target.content = Some(shape),
            JobContent::Usual | JobContent::Fixed => {
                let largest = target.portions().iter().map(|portion| portion.target.block_size).max();
                let largest = u64::from(largest.unwrap_or(0));
                let enough = BUFFER.max(largest.saturating_mul(2));
                // What fio writes again and again stays in the CPU's caches, if it isn't much.
                let size = match self.content {
                    JobContent::Fixed => largest.saturating_mul(u64::from(self.depth.max(2))).min(enough),
                    _ => enough,
                };
                target.random_data_source = Some(RandomDataSource { size, path: None });
            }
        }
    }
}
