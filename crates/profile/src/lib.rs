//! The profile: the user's request, in DISKSPD's terms.
//!
//! A profile does not depend on the machine: no sizes of existing files, no CPUs, no engines. Field names
//! are from DISKSPD's profile XML, in snake case.
//!
//! Invariant: a profile is the same on every machine.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod affinity;
mod compat;
mod content;
mod distribution;
mod mix;
mod mix_part;
mod origin;
mod parameters;
mod placement;
pub mod presets;
mod repetition;
mod ring;
mod run_options;
mod shares;
mod spread;
mod target;
mod target_id;
pub mod template;
pub mod validate;
pub mod xml;

pub use affinity::{AffinityTraversal, Efficiency, GroupCpu};
pub use compat::{COMPATIBLE_VERSION, COMPATIBLE_VERSION_DATE, Compat};
pub use content::ContentShape;
pub use diskspd_base::access::WriteLifetime;
pub use diskspd_base::path::RawText;
pub use distribution::{Distribution, DistributionKind, DistributionRange};
pub use mix::{MAX_PORTIONS, WorkShare};
pub use mix_part::{MixPart, SizeShare};
pub use origin::Origin;
pub use parameters::{Access, Caching, CommonValue, Parameters, Rate, TargetGroup};
pub use placement::PlacementList;
pub use repetition::SEED_STEP;
pub use ring::{BufferSeparation, BypassIo, IoRing, RingBatch};
pub use run_options::{
    Arrivals, Prefill, RateTotal, ReplayOptions, ReplayWrites, RunOptions, VerifyMode, Volume,
};
use serde::{Deserialize, Serialize};
pub use shares::{OperationShares, percents, ratios};
pub use spread::{AddressSpread, SpreadError};
pub use target::{CacheMode, FlushType, IoPriority, RandomDataSource, Target, ThreadTarget, Throughput};
pub use target_id::{TargetId, TargetIds};

/// Whole run: output settings, and at least one time span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Program name and all arguments as given, joined by single spaces.
    pub command_line: RawText,
    #[serde(default, skip_serializing_if = "Compat::is_2_2")]
    pub compat: Compat,
    /// `-v`: time-stamped progress messages on standard output.
    pub verbose: bool,
    /// `-vs`: wait statistics in the report.
    pub verbose_stats: bool,
    /// `-P`: number of a thread's I/Os per progress dot; 0 = no dots.
    pub progress: u32,
    pub experiment_flags: u32,
    /// `-R`: form of the report on standard output.
    pub result_format: ResultFormat,
    /// XML `PrecreateFiles`; the command line cannot set it.
    pub precreate_files: Option<PrecreateFiles>,
    /// `-e`: event tracing; `None` = off.
    pub etw: Option<Etw>,
    /// Time spans, run sequentially. The command line defines exactly one.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultFormat {
    Text,
    Xml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrecreateFiles {
    /// All paths with a size, each with its largest size.
    UseMaxSize,
    /// Paths with equal sizes, none of which is zero.
    OnlyFilesWithConstantSizes,
    /// Paths with equal non-zero sizes.
    OnlyFilesWithConstantOrZeroSizes,
}

/// Event tracing switches (`-e`). `plan` decides their meaning on Linux.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// `-d`: measured time in s.
    pub duration: u32,
    /// `-W`: time before the measurement in s.
    pub warmup: u32,
    /// `-C`: time after the measurement in s.
    pub cooldown: u32,
    /// `-z`: seed; thread i uses this + i.
    pub rand_seed: u32,
    /// `-Zr`: new random content for each write.
    pub random_write_data: bool,
    /// `-F`: total number of threads; 0 = [`Target::threads_per_file`] applies.
    pub thread_count: u32,
    /// `-O`: outstanding I/Os of a thread over all its targets, with `-F`; 0 = [`Target::request_count`]
    /// applies.
    pub request_count: u32,
    /// `-a`: thread i runs on entry i mod length; empty = round robin over the active CPUs.
    pub affinity: Vec<GroupCpu>,
    /// `-ac -as -ap -aP -ae -aE -aup`: the order in which CPUs are taken; `None` = not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity_traversal: Option<AffinityTraversal>,
    /// `-n`: threads are not bound to CPUs.
    pub disable_affinity: bool,
    pub completion_routines: bool,
    /// `-u`; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_ring: Option<IoRing>,
    /// `-oc`: maximum number of completions taken at a time; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_depth: Option<u32>,
    /// `-bs`; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_separation: Option<BufferSeparation>,
    pub measure_latency: bool,
    pub calculate_iops_std_dev: bool,
    /// Value of `-D`: width of an interval in ms.
    pub io_bucket_duration: u32,
    /// Volume of writes that ends the measurement early, instead of `--until-written`; `None` = that option
    /// applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_written: Option<Volume>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_read: Option<Volume>,
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
    /// Whether requests float between the targets of a thread: `-F` with `-O`.
    pub fn is_floating_pool(&self) -> bool {
        self.thread_count > 0 && self.request_count > 0
    }

    /// Returns the number of pairs of thread and target.
    pub fn thread_target_pairs(&self) -> u64 {
        self.targets.iter().map(|target| u64::from(self.threads_on(target))).sum()
    }

    /// Returns the offered rate of a target over all threads in I/Os per second: its part of `rate_total`,
    /// or the `-g` value. `None` = unlimited.
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

    /// Returns the number of threads: the value of `-F`, or the sum over all targets.
    pub fn threads(&self) -> u64 {
        match self.thread_count {
            0 => self.targets.iter().map(|target| u64::from(target.threads_per_file)).sum(),
            pool => pool.into(),
        }
    }

    /// Whether buffers are separated ([`BufferSeparation::PageDirectories`]): as set, or by the version's
    /// default.
    pub fn separates_buffers(&self, compat: Compat) -> bool {
        match self.buffer_separation {
            Some(stated) => stated == BufferSeparation::PageDirectories,
            None => compat.is_2_3(),
        }
    }

    pub fn threads_on(&self, target: &Target) -> u32 {
        match (self.thread_count, target.thread_targets.len()) {
            (0, _) => target.threads_per_file,
            (pool, 0) => pool,
            (_, named) => u32::try_from(named).unwrap_or(u32::MAX),
        }
    }
}
