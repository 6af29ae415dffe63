//! Pauses shorter than a second, which rates per second do not show.

use super::achieved_rate;
use super::{Finding, Limiter, Limits, Severity, SpanContext, process_stalls};
use diskspd_base::operation::Operation;
use diskspd_figures::stats::{MAX_SLOPE, stalls};
use diskspd_figures::units::{seconds_of_ms, seconds_of_us};
use serde::Serialize;

/// Maximum `-D` interval in ms that shows pauses without finer observation.
const MAX_INTERVAL_MS: u32 = 100;

/// Pauses with almost no completions. Times in s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stall {
    pub times: usize,
    /// Lost share of the time.
    pub share: f64,
    pub length: f64,
    pub longest: f64,
    /// Time between the starts of consecutive pauses; `None` = irregular.
    pub period: Option<f64>,
    /// Mean I/Os per second between them.
    pub iops: f64,
    pub start: f64,
    pub interval: f64,
}

/// Returns pauses with a relevant share of the time; `None` if there are no pauses, they were not
/// observed, or were requested.
pub(super) fn judge(span: &SpanContext) -> Option<Stall> {
    // Who could not run himself knows nothing of the storage's pauses.
    if span.pauses_on_request() || !process_stalls::check(span).is_empty() {
        return None;
    }
    let (counts, interval) = io_beats(span)?;
    let found = stalls::detect(&counts, interval, in_flight(span)).filter(|found| found.share > MAX_SLOPE)?;
    let stalls::Stalls { times, share, length, longest, period, rate, begin } = found;
    Some(Stall { times, share, length, longest, period, iops: rate, start: begin, interval })
}

/// Returns I/Os by tick, and the length of a tick in s.
fn io_beats(span: &SpanContext) -> Option<(Vec<u64>, f64)> {
    if let Some(beats) = span.results.observed.as_ref().and_then(|observed| observed.ticks.as_ref()) {
        return Some((beats.ios.0.clone(), seconds_of_us(beats.width_us)));
    }
    let (intervals, ms) = (&span.measured.iops.as_ref()?.intervals, span.asked.io_bucket_duration);
    let counts = || intervals.iter().map(|interval| interval.total.ios).collect();
    (ms <= MAX_INTERVAL_MS).then(|| (counts(), seconds_of_ms(ms)))
}

/// Returns the maximum number of I/Os in flight.
fn in_flight(span: &SpanContext) -> u64 {
    match span.effort() {
        Some(effort) => effort.workers.iter().map(|worker| u64::from(worker.depth)).sum(),
        None => {
            let depth = span.asked.targets.iter().map(|target| u64::from(target.request_count)).sum::<u64>();
            depth * span.results.threads.len() as u64
        }
    }
}

impl Stall {
    /// Formats "24 % of the time in stalls of 0.40 s, every 1.7 s (35 times)".
    pub(super) fn in_short(&self) -> String {
        let Stall { times, share, length, period, .. } = *self;
        let every = period.map_or(String::new(), |period| format!(", every {}", format_seconds(period)));
        format!(
            "{:.0} % of the time in stalls of {}{every} ({times} times)",
            share * 100.0,
            format_seconds(length)
        )
    }

    pub(super) fn evidence(&self, mean: f64) -> String {
        let Stall { longest, iops, start: begin, interval, .. } = *self;
        format!(
            "{iops:.0} IOPS between the stalls, {mean:.0} overall; the longest took {}, the first began at \
             second {begin:.1} (samples of {:.0} ms)",
            format_seconds(longest),
            interval * 1000.0
        )
    }
}

fn format_seconds(seconds: f64) -> String {
    match seconds {
        10.0.. => format!("{seconds:.0} s"),
        1.0.. => format!("{seconds:.1} s"),
        0.1.. => format!("{seconds:.2} s"),
        _ => format!("{:.0} ms", seconds * 1000.0),
    }
}

/// Maximum pause in s caused by a limit in time slices, as in control groups.
const MAX_SLICE_S: f64 = 0.25;
const MIN_EXPLAINED_SHARE: f64 = 0.5;

impl Stall {
    /// The limit that makes these pauses by letting I/Os, or the program, go in turns; `None` = none does.
    pub(super) fn made_by_limit(&self, limits: Option<&Limits>) -> Option<&'static str> {
        let limit = match limits?.limited_by? {
            Limiter::CpuQuota => "a CPU quota throttles the program periodically",
            Limiter::IoLimit => {
                "the I/O limit of a control group releases I/Os in bursts: the device does not stall"
            }
            Limiter::VolumeLimit => "the volume releases I/Os in bursts to keep its limit",
            _ => return None,
        };
        (self.length <= MAX_SLICE_S).then_some(limit)
    }

    fn list_causes(&self, span: &SpanContext, limits: Option<&Limits>) -> Vec<String> {
        let mut causes: Vec<String> = self.made_by_limit(limits).map(str::to_owned).into_iter().collect();
        causes.extend(for_want_of_cpus("stalls", self.share, limits));
        if writes_to_cache(span) {
            causes.push(
                "writes go through the page cache: the kernel throttles writers when too many pages are \
                 dirty (vm.dirty_background_ratio, vm.dirty_ratio), and file systems while they free space"
                    .into(),
            );
        }
        causes
    }
}

/// Returns the evidence for CPU waits instead of storage as the cause. `pauses`: their name; `share`:
/// their share of the time.
pub(super) fn for_want_of_cpus(pauses: &str, share: f64, limits: Option<&Limits>) -> Vec<String> {
    let explains = |found: Option<f64>| found.filter(|found| *found >= MIN_EXPLAINED_SHARE * share);
    let told = [
        (limits.and_then(|limits| limits.run_delay), "threads were ready to run without a CPU"),
        (limits.and_then(|limits| limits.steal), "the hypervisor kept the CPUs"),
    ];
    let explained = told.into_iter().filter_map(|(found, what)| Some((explains(found)?, what)));
    let line = |(found, what)| {
        format!(
            "{what} for {:.0} % of the time: the {pauses} may be those, and not the storage's",
            found * 100.0
        )
    };
    explained.map(line).collect()
}

fn writes_to_cache(span: &SpanContext) -> bool {
    span.targets().any(|asked| span.is_cached(asked) && span.target_total(asked.id, |row| row.write.ios) > 0)
}

/// Converts the pauses to a finding; `mean` = IOPS over the whole time.
pub(super) fn finding(span: &SpanContext, stalled: &Stall, mean: f64, limits: Option<&Limits>) -> Finding {
    let message = format!("not steady: {}", stalled.in_short());
    let finding = Finding::new("stalling", Severity::Warning, span, message).shown_by(stalled.evidence(mean));
    let finding = stalled.list_causes(span, limits).into_iter().fold(finding, Finding::shown_by);
    let flushes: u64 =
        span.rows().filter_map(|row| row.aux_results(Operation::Flush)).map(|flushes| flushes.ios).sum();
    let finding = match flushes {
        0 => finding,
        _ => finding
            .shown_by(format!("the run issued {flushes} flushes (--fsync-every): compare their latencies")),
    };
    let limited = match achieved_rate::is_limited(span) {
        true => "; response times (-L) include the waits",
        false => "",
    };
    finding.remedy(format!(
        "find the cause of the stalls: a limit or quota that releases I/O in bursts, garbage collection, \
         flushes, other users (-eDISK_IO shows whether requests wait at the device); until then trust \
         latency percentiles (-L) more than the rate{limited}"
    ))
}
