//! The plan for people (`--dry-run`), with each thread's CPU, targets and byte ranges.

use diskspd_base::operation::Operation;
use diskspd_base::platform::UNBUFFERED;
use diskspd_figures::units;
use diskspd_plan::workload::Pattern;
use diskspd_plan::workload::pace::Limit;
use diskspd_plan::{Flush, IoPriority, SpanPlan, VolumeGoal, WorkerPlan, WorkerTarget, WriteContent};
use diskspd_profile::{RawText, RunOptions};
use serde_json::Value;

/// Appends the run options that differ from the defaults, with names and values as in the record.
pub fn write_run_options(out: &mut Vec<u8>, run_options: &RunOptions) {
    let fields = |run_options: &RunOptions| match serde_json::to_value(run_options) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (given, default) = (fields(run_options), fields(&RunOptions::default()));
    let said: Vec<String> = given
        .iter()
        .filter(|(name, value)| default.get(*name) != Some(value))
        .map(|(name, value)| format!("\t{name}: {}\n", value.to_string().trim_matches('"')))
        .collect();
    if !said.is_empty() {
        out.extend_from_slice(format!("RunOptions:\n{}\n", said.concat()).as_bytes());
    }
}

/// Appends the plan of one time span, numbered from 1.
pub fn write_plan(out: &mut Vec<u8>, number: usize, plan: &SpanPlan) {
    let mut line = |text: String| out.extend_from_slice(format!("{text}\n").as_bytes());
    let buffers: u64 = plan.workers.iter().map(|w| w.buffer).sum();
    line(format!("Plan for timespan {number}:"));
    line(format!(
        "warm up {} s, measure {} s{}{}, cool down {} s; {} thread{}, {} of I/O buffers",
        plan.warmup,
        plan.duration,
        end_text(plan),
        measured_text(plan),
        plan.cooldown,
        plan.workers.len(),
        if plan.workers.len() == 1 { "" } else { "s" },
        units::Size(buffers)
    ));
    line(String::new());
    line(
        "thread | CPU | engine | depth |       seed | bytes of the target                       | work"
            .into(),
    );
    line("-".repeat(112));
    for worker in &plan.workers {
        for (index, target) in worker.targets.iter().enumerate() {
            let who = if index == 0 { describe_worker(worker) } else { " ".repeat(THREAD_COLUMN_WIDTH) };
            line(format!(
                "{who} | {:<41} | {} '{}'",
                bytes_text(target),
                work_text(worker, target),
                target.path
            ));
        }
    }
    line(String::new());
    for (worker, threads) in worker_engines(plan) {
        line(format!("engine {} ({threads}): {}", worker.engine.row().name, worker.reason));
    }
    for path in uncached_devices(plan) {
        line(format!(
            "'{path}' is a block device, and -S is not given: it is used unbuffered ({UNBUFFERED}); \
             -Sb uses the page cache"
        ));
    }
    line(String::new());
}

fn uncached_devices(plan: &SpanPlan) -> Vec<&RawText> {
    let mut found: Vec<&RawText> = Vec::new();
    for target in plan.workers.iter().flat_map(|worker| &worker.targets) {
        if target.uncached_device && !found.contains(&&target.path) {
            found.push(&target.path);
        }
    }
    found
}

/// Groups engines and reasons, in the order of their first workers, with their threads: `thread 0`, `threads
/// 0, 2 and 3`.
fn worker_engines(plan: &SpanPlan) -> Vec<(&WorkerPlan, String)> {
    let mut found: Vec<(&WorkerPlan, Vec<String>)> = Vec::new();
    let way = |worker: &WorkerPlan| (worker.engine, worker.reason);
    for worker in &plan.workers {
        let thread = worker.thread.to_string();
        match found.iter_mut().find(|(first, _)| way(first) == way(worker)) {
            Some((_, threads)) => threads.push(thread),
            None => found.push((worker, vec![thread])),
        }
    }
    let all =
        |count: usize| if count == plan.workers.len() && count > 1 { Some("all threads") } else { None };
    let told = |threads: Vec<String>| match (all(threads.len()), &threads[..]) {
        (Some(all), _) => all.to_string(),
        (None, [one]) => format!("thread {one}"),
        (None, several) => format!("threads {}", several.join(", ")),
    };
    found.into_iter().map(|(worker, threads)| (worker, told(threads))).collect()
}

/// Width of the first column of [`describe_worker`].
const THREAD_COLUMN_WIDTH: usize = 41;

fn describe_worker(worker: &WorkerPlan) -> String {
    let cpu = worker.cpu.map_or("any".into(), |cpu| cpu.to_string());
    format!(
        "{:>6} | {cpu:>3} | {:<6} | {:>5} | {:>10}",
        worker.thread,
        worker.engine.row().name,
        worker.depth,
        worker.seed
    )
}

fn end_text(plan: &SpanPlan) -> String {
    if plan.replay.is_some() {
        return " or until all recorded I/Os are done".into();
    }
    let goal = |goal: &VolumeGoal| format!(" or until {} are {}", units::Size(goal.bytes), goal.done_word());
    plan.volumes.iter().map(goal).collect()
}

fn measured_text(plan: &SpanPlan) -> String {
    let latency = plan.measure_latency.then(|| "latency".to_string());
    let iops = plan.iops_interval.map(|ms| format!("IOPS every {ms} ms"));
    let what: Vec<String> = latency.into_iter().chain(iops).collect();
    if what.is_empty() { String::new() } else { format!(" ({})", what.join(", ")) }
}

/// Formats `[4096, 1073741824) of 1GiB`.
fn bytes_text(target: &WorkerTarget) -> String {
    let w = &target.workload;
    format!("[{}, {}) of {}", w.base, w.base + w.region, units::Size(target.size))
}

fn work_text(worker: &WorkerPlan, target: &WorkerTarget) -> String {
    let w = &target.workload;
    let mix = mix_text(target);
    let pattern = match w.pattern {
        Pattern::Sequential => "sequential".to_string(),
        Pattern::Interlocked => "interlocked sequential".to_string(),
        Pattern::ParallelAsync => "parallel sequential".to_string(),
        Pattern::Random => "random".to_string(),
        Pattern::Mixed { random } => format!("{random}% random"),
    };
    let mut modes = Vec::new();
    modes.push(match (target.mapping, target.open.direct) {
        (Some(_), _) => "mapped",
        (None, true) => UNBUFFERED,
        (None, false) => "cached",
    });
    modes.extend(worker.poll.then_some("polled"));
    modes.extend(target.open.dsync.then_some("O_DSYNC"));
    modes.extend(target.mapping.filter(|mapping| mapping.non_temporal).map(|_| "non-temporal"));
    match target.mapping.map_or(Flush::None, |mapping| mapping.flush) {
        Flush::None => {}
        Flush::Pages => modes.push("msync"),
        Flush::CacheLines => modes.push("cache write-back"),
        Flush::CacheLinesWithoutDrain => modes.push("cache write-back without drain"),
    }
    match target.priority {
        IoPriority::Unstated => {}
        IoPriority::Low => modes.push("low priority"),
        IoPriority::Idle => modes.push("idle priority"),
    }
    if worker.large_pages {
        modes.push("large pages");
    }
    let share = match worker.floating {
        _ if target.is_further_portion() => "of the same".into(),
        true => format!("weight {}", w.weight),
        false => format!("{} outstanding", target.requests),
    };
    let share = match w.portion {
        Some(part) => format!("{:.2}% of the I/Os, {share}", 100.0 * part.share),
        None => share,
    };
    let spread = w.spread.map_or(String::new(), |spread| format!(" {spread}"));
    let once = match w.map_bytes() {
        0 if w.each_once => " once per block".into(),
        0 => String::new(),
        bytes => format!(" once per block (a map of {})", units::Size(bytes)),
    };
    let start = if w.first > 0 { format!(" from {}", w.first) } else { String::new() };
    format!(
        "{mix} {} {pattern}{spread}{once}{start} step {}, {share}, {}{}{}{}",
        units::Size(u64::from(w.block_size)),
        units::Size(w.stride),
        modes.join(" "),
        content_text(target),
        placement_text(target),
        limit_text(target)
    )
}

/// Formats `5% discards, rest 30% write`.
fn mix_text(target: &WorkerTarget) -> String {
    let mix = match target.workload.write_ratio {
        0 => "read".to_string(),
        100 => "write".to_string(),
        ratio => format!("{ratio}% write"),
    };
    let mut others: String = target
        .shares
        .replacements()
        .map(|(_, row, percent)| format!("{percent}% {}, ", row.plural))
        .collect();
    if !others.is_empty() {
        others += "rest ";
    }
    let durable = match target.shares.percent(Operation::DurableWrite) {
        0 => String::new(),
        percent => format!(", {percent}% of these durable"),
    };
    others + &mix + &durable
}

/// Formats `, 60% compressible, 25% duplicates`.
fn content_text(target: &WorkerTarget) -> String {
    match target.content {
        WriteContent::Reducible(shape) if target.workload.write_ratio > 0 => format!(", {shape}"),
        _ => String::new(),
    }
}

fn placement_text(target: &WorkerTarget) -> String {
    match (target.ways.placement, target.ways.write_stream) {
        (Some(identifier), _) => format!(", to placement identifier {identifier:#x}"),
        (None, 0) => String::new(),
        (None, stream) => format!(", in write stream {stream}"),
    }
}

/// Formats `, at most 1000 I/Os in 1000 ms`.
fn limit_text(target: &WorkerTarget) -> String {
    match target.limit {
        Limit::None => String::new(),
        Limit::Rate { ios, nanos } => format!(", at most {ios} I/Os in {} ms", nanos / 1_000_000),
        Limit::InTurn { ios_per_s, of, .. } => format!(", 1 of {of} equal parts of {ios_per_s} I/Os per s"),
        Limit::Poisson { ios_per_s, of, .. } => {
            format!(", 1 of {of} equal parts of {ios_per_s} I/Os per s at random times")
        }
        Limit::Bursts { ios, pause } => format!(", {} ms pause after {ios} I/Os", pause / 1_000_000),
    }
}
