//! Combination of jobs: concurrent jobs become the targets of one time span.

use super::files::FilePiece;
use super::run_settings::RunSettings;
use super::surroundings::{Existing, HostContext};
use super::{NamedJob, concurrent_jobs, span_end};
use diskspd_base::engines::EngineKind;
use diskspd_base::limits::TARGETS;
use diskspd_profile::{Arrivals, GroupCpu, Profile, RateTotal, RawText, RunOptions, TimeSpan, VerifyMode};
use std::collections::{HashMap, HashSet};

pub(super) type JobGroup<'a> = Vec<&'a NamedJob<'a>>;

/// Returns the profile and run options of all jobs; `None` = refused.
pub(super) fn converted(jobs: &[NamedJob], around: &dyn HostContext) -> Option<(Profile, RunOptions)> {
    is_not_too_much(jobs)?;
    let run_options = run_options(jobs)?;
    let mut spans = Vec::new();
    for group in group_jobs(jobs)? {
        let (span, read_back) = group_span(&group, around)?;
        spans.push(span);
        spans.extend(read_back);
    }
    one_size_for_each_file(&mut spans);
    Some((Profile { time_spans: spans, ..Profile::default() }, run_options))
}

const MAX_NOTES: usize = 64;
fn is_not_too_much(jobs: &[NamedJob]) -> Option<()> {
    let mut all = 0u64;
    for NamedJob { settings, job } in jobs {
        all = all.saturating_add(u64::from(job.clones).saturating_mul(job.files.of_each_thread()));
        if all > TARGETS as u64 {
            let reason = "all threads together would have more than 65,536 files";
            settings.refuse("numjobs", reason, "lower numjobs or nrfiles");
            return None;
        }
    }
    Some(())
}

fn group_jobs<'a>(jobs: &'a [NamedJob<'a>]) -> Option<Vec<JobGroup<'a>>> {
    let mut groups: Vec<JobGroup> = Vec::new();
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
                        settings.refuse("wait_for", "no earlier job has this name", "name an earlier job");
                        return None;
                    }
                    (0, _) => named.job.stonewall,
                    (count, _) if count == last.len() => true,
                    _ => {
                        let reason = "a time span begins when all jobs of the one before have ended";
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

fn run_options(jobs: &[NamedJob]) -> Option<RunOptions> {
    let first = jobs.first()?;
    let writers = || jobs.iter().filter(|named| named.job.has_writes());
    let of_writers = writers().next().map_or(RunSettings::default(), |named| named.job.run);
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
        first.settings.add_note("rate_process", "the rate is kept by all threads together, at random times");
        let ios_per_s = rate.saturating_mul(first.job.clones.into()).min(RateTotal::MAX_RATE);
        RateTotal { ios_per_s, arrivals: Arrivals::Poisson }
    });
    Some(RunOptions {
        engine,
        poll: first.job.run.poll,
        no_huge_pages: jobs.iter().any(|named| named.job.has_large_buffer()),
        fsync_every: of_writers.fsync_every,
        flush_after: of_writers.flush_after,
        verify: of_writers.verify.then_some(VerifyMode::Both),
        rate_total: rate,
        ..RunOptions::default()
    })
}

fn group_span(group: &[&NamedJob], around: &dyn HostContext) -> Option<(TimeSpan, Option<TimeSpan>)> {
    let pieces: Vec<Vec<Vec<FilePiece>>> =
        group.iter().map(|named| thread_pieces(named, around)).collect::<Option<_>>()?;
    same_for_all(group)?;
    let first = group.first()?;
    let mut span = TimeSpan {
        warmup: first.job.warmup_s,
        rand_seed: first.job.seed,
        measure_latency: true,
        affinity: group_affinity(group)?,
        ..TimeSpan::default()
    };
    span.disable_affinity = span.affinity.is_empty();
    span_end::end(&mut span, group, &pieces)?;
    let several = pieces.iter().flatten().any(|pieces| pieces.len() > 1);
    match several {
        true => concurrent_jobs::pool(&mut span, group, &pieces)?,
        false => concurrent_jobs::beside_each_other(&mut span, group, &pieces),
    }
    let read_back = match group.iter().find(|named| named.job.run.read_back) {
        Some(named) => Some(concurrent_jobs::read_back(&span, group, named)?),
        None => None,
    };
    Some((span, read_back))
}

fn thread_pieces(named: &NamedJob, around: &dyn HostContext) -> Option<Vec<Vec<FilePiece>>> {
    let NamedJob { settings, job } = named;
    let (smallest, real) = (job.shape.smallest(), job.engine.row().needs_files);
    let of_clone = |clone| job.files.pieces(clone, smallest, around, real);
    match (0..job.clones).map(of_clone).collect::<Result<Vec<_>, _>>() {
        Ok(pieces) => {
            let end = job.shape.ranges_end();
            let is_short = |piece: &FilePiece| piece.length.is_some_and(|length| length < end);
            if pieces.iter().flatten().any(is_short) {
                let reason = "the ranges go beyond the end of the area";
                settings.refuse("random_distribution", reason, "lower them, or raise size");
                return None;
            }
            if !job.shape.ranges_are_aligned() {
                let reason = "the ranges are not multiples of the alignment, to which fio rounds each \
                    offset";
                settings.refuse("random_distribution", reason, "give multiples of bs, or of ba");
                return None;
            }
            if real {
                tell_of_made_files(named, &pieces, around);
            }
            Some(pieces)
        }
        Err(error) => {
            settings.refuse("size", error, "give size, and names of files or block devices");
            None
        }
    }
}

fn tell_of_made_files(named: &NamedJob, pieces: &[Vec<FilePiece>], around: &dyn HostContext) {
    let settings = &named.settings;
    let mut told = HashSet::new();
    let mut more = 0;
    for piece in pieces.iter().flatten().filter(|piece| piece.create.is_some()) {
        if !told.insert(&piece.path) {
            continue;
        }
        match around.existing(&piece.path) {
            Existing::File(bytes) if more == 0 && told.len() <= MAX_NOTES => {
                let path = &piece.path;
                let what = format!("the existing file '{path}' ({bytes} bytes) will be overwritten");
                settings.add_note("size", what);
            }
            Existing::File(_) => more += 1,
            _ => {}
        }
    }
    if more > 0 {
        settings.add_note("size", format!("{more} other existing files will be overwritten"));
    }
    if !told.is_empty() {
        let what = "files that are made hold bytes 0 to 255 (zeros with zero_buffers), not random ones";
        settings.add_note("size", what);
    }
}

fn same_for_all(group: &[&NamedJob]) -> Option<()> {
    let first = group.first()?;
    for NamedJob { settings, job } in group {
        if job.start_delay_us != first.job.start_delay_us {
            settings.refuse("startdelay", "concurrent jobs start together", "use stonewall, or leave it out");
            return None;
        }
        if job.start_delay_us > 0 {
            settings.add_note("startdelay", "startdelay is ignored: all jobs would have the same delay");
        }
        if job.warmup_s != first.job.warmup_s {
            settings.refuse("ramp_time", "concurrent jobs have one warm-up", "give it in [global]");
            return None;
        }
    }
    Some(())
}

/// Returns the CPUs of the threads in order; `None` = no job names any.
fn group_affinity(group: &[&NamedJob]) -> Option<Vec<GroupCpu>> {
    let mut list = Vec::new();
    let any = group.iter().any(|named| !named.job.cpus.is_empty());
    for NamedJob { settings, job } in group.iter().filter(|_| any) {
        if job.cpus.is_empty() {
            settings.refuse("cpus_allowed", "a concurrent job names CPUs", "give CPUs to both, or to none");
            return None;
        }
        let cpus = job.cpus.iter().cycle().take(job.clones as usize);
        list.extend(cpus.map(|cpu| GroupCpu { group: 0, cpu: Some(*cpu) }));
    }
    Some(list)
}

/// Sets the size of each created file to the maximum of its uses.
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
