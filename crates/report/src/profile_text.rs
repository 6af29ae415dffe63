//! The text form of a profile: the head of the text report, and the whole output of `-Rptext`.
//!
//! Every label, blank and tab equals DISKSPD's output, because existing parsers depend on them. Bytes, not
//! a `String`, because paths need not be UTF-8.

use diskspd_figures::units;
use diskspd_machine::System;
use diskspd_profile::{
    CacheMode, Distribution, DistributionKind, FlushType, IoPriority, Profile, SizeShare, Target, Throughput,
    TimeSpan, Volume,
};

mod placement_text;
mod style;

pub(super) use style::Style;

/// Appends the text form of `profile` to `out`: command line, input parameters of all time spans with their
/// targets. Ends with the empty line that closes the last time span.
pub fn write_profile(out: &mut Vec<u8>, profile: &Profile) {
    write_profile_on(out, profile, &System::default());
}

/// Appends the text form of a profile for this machine. With DISKSPD 2.3 it includes this machine's groups
/// and buffers.
pub fn write_profile_on(out: &mut Vec<u8>, profile: &Profile, system: &System) {
    let style = &Style::for_compat(profile.compat);
    out.extend_from_slice(b"\nCommand Line: ");
    out.extend_from_slice(profile.command_line.as_bytes());
    out.extend_from_slice(b"\n\n");
    if profile.experiment_flags != 0 {
        put!(out, "Experiment Flags: 0x{0:x} ({0})\n\n", profile.experiment_flags);
    }
    out.extend_from_slice(b"Input parameters:\n\n");
    if profile.verbose {
        put!(out, "{}using verbose mode\n", style.head);
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        put!(out, "{0}timespan: {1:3}\n{0}-------------\n", style.head, index + 1);
        write_time_span(out, span, style, system);
        out.push(b'\n');
    }
}

fn write_time_span(out: &mut Vec<u8>, span: &TimeSpan, style: &Style, system: &System) {
    let tab = style.span;
    put!(out, "{tab}duration: {}s\n", span.duration);
    put!(out, "{tab}warm up time: {}s\n", span.warmup);
    put!(out, "{tab}cool down time: {}s\n", span.cooldown);
    if span.disable_affinity && !style.newest {
        put!(out, "{tab}affinity disabled\n");
    }
    if span.measure_latency {
        put!(out, "{tab}measuring latency\n");
    }
    if span.calculate_iops_std_dev {
        put!(out, "{tab}gathering IOPS at intervals of {}ms\n", span.io_bucket_duration);
    }
    for (done, volume) in [("written", span.until_written), ("read", span.until_read)] {
        match volume {
            Some(Volume::Bytes(bytes)) => put!(out, "{tab}ends when {} were {done}\n", units::amount(bytes)),
            Some(Volume::Times(times)) => put!(out, "{tab}ends when {times} x the area was {done}\n"),
            None => {}
        }
    }
    put!(out, "{tab}random seed: {}\n", span.rand_seed);
    if span.thread_count != 0 {
        put!(out, "{tab}thread pool with {} threads\n", span.thread_count);
        put!(out, "{tab}number of outstanding I/O operations per thread: {}\n", span.request_count);
    }
    match style.newest {
        true => placement_text::write(out, span, tab, system),
        false => write_affinity(out, span),
    }
    if span.random_write_data {
        put!(out, "{tab}generating random data for each write IO\n");
        put!(out, "{tab}  WARNING: this increases the CPU cost of issuing writes and should only\n");
        put!(out, "{tab}           be compared to other results using the -Zr flag\n");
    }
    for target in &span.targets {
        write_target(out, span, target, style);
    }
}

fn write_affinity(out: &mut Vec<u8>, span: &TimeSpan) {
    if !span.affinity.is_empty() {
        let cpu = |cpu: Option<u8>| cpu.map_or("*".to_owned(), |cpu| cpu.to_string());
        let cpus: Vec<String> =
            span.affinity.iter().map(|at| format!("{}/{}", at.group, cpu(at.cpu))).collect();
        put!(out, "\tadvanced affinity round robin (group/core): {}\n", cpus.join(", "));
    }
}

fn write_target(out: &mut Vec<u8>, span: &TimeSpan, target: &Target, style: &Style) {
    let tab = style.target;
    write_path(out, target, style);
    put!(out, "{tab}think time: {}ms\n", target.think_time.unwrap_or(0));
    put!(out, "{tab}burst size: {}\n", target.burst_size.unwrap_or(0));
    write_caching(out, target, style);
    write_buffers(out, target, style);
    if target.parallel_async_io {
        put!(out, "{tab}using parallel async I/O\n");
    }
    match target.write_ratio {
        0 => put!(out, "{tab}performing read test\n"),
        100 => put!(out, "{tab}performing write test\n"),
        writes => {
            let reads = 100i64 - i64::from(writes);
            put!(out, "{tab}performing mix test (read/write ratio: {reads}/{writes})\n");
        }
    }
    put!(out, "{tab}block size: {}\n", style.size(target.block_size.into()));
    write_access_pattern(out, target, style);
    if span.is_floating_pool() {
        put!(out, "{tab}relative IO weight in thread pool: {}\n", target.weight);
    } else {
        put!(out, "{tab}number of outstanding I/O operations per thread: {}\n", target.request_count);
    }
    write_area_and_hints(out, target, style);
    if span.thread_count == 0 {
        put!(out, "{tab}threads per file: {}\n", target.threads_per_file);
        if target.request_count > 1 && !(style.newest && span.io_ring.is_some()) {
            put!(
                out,
                "{tab}{}\n",
                match span.completion_routines {
                    true => "using completion routines (ReadFileEx/WriteFileEx)",
                    false => "using I/O Completion Ports",
                }
            );
        }
    }
    let priority = match target.io_priority {
        IoPriority::VeryLow => "very low",
        IoPriority::Low => "low",
        IoPriority::Normal => "normal",
    };
    put!(out, "{tab}IO priority: {priority}\n");
    match target.throughput {
        None | Some(Throughput::Iops(0) | Throughput::BytesPerMillisecond(0)) => {}
        Some(Throughput::Iops(n)) => put!(out, "{tab}throughput rate-limited to {n} IOPS\n"),
        Some(Throughput::BytesPerMillisecond(n)) => put!(out, "{tab}throughput rate-limited to {n} B/ms\n"),
    }
    if let Some(distribution) = &target.distribution {
        put!(out, "{tab}IO Distribution:\n");
        write_distribution(out, distribution, style);
    }
    write_own(out, target, tab);
}

fn write_own(out: &mut Vec<u8>, target: &Target, tab: &str) {
    if let Some(spread) = target.spread {
        put!(out, "{tab}IO distribution: {spread}\n");
    }
    if !target.sizes.is_empty() {
        let own = if target.block_alignment == 0 { ", each aligned to its own size" } else { "" };
        put!(out, "{tab}block sizes with shares: {}{own}\n", SizeShare::print_list(&target.sizes));
    }
    if !target.mix.is_empty() {
        put!(out, "{tab}mix of {} parts, added up in the lines above:\n", target.mix.len());
    }
    for part in &target.mix {
        put!(out, "{tab}   {part}\n");
    }
    if let Some(content) = target.content {
        put!(out, "{tab}write content: {content}\n");
    }
    for (op, row, percent) in target.shares.iter() {
        let all = if op.moves_data() { "the writes" } else { "all I/Os, the rest as above" };
        put!(out, "{tab}{}: {percent}% of {all}\n", row.plural);
    }
    if target.dont_cache {
        put!(out, "{tab}nothing stays in the page cache (RWF_DONTCACHE)\n");
    }
    if target.atomic {
        put!(out, "{tab}atomic writes (RWF_ATOMIC)\n");
    }
    if target.no_wait {
        put!(out, "{tab}tried without waiting first (RWF_NOWAIT)\n");
    }
    if target.zoned {
        put!(out, "{tab}zones: written at their write pointers, and reset before they are written again\n");
    }
    if target.each_once {
        put!(out, "{tab}each block once before any twice, in random order\n");
    }
    if let Some(lifetime) = target.write_hint {
        put!(out, "{tab}lifetime hint of writes: {}\n", lifetime.name());
    }
    if !target.fdp.is_empty() {
        put!(out, "{tab}placement handles of writes, by thread (FDP): {}\n", target.fdp);
    }
    if !target.write_streams.is_empty() {
        put!(out, "{tab}streams of writes, by thread: {}\n", target.write_streams);
    }
}

fn write_path(out: &mut Vec<u8>, target: &Target, style: &Style) {
    let path = target.path.as_bytes();
    match path.strip_prefix(b"*") {
        Some(number) => {
            put!(out, "{}path: template target '", style.span);
            out.extend_from_slice(number);
        }
        None => {
            put!(out, "{}path: '", style.span);
            out.extend_from_slice(path);
        }
    }
    out.extend_from_slice(b"'\n");
}

fn write_caching(out: &mut Vec<u8>, target: &Target, style: &Style) {
    let tab = style.target;
    let cache = match target.cache_mode {
        CacheMode::Cached => "using software cache",
        CacheMode::DisableLocalCache => "local software cache disabled, remote cache enabled",
        CacheMode::DisableOsCache => "software cache disabled",
    };
    let write_through = match (target.write_through, target.cache_mode) {
        (false, _) => "using hardware write cache, writethrough off",
        (true, CacheMode::DisableOsCache) => "hardware write cache disabled, writethrough on",
        (true, _) => "hardware and software write caches disabled, writethrough on",
    };
    put!(out, "{tab}{cache}\n{tab}{write_through}\n");
    if target.memory_mapped_io {
        let flush = match target.flush_type {
            None => "",
            Some(FlushType::ViewOfFile) => ", flush mode: FlushViewOfFile",
            Some(FlushType::NonVolatileMemory) => ", flush mode: FlushNonVolatileMemory",
            Some(FlushType::NonVolatileMemoryNoDrain) => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        put!(out, "{tab}memory mapped I/O enabled{flush}\n");
    }
}

fn write_buffers(out: &mut Vec<u8>, target: &Target, style: &Style) {
    let tab = style.target;
    if let Some(mode) = target.bypass_io.filter(|_| style.newest) {
        put!(out, "{tab}using BypassIO ({})\n", placement_text::bypass_io(mode));
    }
    if target.zero_write_buffers {
        put!(out, "{tab}zeroing write buffers\n");
    }
    if let Some(source) = &target.random_data_source {
        put!(out, "{tab}write buffer size: {}\n", style.size(source.size));
        match &source.path {
            None => put!(out, "{tab}write buffer source: random fill\n"),
            Some(path) => {
                put!(out, "{tab}write buffer source: '");
                out.extend_from_slice(path.as_bytes());
                out.extend_from_slice(b"'\n");
            }
        }
    }
}

fn write_access_pattern(out: &mut Vec<u8>, target: &Target, style: &Style) {
    let tab = style.target;
    let stride = style.size(target.stride());
    match (target.random_ratio, target.interlocked_sequential) {
        (0, false) => put!(out, "{tab}using sequential I/O (stride: {stride})\n"),
        (0, true) => put!(out, "{tab}using interlocked sequential I/O (stride: {stride})\n"),
        (100, _) => put!(out, "{tab}using random I/O (alignment: {stride})\n"),
        (ratio, _) => put!(
            out,
            "{tab}using mixed random/sequential I/O ({ratio}% random) (alignment/stride: {stride})\n"
        ),
    }
}

fn write_area_and_hints(out: &mut Vec<u8>, target: &Target, style: &Style) {
    let tab = style.target;
    let sizes = [
        ("base file offset", target.base_file_offset),
        ("max file size", target.max_file_size),
        ("thread stride size", target.thread_stride),
    ];
    for (label, size) in sizes {
        if size != 0 {
            put!(out, "{tab}{label}: {}\n", style.size(size));
        }
    }
    let hints = [
        ("FILE_FLAG_SEQUENTIAL_SCAN", target.sequential_scan),
        ("FILE_FLAG_RANDOM_ACCESS", target.random_access),
        ("FILE_ATTRIBUTE_TEMPORARY", target.temporary_file),
    ];
    for (hint, given) in hints {
        if given {
            put!(out, "{tab}using {hint} hint\n");
        }
    }
}

fn write_distribution(out: &mut Vec<u8>, distribution: &Distribution, style: &Style) {
    let tab = style.target;
    let mut start = 0u64;
    for range in &distribution.ranges {
        let end = start.saturating_add(range.span);
        match distribution.kind {
            DistributionKind::Percent => {
                put!(out, "{tab}   {:3}% of IO => [{start:2}% - {end:3}%) of target\n", range.io);
            }
            DistributionKind::Absolute => {
                put!(out, "{tab}   {:3}% of IO => [{} - ", range.io, style.range_start(start));
                match range.span {
                    0 => put!(out, "      end)\n"),
                    _ => put!(out, "{})\n", style.column(end)),
                }
            }
        }
        start = end;
    }
}
