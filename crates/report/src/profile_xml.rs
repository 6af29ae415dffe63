//! The XML form of a profile: written by `-Rpxml`, read by `-X`, and included in the XML results.
//!
//! Elements and their order follow DISKSPD, because some parsers read by position. [`Compat`] selects the
//! form of one of its two versions. Settings that DISKSPD loses are included: random data for every write
//! (`RandomWriteData`), and a sized write buffer in addition to `-Z`.

use diskspd_base::operation::Operation;
use diskspd_profile::xml::{NAMESPACE, text};
use diskspd_profile::{
    BufferSeparation, BypassIo, CacheMode, Compat, ContentShape, Distribution, Etw, FlushType, IoPriority,
    IoRing, MixPart, PrecreateFiles, Profile, RawText, RingBatch, SizeShare, Target, Throughput, TimeSpan,
    affinity,
};
use std::fmt::Display;

/// Appends the element `Profile` and a line feed to `out`; every line begins with `indent` blanks. The
/// command line is not part of it.
pub fn write_profile(out: &mut Vec<u8>, profile: &Profile, indent: usize) {
    ProfileWriter { out, indent, compat: profile.compat, is_whole: false }.write_profile_element(profile);
}

/// Writes a profile with an extension that DISKSPD's reader accepts: cached block devices (`-Sb`).
pub fn write_whole_profile(out: &mut Vec<u8>, profile: &Profile) {
    ProfileWriter { out, indent: 0, compat: profile.compat, is_whole: true }.write_profile_element(profile);
}

struct ProfileWriter<'a> {
    out: &'a mut Vec<u8>,
    indent: usize,
    compat: Compat,
    is_whole: bool,
}

impl ProfileWriter<'_> {
    fn write_profile_element(&mut self, profile: &Profile) {
        self.write_group("Profile", |w| {
            w.value("Progress", profile.progress);
            w.value_if(profile.experiment_flags != 0, "ExperimentFlags", profile.experiment_flags);
            w.value("ResultFormat", profile.result_format.xml_word());
            w.value("Verbose", profile.verbose);
            w.value_if(profile.verbose_stats, "VerboseStats", true);
            w.value_of("PrecreateFiles", profile.precreate_files.map(PrecreateFiles::xml_word));
            if let Some(etw) = &profile.etw {
                let mut etw = etw.clone();
                w.write_group("ETW", |w| {
                    Etw::SWITCHES.iter().for_each(|(name, switch)| w.value(name, *switch(&mut etw)));
                });
            }
            w.write_group("TimeSpans", |w| profile.time_spans.iter().for_each(|span| w.time_span(span)));
        });
    }

    fn time_span(&mut self, span: &TimeSpan) {
        self.write_group("TimeSpan", |w| {
            let newest = w.compat.is_2_3();
            w.value("CompletionRoutines", span.completion_routines);
            w.value("MeasureLatency", span.measure_latency);
            w.value("CalculateIopsStdDev", span.calculate_iops_std_dev);
            w.value_if(!newest, "DisableAffinity", span.disable_affinity);
            w.value("Duration", span.duration);
            w.value("Warmup", span.warmup);
            w.value("Cooldown", span.cooldown);
            w.value("ThreadCount", span.thread_count);
            w.value("RequestCount", span.request_count);
            w.value("IoBucketDuration", span.io_bucket_duration);
            w.value("RandSeed", span.rand_seed);
            w.value_if(span.random_write_data, "RandomWriteData", true);
            match newest {
                true => w.write_placement(span),
                false => w.write_assignments(span),
            }
            w.write_group("Targets", |w| span.targets.iter().for_each(|target| w.write_target(target)));
            for (name, volume) in [("UntilWritten", span.until_written), ("UntilRead", span.until_read)] {
                if let Some(volume) = volume {
                    w.write_own(name, volume);
                }
            }
        });
    }

    /// Writes the CPUs as DISKSPD 2.2 does, which does not support whole groups.
    fn write_assignments(&mut self, span: &TimeSpan) {
        let cpus: Vec<(u16, u8)> = span.affinity.iter().filter_map(|at| Some((at.group, at.cpu?))).collect();
        if !cpus.is_empty() {
            self.write_group("Affinity", |w| {
                for (group, cpu) in cpus {
                    w.write_line(format_args!(
                        "<AffinityGroupAssignment Group=\"{group}\" Processor=\"{cpu}\"/>"
                    ));
                }
            });
        }
    }

    fn write_placement(&mut self, span: &TimeSpan) {
        if let Some(ring) = span.io_ring {
            self.write_group("IoRing", |w| w.io_ring(ring));
        }
        self.value("DisableAffinity", span.disable_affinity);
        if !span.disable_affinity {
            let order = span.affinity_traversal.unwrap_or_default();
            let group = if order.span_groups { "Span" } else { "Fill" };
            let traversal = if order.core_aware { "CoreAware" } else { "Cpu" };
            let efficiency = order.efficiency.xml_word();
            self.write_line(format_args!(
                "<AffinityTraversal Group=\"{group}\" \
                 Efficiency=\"{efficiency}\">{traversal}</AffinityTraversal>"
            ));
            if !span.affinity.is_empty() {
                self.write_group("Affinity", |w| {
                    for (group, mask) in affinity::masks(span.affinity.iter().copied()) {
                        w.write_line(format_args!("<Group Group=\"{group}\" Mask=\"{mask:#x}\"/>"));
                    }
                });
            }
        }
        let separation = match span.separates_buffers(self.compat) {
            true => BufferSeparation::PageDirectories,
            false => BufferSeparation::SystemDefault,
        };
        self.value("BufferSeparation", separation.xml_word());
        self.value_of("CompletionDepth", span.completion_depth);
    }

    fn io_ring(&mut self, ring: IoRing) {
        let (count, percent) = match ring.batch {
            RingBatch::Count(count) => (count, false),
            RingBatch::Percent(percent) => (percent, true),
        };
        self.write_line(format_args!("<IoRingBatchSize Percent=\"{percent}\">{count}</IoRingBatchSize>"));
        self.value("UseRegBuffer", ring.register_buffers);
    }

    fn write_target(&mut self, target: &Target) {
        self.write_group("Target", |w| {
            w.text("Path", &target.path);
            w.value("BlockSize", target.block_size);
            w.value("BaseFileOffset", target.base_file_offset);
            w.value("SequentialScan", target.sequential_scan);
            w.value("RandomAccess", target.random_access);
            w.value("TemporaryFile", target.temporary_file);
            w.value("UseLargePages", target.use_large_pages);
            w.write_caching(target);
            w.write_group("WriteBufferContent", |w| w.write_buffer_content(target));
            w.value("ParallelAsyncIO", target.parallel_async_io);
            w.value_of("BurstSize", target.burst_size);
            w.value_of("ThinkTime", target.think_time);
            w.value_of("FileSize", target.file_size);
            w.access_pattern(target);
            w.value("ThreadStride", target.thread_stride);
            w.value("MaxFileSize", target.max_file_size);
            w.value("RequestCount", target.request_count);
            w.value("WriteRatio", target.write_ratio);
            w.write_throughput(target.throughput);
            w.value("ThreadsPerFile", target.threads_per_file);
            w.value("IOPriority", io_priority(target.io_priority));
            w.value("Weight", target.weight);
            w.thread_targets(target);
            w.write_extensions(target);
        });
    }

    fn write_extensions(&mut self, target: &Target) {
        if let Some(spread) = target.spread {
            self.write_own("Distribution", spread);
        }
        self.write_sizes(&target.sizes);
        if !target.mix.is_empty() {
            self.write_line(format_args!("<linux:Mix xmlns:linux=\"{NAMESPACE}\">"));
            let mut parts = self.nested_writer();
            target.mix.iter().for_each(|part| parts.mix_part(part));
            self.write_line(format_args!("</linux:Mix>"));
        }
        if let Some(ContentShape { compress, dedupe }) = target.content {
            self.write_line(format_args!(
                "<linux:WriteContent xmlns:linux=\"{NAMESPACE}\" Compress=\"{compress}\" \
                 Dedupe=\"{dedupe}\"/>"
            ));
        }
        for (op, _, share) in Operation::shared().filter(|(op, ..)| target.shares.percent(*op) > 0) {
            self.write_own(share.element, target.shares.percent(op));
        }
        let ways = [
            ("DontCache", target.dont_cache),
            ("Atomic", target.atomic),
            ("NoWait", target.no_wait),
            ("Zoned", target.zoned),
            ("EachOnce", target.each_once),
        ];
        for (element, given) in ways {
            if given {
                self.write_own(element, true);
            }
        }
        if let Some(lifetime) = target.write_hint {
            self.write_own("WriteHint", lifetime.name());
        }
        let placed = [("PlacementHandles", &target.fdp), ("WriteStreams", &target.write_streams)];
        for (element, list) in placed {
            if !list.is_empty() {
                self.write_own(element, list);
            }
        }
    }

    fn write_caching(&mut self, target: &Target) {
        self.value_if(target.cache_mode == CacheMode::DisableLocalCache, "DisableLocalCache", true);
        self.value_if(target.cache_mode == CacheMode::DisableOsCache, "DisableOSCache", true);
        let through_cache = target.cache_mode == CacheMode::Cached && !target.uncached_devices;
        self.value_if(self.is_whole && through_cache, "DisableOSCache", false);
        self.value_if(target.write_through, "WriteThrough", true);
        self.value_if(target.memory_mapped_io, "MemoryMappedIo", true);
        self.value_of("FlushType", target.flush_type.map(FlushType::xml_word));
        self.value_of("BypassIO", target.bypass_io.filter(|_| self.compat.is_2_3()).map(BypassIo::xml_word));
    }

    fn write_buffer_content(&mut self, target: &Target) {
        match &target.random_data_source {
            Some(source) => {
                self.value("Pattern", "random");
                self.write_group("RandomDataSource", |w| {
                    w.value("SizeInBytes", source.size);
                    if let Some(path) = source.path.as_ref().filter(|path| !path.as_bytes().is_empty()) {
                        w.text("FilePath", path);
                    }
                });
            }
            None if target.zero_write_buffers => self.value("Pattern", "zero"),
            None => self.value("Pattern", "sequential"),
        }
    }

    fn write_sizes(&mut self, sizes: &[SizeShare]) {
        if !sizes.is_empty() {
            self.write_own("BlockSizes", SizeShare::print_list(sizes));
        }
    }

    fn mix_part(&mut self, part: &MixPart) {
        self.write_line(format_args!("<Part Share=\"{}\">", part.share));
        let mut w = self.nested_writer();
        w.value("BlockSize", part.block_size);
        w.value_of("BaseFileOffset", part.base_file_offset);
        let alignment = part.block_alignment;
        w.value_if(part.random_ratio == 0 && alignment > 0, "StrideSize", alignment);
        w.value_if(part.random_ratio > 0, "Random", alignment);
        w.value_if((1..100).contains(&part.random_ratio), "RandomRatio", part.random_ratio);
        if let Some(distribution) = &part.distribution {
            w.write_group("Distribution", |w| w.write_distribution(distribution));
        }
        w.value_of("MaxFileSize", part.max_file_size);
        w.value("WriteRatio", part.write_ratio);
        if let Some(spread) = part.spread {
            w.write_own("Distribution", spread);
        }
        w.write_sizes(&part.sizes);
        self.write_line(format_args!("</Part>"));
    }

    fn write_own(&mut self, name: &str, value: impl Display) {
        self.write_line(format_args!("<linux:{name} xmlns:linux=\"{NAMESPACE}\">{value}</linux:{name}>"));
    }

    fn access_pattern(&mut self, target: &Target) {
        // Each of several sizes has its own, where none is stated.
        let stride = if target.sizes.is_empty() { target.stride() } else { target.block_alignment };
        if target.random_ratio == 0 {
            self.value("StrideSize", stride);
            self.value("InterlockedSequential", target.interlocked_sequential);
            return;
        }
        self.value("Random", stride);
        self.value_if(target.random_ratio != 100, "RandomRatio", target.random_ratio);
        if let Some(distribution) = &target.distribution {
            self.write_group("Distribution", |w| w.write_distribution(distribution));
        }
    }

    fn write_distribution(&mut self, distribution: &Distribution) {
        self.write_group(distribution.kind.xml_word(), |w| {
            for range in &distribution.ranges {
                w.write_line(format_args!("<Range IO=\"{}\">{}</Range>", range.io, range.span));
            }
        });
    }

    fn write_throughput(&mut self, limit: Option<Throughput>) {
        match limit {
            Some(Throughput::Iops(limit)) => {
                self.write_line(format_args!("<Throughput unit=\"IOPS\">{limit}</Throughput>"));
            }
            Some(Throughput::BytesPerMillisecond(limit)) => self.value("Throughput", limit),
            None => self.value("Throughput", 0),
        }
    }

    fn thread_targets(&mut self, target: &Target) {
        if target.thread_targets.is_empty() {
            return;
        }
        self.write_group("ThreadTargets", |w| {
            for thread in &target.thread_targets {
                w.write_group("ThreadTarget", |w| {
                    w.value("Thread", thread.thread);
                    w.value_if(thread.weight != 0, "Weight", thread.weight);
                });
            }
        });
    }

    fn nested_writer(&mut self) -> ProfileWriter<'_> {
        ProfileWriter { out: self.out, indent: self.indent + 2, compat: self.compat, is_whole: self.is_whole }
    }

    fn write_group(&mut self, name: &str, children: impl FnOnce(&mut ProfileWriter)) {
        self.write_line(format_args!("<{name}>"));
        children(&mut self.nested_writer());
        self.write_line(format_args!("</{name}>"));
    }

    /// Writes an element with a number, a boolean or a keyword.
    fn value(&mut self, name: &str, value: impl Display) {
        self.write_line(format_args!("<{name}>{value}</{name}>"));
    }

    fn value_if(&mut self, given: bool, name: &str, value: impl Display) {
        if given {
            self.value(name, value);
        }
    }

    fn value_of(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    /// Writes an element with any text.
    fn text(&mut self, name: &str, value: &RawText) {
        put!(self.out, "{:1$}<{name}>", "", self.indent);
        text::write(self.out, value.as_bytes());
        put!(self.out, "</{name}>\n");
    }

    fn write_line(&mut self, content: std::fmt::Arguments) {
        put!(self.out, "{:1$}{content}\n", "", self.indent);
    }
}

fn io_priority(priority: IoPriority) -> u32 {
    match priority {
        IoPriority::VeryLow => 1,
        IoPriority::Low => 2,
        IoPriority::Normal => 3,
    }
}
