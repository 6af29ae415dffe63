//! Conversion of a schema-valid tree to a profile. It checks conditions beyond the schema: mutually
//! exclusive settings, meaningless numbers, malformed templates.

use super::error::{XmlErrorAt, quote};
use super::tree::Node;
use super::values::Value;
use super::{placement, shape, text};
use crate::template;
use crate::{
    BufferSeparation, BypassIo, CacheMode, Distribution, DistributionKind, DistributionRange, Etw, FlushType,
    IoPriority, MixPart, PlacementList, PrecreateFiles, Profile, RandomDataSource, RawText, ResultFormat,
    Target, ThreadTarget, Throughput, TimeSpan,
};
use diskspd_base::access::WriteLifetime;

impl Node {
    /// Returns the number in the child with this name.
    pub(super) fn u64(&self, name: &str) -> Option<u64> {
        self.child(name)?.number()
    }

    /// Returns the value of a type with a bound in the schema.
    pub(super) fn u32(&self, name: &str) -> Option<u32> {
        self.u64(name).map(saturate)
    }

    pub(super) fn bool(&self, name: &str) -> Option<bool> {
        match self.child(name)?.value {
            Some(Value::Bool(value)) => Some(value),
            _ => None,
        }
    }

    fn is_on(&self, name: &str) -> bool {
        self.bool(name) == Some(true)
    }

    /// Returns the meaning of the keyword in the child with this name.
    fn word<T>(&self, name: &str, meaning: fn(&str) -> Option<T>) -> Option<T> {
        self.child_word(name).and_then(meaning)
    }

    fn child_word(&self, name: &str) -> Option<&'static str> {
        match self.child(name)?.value {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns the bytes that the text of the child with this name represents.
    fn text(&self, name: &str) -> Option<RawText> {
        match &self.child(name)?.value {
            Some(Value::Text(text)) => Some(RawText::from(text::bytes(text))),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self.value {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    pub(super) fn attribute_number(&self, name: &str) -> Option<u64> {
        match self.attribute(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn children_of(&self, name: &str) -> &[Node] {
        self.child(name).map_or(&[], |list| &list.children)
    }
}

fn saturate(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn profile(root: &Node) -> Result<Profile, XmlErrorAt> {
    let default = Profile::default();
    Ok(Profile {
        command_line: default.command_line,
        compat: default.compat,
        verbose: root.is_on("Verbose"),
        verbose_stats: root.is_on("VerboseStats"),
        progress: root.u32("Progress").unwrap_or(default.progress),
        experiment_flags: root.u32("ExperimentFlags").unwrap_or(default.experiment_flags),
        result_format: root.word("ResultFormat", ResultFormat::from_xml).unwrap_or(default.result_format),
        precreate_files: root.word("PrecreateFiles", PrecreateFiles::from_xml),
        // Tracing is on as soon as any of its switches is stated, even as false.
        etw: root.child("ETW").filter(|etw| !etw.children.is_empty()).map(read_etw),
        time_spans: root.children_of("TimeSpans").iter().map(time_span).collect::<Result<_, _>>()?,
    })
}

fn read_etw(node: &Node) -> Etw {
    let mut etw = Etw::default();
    Etw::SWITCHES.iter().for_each(|(name, switch)| *switch(&mut etw) = node.is_on(name));
    etw
}

pub(super) fn time_span(node: &Node) -> Result<TimeSpan, XmlErrorAt> {
    let default = TimeSpan::default();
    Ok(TimeSpan {
        duration: node.u32("Duration").unwrap_or(default.duration),
        warmup: node.u32("Warmup").unwrap_or(default.warmup),
        cooldown: node.u32("Cooldown").unwrap_or(default.cooldown),
        rand_seed: node.u32("RandSeed").unwrap_or(default.rand_seed),
        random_write_data: node.is_on("RandomWriteData"),
        thread_count: node.u32("ThreadCount").unwrap_or(default.thread_count),
        request_count: node.u32("RequestCount").unwrap_or(default.request_count),
        affinity: placement::cpus(node.children_of("Affinity"))?,
        affinity_traversal: node.child("AffinityTraversal").map(placement::traversal),
        disable_affinity: node.is_on("DisableAffinity"),
        completion_routines: node.is_on("CompletionRoutines"),
        io_ring: node.child("IoRing").map(placement::io_ring).transpose()?,
        completion_depth: node.u32("CompletionDepth"),
        buffer_separation: node.word("BufferSeparation", BufferSeparation::from_xml),
        measure_latency: node.is_on("MeasureLatency"),
        calculate_iops_std_dev: node.is_on("CalculateIopsStdDev"),
        io_bucket_duration: node.u32("IoBucketDuration").unwrap_or(default.io_bucket_duration),
        until_written: node.child("linux:UntilWritten").map(shape::volume).transpose()?,
        until_read: node.child("linux:UntilRead").map(shape::volume).transpose()?,
        targets: node.children_of("Targets").iter().map(read_target).collect::<Result<_, _>>()?,
    })
}

fn read_target(node: &Node) -> Result<Target, XmlErrorAt> {
    let default = Target::default();
    let (block_alignment, random_ratio) = access_pattern(node)?;
    let (zero_write_buffers, random_data_source) = write_buffers(node);
    let mut target = Target {
        path: path(node)?,
        block_size: node.u32("BlockSize").unwrap_or(default.block_size),
        block_alignment,
        random_ratio,
        interlocked_sequential: node.is_on("InterlockedSequential"),
        distribution: node.child("Distribution").and_then(read_distribution),
        base_file_offset: node.u64("BaseFileOffset").unwrap_or(default.base_file_offset),
        max_file_size: node.u64("MaxFileSize").unwrap_or(default.max_file_size),
        sequential_scan: node.is_on("SequentialScan"),
        random_access: node.is_on("RandomAccess"),
        temporary_file: node.is_on("TemporaryFile"),
        use_large_pages: node.is_on("UseLargePages"),
        request_count: node.u32("RequestCount").unwrap_or(default.request_count),
        cache_mode: cache_mode(node),
        uncached_devices: !states_cache(node),
        write_through: node.is_on("WriteThrough") || node.is_on("DisableAllCache"),
        memory_mapped_io: node.is_on("MemoryMappedIo"),
        bypass_io: node.word("BypassIO", BypassIo::from_xml),
        dont_cache: node.is_on("linux:DontCache"),
        atomic: node.is_on("linux:Atomic"),
        no_wait: node.is_on("linux:NoWait"),
        zoned: node.is_on("linux:Zoned"),
        each_once: node.is_on("linux:EachOnce"),
        write_hint: node.word("linux:WriteHint", WriteLifetime::from_name),
        fdp: shape::placement(node, "linux:PlacementHandles", PlacementList::HANDLES)?,
        write_streams: shape::placement(node, "linux:WriteStreams", PlacementList::STREAMS)?,
        flush_type: node.word("FlushType", FlushType::from_xml),
        zero_write_buffers,
        random_data_source,
        burst_size: node.u32("BurstSize"),
        think_time: node.u32("ThinkTime"),
        throughput: read_throughput(node),
        threads_per_file: node.u32("ThreadsPerFile").unwrap_or(default.threads_per_file),
        file_size: node.u64("FileSize"),
        write_ratio: node.u32("WriteRatio").unwrap_or(default.write_ratio),
        parallel_async_io: node.is_on("ParallelAsyncIO"),
        thread_stride: node.u64("ThreadStride").unwrap_or(default.thread_stride),
        io_priority: io_priority(node)?,
        weight: node.u32("Weight").unwrap_or(default.weight),
        thread_targets: node.children_of("ThreadTargets").iter().map(thread_target).collect(),
        spread: node.child("linux:Distribution").map(shape::spread).transpose()?,
        sizes: shape::sizes(node)?,
        mix: node.children_of("linux:Mix").iter().map(mix_part).collect::<Result<_, _>>()?,
        content: node.child("linux:WriteContent").map(shape::content),
        shares: shape::shares(node),
    };
    target.sum_up_parts();
    Ok(target)
}

fn mix_part(node: &Node) -> Result<MixPart, XmlErrorAt> {
    let share = saturate(node.attribute_number("Share").unwrap_or(1));
    Ok(MixPart::new(read_target(node)?, share, node.u64("BaseFileOffset"), node.u64("MaxFileSize")))
}

fn path(node: &Node) -> Result<RawText, XmlErrorAt> {
    let path = node.text("Path").unwrap_or_default();
    match template::number(&path) {
        Some(Err(_)) => {
            let position = node.child("Path").map_or(node.position, |path| path.position);
            let what = format!("<Path>: {} is no template", quote(&path.to_string()));
            Err(XmlErrorAt::new(position, what)
                .with_expected("* and a number from 1: *1 is the first target after -X<profile>")
                .hint(format!("a file of that name is written ./{path}")))
        }
        _ => Ok(path),
    }
}

/// Returns alignment or stride in bytes, and the share of random I/O in percent.
fn access_pattern(node: &Node) -> Result<(u64, u32), XmlErrorAt> {
    let random = ["Random", "RandomRatio"].into_iter().find(|name| node.child(name).is_some());
    if let (Some(stride), Some(random)) = (node.child("StrideSize"), random) {
        let what = format!("<StrideSize> is for sequential I/O, and <{random}> makes it random");
        return Err(XmlErrorAt::new(stride.position, what)
            .with_expected("one of them")
            .hint("with <RandomRatio>, the stride of the sequential part is the value of <Random>"));
    }
    let alignment = node.u64("Random").or_else(|| node.u64("StrideSize")).unwrap_or(0);
    let ratio = node.u32("RandomRatio").unwrap_or(if random.is_some() { 100 } else { 0 });
    Ok((alignment, ratio))
}

/// Returns the cache mode: later elements of this list override earlier ones, and false never resets a mode.
fn cache_mode(node: &Node) -> CacheMode {
    let modes = [
        ("DisableOSCache", CacheMode::DisableOsCache),
        ("DisableAllCache", CacheMode::DisableOsCache),
        ("DisableLocalCache", CacheMode::DisableLocalCache),
    ];
    let given = modes.into_iter().rev().find(|(name, _)| node.is_on(name));
    given.map_or(CacheMode::Cached, |(_, mode)| mode)
}

/// Whether the profile states `-Sb` explicitly: DISKSPD's only form for it is a disabled flag for the
/// operating system's cache.
fn states_cache(node: &Node) -> bool {
    let stated = ["DisableOSCache", "DisableAllCache"].iter().any(|name| node.child(name).is_some());
    stated && cache_mode(node) == CacheMode::Cached
}

/// Whether write buffers are zeros, and the source of random data. The pattern `random` without a source is
/// DISKSPD's usual pattern.
fn write_buffers(node: &Node) -> (bool, Option<RandomDataSource>) {
    let Some(content) = node.child("WriteBufferContent") else { return (false, None) };
    match content.child_word("Pattern") {
        Some("zero") => (true, None),
        Some("random") => {
            let source = content.child("RandomDataSource");
            let size = source.and_then(|source| source.u64("SizeInBytes")).unwrap_or(0);
            let path = source.and_then(|source| source.text("FilePath"));
            let path = path.filter(|path| !path.as_bytes().is_empty());
            (false, (size > 0).then_some(RandomDataSource { size, path }))
        }
        _ => (false, None),
    }
}

fn read_throughput(node: &Node) -> Option<Throughput> {
    let limit = node.u32("Throughput").filter(|limit| *limit > 0)?;
    Some(match node.child("Throughput")?.attribute("unit") {
        Some(Value::Word("IOPS")) => Throughput::Iops(limit),
        _ => Throughput::BytesPerMillisecond(limit),
    })
}

fn io_priority(node: &Node) -> Result<IoPriority, XmlErrorAt> {
    match node.u32("IOPriority") {
        None | Some(0 | 3) => Ok(IoPriority::Normal),
        Some(1) => Ok(IoPriority::VeryLow),
        Some(2) => Ok(IoPriority::Low),
        Some(other) => {
            let position = node.child("IOPriority").map_or(node.position, |child| child.position);
            Err(XmlErrorAt::new(position, format!("<IOPriority>: there is no priority {other}"))
                .with_expected("1 (very low), 2 (low) or 3 (normal)"))
        }
    }
}

fn read_distribution(node: &Node) -> Option<Distribution> {
    let list = node.children.first()?;
    let kind = DistributionKind::from_xml(list.schema.name)?;
    let range = |range: &Node| DistributionRange {
        io: saturate(range.attribute_number("IO").unwrap_or(0)),
        span: range.number().unwrap_or(0),
    };
    Some(Distribution::with_tail(kind, list.children.iter().map(range).collect()))
}

fn thread_target(node: &Node) -> ThreadTarget {
    ThreadTarget { thread: node.u32("Thread").unwrap_or(0), weight: node.u32("Weight").unwrap_or(0) }
}
