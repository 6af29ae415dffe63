//! The rules as tables, in the order in which their messages appear.

use super::{Case, content, distribution, each_once, io_features, mix, shares, zoned};
use crate::{BufferSeparation, CacheMode, Compat, RawText, Target, Throughput, TimeSpan};
use Severity::{Error, Warning};
use diskspd_base::finding::{Finding, Severity};
use std::collections::HashMap;

/// Rule that is violated if `broken` returns true.
struct Rule {
    name: &'static str,
    severity: Severity,
    broken: fn(&Case<'_>) -> bool,
    message: fn(&Case<'_>) -> String,
}

impl Rule {
    fn check_case(&self, case: &Case) -> Option<Finding> {
        (self.broken)(case).then(|| Finding::of_machine(self.name, self.severity, (self.message)(case)))
    }
}

pub(super) fn check_span(span: &TimeSpan, compat: Compat) -> Vec<Finding> {
    let case = Case { span, compat, target: &Target::default() };
    SPAN_RULES.iter().filter_map(|rule| rule.check_case(&case)).collect()
}

/// The rule of targets of the same path (V35): the first pair of which one differs from the other.
pub(super) fn check_same_paths(span: &TimeSpan) -> Option<Finding> {
    let mut first: HashMap<&RawText, &Target> = HashMap::new();
    let differs = span
        .targets
        .iter()
        .find(|target| first.entry(&target.path).or_insert(target).bypass_io != target.bypass_io)?;
    let message = format!(
        "all targets '{}' must have the same mode of BypassIO (-Sy or -SY): they share a file",
        differs.path
    );
    Some(Finding::of_machine("V35", Error, message))
}

/// Checks a target's settings in its time span.
pub(super) fn check_target(case: &Case) -> Vec<Finding> {
    let mut findings = mix::check(case);
    // Each part and size separately; common errors are reported once.
    for portion in case.target.portions() {
        let Case { span, compat, .. } = *case;
        let found = check_portion(&Case { span, compat, target: &portion.target });
        findings.extend(found.into_iter().filter(|found| !findings.contains(found)).collect::<Vec<_>>());
    }
    findings.extend(content::check(case));
    findings.extend(shares::check(case));
    findings.extend(io_features::check(case));
    findings.extend(zoned::check(case));
    findings.extend(each_once::check(case));
    findings
}

fn check_portion(case: &Case) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        THREAD_AND_PATTERN_RULES.iter().filter_map(|rule| rule.check_case(case)).collect();
    findings.extend(distribution::check(case));
    findings.extend(BUFFER_AND_AREA_RULES.iter().filter_map(|rule| rule.check_case(case)));
    findings
}

/// The rule of a target's path, the only one that differs between targets of a command line.
pub(super) fn check_path(case: &Case) -> Option<Finding> {
    TEMPLATE_RULE.check_case(case)
}

impl Case<'_> {
    fn is_random(&self) -> bool {
        self.target.random_ratio != 0
    }

    fn is_sequential(&self) -> bool {
        !self.is_random()
    }

    fn is_multi_threaded(&self) -> bool {
        self.span.thread_count > 1 || self.target.threads_per_file > 1
    }

    fn is_floating_pool(&self) -> bool {
        self.span.is_floating_pool()
    }

    /// Returns the number of threads that share the target's burst.
    fn sharing_threads(&self) -> u64 {
        self.span.threads_on(self.target).into()
    }
}

/// DISKSPD 2.3's maximum number of outstanding I/Os.
const MAX_REQUESTS: u32 = 65536;

fn too_many(option: &str, count: u32) -> String {
    format!("{count} outstanding I/Os ({option}, RequestCount) are more than {MAX_REQUESTS}")
}

/// Whether a limit is set, however low. DISKSPD loses limits that round to 0 bytes per millisecond.
fn is_throttled(target: &Target) -> bool {
    match target.throughput {
        Some(Throughput::BytesPerMillisecond(limit) | Throughput::Iops(limit)) => limit > 0,
        None => false,
    }
}

const SPAN_RULES: &[Rule] = &[
    Rule {
        name: "W4",
        severity: Warning,
        broken: |c| {
            c.span.buffer_separation == Some(BufferSeparation::PageDirectories)
                && c.span.targets.iter().any(|target| target.use_large_pages)
        },
        message: |_| "large pages (-l) decide where buffers lie: -bsp (BufferSeparation) does not".into(),
    },
    Rule {
        name: "V25",
        severity: Error,
        broken: |c| c.span.completion_depth.is_some_and(|depth| !(1..=16).contains(&depth)),
        message: |_| "the completion depth (-oc, CompletionDepth) must be from 1 to 16".into(),
    },
    Rule {
        name: "V26",
        severity: Error,
        broken: |c| c.span.completion_depth.is_some() && c.span.completion_routines,
        message: |_| {
            "-oc (CompletionDepth) has no effect with completion routines (-x, CompletionRoutines), which \
             handle completions one by one"
                .into()
        },
    },
    Rule {
        name: "V27",
        severity: Error,
        broken: |c| {
            let targets = &c.span.targets;
            let mapped = !targets.is_empty() && targets.iter().all(|target| target.memory_mapped_io);
            c.span.completion_depth.is_some() && mapped
        },
        message: |_| {
            "-oc (CompletionDepth) has no meaning when all targets are memory-mapped (-Sm, MemoryMappedIo)"
                .into()
        },
    },
    Rule {
        name: "V1",
        severity: Error,
        broken: |c| {
            let stated = !c.span.affinity.is_empty() || c.span.affinity_traversal.is_some();
            c.span.disable_affinity && stated
        },
        message: |_| {
            "-n (DisableAffinity) and CPUs or their order (-a, Affinity, AffinityTraversal) exclude each \
             other; give one of them"
                .into()
        },
    },
    Rule {
        name: "V33",
        severity: Error,
        broken: |c| c.span.io_ring.is_some() && c.span.completion_routines,
        message: |_| "-u (IoRing) and -x (CompletionRoutines) exclude each other".into(),
    },
    Rule {
        name: "V29",
        severity: Error,
        broken: |c| c.compat.is_2_3() && c.span.request_count > MAX_REQUESTS,
        message: |c| too_many("-O", c.span.request_count),
    },
    Rule {
        name: "G4",
        severity: Error,
        broken: |c| c.span.calculate_iops_std_dev && c.span.io_bucket_duration == 0,
        message: |_| "IOPS statistics (-D) need intervals (IoBucketDuration) of at least 1 ms".into(),
    },
    Rule {
        name: "G11",
        severity: Warning,
        broken: |c| c.span.request_count > 0 && c.span.thread_count == 0,
        message: |_| {
            "-O (RequestCount of the time span) has no effect without -F (ThreadCount); for outstanding I/Os \
             per target use -o"
                .into()
        },
    },
];

const THREAD_AND_PATTERN_RULES: &[Rule] = &[
    Rule {
        name: "G1",
        severity: Error,
        broken: |c| c.target.block_size == 0,
        message: |_| "the block size (-b, BlockSize) must be at least 1 byte".into(),
    },
    Rule {
        name: "G2",
        severity: Error,
        broken: |c| c.target.request_count == 0 && !c.is_floating_pool(),
        message: |_| "the number of outstanding I/Os (-o, RequestCount) must be at least 1".into(),
    },
    Rule {
        name: "G3",
        severity: Error,
        broken: |c| c.target.threads_per_file == 0 && c.span.thread_count == 0,
        message: |_| "no thread works on the target: give ThreadsPerFile (-t) or ThreadCount (-F)".into(),
    },
    Rule {
        name: "V2",
        severity: Error,
        broken: |c| c.span.thread_count > 0 && c.target.threads_per_file > 1,
        message: |_| {
            "-F (ThreadCount, threads in all) and -t (ThreadsPerFile, threads per target) exclude each \
             other; give one of them"
                .into()
        },
    },
    Rule {
        name: "V3",
        severity: Error,
        broken: |c| is_throttled(c.target) && c.span.completion_routines,
        message: |_| {
            "-g (Throughput) cannot be kept with completion routines (-x, CompletionRoutines)".into()
        },
    },
    Rule {
        name: "V4",
        severity: Error,
        broken: |c| (c.target.think_time.unwrap_or(0) > 0) != (c.target.burst_size.unwrap_or(0) > 0),
        message: |c| {
            let (given, missing) = match c.target.think_time {
                Some(time) if time > 0 => ("-j (ThinkTime)", "-i (BurstSize)"),
                _ => ("-i (BurstSize)", "-j (ThinkTime)"),
            };
            format!("{given} needs {missing}: a burst is a number of I/Os, then a pause in ms")
        },
    },
    Rule {
        name: "G9",
        severity: Warning,
        broken: |c| {
            let burst = u64::from(c.target.burst_size.unwrap_or(0));
            c.target.think_time.unwrap_or(0) > 0 && burst > 0 && burst < c.sharing_threads()
        },
        message: |c| {
            format!(
                "the burst of {} I/Os (-i, BurstSize) is shared by {} threads: each of them issues 1, more \
                 than requested in total",
                c.target.burst_size.unwrap_or(0),
                c.sharing_threads()
            )
        },
    },
    Rule {
        name: "V5",
        severity: Error,
        broken: |c| c.is_floating_pool() && is_throttled(c.target),
        message: |_| "-g (Throughput) cannot be kept when I/Os float between targets (-F with -O)".into(),
    },
    Rule {
        name: "V6",
        severity: Error,
        broken: |c| c.is_floating_pool() && c.target.think_time.unwrap_or(0) > 0,
        message: |_| "-j (ThinkTime) has no meaning when I/Os float between targets (-F with -O)".into(),
    },
    Rule {
        name: "V7",
        severity: Error,
        broken: |c| c.is_floating_pool() && c.target.parallel_async_io,
        message: |_| {
            "-p (ParallelAsyncIO) has no meaning when I/Os float between targets (-F with -O)".into()
        },
    },
    Rule {
        name: "V8",
        severity: Error,
        broken: |c| c.is_floating_pool() && c.target.weight == 0,
        message: |_| "Weight 0: the target would get no I/O; give it a weight of at least 1".into(),
    },
    Rule {
        name: "V9",
        severity: Error,
        broken: |c| c.is_floating_pool() && threads_outside_pool(c).next().is_some(),
        message: |c| {
            let threads: Vec<String> = threads_outside_pool(c).map(|thread| thread.to_string()).collect();
            format!(
                "ThreadTargets names thread {}, but the pool has the threads 0 to {}",
                threads.join(", "),
                c.span.thread_count - 1
            )
        },
    },
    Rule {
        name: "V10",
        severity: Error,
        broken: |c| !c.is_floating_pool() && !c.target.thread_targets.is_empty(),
        message: |_| "ThreadTargets needs both ThreadCount and RequestCount in the time span".into(),
    },
    Rule {
        name: "V11",
        severity: Error,
        broken: |c| c.is_random() && c.target.thread_stride > 0,
        message: |_| "-T (ThreadStride) is for sequential I/O; it has no meaning with -r or -rs".into(),
    },
    Rule {
        name: "V12",
        severity: Error,
        broken: |c| c.is_random() && c.target.interlocked_sequential,
        message: |_| {
            "-si (InterlockedSequential) is for sequential I/O; it has no meaning with -r or -rs".into()
        },
    },
    Rule {
        name: "V13",
        severity: Error,
        broken: |c| c.is_random() && c.target.parallel_async_io,
        message: |_| "-p (ParallelAsyncIO) is for sequential I/O; it has no meaning with -r or -rs".into(),
    },
    Rule {
        name: "V14",
        severity: Error,
        broken: |c| c.is_sequential() && c.target.distribution.is_some(),
        message: |_| "-rd (Distribution) is for random I/O; add -r, or -rs for a share of random I/O".into(),
    },
    Rule {
        name: "V36",
        severity: Error,
        broken: |c| c.is_sequential() && c.target.spread.is_some(),
        message: |_| {
            "--distribution (linux:Distribution) is for random I/O; add -r, or -rs for a share of random I/O"
                .into()
        },
    },
    Rule {
        name: "V37",
        severity: Error,
        broken: |c| c.target.distribution.is_some() && c.target.spread.is_some(),
        message: |_| {
            "--distribution (linux:Distribution) and -rd (Distribution) both set the random offsets; give \
             one of them"
                .into()
        },
    },
    Rule {
        name: "W1",
        severity: Warning,
        broken: |c| c.is_sequential() && c.target.parallel_async_io && c.target.request_count == 1,
        message: |_| "-p (ParallelAsyncIO) has no effect with one outstanding I/O; use -o2 or more".into(),
    },
    Rule {
        name: "V28",
        severity: Error,
        broken: |c| c.compat.is_2_3() && c.is_sequential() && c.target.request_count > MAX_REQUESTS,
        message: |c| too_many("-o", c.target.request_count),
    },
    Rule {
        name: "V15",
        severity: Error,
        broken: |c| c.is_sequential() && c.target.interlocked_sequential && c.target.thread_stride > 0,
        message: |_| {
            "-si (InterlockedSequential) and -T (ThreadStride) exclude each other: with -si all threads \
             share one position"
                .into()
        },
    },
    Rule {
        name: "V16",
        severity: Error,
        broken: |c| c.is_sequential() && c.target.interlocked_sequential && c.target.parallel_async_io,
        message: |_| "-si (InterlockedSequential) and -p (ParallelAsyncIO) exclude each other".into(),
    },
    Rule {
        name: "W2",
        severity: Warning,
        broken: |c| c.is_sequential() && c.target.interlocked_sequential && !c.is_multi_threaded(),
        message: |_| "-si (InterlockedSequential) has no effect with a single thread; use -s".into(),
    },
    Rule {
        name: "W3",
        severity: Warning,
        broken: |c| {
            let plain = !c.target.interlocked_sequential && c.target.thread_stride == 0 && !c.target.zoned;
            c.is_sequential() && plain && c.is_multi_threaded()
        },
        message: |_| {
            "several threads read or write the same sequence, each from the start: taken together this is \
             not sequential; -si lets them share one sequence, -T gives each its own start"
                .into()
        },
    },
    Rule {
        name: "V17",
        severity: Error,
        broken: |c| {
            let alone = !c.target.interlocked_sequential && !c.is_multi_threaded();
            c.is_sequential() && alone && c.target.thread_stride > 0
        },
        message: |_| "-T (ThreadStride) needs more than one thread (-t or -F)".into(),
    },
];

fn threads_outside_pool<'a>(case: &'a Case) -> impl Iterator<Item = u32> + 'a {
    case.target.thread_targets.iter().map(|t| t.thread).filter(|thread| *thread >= case.span.thread_count)
}

const BUFFER_AND_AREA_RULES: &[Rule] = &[
    Rule {
        name: "V18",
        severity: Error,
        broken: |c| {
            let source = c.target.random_data_source.as_ref();
            source.is_some_and(|source| source.size > 0 && source.size < c.target.block_size.into())
        },
        message: |c| {
            format!(
                "the write buffer of -Z (RandomDataSource) must hold at least one block of {} bytes",
                c.target.block_size
            )
        },
    },
    Rule {
        name: "V19",
        severity: Error,
        broken: |c| c.target.memory_mapped_io && c.span.completion_routines,
        message: |_| "-Sm (MemoryMappedIo) and -x (CompletionRoutines) exclude each other".into(),
    },
    Rule {
        name: "V34",
        severity: Error,
        broken: |c| c.target.memory_mapped_io && c.span.io_ring.is_some(),
        message: |_| "-u (IoRing) and -Sm (MemoryMappedIo) exclude each other".into(),
    },
    Rule {
        name: "V20",
        severity: Error,
        broken: |c| c.target.memory_mapped_io && c.target.cache_mode == CacheMode::DisableOsCache,
        message: |_| {
            "-Sm (MemoryMappedIo) always uses the cache; it cannot be combined with -Su, -Sh or -h \
             (DisableOSCache)"
                .into()
        },
    },
    Rule {
        name: "V30",
        severity: Error,
        broken: |c| c.target.bypass_io.is_some() && c.target.cache_mode != CacheMode::DisableOsCache,
        message: |_| "-Sy and -SY (BypassIO) need -Su (DisableOSCache)".into(),
    },
    Rule {
        name: "V31",
        severity: Error,
        broken: |c| c.target.bypass_io.is_some() && c.target.write_ratio > 0,
        message: |_| {
            "-Sy and -SY (BypassIO) are for reads: they cannot be combined with -w (WriteRatio)".into()
        },
    },
    Rule {
        name: "V32",
        severity: Error,
        broken: |c| c.target.bypass_io.is_some() && c.target.memory_mapped_io,
        message: |_| "-Sy and -SY (BypassIO) and -Sm (MemoryMappedIo) exclude each other".into(),
    },
    Rule {
        name: "V21",
        severity: Error,
        broken: |c| !c.target.memory_mapped_io && c.target.flush_type.is_some(),
        message: |_| "-N (FlushType) is for memory-mapped I/O; add -Sm (MemoryMappedIo)".into(),
    },
    Rule {
        name: "V23",
        severity: Error,
        broken: |c| c.target.max_file_size != 0 && c.target.max_file_size <= c.target.base_file_offset,
        message: |c| {
            format!(
                "the end of the area (-f or -B<base>:<length>, MaxFileSize) at {} must be above its base \
                 (-B, BaseFileOffset) at {}",
                c.target.max_file_size, c.target.base_file_offset
            )
        },
    },
];

const TEMPLATE_RULE: Rule = Rule {
    name: "V22",
    severity: Error,
    broken: |c| c.target.is_template(),
    message: |c| {
        format!(
            "target '{path}' is a template: name its file after -X<profile>, or write ./{path} for a file of \
             that name",
            path = c.target.path
        )
    },
};
