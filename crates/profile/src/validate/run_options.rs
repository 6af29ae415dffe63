//! Rules about how a profile is run.

use crate::{Profile, RateTotal, ReplayOptions, RunOptions, Target, TimeSpan, Volume};
use diskspd_base::finding::{Finding, Severity};

/// Checks run options alone and with the profile; must not be used with an error.
pub fn run_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut refuse = |rule, message: &str| findings.push(Finding::of_machine(rule, Severity::Error, message));
    if run_options.virtual_time() {
        if run_options.until_steady_s.is_some() {
            refuse(
                "M1",
                "--until-steady: a simulated run fixes its phases before it begins (its threads run \
                 sequentially); set the warm-up with -W<seconds>, or choose another engine",
            );
        }
        if run_options.cpu_latency_us.is_some() {
            refuse(
                "M2",
                "--cpu-latency has no effect in simulated time; leave it out, or choose another engine",
            );
        }
        if run_options.stuck_ms.or(run_options.fail_on_outage_ms).is_some() {
            refuse(
                "M31",
                "--stuck and --fail-on-outage need real time; leave them out (the report names outages \
                 anyway), or choose another engine",
            );
        }
    }
    if run_options.simulated() && run_options.explain.is_some() {
        refuse(
            "M32",
            "--explain traces I/Os in the kernel, and this engine's never get there; leave it out, or choose \
             another engine",
        );
    }
    for (rule, message) in
        fsync_every(run_options, profile).into_iter().chain(volume_conflicts(run_options, profile))
    {
        refuse(rule, message);
    }
    for (rule, message) in super::verify::rules(run_options, profile) {
        refuse(rule, message);
    }
    findings.extend(idle_options(run_options, profile));
    findings.extend(super::shares::with_run_options(run_options, profile));
    findings.extend(super::io_features::with_run_options(run_options, profile));
    findings.extend(super::zoned::with_run_options(run_options, profile));
    findings.extend(super::each_once::with_run_options(run_options, profile));
    let mut refuse = |rule, message: &str| findings.push(Finding::of_machine(rule, Severity::Error, message));
    if let Some(recorded) = &run_options.replay {
        for (rule, message) in replay_conflicts(recorded, run_options, profile) {
            refuse(rule, message);
        }
    }
    if let Some(rate) = run_options.rate_total {
        for (rule, message) in rate_total(rate, profile) {
            refuse(rule, message);
        }
    }
    findings
}

/// Reports options without effect on this work. They are not refused, because only the ends of a sweep
/// from `-w0` to `-w100` are affected.
fn idle_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    if targets().next().is_none() || run_options.replay.is_some() {
        return Vec::new();
    }
    let flushes_nothing = run_options.flush_after && !targets().any(Target::is_changed);
    let message = "--flush-after has no effect: no data is written; add -w, or leave it out";
    let finding = || Finding::of_machine("M33", Severity::Warning, message.to_owned());
    flushes_nothing.then(finding).into_iter().collect()
}

fn fsync_every(run_options: &RunOptions, profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let Some(every) = run_options.fsync_every else { return Vec::new() };
    let spans = || profile.time_spans.iter();
    let written = spans().flat_map(|span| &span.targets).any(|target| target.write_ratio > 0);
    let rules = [
        (every == 0, "M8", "--fsync-every: the number of writes must be at least 1"),
        (
            !written && !profile.time_spans.is_empty(),
            "M9",
            "--fsync-every needs writes; add -w, or leave it out",
        ),
        (
            spans().any(|span| span.completion_routines),
            "M10",
            "--fsync-every and completion routines (-x, CompletionRoutines) exclude each other: a routine \
             submits the next I/O in place of the flush; leave out one of them",
        ),
        (
            run_options.poll,
            "M11",
            "--fsync-every and --poll exclude each other: a polled ring cannot flush; leave out one of them",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| (rule, message)).collect()
}

fn volume_conflicts(run_options: &RunOptions, profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let spans = || profile.time_spans.iter();
    // Settings of a time span have precedence over common ones.
    let of_span = |span: &TimeSpan| match (span.until_written, span.until_read) {
        (None, None) => (run_options.until_written, run_options.until_read),
        own => own,
    };
    let mut asked = vec![(run_options.until_written, run_options.until_read)];
    asked.extend(spans().map(of_span));
    if asked.iter().all(|(written, read)| written.or(*read).is_none()) {
        return Vec::new();
    }
    let nothing = |volume| matches!(volume, Some(Volume::Bytes(0) | Volume::Times(0)));
    // Each time span ends by itself: one that never could would take all its time without a word.
    let any_span = |is_asked: fn(&(Option<Volume>, Option<Volume>)) -> bool, idle: fn(&Target) -> bool| {
        spans()
            .any(|span| is_asked(&of_span(span)) && !span.targets.is_empty() && span.targets.iter().all(idle))
    };
    let rules = [
        (
            run_options.virtual_time(),
            "M12",
            "--until-written and --until-read: a simulated run's threads run sequentially, so their total \
             is known only at the end; set the time with -d, or choose another engine",
        ),
        (
            asked.iter().any(|(written, read)| nothing(*written) || nothing(*read)),
            "M13",
            "--until-written and --until-read: the amount must be at least 1 byte, or 1x",
        ),
        (
            any_span(|(written, _)| written.is_some(), |target| target.write_ratio == 0),
            "M14",
            "--until-written needs writes; add -w, or leave it out",
        ),
        (
            any_span(|(_, read)| read.is_some(), |target| target.write_ratio >= 100),
            "M15",
            "--until-read needs reads; lower -w, or leave it out",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| (rule, message)).collect()
}

fn replay_conflicts(
    replay: &ReplayOptions,
    run_options: &RunOptions,
    profile: &Profile,
) -> Vec<(&'static str, &'static str)> {
    let spans = || profile.time_spans.iter();
    let targets = || spans().flat_map(|span| &span.targets);
    let rules = [
        (
            replay.file.as_bytes().is_empty(),
            "M20",
            "--replay-speed, --replay-writes and --stream-of need --replay with a file of recorded I/Os",
        ),
        (
            profile.time_spans.len() > 1 || spans().any(|span| span.targets.len() != 1),
            "M21",
            "--replay needs exactly one target; name one, and choose the stream of a file with several with \
             --stream-of",
        ),
        (
            // A profile with this information was made from them.
            replay.ios == 0 && targets().any(|target| !leaves_work_open(target)),
            "M22",
            "--replay defines the workload; leave out -b, -r, -rs, -rd, -s, -si, -p, -w, -f, -B, -T, -g, -i, \
             -j, --mix, --bs-split, --distribution and --trim",
        ),
        (
            run_options.rate_total.is_some()
                || run_options.until_written.or(run_options.until_read).is_some(),
            "M23",
            "--replay defines the rate and the end; leave out --rate-total, --until-written and --until-read",
        ),
        (
            spans().any(|span| span.completion_routines || span.is_floating_pool()),
            "M24",
            "--replay excludes completion routines (-x) and I/Os that float between targets (-F with -O), \
             which choose the next I/O on their own; leave them out",
        ),
        (
            targets().any(|target| target.random_data_source.is_some()),
            "M25",
            "--replay excludes -Z<size>, which draws a place in its buffer for each I/O; use -Zr, --compress \
             or --dedupe",
        ),
        (
            replay.speed_thousandths == 0 && spans().any(|span| span.warmup > 0),
            "M26",
            "--replay-speed max: I/Os without times have no warm-up; leave out -W",
        ),
        (
            run_options.verify.is_some(),
            "M27",
            "--replay and --verify exclude each other: recorded I/Os may start inside a stamped sector; \
             leave out one of them",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| (rule, message)).collect()
}

fn leaves_work_open(target: &Target) -> bool {
    let Target { path, .. } = target;
    let nothing = Target { path: path.clone(), ..Target::default() };
    let work = |target: &Target| {
        (
            (target.block_size, target.block_alignment, target.random_ratio, target.write_ratio),
            (target.interlocked_sequential, target.parallel_async_io, target.distribution.clone()),
            (target.base_file_offset, target.max_file_size, target.thread_stride, target.throughput),
            (target.burst_size, target.think_time, target.spread, target.is_mixed(), target.shares),
        )
    };
    work(target) == work(&nothing)
}

fn rate_total(rate: RateTotal, profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let spans = || profile.time_spans.iter();
    let targets = || spans().flat_map(|span| span.targets.iter().map(move |target| (span, target)));
    let rules = [
        (
            !(1..=RateTotal::MAX_RATE).contains(&rate.ios_per_s),
            "M3",
            "--rate-total: the rate must be 1 to 1000M I/Os per second",
        ),
        (
            targets().any(|(span, target)| span.offered_ios_per_s(target, None).is_some()),
            "M4",
            "--rate-total and -g (Throughput) both set the rate: --rate-total for all threads and targets \
             together, -g for each; give one of them",
        ),
        (
            targets().any(|(_, target)| target.think_time.unwrap_or(0) > 0),
            "M5",
            "--rate-total and -j (ThinkTime) both set when I/Os start; give one of them",
        ),
        (
            spans().any(|span| span.completion_routines),
            "M6",
            "--rate-total cannot be kept with completion routines (-x, CompletionRoutines), which issue \
             each I/O when the one before has completed; leave out one of them",
        ),
        (
            spans().any(TimeSpan::is_floating_pool),
            "M7",
            "--rate-total cannot be kept when I/Os float between targets (-F with -O); give the \
             outstanding I/Os of each target with -o",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| (rule, message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prefill;
    use diskspd_base::engines::EngineKind;

    #[test]
    fn options_without_work_are_reported() {
        let asked = RunOptions { flush_after: true, prefill: Some(Prefill::Auto), ..RunOptions::default() };
        let told = |ratios: &[u32]| {
            let of = |ratio: &u32| Target { write_ratio: *ratio, ..Target::default() };
            let span = TimeSpan { targets: ratios.iter().map(of).collect(), ..TimeSpan::default() };
            let profile = Profile { time_spans: vec![span], ..Profile::default() };
            let found = run_options(&asked, &profile);
            assert!(found.iter().all(|finding| finding.severity == Severity::Warning), "{found:?}");
            found.iter().map(|finding| finding.name).collect::<Vec<_>>()
        };
        assert_eq!(told(&[0]), ["M33"]);
        assert_eq!(told(&[1]), [] as [&str; 0]);
        assert_eq!(told(&[99]), [] as [&str; 0]);
        assert_eq!(told(&[100]), [] as [&str; 0]);
        assert_eq!(told(&[0, 100]), [] as [&str; 0]);
    }

    #[test]
    fn simulated_time_rejects_real_time_options() {
        let rules = |engine| {
            let asked = RunOptions {
                engine: Some(engine),
                until_steady_s: Some(60),
                cpu_latency_us: Some(0),
                ..RunOptions::default()
            };
            run_options(&asked, &Profile::default()).iter().map(|finding| finding.name).collect::<Vec<_>>()
        };
        assert_eq!(rules(EngineKind::Sim), ["M1", "M2"]);
        assert_eq!(rules(EngineKind::Null), [] as [&str; 0]);
        assert!(run_options(&RunOptions::default(), &Profile::default()).is_empty());
    }
}
