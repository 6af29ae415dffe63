//! Tests with generated profiles, valid within the limits of XML.

use diskspd::operation::Operation;
use diskspd::profile::*;
use proptest::option;
use proptest::prelude::*;
use proptest::{collection::vec, sample::select};

fn path() -> impl Strategy<Value = RawText> {
    prop_oneof![
        "[a-z0-9/._ -]{0,20}".prop_map(|text| RawText::from(text.as_str())),
        "[&<>\"'\\]\n\r\t\u{85}\u{2028}ü€💾\u{10ff00}\u{fffe}]{0,12}"
            .prop_map(|text| RawText::from(text.as_str())),
        vec(any::<u8>(), 0..24).prop_map(RawText::from),
        (1u32..9).prop_map(|number| RawText::from(format!("*{number}").as_str())),
    ]
    .prop_filter("a path that begins with * is a template", |path| {
        !matches!(template::number(path), Some(Err(_)))
    })
}

fn distribution() -> impl Strategy<Value = Distribution> {
    let kind = select(vec![DistributionKind::Percent, DistributionKind::Absolute]);
    (kind, vec((0u32..40, 1u64..20), 1..4))
        .prop_map(|(kind, ranges)| {
            let ranges = ranges.into_iter().map(|(io, span)| DistributionRange { io, span }).collect();
            Distribution::with_tail(kind, ranges)
        })
        .prop_filter("a share above 100 % or a tail of no length cannot be written", |distribution| {
            distribution
                .ranges
                .iter()
                .all(|range| range.span > 0 || distribution.kind == DistributionKind::Absolute)
        })
}

fn spread() -> impl Strategy<Value = AddressSpread> {
    prop_oneof![
        (1u32..=AddressSpread::HIGHEST_THETA)
            .prop_map(|theta_thousandths| AddressSpread::Zipf { theta_thousandths }),
        (1u32..=100).prop_map(|deviation_percent| AddressSpread::Normal { deviation_percent }),
        (1u32..=99, 1u32..=100, option::of(1u32..)).prop_map(|(area_percent, io_percent, moves_every_s)| {
            AddressSpread::Hot { area_percent, io_percent, moves_every_s }
        }),
    ]
}

fn random_data_source() -> impl Strategy<Value = RandomDataSource> {
    let named = path().prop_filter("no path is no path", |path| !path.as_bytes().is_empty());
    (1u64.., option::of(named)).prop_map(|(size, path)| RandomDataSource { size, path })
}

fn throughput() -> impl Strategy<Value = Throughput> {
    prop_oneof![(1u32..).prop_map(Throughput::BytesPerMillisecond), (1u32..).prop_map(Throughput::Iops)]
}

prop_compose! {
    /// Returns the area and the access order of a target.
    fn area()(
        path in path(),
        block_size in 1u32..,
        block_alignment in 1u64..,
        random_ratio in prop_oneof![Just(0u32), Just(100), 1u32..100],
        interlocked: bool,
        distribution in option::of(distribution()),
        base_file_offset: u64,
        max_file_size: u64,
        thread_stride: u64,
        file_size: Option<u64>,
    ) -> Target {
        let random = random_ratio > 0;
        Target {
            path, block_size, block_alignment, random_ratio, base_file_offset, max_file_size, thread_stride, file_size,
            interlocked_sequential: interlocked && !random,
            distribution: distribution.filter(|_| random),
            ..Target::default()
        }
    }
}

prop_compose! {
    fn mix_part()(
        area in area(),
        write_ratio in 0u32..101,
        share in 1u32..1000,
        spread in option::of(spread()),
        sizes in vec((1u32.., 1u32..100), 0..3),
        own: (bool, bool),
    ) -> MixPart {
        let (base, end) = (area.base_file_offset, area.max_file_size);
        let sizes = sizes.into_iter().map(|(block_size, share)| SizeShare { block_size, share }).collect();
        let mut target = Target { write_ratio, spread, sizes, ..area };
        target.sum_up_parts();
        MixPart::new(target, share, own.0.then_some(base), own.1.then_some(end))
    }
}

prop_compose! {
    fn target()(
        area in area(),
        flags: [bool; 7],
        cache_mode in select(vec![CacheMode::Cached, CacheMode::DisableOsCache, CacheMode::DisableLocalCache]),
        flush_type in option::of(select(vec![
            FlushType::ViewOfFile, FlushType::NonVolatileMemory, FlushType::NonVolatileMemoryNoDrain,
        ])),
        random_data_source in option::of(random_data_source()),
        pauses: (Option<u32>, Option<u32>),
        throughput in option::of(throughput()),
        counts: (u32, u32, u32),
        write_ratio in 0u32..101,
        io_priority in select(vec![IoPriority::VeryLow, IoPriority::Low, IoPriority::Normal]),
        thread_targets in vec(any::<(u32, u32)>(), 0..3),
        (content, trim_ratio) in (option::of((0u32..100, 0u32..100)), 0u32..101),
        mix in prop_oneof![4 => Just(Vec::new()), 1 => vec(mix_part(), 1..4)],
        spread in option::of(spread()),
    ) -> Target {
        let [sequential_scan, random_access, temporary_file, use_large_pages, write_through, memory_mapped_io, zero] =
            flags;
        let parallel_async_io = counts.0 % 2 == 1;
        let mut target = Target {
            mix,
            sequential_scan, random_access, temporary_file, use_large_pages, write_through, memory_mapped_io,
            // XML has a place for one of them only.
            zero_write_buffers: zero && random_data_source.is_none(),
            spread,
            content: content.map(|(compress, dedupe)| ContentShape { compress, dedupe }),
            shares: OperationShares::default().with(Operation::Discard, trim_ratio),
            random_data_source, cache_mode, flush_type, throughput, write_ratio, io_priority, parallel_async_io,
            burst_size: pauses.0,
            think_time: pauses.1,
            request_count: counts.0,
            threads_per_file: counts.1,
            weight: counts.2,
            thread_targets: thread_targets.into_iter().map(|(thread, weight)| ThreadTarget { thread, weight }).collect(),
            ..area
        };
        if target.is_mixed() {
            target.sum_up_parts();
            (target.interlocked_sequential, target.distribution) = (false, None);
        }
        target
    }
}

prop_compose! {
    fn time_span()(
        numbers: [u32; 7],
        flags: [bool; 5],
        affinity in vec(any::<(u16, u8)>(), 0..4),
        targets in vec(target(), 1..4),
    ) -> TimeSpan {
        let [duration, warmup, cooldown, rand_seed, thread_count, request_count, io_bucket_duration] = numbers;
        let [random_write_data, disable_affinity, completion_routines, measure_latency, calculate_iops_std_dev] = flags;
        TimeSpan {
            duration, warmup, cooldown, rand_seed, thread_count, request_count, io_bucket_duration, random_write_data,
            disable_affinity, completion_routines, measure_latency, calculate_iops_std_dev, targets,
            affinity: affinity.into_iter().map(|(group, cpu)| GroupCpu { group, cpu: Some(cpu) }).collect(),
            ..TimeSpan::default()
        }
    }
}

fn etw() -> impl Strategy<Value = Etw> {
    any::<[bool; 12]>().prop_map(|on| Etw {
        process: on[0],
        thread: on[1],
        image_load: on[2],
        disk_io: on[3],
        memory_page_faults: on[4],
        memory_hard_faults: on[5],
        network: on[6],
        registry: on[7],
        use_paged_memory: on[8],
        use_perf_timer: on[9],
        use_system_timer: on[10],
        use_cycles_counter: on[11],
    })
}

prop_compose! {
    /// Returns a profile that XML can represent completely.
    pub fn profile()(
        verbose: bool,
        verbose_stats: bool,
        progress: u32,
        experiment_flags: u32,
        result_format in select(vec![ResultFormat::Text, ResultFormat::Xml]),
        precreate_files in option::of(select(vec![
            PrecreateFiles::UseMaxSize,
            PrecreateFiles::OnlyFilesWithConstantSizes,
            PrecreateFiles::OnlyFilesWithConstantOrZeroSizes,
        ])),
        etw in option::of(etw()),
        time_spans in vec(time_span(), 1..3),
    ) -> Profile {
        Profile {
            command_line: RawText::default(),
            verbose, verbose_stats, progress, experiment_flags, result_format, precreate_files, etw, time_spans,
            ..Profile::default()
        }
    }
}
