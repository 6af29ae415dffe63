//! Jobs put together: those that run beside each other are the targets of one time span.

use super::NamedJob;
use super::ends::{End, LONGEST_S};
use super::fault::JobFault;
use super::files::Piece;
use super::job::OfRun;
use super::settings::Settings;
use super::surroundings::{Existing, Surroundings};
use diskspd_model::engines::EngineKind;
use diskspd_model::profile::{
    Arrivals, GroupCpu, Method, Profile, RateTotal, RawText, Target, ThreadTarget, TimeSpan, VerifyMode,
    Volume,
};
use std::collections::HashMap;

/// Jobs that run beside each other.
type Group<'a> = Vec<&'a NamedJob<'a>>;

/// The profile of all jobs, and how it is run; `None` = something was refused.
pub(super) fn converted(jobs: &[NamedJob], around: &dyn Surroundings) -> Option<(Profile, Method)> {
    let method = method(jobs)?;
    let mut spans = Vec::new();
    for group in groups(jobs)? {
        let (span, read_back) = span(&group, around)?;
        spans.push(span);
        spans.extend(read_back);
    }
    one_size_for_each_file(&mut spans);
    Some((Profile { time_spans: spans, ..Profile::default() }, method))
}

/// Jobs by what they wait for.
fn groups<'a>(jobs: &'a [NamedJob<'a>]) -> Option<Vec<Group<'a>>> {
    let mut groups: Vec<Group> = Vec::new();
    for named in jobs {
        let settings = &named.settings;
        let last: &[&NamedJob] = groups.last().map_or(&[], Vec::as_slice);
        let waits = match &named.job.wait_for {
            None => named.job.stonewall,
            Some(other) => {
                let is_other = |job: &&&NamedJob| job.settings.job == *other;
                let in_last = last.iter().filter(is_other).count();
                let before = jobs.iter().take_while(|job| !std::ptr::eq(*job, named));
                match (in_last, before.filter(|job| job.settings.job == *other).count()) {
                    (_, 0) => {
                        settings.refuse("wait_for", "no job before it has that name", "name one before it");
                        return None;
                    }
                    (0, _) => named.job.stonewall,
                    (count, _) if count == last.len() => true,
                    _ => {
                        let reason = "a time span begins when all jobs of the one before have ended, and others \
                                      run beside that one";
                        settings.refuse("wait_for", reason, "use stonewall");
                        return None;
                    }
                }
            }
        };
        match groups.last_mut().filter(|_| !waits) {
            Some(group) => group.push(named),
            None => groups.push(vec![named]),
        }
    }
    Some(groups)
}

/// What holds for all jobs.
fn method(jobs: &[NamedJob]) -> Option<Method> {
    let first = jobs.first()?;
    let writers = || jobs.iter().filter(|named| named.job.has_writes());
    let of_writers = writers().next().map_or(OfRun::default(), |named| named.job.run);
    for named in jobs {
        let (run, settings) = (&named.job.run, &named.settings);
        let writes = named.job.has_writes();
        let differs = [
            (named.job.engine != first.job.engine, "ioengine", "all jobs have one engine", "use one for all"),
            (run.poll != first.job.run.poll, "hipri", "all jobs poll, or none", "give it in [global]"),
            (
                run.poisson.is_some() && jobs.len() > 1,
                "rate_process",
                "random times between I/Os are for a job alone",
                "use rate_process=linear, or one job for each file",
            ),
            (
                writes && run.fsync_every != of_writers.fsync_every,
                "fsync",
                "all jobs that write flush after the same number of writes",
                "give it in [global]",
            ),
            (
                writes && run.flush_after != of_writers.flush_after,
                "end_fsync",
                "all jobs that write are flushed at the end, or none",
                "give it in [global]",
            ),
            (
                writes && run.verify != of_writers.verify,
                "verify",
                "all jobs that write are verified, or none",
                "give it in [global]",
            ),
        ];
        if let Some((_, option, reason, remedy)) = differs.into_iter().find(|(differs, ..)| *differs) {
            settings.refuse(option, reason, remedy);
            return None;
        }
    }
    let engine = Some(first.job.engine).filter(|engine| *engine != EngineKind::Mmap);
    let rate = first.job.run.poisson.map(|rate| {
        first.settings.tell("rate_process", "the rate is kept by all threads together, at random times");
        let ios_per_s = rate.saturating_mul(first.job.clones.into()).min(RateTotal::HIGHEST);
        RateTotal { ios_per_s, arrivals: Arrivals::Poisson }
    });
    Some(Method {
        engine,
        poll: first.job.run.poll,
        fsync_every: of_writers.fsync_every,
        flush_after: of_writers.flush_after,
        verify: of_writers.verify.then_some(VerifyMode::Both),
        rate_total: rate,
        ..Method::default()
    })
}

/// The time span of a group, and the one that reads back what it has written.
fn span(group: &[&NamedJob], around: &dyn Surroundings) -> Option<(TimeSpan, Option<TimeSpan>)> {
    let pieces: Vec<Vec<Vec<Piece>>> =
        group.iter().map(|named| pieces(named, around)).collect::<Option<_>>()?;
    same_for_all(group)?;
    let first = group.first()?;
    let mut span = TimeSpan {
        warmup: first.job.warmup_s,
        rand_seed: first.job.seed,
        measure_latency: true,
        affinity: affinity(group)?,
        ..TimeSpan::default()
    };
    span.disable_affinity = span.affinity.is_empty();
    end(&mut span, group, &pieces)?;
    let several = pieces.iter().flatten().any(|pieces| pieces.len() > 1);
    match several {
        true => pool(&mut span, group, &pieces)?,
        false => beside_each_other(&mut span, group, &pieces),
    }
    let read_back = match group.iter().find(|named| named.job.run.read_back) {
        Some(named) => Some(read_back(&span, group, named)?),
        None => None,
    };
    Some((span, read_back))
}

/// The pieces of each thread of a job.
fn pieces(named: &NamedJob, around: &dyn Surroundings) -> Option<Vec<Vec<Piece>>> {
    let NamedJob { settings, job } = named;
    let (smallest, real) = (job.shape.smallest(), job.engine.row().needs_files);
    let of_clone = |clone| job.files.pieces(clone, smallest, around, real);
    match (0..job.clones).map(of_clone).collect::<Result<Vec<_>, _>>() {
        Ok(pieces) => {
            for piece in pieces.iter().flatten().filter(|piece| piece.create.is_some() && real) {
                if let Existing::File(bytes) = around.existing(&piece.path) {
                    settings.tell("size", format!("'{}' has {bytes} bytes and is made anew", piece.path));
                }
            }
            Some(pieces)
        }
        Err(error) => {
            settings.refuse("size", error.to_string(), "give size, and names of files or block devices");
            None
        }
    }
}

/// What can't differ between jobs that run beside each other.
fn same_for_all(group: &[&NamedJob]) -> Option<()> {
    let first = group.first()?;
    for NamedJob { settings, job } in group {
        if job.start_delay_us != first.job.start_delay_us {
            settings.refuse(
                "startdelay",
                "jobs beside each other start together",
                "use stonewall, or leave it out",
            );
            return None;
        }
        if job.start_delay_us > 0 {
            settings.tell("startdelay", "all jobs of the time span would wait for it: it is left out");
        }
        if job.warmup_s != first.job.warmup_s {
            settings.refuse("ramp_time", "jobs beside each other have one warm-up", "give it in [global]");
            return None;
        }
    }
    Some(())
}

/// How the time span ends.
fn end(span: &mut TimeSpan, group: &[&NamedJob], pieces: &[Vec<Vec<Piece>>]) -> Option<()> {
    let mut whole: Option<End> = None;
    for (NamedJob { settings, job }, pieces) in group.iter().zip(pieces) {
        let end = match job.end(pieces) {
            Ok(end) => end,
            Err(error) => {
                settings.refuse("size", error.to_string(), "give runtime and time_based");
                return None;
            }
        };
        whole = match whole {
            None => Some(end),
            Some(before) => match together(before, end) {
                Some(end) => Some(end),
                None => {
                    let reason = "jobs beside each other end together, and these end at other times or by other \
                                  amounts";
                    let option = if job.runtime_s.is_some() { "runtime" } else { "size" };
                    settings.refuse(option, reason, "give all of them time_based and the same runtime");
                    return None;
                }
            },
        };
    }
    match whole? {
        End::Time(seconds) => span.duration = seconds,
        End::Amount { written, volume, at_most } => {
            span.duration = at_most;
            *(if written { &mut span.until_written } else { &mut span.until_read }) = Some(volume);
            tell_of_amounts(group, at_most);
        }
    }
    Some(())
}

fn tell_of_amounts(group: &[&NamedJob], at_most: u32) {
    let threads: u32 = group.iter().map(|named| named.job.clones).sum();
    for NamedJob { settings, job } in group {
        if threads > 1 {
            let what = "the time span ends when its threads have done the amounts of all together: a fast thread does \
                        more than its own, a slow one less";
            settings.tell("size", what);
        }
        if job.shape.way != super::shape::Way::Read && job.shape.way != super::shape::Way::Write {
            settings.tell("size", "the end follows from the larger of the two directions");
        }
        if job.loops > 1
            && job.shape.random_percent == 0
            && matches!(job.shape.way, super::shape::Way::Mixed(_))
        {
            settings.tell(
                "loops",
                "sequential reads and writes go on where they were, not both from the beginning",
            );
        }
        if job.warmup_s > 0 {
            settings.tell("ramp_time", "what the warm-up reads and writes is not part of the size");
        }
        if job.does_a_stated_amount() && settings.has("number_ios") {
            settings.tell("number_ios", "the end follows from the bytes of that many I/Os");
        }
        if at_most == LONGEST_S {
            settings.tell("runtime (not given)", "a time span takes 30 days at most");
        }
    }
}

/// The end of two jobs beside each other; `None` = they end apart.
fn together(one: End, other: End) -> Option<End> {
    match (one, other) {
        (End::Time(one), End::Time(other)) if one == other => Some(End::Time(one)),
        (
            End::Amount { written, volume: Volume::Bytes(one), at_most },
            End::Amount { written: other_way, volume: Volume::Bytes(other), at_most: other_time },
        ) if written == other_way && at_most == other_time => {
            Some(End::Amount { written, volume: Volume::Bytes(one.checked_add(other)?), at_most })
        }
        _ => None,
    }
}

/// CPUs of the threads, in their order; none where no job names any.
fn affinity(group: &[&NamedJob]) -> Option<Vec<GroupCpu>> {
    let mut list = Vec::new();
    let any = group.iter().any(|named| !named.job.cpus.is_empty());
    for NamedJob { settings, job } in group.iter().filter(|_| any) {
        if job.cpus.is_empty() {
            settings.refuse("cpus_allowed", "a job beside it names CPUs", "give CPUs to both, or to none");
            return None;
        }
        let cpus = job.cpus.iter().cycle().take(job.clones as usize);
        list.extend(cpus.map(|cpu| GroupCpu { group: 0, cpu: Some(*cpu) }));
    }
    Some(list)
}

/// Each job, or each of its threads, has targets of its own.
fn beside_each_other(span: &mut TimeSpan, group: &[&NamedJob], pieces: &[Vec<Vec<Piece>>]) {
    for (NamedJob { job, .. }, pieces) in group.iter().zip(pieces) {
        let shared = job.files.are_the_same_for_all();
        let (clones, threads) = if shared { (1, job.clones) } else { (pieces.len(), 1) };
        let targets = pieces.iter().take(clones).flatten();
        span.targets.extend(targets.map(|piece| job.target(piece, threads)));
    }
}

/// Threads with several files: a file is drawn for each I/O.
fn pool(span: &mut TimeSpan, group: &[&NamedJob], pieces: &[Vec<Vec<Piece>>]) -> Option<()> {
    let first = group.first()?;
    let mut users: Vec<(Target, Vec<u32>)> = Vec::new();
    let mut thread = 0;
    for (NamedJob { settings, job }, pieces) in group.iter().zip(pieces) {
        if job.depth != first.job.depth {
            let reason = "threads with several files have one queue depth for all jobs beside each other";
            settings.refuse("iodepth", reason, "give the same to all, or use stonewall");
            return None;
        }
        let idle = [
            ("rate", job.throughput.is_some()),
            ("thinktime", job.pause.is_some()),
            ("rate_process", job.run.poisson.is_some()),
        ];
        if let Some((option, _)) = idle.into_iter().find(|(_, given)| *given) {
            settings.refuse(
                option,
                "threads with several files have no rate and no pauses",
                "use one file each",
            );
            return None;
        }
        for pieces in pieces {
            for piece in pieces {
                let target = Target { request_count: 2, ..job.target(piece, 1) };
                match users.iter_mut().find(|(known, _)| *known == target) {
                    Some((_, threads)) => threads.push(thread),
                    None => users.push((target, vec![thread])),
                }
            }
            thread += 1;
        }
    }
    (span.thread_count, span.request_count) = (thread, first.job.depth);
    let targets = users.into_iter().map(|(target, threads)| {
        let named = if threads.len() as u32 == thread { Vec::new() } else { threads };
        let named = named.into_iter().map(|thread| ThreadTarget { thread, weight: 0 });
        Target { thread_targets: named.collect(), ..target }
    });
    span.targets = targets.collect();
    Some(())
}

/// What reads everything back that a time span has written.
fn read_back(span: &TimeSpan, group: &[&NamedJob], named: &NamedJob) -> Option<TimeSpan> {
    let Settings { place, .. } = &named.settings;
    if group.len() > 1 {
        let reason = "what is written is read back when all jobs beside each other have ended, and this one isn't alone";
        let fault = JobFault::refused(place, "verify", reason);
        named.settings.fault(fault.hint("use do_verify=0, or stonewall"));
        return None;
    }
    named.settings.tell("do_verify", "a time span of its own reads all of the area back, sequentially");
    let alone = |target: &Target| Target {
        write_ratio: 0,
        random_ratio: 0,
        mix: Vec::new(),
        sizes: Vec::new(),
        block_alignment: 0,
        distribution: None,
        spread: None,
        write_through: false,
        throughput: None,
        burst_size: None,
        think_time: None,
        random_access: false,
        threads_per_file: 1,
        ..target.clone()
    };
    Some(TimeSpan {
        duration: LONGEST_S,
        warmup: 0,
        until_written: None,
        until_read: Some(Volume::Times(1)),
        targets: span.targets.iter().map(alone).collect(),
        ..span.clone()
    })
}

/// A file that is made gets the size that the largest of its parts needs.
fn one_size_for_each_file(spans: &mut [TimeSpan]) {
    let mut sizes: HashMap<RawText, u64> = HashMap::new();
    for target in spans.iter().flat_map(|span| &span.targets) {
        if let Some(bytes) = target.file_size {
            let size = sizes.entry(target.path.clone()).or_insert(bytes);
            *size = (*size).max(bytes);
        }
    }
    for target in spans.iter_mut().flat_map(|span| &mut span.targets) {
        target.file_size = sizes.get(&target.path).copied();
    }
}
