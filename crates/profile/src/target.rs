//! A file or device, and its workload.

use super::content::ContentShape;
use super::distribution::Distribution;
use super::mix_part::{MixPart, SizeShare};
use super::placement::PlacementList;
use super::ring::BypassIo;
use super::shares::{OperationShares, ratios};
use super::spread::AddressSpread;
use diskspd_base::access::WriteLifetime;
use diskspd_base::operation::Operation;
use diskspd_base::path::RawText;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    pub path: RawText,
    /// `-b`: size of an I/O in bytes.
    pub block_size: u32,
    /// `-r<n>` or `-s<n>`: alignment or stride in bytes; 0 = the block size. See [`Target::stride`].
    pub block_alignment: u64,
    /// `-r`, `-rs`: share of random I/O in percent; 0 = sequential, 100 = random.
    pub random_ratio: u32,
    /// `-si`: all threads share one sequential position.
    pub interlocked_sequential: bool,
    pub distribution: Option<Distribution>,
    /// `-B`: first accessible byte.
    pub base_file_offset: u64,
    /// `-f`: exclusive end of the accessible bytes; 0 = end of the target.
    pub max_file_size: u64,
    pub sequential_scan: bool,
    /// `-fr`: a hint, not random I/O.
    pub random_access: bool,
    pub temporary_file: bool,
    pub use_large_pages: bool,
    /// `-o`: outstanding I/Os of a thread on this target.
    pub request_count: u32,
    pub cache_mode: CacheMode,
    /// Block devices bypass the page cache although the cache mode is [`CacheMode::Cached`]: the default
    /// without a literal `-Sb`. DISKSPD's reports and profiles do not distinguish these. In records of older
    /// programs devices were cached, and this is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncached_devices: bool,
    pub write_through: bool,
    pub memory_mapped_io: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass_io: Option<BypassIo>,
    /// `--dontcache`: I/O through the page cache that does not stay there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dont_cache: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// `--nowait`: each I/O is first tried without waiting; I/Os that would have waited are counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_wait: bool,
    /// `--zoned`: writes go to the write pointers of zones, reads below them; zones are reset before they are
    /// written again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zoned: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_hint: Option<WriteLifetime>,
    /// `--fdp`: indexes of placement handles of an NVMe namespace.
    #[serde(default, skip_serializing_if = "PlacementList::is_empty")]
    pub fdp: PlacementList,
    /// `--write-stream`: write streams of a block device, from 1.
    #[serde(default, skip_serializing_if = "PlacementList::is_empty")]
    pub write_streams: PlacementList,
    pub flush_type: Option<FlushType>,
    pub zero_write_buffers: bool,
    pub random_data_source: Option<RandomDataSource>,
    /// `-i`: I/Os per burst; `None` = not given.
    pub burst_size: Option<u32>,
    /// `-j`: pause between bursts in ms; `None` = not given.
    pub think_time: Option<u32>,
    pub throughput: Option<Throughput>,
    pub threads_per_file: u32,
    /// `-c`: size in bytes of the file to create; `None` = not created.
    pub file_size: Option<u64>,
    /// `-w`: share of writes in percent.
    pub write_ratio: u32,
    pub parallel_async_io: bool,
    /// `-T`: distance between the starting positions of threads in bytes; 0 = none.
    pub thread_stride: u64,
    pub io_priority: IoPriority,
    /// XML `Weight`: share of a floating pool's I/Os.
    pub weight: u32,
    /// XML `ThreadTargets`: threads that use this target; empty = all.
    pub thread_targets: Vec<ThreadTarget>,
    /// `--distribution`: distribution of random I/O instead of `-rd`; `None` = not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<AddressSpread>,
    /// `--each-once`: random I/O accesses each block once before any block twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each_once: bool,
    /// `--bs-split`: sizes of I/Os, the largest of which is `block_size`; empty = one size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeShare>,
    /// `--mix`: parts of the workload with shares of the I/Os. DISKSPD's settings are then a summary of
    /// all parts ([`Target::sum_up_parts`]). Empty = no mix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mix: Vec<MixPart>,
    /// `--compress`, `--dedupe`; `None` = neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentShape>,
    /// Shares of other operations (`--trim`); reads and writes share the rest by `write_ratio`.
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
            dont_cache: false,
            atomic: false,
            no_wait: false,
            zoned: false,
            write_hint: None,
            fdp: PlacementList::default(),
            write_streams: PlacementList::default(),
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
            each_once: false,
            sizes: Vec::new(),
            mix: Vec::new(),
            content: None,
            shares: OperationShares::default(),
        }
    }
}

impl Target {
    /// Returns the effective alignment or stride in bytes: the value of `-r` or `-s`, else the block size.
    pub fn stride(&self) -> u64 {
        if self.block_alignment == 0 { u64::from(self.block_size) } else { self.block_alignment }
    }

    /// Whether any of its I/Os modify data, as all operations except reads do.
    pub fn is_changed(&self) -> bool {
        self.write_ratio > 0 || !self.shares.are_none()
    }

    /// Whether each of its writes is durable on completion.
    pub fn is_durable(&self) -> bool {
        let all_single = self.shares.percent(Operation::DurableWrite) >= 100;
        self.write_through || self.flush_type.is_some() || all_single
    }

    /// Whether I/Os use the page cache, by `-S`; a mapped target always does. A block device is a physical
    /// drive or partition in DISKSPD's terms, which has no file cache unless requested.
    pub fn is_cached(&self, block_device: bool) -> bool {
        let uncached = block_device && self.uncached_devices && !self.dont_cache;
        self.cache_mode == CacheMode::Cached && !uncached
    }

    /// Whether it is a template (`*1`) of an XML profile that the command line fills in.
    pub fn is_template(&self) -> bool {
        self.path.as_bytes().first() == Some(&b'*')
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// `-Sb` and the default: cached by the operating system; by default only files
    /// ([`Target::uncached_devices`]).
    Cached,
    /// `-Su`: without the cache of the operating system.
    DisableOsCache,
    /// `-Sr`: not cached locally, but on the file server.
    DisableLocalCache,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushType {
    ViewOfFile,
    NonVolatileMemory,
    NonVolatileMemoryNoDrain,
}

/// Buffer of random data for writes (`-Z<size>[,<file>]`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RandomDataSource {
    /// Size in bytes, never 0.
    pub size: u64,
    pub path: Option<RawText>,
}

/// Throughput limit per thread and target (`-g`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Throughput {
    BytesPerMillisecond(u32),
    /// `-g<n>i`: I/Os per second.
    Iops(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoPriority {
    VeryLow,
    Low,
    Normal,
}

/// Thread of a floating pool that uses a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadTarget {
    /// Zero-based.
    pub thread: u32,
    /// Weight; 0 = [`Target::weight`] applies.
    pub weight: u32,
}
