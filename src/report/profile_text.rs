//! The text form of a profile: head of the text report, and all that `-Rptext` prints.
//!
//! Every label, blank and tab is DISKSPD's; existing parsers depend on them. Bytes, not a `String`, because
//! paths need not be UTF-8.

use crate::profile::{
    CacheMode, Distribution, DistributionKind, FlushType, IoPriority, Profile, Target, Throughput, TimeSpan,
};
use crate::units::Size;

/// Appends the text form of `profile` to `out`: command line, input parameters of all time spans with their
/// targets. Ends with the empty line that closes the last time span.
pub fn write_profile(out: &mut Vec<u8>, profile: &Profile) {
    out.extend_from_slice(b"\nCommand Line: ");
    out.extend_from_slice(profile.command_line.as_bytes());
    out.extend_from_slice(b"\n\n");
    if profile.experiment_flags != 0 {
        put!(out, "Experiment Flags: 0x{0:x} ({0})\n\n", profile.experiment_flags);
    }
    out.extend_from_slice(b"Input parameters:\n\n");
    if profile.verbose {
        out.extend_from_slice(b"\tusing verbose mode\n");
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        put!(out, "\ttimespan: {:3}\n\t-------------\n", index + 1);
        write_time_span(out, span);
        out.push(b'\n');
    }
}

fn write_time_span(out: &mut Vec<u8>, span: &TimeSpan) {
    put!(out, "\tduration: {}s\n", span.duration);
    put!(out, "\twarm up time: {}s\n", span.warmup);
    put!(out, "\tcool down time: {}s\n", span.cooldown);
    if span.disable_affinity {
        put!(out, "\taffinity disabled\n");
    }
    if span.measure_latency {
        put!(out, "\tmeasuring latency\n");
    }
    if span.calculate_iops_std_dev {
        put!(out, "\tgathering IOPS at intervals of {}ms\n", span.io_bucket_duration);
    }
    put!(out, "\trandom seed: {}\n", span.rand_seed);
    if span.thread_count != 0 {
        put!(out, "\tthread pool with {} threads\n", span.thread_count);
        put!(out, "\tnumber of outstanding I/O operations per thread: {}\n", span.request_count);
    }
    if !span.affinity.is_empty() {
        let cpus: Vec<String> = span.affinity.iter().map(|a| format!("{}/{}", a.group, a.cpu)).collect();
        put!(out, "\tadvanced affinity round robin (group/core): {}\n", cpus.join(", "));
    }
    if span.random_write_data {
        put!(out, "\tgenerating random data for each write IO\n");
        put!(out, "\t  WARNING: this increases the CPU cost of issuing writes and should only\n");
        put!(out, "\t           be compared to other results using the -Zr flag\n");
    }
    for target in &span.targets {
        write_target(out, span, target);
    }
}

fn write_target(out: &mut Vec<u8>, span: &TimeSpan, target: &Target) {
    write_path(out, target);
    put!(out, "\t\tthink time: {}ms\n", target.think_time.unwrap_or(0));
    put!(out, "\t\tburst size: {}\n", target.burst_size.unwrap_or(0));
    write_caching(out, target);
    write_buffers(out, target);
    if target.parallel_async_io {
        put!(out, "\t\tusing parallel async I/O\n");
    }
    match target.write_ratio {
        0 => put!(out, "\t\tperforming read test\n"),
        100 => put!(out, "\t\tperforming write test\n"),
        writes => {
            let reads = 100i64 - i64::from(writes);
            put!(out, "\t\tperforming mix test (read/write ratio: {reads}/{writes})\n");
        }
    }
    put!(out, "\t\tblock size: {}\n", Size(target.block_size.into()));
    write_access_pattern(out, target);
    if span.is_floating_pool() {
        put!(out, "\t\trelative IO weight in thread pool: {}\n", target.weight);
    } else {
        put!(out, "\t\tnumber of outstanding I/O operations per thread: {}\n", target.request_count);
    }
    write_area_and_hints(out, target);
    if span.thread_count == 0 {
        put!(out, "\t\tthreads per file: {}\n", target.threads_per_file);
        if target.request_count > 1 {
            out.extend_from_slice(if span.completion_routines {
                b"\t\tusing completion routines (ReadFileEx/WriteFileEx)\n".as_slice()
            } else {
                b"\t\tusing I/O Completion Ports\n"
            });
        }
    }
    let priority = match target.io_priority {
        IoPriority::VeryLow => "very low",
        IoPriority::Low => "low",
        IoPriority::Normal => "normal",
    };
    put!(out, "\t\tIO priority: {priority}\n");
    match target.throughput {
        None | Some(Throughput::Iops(0) | Throughput::BytesPerMillisecond(0)) => {}
        Some(Throughput::Iops(n)) => put!(out, "\t\tthroughput rate-limited to {n} IOPS\n"),
        Some(Throughput::BytesPerMillisecond(n)) => put!(out, "\t\tthroughput rate-limited to {n} B/ms\n"),
    }
    if let Some(distribution) = &target.distribution {
        put!(out, "\t\tIO Distribution:\n");
        write_distribution(out, distribution);
    }
}

fn write_path(out: &mut Vec<u8>, target: &Target) {
    let path = target.path.as_bytes();
    match path.strip_prefix(b"*") {
        Some(number) => {
            out.extend_from_slice(b"\tpath: template target '");
            out.extend_from_slice(number);
        }
        None => {
            out.extend_from_slice(b"\tpath: '");
            out.extend_from_slice(path);
        }
    }
    out.extend_from_slice(b"'\n");
}

fn write_caching(out: &mut Vec<u8>, target: &Target) {
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
    put!(out, "\t\t{cache}\n\t\t{write_through}\n");
    if target.memory_mapped_io {
        let flush = match target.flush_type {
            None => "",
            Some(FlushType::ViewOfFile) => ", flush mode: FlushViewOfFile",
            Some(FlushType::NonVolatileMemory) => ", flush mode: FlushNonVolatileMemory",
            Some(FlushType::NonVolatileMemoryNoDrain) => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        put!(out, "\t\tmemory mapped I/O enabled{flush}\n");
    }
}

fn write_buffers(out: &mut Vec<u8>, target: &Target) {
    if target.zero_write_buffers {
        put!(out, "\t\tzeroing write buffers\n");
    }
    if let Some(source) = &target.random_data_source {
        put!(out, "\t\twrite buffer size: {}\n", Size(source.size));
        match &source.path {
            None => put!(out, "\t\twrite buffer source: random fill\n"),
            Some(path) => {
                out.extend_from_slice(b"\t\twrite buffer source: '");
                out.extend_from_slice(path.as_bytes());
                out.extend_from_slice(b"'\n");
            }
        }
    }
}

fn write_access_pattern(out: &mut Vec<u8>, target: &Target) {
    let stride = Size(target.stride());
    match (target.random_ratio, target.interlocked_sequential) {
        (0, false) => put!(out, "\t\tusing sequential I/O (stride: {stride})\n"),
        (0, true) => put!(out, "\t\tusing interlocked sequential I/O (stride: {stride})\n"),
        (100, _) => put!(out, "\t\tusing random I/O (alignment: {stride})\n"),
        (ratio, _) => put!(
            out,
            "\t\tusing mixed random/sequential I/O ({ratio}% random) (alignment/stride: {stride})\n"
        ),
    }
}

fn write_area_and_hints(out: &mut Vec<u8>, target: &Target) {
    let sizes = [
        ("base file offset", target.base_file_offset),
        ("max file size", target.max_file_size),
        ("thread stride size", target.thread_stride),
    ];
    for (label, size) in sizes {
        if size != 0 {
            put!(out, "\t\t{label}: {}\n", Size(size));
        }
    }
    let hints = [
        ("FILE_FLAG_SEQUENTIAL_SCAN", target.sequential_scan),
        ("FILE_FLAG_RANDOM_ACCESS", target.random_access),
        ("FILE_ATTRIBUTE_TEMPORARY", target.temporary_file),
    ];
    for (hint, given) in hints {
        if given {
            put!(out, "\t\tusing {hint} hint\n");
        }
    }
}

fn write_distribution(out: &mut Vec<u8>, distribution: &Distribution) {
    let mut start = 0u64;
    for range in &distribution.ranges {
        let end = start.saturating_add(range.span);
        match distribution.kind {
            DistributionKind::Percent => {
                put!(out, "\t\t   {:3}% of IO => [{start:2}% - {end:3}%) of target\n", range.io);
            }
            DistributionKind::Absolute => {
                put!(out, "\t\t   {:3}% of IO => [{} - ", range.io, range_start(start));
                match range.span {
                    0 => put!(out, "      end)\n"),
                    _ => put!(out, "{:6})\n", Size(end)),
                }
            }
        }
        start = end;
    }
}

/// The left edge of an absolute range: zero stands under the digits of the sizes below it.
pub(super) fn range_start(start: u64) -> String {
    if start == 0 { "     0   ".to_owned() } else { format!("{:6}", Size(start)) }
}
