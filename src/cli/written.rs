//! The command line that says what a profile says, where there is one.

use super::parse::parse;
use super::{Invocation, RunRequest};
use crate::operation::Operation;
use crate::profile::{
    Arrivals, CacheMode, Distribution, DistributionKind, FlushType, IoPriority, Prefill, Profile, RawText,
    RunOptions, SizeShare, Target, Throughput, TimeSpan, VerifyMode,
};
use std::ffi::OsString;

/// What sets these run options on a command line, one word each.
pub fn words_of_run_options(run_options: &RunOptions) -> Vec<String> {
    let mut words = Vec::new();
    let mut long = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name}={value}")));
    };
    long("engine", run_options.engine.map(|engine| engine.row().name.to_owned()));
    long("fsync-every", run_options.fsync_every.map(|every| every.to_string()));
    long("until-written", run_options.until_written.map(|volume| volume.to_string()));
    long("until-read", run_options.until_read.map(|volume| volume.to_string()));
    long("until-steady", run_options.until_steady_s.map(|seconds| seconds.to_string()));
    long("cpu-latency", run_options.cpu_latency_us.map(|us| us.to_string()));
    let time = |ms: u64| if ms % 1000 == 0 { format!("{}s", ms / 1000) } else { format!("{ms}ms") };
    long("stuck", run_options.stuck_ms.map(time));
    long("fail-on-outage", run_options.fail_on_outage_ms.map(time));
    long("preset", run_options.preset.clone());
    let rate = run_options.rate_total.map(|rate| {
        let arrivals = match rate.arrivals {
            Arrivals::Poisson => "poisson",
            Arrivals::Uniform => "uniform",
        };
        format!("{},{arrivals}", rate.ios_per_s)
    });
    long("rate-total", rate);
    let verify = run_options.verify.map(|mode| match mode {
        VerifyMode::Write => "write",
        VerifyMode::Read => "read",
        VerifyMode::Both => "both",
    });
    long("verify", verify.map(str::to_owned));
    let prefill = run_options.prefill.map(|prefill| match prefill {
        Prefill::Auto => "auto",
        Prefill::Random => "random",
        Prefill::Pattern => "pattern",
        Prefill::Zero => "zero",
    });
    long("prefill", prefill.map(str::to_owned));
    let switches = [(run_options.poll, "--poll"), (run_options.flush_after, "--flush-after")];
    words.extend(switches.into_iter().filter(|(given, _)| *given).map(|(_, name)| name.to_owned()));
    words
}

/// The words behind the program's name; `None` = no command line says all of this. Whether one does is found
/// by reading it.
pub fn command_line(profile: &Profile, run_options: &RunOptions) -> Option<Vec<OsString>> {
    let [span] = &profile.time_spans[..] else { return None };
    let target = span.targets.first()?;
    let mut words = target_options(target);
    words.extend(span_options(span));
    let mut run_options = run_options.clone();
    if span.until_written.or(span.until_read).is_some() {
        (run_options.until_written, run_options.until_read) = (span.until_written, span.until_read);
    }
    words.extend(words_of_run_options(&run_options));
    let options = words.into_iter().map(OsString::from);
    let paths = span.targets.iter().map(|target| target.path.as_os_str().to_owned());
    let words: Vec<OsString> = options.chain(paths).collect();
    let arguments: Vec<OsString> = std::iter::once("diskspd".into()).chain(words.iter().cloned()).collect();
    match parse(&arguments) {
        Ok(Invocation::Run(request)) if says(&request, profile, &run_options) => Some(words),
        _ => None,
    }
}

/// Whether a line that was read asks for this.
fn says(request: &RunRequest, profile: &Profile, run_options: &RunOptions) -> bool {
    let plain = |profile: &Profile| {
        let mut profile = Profile { command_line: RawText::default(), ..profile.clone() };
        for span in &mut profile.time_spans {
            (span.until_written, span.until_read) = (None, None);
            span.targets.iter_mut().filter(|target| !target.is_mixed()).for_each(|target| {
                target.block_alignment = target.stride();
            });
        }
        profile
    };
    request.run_options == *run_options && plain(&request.profile) == plain(profile)
}

fn span_options(span: &TimeSpan) -> Vec<String> {
    let mut words = vec![format!("-d{}", span.duration), format!("-W{}", span.warmup)];
    words.extend((span.cooldown > 0).then(|| format!("-C{}", span.cooldown)));
    words.extend((span.rand_seed > 0).then(|| format!("-z{}", span.rand_seed)));
    if span.thread_count > 0 {
        words.push(format!("-F{}", span.thread_count));
        words.extend((span.request_count > 0).then(|| format!("-O{}", span.request_count)));
    }
    if span.disable_affinity {
        words.push("-n".to_owned());
    }
    if !span.affinity.is_empty() && span.affinity_traversal.is_none() {
        let cpus: Vec<String> = span.affinity.iter().filter_map(|at| Some(at.cpu?.to_string())).collect();
        words.push(format!("-a{}", cpus.join(",")));
    }
    words.extend(span.random_write_data.then(|| "-Zr".to_owned()));
    words.extend(span.completion_routines.then(|| "-x".to_owned()));
    words.extend(span.measure_latency.then(|| "-L".to_owned()));
    words.extend(span.calculate_iops_std_dev.then(|| format!("-D{}", span.io_bucket_duration)));
    words
}

fn target_options(target: &Target) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(target.file_size.map(|size| format!("-c{size}")));
    shape(&mut words, target);
    words.extend((target.base_file_offset > 0).then(|| format!("-B{}", target.base_file_offset)));
    words.extend((target.max_file_size > 0).then(|| format!("-f{}", target.max_file_size)));
    let hints =
        [(target.random_access, "-fr"), (target.sequential_scan, "-fs"), (target.temporary_file, "-ft")];
    words.extend(hints.into_iter().filter(|(given, _)| *given).map(|(_, name)| name.to_owned()));
    words.push(format!("-o{}", target.request_count));
    words.push(format!("-t{}", target.threads_per_file));
    words.extend(caching(target));
    words.extend(target.use_large_pages.then(|| "-l".to_owned()));
    match (&target.random_data_source, &target.content) {
        (Some(source), _) => {
            let file = source.path.as_ref().map_or(String::new(), |path| format!(",{path}"));
            words.push(format!("-Z{}{file}", source.size));
        }
        (None, Some(content)) => {
            words.push(format!("--compress={}", content.compress));
            words.extend((content.dedupe > 0).then(|| format!("--dedupe={}", content.dedupe)));
        }
        (None, None) => words.extend(target.zero_write_buffers.then(|| "-Z".to_owned())),
    }
    words.extend(target.throughput.map(|limit| match limit {
        Throughput::BytesPerMillisecond(bytes) => format!("-g{bytes}"),
        Throughput::Iops(iops) => format!("-g{iops}i"),
    }));
    words.extend(target.burst_size.map(|burst| format!("-i{burst}")));
    words.extend(target.think_time.map(|ms| format!("-j{ms}")));
    words.extend(match target.io_priority {
        IoPriority::VeryLow => Some("-I1".to_owned()),
        IoPriority::Low => Some("-I2".to_owned()),
        IoPriority::Normal => None,
    });
    for (op, row, _) in Operation::shared().filter(|(op, ..)| target.shares.of(*op) > 0) {
        words.push(format!("{}={}", row.option, target.shares.of(op)));
    }
    words
}

/// Sizes, directions and offsets.
fn shape(words: &mut Vec<String>, target: &Target) {
    if !target.mix.is_empty() {
        let parts: Vec<String> = target.mix.iter().map(ToString::to_string).collect();
        return words.push(format!("--mix={}", parts.join("; ")));
    }
    match target.sizes.is_empty() {
        true => words.push(format!("-b{}", target.block_size)),
        false => words.push(format!("--bs-split={}", SizeShare::print_list(&target.sizes))),
    }
    let align = if target.block_alignment == 0 { String::new() } else { target.block_alignment.to_string() };
    match (target.random_ratio, target.interlocked_sequential) {
        (0, true) => words.push(format!("-si{align}")),
        (0, false) => words.push(format!("-s{align}")),
        (100, _) => words.push(format!("-r{align}")),
        (percent, _) => words.extend([format!("-r{align}"), format!("-rs{percent}")]),
    }
    words.extend(target.distribution.as_ref().map(distribution));
    words.extend(target.spread.map(|spread| format!("--distribution={spread}")));
    words.push(format!("-w{}", target.write_ratio));
    words.extend(target.parallel_async_io.then(|| "-p".to_owned()));
    words.extend((target.thread_stride > 0).then(|| format!("-T{}", target.thread_stride)));
}

fn distribution(distribution: &Distribution) -> String {
    let kind = match distribution.kind {
        DistributionKind::Percent => "pct",
        DistributionKind::Absolute => "abs",
    };
    let ranges: Vec<String> =
        distribution.ranges.iter().map(|range| format!("{}/{}", range.io, range.span)).collect();
    format!("-rd{kind}{}", ranges.join(":"))
}

fn caching(target: &Target) -> Vec<String> {
    let mode = match (target.cache_mode, target.uncached_devices) {
        (CacheMode::Cached, false) if !target.memory_mapped_io => "b",
        (CacheMode::Cached, _) => "",
        (CacheMode::DisableOsCache, _) => "u",
        (CacheMode::DisableLocalCache, _) => "r",
    };
    let letters =
        [mode, if target.write_through { "w" } else { "" }, if target.memory_mapped_io { "m" } else { "" }]
            .concat();
    let flush = target.flush_type.map(|flush| match flush {
        FlushType::ViewOfFile => "-Nv",
        FlushType::NonVolatileMemory => "-Nn",
        FlushType::NonVolatileMemoryNoDrain => "-Ni",
    });
    let own = (!letters.is_empty()).then(|| format!("-S{letters}"));
    own.into_iter().chain(flush.map(str::to_owned)).collect()
}
