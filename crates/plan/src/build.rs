//! Creation of a plan from a time span and facts about the machine.

use super::access::{io_ways, is_uncached_device, map_options, open_mode, priority};
use super::buffers;
use super::engine::{self, EngineRequest};
use super::{
    JobRank, PlanError, SpanPlan, WorkerPlan, WorkerTarget, affinity, aux_plan, io_features, nvme, placement,
    target, tracing, verify, volume, writing, zones,
};
use crate::workload::pace::Limit;
use crate::workload::{Pattern, TargetWorkload, WorkPortion};
use diskspd_base::engines::EngineKind;
use diskspd_base::finding::Finding;
use diskspd_figures::units;
use diskspd_machine::System;
use diskspd_machine::target::TargetFacts;
use diskspd_profile::{
    Profile, RandomDataSource, RunOptions, Target, TargetId, TargetIds, TimeSpan, WorkShare,
};
use std::collections::HashSet;

/// More threads than this are a slip of the finger, not a benchmark (the kernel's default limit of
/// processes).
const MAX_THREADS: u64 = 32_768;
/// Alignment of the buffer's areas: pages, as required by `O_DIRECT`.
const AREA_ALIGNMENT: u64 = 4096;

#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'a> {
    pub system: &'a System,
    pub facts: &'a [TargetFacts],
    pub run_options: &'a RunOptions,
    pub rank: JobRank,
}

impl PlanContext<'_> {
    fn engine_wish(&self) -> EngineRequest {
        EngineRequest { engine: self.run_options.engine, poll: self.run_options.poll }
    }
}

/// Decides everything about one time span of the profile.
///
/// # Errors
/// Fails with all conflicts at once.
pub fn plan(profile: &Profile, span: &TimeSpan, around: PlanContext) -> Result<SpanPlan, Vec<PlanError>> {
    let mut errors = affinity::check(span, &around.system.topology);
    let mut warnings = Vec::new();
    if let Some(error) = too_many_threads(span) {
        errors.push(error);
        return Err(errors);
    }
    check_targets(span, around, &mut errors, &mut warnings);
    if around.run_options.verify.is_some() {
        errors.extend(verify::check(profile, span, around.facts));
    }
    if !errors.is_empty() {
        return Err(errors);
    }

    let trace = tracing::tracing(profile.etw.as_ref(), around.engine_wish())?;
    let mut workers = plan_workers(profile, span, around, &mut errors);
    zones::assign_zones(span, around.facts, &mut workers, &mut errors);
    buffers::give_whole_pages(&mut workers, around.system);
    let sources = writing::sources(span);
    errors.extend(too_much_memory(&workers, &sources, around.system));
    if !errors.is_empty() {
        return Err(errors);
    }
    debug_assert!(workers.iter().all(|worker| fits_together(worker, span.targets.len())));
    warnings.extend(without_effect(span, &workers));
    let volumes = volume::goals(span, around.run_options, &workers);
    Ok(SpanPlan {
        warmup: span.warmup,
        duration: span.duration,
        cooldown: span.cooldown,
        measure_latency: span.measure_latency,
        stamps: around.run_options.stuck_ms.is_some() || around.run_options.explain.is_some(),
        iops_interval: span.calculate_iops_std_dev.then_some(span.io_bucket_duration),
        progress: profile.progress,
        volumes,
        workers,
        targets: span.targets.len(),
        sources,
        wait_statistics: profile.verbose_stats,
        trace,
        ring: span.io_ring,
        completion_depth: span.completion_depth,
        replay: None,
        wait_completions: profile.verbose_stats && profile.compat.is_2_3(),
        warnings,
    })
}

/// Checks that each target supports its use.
fn check_targets(
    span: &TimeSpan,
    around: PlanContext,
    errors: &mut Vec<PlanError>,
    warnings: &mut Vec<Finding>,
) {
    let simulated = around.run_options.simulated();
    let mut known_errors: HashSet<PlanError> = errors.iter().cloned().collect();
    let mut known_warnings: HashSet<Finding> = warnings.iter().cloned().collect();
    for (target, facts) in span.targets.iter().zip(around.facts) {
        for portion in target.portions() {
            let (mut wrong, mut minded) = (Vec::new(), Vec::new());
            target::check(&portion.target, facts, simulated, &mut wrong, &mut minded);
            if !simulated {
                aux_plan::check(&portion.target, facts, &mut wrong, &mut minded);
                nvme::check(&portion.target, facts, around.run_options, &mut wrong);
                minded.extend(nvme::checks(&portion.target, facts));
                io_features::check(&portion.target, facts, &mut wrong);
                zones::check(&portion.target, facts, &mut wrong);
                placement::check(&portion.target, facts, &mut wrong);
            }
            errors.extend(wrong.into_iter().filter(|error| known_errors.insert(error.clone())));
            warnings.extend(minded.into_iter().filter(|finding| known_warnings.insert(finding.clone())));
        }
    }
}

/// Returns all possible workers of the span; others add errors to `errors`.
fn plan_workers(
    profile: &Profile,
    span: &TimeSpan,
    around: PlanContext,
    errors: &mut Vec<PlanError>,
) -> Vec<WorkerPlan> {
    let cpus = affinity::cpus(span, profile.compat, &around.system.topology);
    let separation = buffer_spacing(profile, span, around.system);
    let ids = TargetIds::from_profile(profile).of_span(span);
    let mut workers = Vec::new();
    let mut idle = Vec::new();
    for (thread, (members, relative)) in assign_targets(span).into_iter().enumerate() {
        let thread = thread as u32;
        if members.is_empty() {
            idle.push(thread.to_string());
            continue;
        }
        match plan_worker(span, &ids, &members, relative, separation, around) {
            Ok(mut worker) => {
                worker.thread = thread;
                worker.cpu = (!cpus.is_empty()).then(|| cpus[thread as usize % cpus.len()]);
                worker.seed = u64::from(span.rand_seed.wrapping_add(thread));
                if around.run_options.verify.is_some() {
                    verify::divide(profile, around.facts, &mut worker);
                }
                workers.push(worker);
            }
            Err(error) if errors.contains(&error) => {}
            Err(error) => errors.push(error),
        }
    }
    if !idle.is_empty() {
        errors.push(PlanError::profile(format!(
            "thread {} of the pool has no target; name it in a target's ThreadTargets, or lower ThreadCount",
            idle.join(", ")
        )));
    }
    if let Some(rate) = around.run_options.rate_total {
        writing::share(rate, around.rank, &mut workers);
    }
    workers
}

fn buffer_spacing(profile: &Profile, span: &TimeSpan, system: &System) -> u64 {
    if span.separates_buffers(profile.compat) { system.buffer_separation() } else { 0 }
}

fn without_effect(span: &TimeSpan, workers: &[WorkerPlan]) -> Vec<Finding> {
    let pauses = writing::pauses_without_effect(span, workers);
    pauses.into_iter().chain(completion_depth_without_effect(span, workers)).collect()
}

fn completion_depth_without_effect(span: &TimeSpan, workers: &[WorkerPlan]) -> Option<Finding> {
    span.completion_depth?;
    let one_by_one = workers.iter().all(|worker| worker.depth == 1 || worker.engine.is_synchronous());
    let why = match span.io_ring {
        Some(_) => "with -u all completions are reaped at once, as in DISKSPD",
        None if one_by_one => "every thread does its I/Os one at a time",
        None => return None,
    };
    Some(Finding::warning(format!("-oc (CompletionDepth) has no effect: {why}")))
}

fn too_many_threads(span: &TimeSpan) -> Option<PlanError> {
    let threads = span.threads();
    (threads > MAX_THREADS).then(|| {
        PlanError::profile(format!("{threads} threads exceed the limit of {MAX_THREADS}; lower -t or -F"))
    })
}

/// Returns an error if the buffers exceed memory; 0 = unknown.
fn too_much_memory(
    workers: &[WorkerPlan],
    sources: &[RandomDataSource],
    system: &System,
) -> Option<PlanError> {
    let shared = sources.iter().fold(0u64, |sum, s| sum.saturating_add(s.size));
    // Large pages are not part of the memory that is available; whether there are enough shows when they
    // are taken.
    let ordinary = workers.iter().filter(|w| !w.large_pages);
    let buffers: u64 = ordinary.fold(shared, |sum, w| sum.saturating_add(w.mapped_buffer(system)));
    let of_maps = workers.iter().flat_map(|worker| &worker.targets).map(|target| target.workload.map_bytes());
    let maps = of_maps.fold(0, u64::saturating_add);
    let (buffers, what, remedy) = match maps {
        0 => (buffers, "", "lower -b, -o, -t or -Z<size>"),
        maps => (
            buffers.saturating_add(maps),
            " and the maps of --each-once",
            "leave out --each-once, or lower -t, -b or -o",
        ),
    };
    let available = system.memory_available;
    if available > 0 && buffers > available {
        return Some(PlanError::target(format!(
            "the I/O buffers{what} need {} of memory, but {} are available: {remedy}",
            units::Size(buffers),
            units::Size(available)
        )));
    }
    let allowance = system.memory_allowance.as_ref().filter(|allowance| buffers > allowance.left)?;
    Some(PlanError::target(format!(
        "the I/O buffers{what} need {} of memory, but the control group {} has {} left of its {}, so the \
         kernel would kill the run; {remedy}, or raise the group's limit",
        units::Size(buffers),
        allowance.group,
        units::Size(allowance.left),
        units::Size(allowance.limit)
    )))
}

fn fits_together(worker: &WorkerPlan, targets: usize) -> bool {
    let within = |target: &WorkerTarget| {
        let bytes = u64::from(target.slot) * u64::from(target.requests);
        let last = match target.workload.write_ratio {
            0 => target.read_buffer,
            _ => target.read_buffer.max(target.write_buffer),
        };
        target.target < targets && last + bytes <= worker.buffer
    };
    let bound: u64 = worker.targets.iter().map(|target| u64::from(target.requests)).sum();
    worker.targets.iter().all(within) && (worker.floating || bound == u64::from(worker.depth))
}

/// Returns for every thread its targets (index, weight), and its number among the threads of each. With
/// `-t`, all threads of the first target come first. With `-F`, every thread serves every target without
/// its own threads.
fn assign_targets(span: &TimeSpan) -> Vec<(Vec<(usize, u32)>, u32)> {
    if span.thread_count == 0 {
        let alone = |index: usize, weight: u32| move |relative| (vec![(index, weight)], relative);
        return (0..)
            .zip(&span.targets)
            .flat_map(|(index, target)| (0..target.threads_per_file).map(alone(index, target.weight)))
            .collect();
    }
    (0..span.thread_count)
        .map(|thread| {
            let member = |(index, target): (usize, &Target)| {
                if target.thread_targets.is_empty() {
                    return Some((index, target.weight));
                }
                let own = target.thread_targets.iter().find(|t| t.thread == thread)?;
                Some((index, if own.weight == 0 { target.weight } else { own.weight }))
            };
            (span.targets.iter().enumerate().filter_map(member).collect(), thread)
        })
        .collect()
}

/// Returns whether a worker's buffer uses large pages, and its alignment. Simulated runs are the same on
/// every machine, regardless of reserved pages.
fn page_choice(
    span: &TimeSpan,
    members: &[(usize, u32)],
    engine: EngineKind,
    separation: u64,
) -> (bool, u64) {
    if engine.row().virtual_time {
        return (false, 0);
    }
    let large_pages = members.iter().any(|&(index, _)| span.targets[index].use_large_pages);
    (large_pages, if large_pages { 0 } else { separation })
}

/// Returns the offsets of a target's read and write data in the worker's buffer, after its first `used`
/// bytes, and the new number of used bytes.
fn buffer_halves(target: &Target, requests: u32, used: u64, separation: u64) -> (u64, u64, u64) {
    let area = (u64::from(target.block_size) * u64::from(requests)).next_multiple_of(AREA_ALIGNMENT);
    let (reads, writes) = (target.write_ratio < 100, target.write_ratio > 0);
    let read_buffer = used.next_multiple_of(separation.max(AREA_ALIGNMENT));
    // A half that no I/O uses is not allocated: both halves then start at the same place.
    let write_buffer = if reads { read_buffer + area } else { read_buffer };
    (read_buffer, write_buffer, if writes { write_buffer + area } else { read_buffer + area })
}

/// Returns the number of outstanding I/Os of a thread on these targets.
fn thread_depth(span: &TimeSpan, members: &[(usize, u32)]) -> u64 {
    let requests_on = |&(index, _): &(usize, u32)| u64::from(span.targets[index].request_count);
    if span.is_floating_pool() { span.request_count.into() } else { members.iter().map(requests_on).sum() }
}

fn plan_worker(
    span: &TimeSpan,
    ids: &[TargetId],
    members: &[(usize, u32)],
    relative: u32,
    separation: u64,
    around: PlanContext,
) -> Result<WorkerPlan, PlanError> {
    let floating = span.is_floating_pool();
    let requests_of = |target: &Target| if floating { span.request_count } else { target.request_count };
    let depth = thread_depth(span, members);
    let known: Vec<_> =
        members.iter().map(|&(index, _)| (&span.targets[index], &around.facts[index])).collect();
    let choice = engine::engine(span, &known, depth, around.engine_wish())?;
    let routines = span.completion_routines && depth > 1 && !choice.engine.is_synchronous();
    let (large_pages, separation) = page_choice(span, members, choice.engine, separation);
    let (mut buffer, mut targets) = (0u64, Vec::new());
    for (&(index, weight), &(target, facts)) in members.iter().zip(&known) {
        let requests = requests_of(target);
        let (read_buffer, write_buffer);
        (read_buffer, write_buffer, buffer) = buffer_halves(target, requests, buffer, separation);
        let size = target::planned_size(target, facts);
        let whole = WorkerTarget {
            target: index,
            id: ids[index],
            path: target.path.clone(),
            location: facts.location.clone(),
            open: open_mode(target, facts),
            uncached_device: is_uncached_device(target, facts),
            workers: engine::needs_workers(target, facts),
            priority: priority(target),
            ways: placement::placed(io_ways(target), target, facts, relative),
            atomic_writes: io_features::guaranteed(target, facts),
            mapping: map_options(target),
            size,
            requests,
            content: writing::content(span, index, facts),
            shares: target.shares,
            verified: super::SectorGrid::default(),
            zones: None,
            // Whose completions are issued anew at once can't wait.
            limit: if routines { Limit::None } else { writing::limit(span, target) },
            read_buffer,
            write_buffer,
            slot: target.block_size,
            workload: target_workload(&target.parts()[0].1, size, relative, weight, None)?,
        };
        targets.extend(split_portions(target, whole, relative, weight)?);
    }
    Ok(WorkerPlan {
        thread: 0,
        cpu: None,
        seed: 0,
        engine: choice.engine,
        reason: choice.reason,
        one_by_one: choice.one_by_one,
        poll: around.run_options.poll,
        flush_every: around.run_options.fsync_every,
        depth: depth as u32,
        routines,
        floating,
        targets,
        buffer,
        large_pages,
        huge_pages: around.run_options.huge_pages(),
        separation,
    })
}

/// The same target once for each portion of its work. The first one has the requests.
fn split_portions(
    target: &Target,
    whole: WorkerTarget,
    relative: u32,
    weight: u32,
) -> Result<Vec<WorkerTarget>, PlanError> {
    if !target.is_mixed() {
        return Ok(vec![whole]);
    }
    let portion = |(number, portion): (usize, WorkShare)| {
        let WorkShare { part, share, is_split, target } = portion;
        let of = WorkPortion { is_first: number == 0, part, share, is_split };
        let requests = if number == 0 { whole.requests } else { 0 };
        let workload = target_workload(&target, whole.size, relative, weight, Some(of))?;
        Ok(WorkerTarget { requests, workload, ..whole.clone() })
    };
    target.portions().into_iter().enumerate().map(portion).collect()
}

fn target_workload(
    target: &Target,
    size: u64,
    relative: u32,
    weight: u32,
    portion: Option<WorkPortion>,
) -> Result<TargetWorkload, PlanError> {
    let pattern = match target.random_ratio {
        100.. => Pattern::Random,
        0 if target.parallel_async_io => Pattern::ParallelAsync,
        0 if target.interlocked_sequential => Pattern::Interlocked,
        0 => Pattern::Sequential,
        random => Pattern::Mixed { random },
    };
    let region = target::region(target, size, relative)?;
    debug_assert!(
        region.base + region.length <= size && region.first + u64::from(target.block_size) <= region.length
    );
    Ok(TargetWorkload {
        block_size: target.block_size,
        stride: target.stride(),
        base: region.base,
        region: region.length,
        first: region.first,
        pattern,
        write_ratio: target.write_ratio,
        distribution: target.distribution.clone(),
        spread: target.spread,
        each_once: target.each_once,
        weight,
        portion,
    })
}
