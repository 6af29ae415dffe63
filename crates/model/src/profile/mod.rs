//! The profile: what the user asked for, in DISKSPD's nouns.
//!
//! A profile knows nothing of the machine: no sizes of existing files, no CPUs, no engines.
//! Field names are those of DISKSPD's profile XML, in snake case.

pub mod affinity;
mod compat;
mod content;
mod method;
mod mix;
mod parameters;
mod repetition;
mod ring;
mod shares;
mod spread;
mod target_id;
pub mod template;
pub mod validate;
pub mod xml;

pub use crate::path::RawText;
pub use affinity::{AffinityTraversal, Efficiency, GroupCpu};
pub use compat::Compat;
pub use content::ContentShape;
pub use method::{Arrivals, Method, Prefill, RateTotal, ReplayMethod, ReplayWrites, VerifyMode, Volume};
pub use mix::{MOST_PORTIONS, MixPart, Portion, SizeShare};
pub use parameters::{Access, Caching, OfAllTargets, Parameters, Rate, TargetGroup};
pub use repetition::SEED_STEP;
pub use ring::{BufferSeparation, BypassIo, IoRing, RingBatch};
use serde::{Deserialize, Serialize};
pub use shares::{OperationShares, percents, ratios};
pub use spread::{AddressSpread, NoAddressSpread};
pub use target_id::{TargetId, TargetIds};

/// Version of DISKSPD whose command lines, profiles and reports this program keeps unless told otherwise.
pub const COMPATIBLE_VERSION: &str = "2.2.0";
/// Date of [`COMPATIBLE_VERSION`], as DISKSPD writes it.
pub const COMPATIBLE_VERSION_DATE: &str = "2024/6/3";

/// A whole run: output settings and one or more time spans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Program name and all arguments as given, joined by single blanks.
    pub command_line: RawText,
    /// `--compat`
    #[serde(default, skip_serializing_if = "Compat::is_2_2")]
    pub compat: Compat,
    /// `-v`: time-stamped progress messages on standard output.
    pub verbose: bool,
    /// `-vs`: wait statistics in the report.
    pub verbose_stats: bool,
    /// `-P`: a dot after every so many I/Os of a thread; 0 = none.
    pub progress: u32,
    /// `-:`: bit mask of experimental flags.
    pub experiment_flags: u32,
    /// `-R`: form of the report on standard output.
    pub result_format: ResultFormat,
    /// XML `PrecreateFiles`; the command line cannot set it.
    pub precreate_files: Option<PrecreateFiles>,
    /// `-e`: event tracing; `None` = off.
    pub etw: Option<Etw>,
    /// The time spans, run one after the other. The command line makes exactly one.
    pub time_spans: Vec<TimeSpan>,
}

impl Default for Profile {
    fn default() -> Self {
        Profile {
            command_line: RawText::default(),
            compat: Compat::default(),
            verbose: false,
            verbose_stats: false,
            progress: 0,
            experiment_flags: 0,
            result_format: ResultFormat::Text,
            precreate_files: None,
            etw: None,
            time_spans: Vec::new(),
        }
    }
}

/// Form of the report on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultFormat {
    /// `-Rtext`
    Text,
    /// `-Rxml`
    Xml,
}

/// Which files are created once, before the first time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrecreateFiles {
    /// Every path that has a size anywhere, with the largest.
    UseMaxSize,
    /// Paths whose sizes are all equal and none zero.
    OnlyFilesWithConstantSizes,
    /// Paths whose non-zero sizes are all equal.
    OnlyFilesWithConstantOrZeroSizes,
}

/// Event tracing switches (`-e`). What each of them means on Linux, `plan` decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // the names are the documentation: DISKSPD's own
pub struct Etw {
    pub process: bool,
    pub thread: bool,
    pub image_load: bool,
    pub disk_io: bool,
    pub memory_page_faults: bool,
    pub memory_hard_faults: bool,
    pub network: bool,
    pub registry: bool,
    pub use_paged_memory: bool,
    pub use_perf_timer: bool,
    pub use_system_timer: bool,
    pub use_cycles_counter: bool,
}

/// One time span: a set of targets worked on with one set of threads for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSpan {
    /// `-d`: measured time, s.
    pub duration: u32,
    /// `-W`: time before measuring starts, s.
    pub warmup: u32,
    /// `-C`: time after measuring ended, s.
    pub cooldown: u32,
    /// `-z`: thread i draws from the generator seeded with this + i.
    pub rand_seed: u32,
    /// `-Zr`: fresh random content for every write.
    pub random_write_data: bool,
    /// `-F`: threads in all; 0 = [`Target::threads_per_file`] counts.
    pub thread_count: u32,
    /// `-O`: outstanding I/Os of a thread over all its targets, with `-F`; 0 = [`Target::request_count`]
    /// counts.
    pub request_count: u32,
    /// `-a`: thread i runs on entry i mod length; empty = round robin over the active CPUs.
    pub affinity: Vec<GroupCpu>,
    /// `-ac -as -ap -aP -ae -aE -aup`: the order in which CPUs are taken; `None` = not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity_traversal: Option<AffinityTraversal>,
    /// `-n`: threads are not bound to CPUs.
    pub disable_affinity: bool,
    /// `-x`: completion routines.
    pub completion_routines: bool,
    /// `-u`; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_ring: Option<IoRing>,
    /// `-oc`: completions that are taken at a time, at most; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_depth: Option<u32>,
    /// `-bs`; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_separation: Option<BufferSeparation>,
    /// `-L`: latency statistics.
    pub measure_latency: bool,
    /// `-D`: IOPS statistics.
    pub calculate_iops_std_dev: bool,
    /// Value of `-D`: width of an interval, ms.
    pub io_bucket_duration: u32,
    /// The measured time also ends when so much has been written, whatever `--until-written` says; `None` =
    /// that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_written: Option<Volume>,
    /// The same for what has been read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_read: Option<Volume>,
    /// What is worked on.
    pub targets: Vec<Target>,
}

impl Default for TimeSpan {
    fn default() -> Self {
        TimeSpan {
            duration: 10,
            warmup: 5,
            cooldown: 0,
            rand_seed: 0,
            random_write_data: false,
            thread_count: 0,
            request_count: 0,
            affinity: Vec::new(),
            affinity_traversal: None,
            disable_affinity: false,
            completion_routines: false,
            io_ring: None,
            completion_depth: None,
            buffer_separation: None,
            measure_latency: false,
            calculate_iops_std_dev: false,
            io_bucket_duration: 1000,
            until_written: None,
            until_read: None,
            targets: Vec::new(),
        }
    }
}

impl TimeSpan {
    /// `-F` together with `-O`: requests float between the targets of a thread.
    pub fn is_floating_pool(&self) -> bool {
        self.thread_count > 0 && self.request_count > 0
    }

    /// How many pairs of a thread and a target it works on there are.
    pub fn thread_target_pairs(&self) -> u64 {
        self.targets.iter().map(|target| u64::from(self.threads_on(target))).sum()
    }

    /// How many I/Os per second all threads together are to start on a target: its part of `rate_total`, or
    /// what `-g` says. `None` = as many as they can.
    pub fn offered_ios_per_s(&self, target: &Target, rate_total: Option<RateTotal>) -> Option<f64> {
        let threads = f64::from(self.threads_on(target));
        if let Some(total) = rate_total {
            return Some(total.ios_per_s as f64 * threads / self.thread_target_pairs().max(1) as f64);
        }
        match target.throughput? {
            Throughput::Iops(0) | Throughput::BytesPerMillisecond(0) => None,
            Throughput::Iops(iops) => Some(threads * f64::from(iops)),
            Throughput::BytesPerMillisecond(bytes) => {
                Some(threads * f64::from(bytes) * 1000.0 / f64::from(target.block_size.max(1)))
            }
        }
    }

    /// How many threads there are: those of `-F`, or of all targets together.
    pub fn threads(&self) -> u64 {
        match self.thread_count {
            0 => self.targets.iter().map(|target| u64::from(target.threads_per_file)).sum(),
            pool => pool.into(),
        }
    }

    /// Whether buffers lie apart ([`BufferSeparation::PageDirectories`]): as stated, else as the version
    /// has it.
    pub fn separates_buffers(&self, compat: Compat) -> bool {
        match self.buffer_separation {
            Some(stated) => stated == BufferSeparation::PageDirectories,
            None => compat.is_2_3(),
        }
    }

    /// How many of them work on a target: its own, or those of the pool that it doesn't leave to others.
    pub fn threads_on(&self, target: &Target) -> u32 {
        match (self.thread_count, target.thread_targets.len()) {
            (0, _) => target.threads_per_file,
            (pool, 0) => pool,
            (_, named) => u32::try_from(named).unwrap_or(u32::MAX),
        }
    }
}

/// One target and how it is worked on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// As the user gave it.
    pub path: RawText,
    /// `-b`: size of each I/O, bytes.
    pub block_size: u32,
    /// `-r<n>` or `-s<n>`: alignment or stride, bytes; 0 = the block size. See [`Target::stride`].
    pub block_alignment: u64,
    /// `-r`, `-rs`: share of random I/O, percent; 0 = sequential, 100 = random.
    pub random_ratio: u32,
    /// `-si`: all threads share one sequential position.
    pub interlocked_sequential: bool,
    /// `-rd`: where random I/O goes; `None` = uniform.
    pub distribution: Option<Distribution>,
    /// `-B`: first byte that I/O may touch.
    pub base_file_offset: u64,
    /// `-f`: end of the area that I/O may touch, exclusive; 0 = end of the target.
    pub max_file_size: u64,
    /// `-fs`
    pub sequential_scan: bool,
    /// `-fr`: a hint, not random I/O.
    pub random_access: bool,
    /// `-ft`
    pub temporary_file: bool,
    /// `-l`
    pub use_large_pages: bool,
    /// `-o`: outstanding I/Os of a thread on this target.
    pub request_count: u32,
    /// Cache mode of `-S`.
    pub cache_mode: CacheMode,
    /// Block devices are used without the page cache although the cache mode is [`CacheMode::Cached`]: that
    /// is the default, and `-Sb` wasn't given literally. DISKSPD's reports and profiles know no difference;
    /// in records of older programs devices were cached, and this is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncached_devices: bool,
    /// `-Sw`
    pub write_through: bool,
    /// `-Sm`
    pub memory_mapped_io: bool,
    /// `-Sy`, `-SY`; `None` = not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass_io: Option<BypassIo>,
    /// `-N`
    pub flush_type: Option<FlushType>,
    /// `-Z`: zero-filled write buffers.
    pub zero_write_buffers: bool,
    /// `-Z<size>[,<file>]`
    pub random_data_source: Option<RandomDataSource>,
    /// `-i`: I/Os per burst; `None` = not given.
    pub burst_size: Option<u32>,
    /// `-j`: pause between bursts, ms; `None` = not given.
    pub think_time: Option<u32>,
    /// `-g`
    pub throughput: Option<Throughput>,
    /// `-t`
    pub threads_per_file: u32,
    /// `-c`: the file is created with this size, bytes; `None` = not created.
    pub file_size: Option<u64>,
    /// `-w`: share of writes, percent.
    pub write_ratio: u32,
    /// `-p`
    pub parallel_async_io: bool,
    /// `-T`: distance between the starting positions of threads, bytes; 0 = none.
    pub thread_stride: u64,
    /// `-I`
    pub io_priority: IoPriority,
    /// XML `Weight`: share of a floating pool's I/Os.
    pub weight: u32,
    /// XML `ThreadTargets`: the threads that use this target; empty = all.
    pub thread_targets: Vec<ThreadTarget>,
    /// `--distribution`: where random I/O goes, instead of `-rd`; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<AddressSpread>,
    /// `--bs-split`: sizes of I/Os, of which `block_size` is the largest; empty = all have that size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeShare>,
    /// `--mix`: what is done in shares of the I/Os. What DISKSPD has words for is then what all parts come
    /// to ([`Target::sum_up_parts`]); empty = no mix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mix: Vec<MixPart>,
    /// `--compress`, `--dedupe`; `None` = neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentShape>,
    /// Which of the I/Os are of other operations instead (`--trim`); reads and writes share the rest by
    /// `write_ratio`.
    #[serde(flatten, with = "ratios")]
    pub shares: OperationShares,
}

impl Default for Target {
    fn default() -> Self {
        Target {
            path: RawText::default(),
            block_size: 65536,
            block_alignment: 0,
            random_ratio: 0,
            interlocked_sequential: false,
            distribution: None,
            base_file_offset: 0,
            max_file_size: 0,
            sequential_scan: false,
            random_access: false,
            temporary_file: false,
            use_large_pages: false,
            request_count: 2,
            cache_mode: CacheMode::Cached,
            uncached_devices: true,
            write_through: false,
            memory_mapped_io: false,
            bypass_io: None,
            flush_type: None,
            zero_write_buffers: false,
            random_data_source: None,
            burst_size: None,
            think_time: None,
            throughput: None,
            threads_per_file: 1,
            file_size: None,
            write_ratio: 0,
            parallel_async_io: false,
            thread_stride: 0,
            io_priority: IoPriority::Normal,
            weight: 1,
            thread_targets: Vec::new(),
            spread: None,
            sizes: Vec::new(),
            mix: Vec::new(),
            content: None,
            shares: OperationShares::default(),
        }
    }
}

impl Target {
    /// The effective alignment or stride in bytes: what `-r` or `-s` gave, else the block size.
    pub fn stride(&self) -> u64 {
        if self.block_alignment == 0 { u64::from(self.block_size) } else { self.block_alignment }
    }

    /// Whether any of its I/Os change what is there: all but reads do.
    pub fn is_changed(&self) -> bool {
        self.write_ratio > 0 || !self.shares.are_none()
    }

    /// Whether the page cache is between the I/Os and the storage, by `-S`; a mapped target always has it.
    /// A block device is what DISKSPD calls a physical drive or a partition: no file cache lies above those
    /// unless one is asked for.
    pub fn is_cached(&self, block_device: bool) -> bool {
        self.cache_mode == CacheMode::Cached && !(block_device && self.uncached_devices)
    }

    /// A template (`*1`) that an XML profile leaves to the command line to fill in.
    pub fn is_template(&self) -> bool {
        self.path.as_bytes().first() == Some(&b'*')
    }
}

/// How a target's data may be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// `-Sb` and the default: the operating system caches; by default files only
    /// ([`Target::uncached_devices`]).
    Cached,
    /// `-Su`: the operating system's cache is bypassed.
    DisableOsCache,
    /// `-Sr`: not cached here, but on the file server.
    DisableLocalCache,
}

/// What makes memory-mapped writes durable (`-N`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushType {
    /// `-Nv`
    ViewOfFile,
    /// `-Nn`
    NonVolatileMemory,
    /// `-Ni`
    NonVolatileMemoryNoDrain,
}

/// A buffer of random data that writes are taken from (`-Z<size>[,<file>]`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RandomDataSource {
    /// Bytes; never 0.
    pub size: u64,
    /// Where the content comes from; `None` = generated.
    pub path: Option<RawText>,
}

/// Throughput limit per thread and target (`-g`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Throughput {
    /// `-g<n>`: bytes per millisecond.
    BytesPerMillisecond(u32),
    /// `-g<n>i`: I/Os per second.
    Iops(u32),
}

/// `-I`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoPriority {
    /// `-I1`
    VeryLow,
    /// `-I2`
    Low,
    /// `-I3` and the default.
    Normal,
}

/// A thread of a floating pool that uses a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadTarget {
    /// Zero-based.
    pub thread: u32,
    /// 0 = [`Target::weight`] counts.
    pub weight: u32,
}

/// Where random I/O goes (`-rd`): consecutive ranges, the automatic last one included.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Distribution {
    /// What the spans are counted in.
    pub kind: DistributionKind,
    /// In target order; their I/O shares sum to 100 in a valid profile.
    pub ranges: Vec<DistributionRange>,
}

/// Unit of [`DistributionRange::span`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DistributionKind {
    /// Percent of the target.
    Percent,
    /// Bytes; 0 in the last range = to the end of the target.
    Absolute,
}

/// One range of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DistributionRange {
    /// Share of the I/Os, percent; 0 = a gap.
    pub io: u32,
    /// Length of the range in the distribution's unit.
    pub span: u64,
}

impl Distribution {
    /// A distribution as stated, with the last range that DISKSPD appends when the I/O shares sum to less
    /// than 100 (`-rd` in the command line's description): the rest of the I/Os over the rest of the
    /// target.
    pub fn with_tail(kind: DistributionKind, mut ranges: Vec<DistributionRange>) -> Distribution {
        let io: u64 = ranges.iter().map(|r| u64::from(r.io)).sum();
        if io < 100 {
            let covered: u64 = ranges.iter().map(|r| r.span).fold(0, u64::saturating_add);
            let span = match kind {
                DistributionKind::Percent => 100u64.saturating_sub(covered),
                DistributionKind::Absolute => 0,
            };
            ranges.push(DistributionRange { io: (100 - io) as u32, span });
        }
        Distribution { kind, ranges }
    }
}
