//! Limiting factor of a run: the storage, the kernel above it, the queue depth, the CPU, the program, or a
//! configured limit.

mod groups;
mod kernel;
mod limits;
mod pauses;
mod program;
mod thresholds;
mod wording;

use super::contention::{self, Contention};
use super::coordinated_omission::CoordinatedOmission;
use super::{
    Finding, SpanContext, achieved_rate, device_log_deltas, littles_law, process_stalls, processors,
};
use diskspd_base::engines::EngineKind;
use diskspd_profile::Target;
use diskspd_results::{Limiter, ResourceUsage};
pub use limits::Limits;
pub(super) use pauses::pauses;
use pauses::quota;
use thresholds::{MAJORITY_SHARE, MIN_WINDOW, REACHED_SHARES, SATURATED};

pub(super) fn judge(span: &SpanContext, contention: Option<&Contention>) -> Option<Limits> {
    let effort = span.effort()?;
    if let Some(program) = span.program {
        return Some(program::judge(span, effort, program));
    }
    let seconds = span.measured.seconds;
    let times: Option<Vec<_>> = effort.workers.iter().map(|worker| worker.times).collect();
    let times = times.filter(|times| !times.is_empty());
    let share = |nanos: u64| nanos as f64 / (seconds * 1e9);
    let mean = |of: fn(&diskspd_machine::threads::ThreadTimes) -> u64| {
        times.as_ref().map(|times| times.iter().map(|t| share(of(t))).sum::<f64>() / times.len() as f64)
    };
    let threads = effort.workers.len().min(span.system.topology.allowed_cpus().count().max(1));
    // No more than these CPUs had: where there are far more threads, reading their times takes a while.
    let all_cpus = threads as f64 * seconds * 1e9;
    let busy_total =
        times.as_ref().map(|times| times.iter().map(|t| t.busy as f64).sum::<f64>().min(all_cpus));
    let ios = span.measured.total.total.throughput.ios;
    let cpu_per_io = busy_total.filter(|busy| ios > 0 && *busy > 0.0).map(|busy| busy / ios as f64);
    let window = (seconds * 1e9) as u64;
    let waits: Option<Vec<u64>> =
        times.as_ref().and_then(|times| times.iter().map(|t| t.run_delay).collect());
    let mut limits = Limits {
        limited_by: None,
        busy: mean(|times| times.busy),
        busiest: times.as_ref().and_then(|times| times.iter().map(|t| share(t.busy)).max_by(f64::total_cmp)),
        user: mean(|times| times.user),
        run_delay: waits.map(|waits| {
            waits.iter().map(|wait| share((*wait).min(window))).sum::<f64>() / waits.len() as f64
        }),
        uncontended_iops: contention.and_then(|contention| contention.iops),
        steal: processors::stolen(span),
        interrupts: processors::most_interrupted(span).map(|share| share.interrupts),
        cpu_per_io,
        ceiling_iops: cpu_per_io.map(|nanos| threads as f64 * 1e9 / nanos),
        depth: effort.workers.iter().map(|worker| u64::from(worker.depth)).sum(),
        in_flight: littles_law::in_flight(span),
        device_in_flight: span.queues.in_flight.map(|queue| queue.requests),
        leaf_in_flight: span.queues.at_the_bottom,
        in_flight_share: littles_law::accounted(span),
    };
    limits.limited_by = (span.results.measured >= MIN_WINDOW)
        .then(|| find_limiter(span, effort, &limits, contention))
        .flatten();
    Some(limits)
}

/// Observations of a time span that determine its limit.
struct LimitCase<'a> {
    span: &'a SpanContext<'a>,
    effort: &'a ResourceUsage,
    limits: &'a Limits,
    contention: Option<&'a Contention>,
    busy: f64,
    user: f64,
    occupied: f64,
}

impl LimitCase<'_> {
    fn has_only(&self, kind: EngineKind) -> bool {
        self.effort.workers.iter().all(|worker| worker.engine == kind)
    }

    fn is_kernel(&self) -> bool {
        kernel::limits(self.span, self.effort, self.limits)
    }

    fn device_is_short(&self) -> bool {
        kernel::device_is_short(self.span, self.effort)
    }
}

/// Limiter with its condition.
type LimitRule = (Limiter, fn(&LimitCase) -> bool);

/// Rules in order of precedence; if none applies, the limit is the storage.
const RULES: [LimitRule; 20] = [
    (Limiter::CpuQuota, |case| quota(case.span, case.effort).is_some()),
    (Limiter::Profile, |case| is_paced(case.span)),
    (Limiter::IoLimit, |case| groups::at_limit(case.span, case.effort).is_some()),
    (Limiter::VolumeLimit, |case| device_log_deltas::limits(case.span)),
    // Two conditions in one window: what holds for all of it may hold for neither.
    (Limiter::Unclear, |case| groups::io_changed(case.span, case.effort)),
    // Of the time in which it ran nothing is known for itself.
    (Limiter::Unclear, |case| process_stalls::stopped(case.span).is_some()),
    (Limiter::Hypervisor, |case| hypervisor_limits(case.limits, case.occupied)),
    (Limiter::Interrupts, |case| processors::saturated_by_interrupts(case.span).is_some()),
    (Limiter::BusyCpus, |case| {
        case.contention.is_some_and(|contention| contention.holder != contention::CpuHolder::Kernel)
    }),
    (Limiter::Unclear, |case| {
        case.is_kernel() && kernel::doubt(case.span, case.effort, case.limits).is_some()
    }),
    (Limiter::Kernel, |case| case.is_kernel()),
    // Threads of the kernel have the CPUs, and the device has little to do: it is their work that takes
    // so long.
    (Limiter::Kernel, |case| case.contention.is_some() && case.device_is_short()),
    (Limiter::BusyCpus, |case| case.contention.is_some()),
    // Mapped I/O is copying, which the program does itself.
    (Limiter::Tool, |case| {
        case.occupied >= SATURATED
            && case.user >= MAJORITY_SHARE * case.busy
            && !case.has_only(EngineKind::Mmap)
    }),
    (Limiter::Cpu, |case| case.occupied >= SATURATED),
    (Limiter::Tool, |case| case.has_only(EngineKind::Null)),
    (Limiter::Depth, |case| case.effort.reachable_depth() == 1),
    (Limiter::Unclear, |case| case.device_is_short()),
    // What an I/O spends outside of the device, or waiting there for a CPU to take its interrupt, may be
    // what keeps the device from doing more.
    (Limiter::Unclear, |case| kernel::way_matters(case.span, case.effort).is_some()),
    (Limiter::Unclear, |case| kernel::devices_are_idle(case.span)),
];

fn find_limiter(
    span: &SpanContext,
    effort: &ResourceUsage,
    limits: &Limits,
    contention: Option<&Contention>,
) -> Option<Limiter> {
    let (busy, user) = (limits.busy?, limits.user?);
    let occupied = occupied_share(span, effort);
    // Where most I/Os were elsewhere, something else kept them: a throttle, a worker of the kernel.
    let between = kernel::most_are_between(span, effort) && occupied < contention::OCCUPIED;
    let contention = contention.filter(|contention| contention.limits(occupied) && !between);
    let case = LimitCase { span, effort, limits, contention, busy, user, occupied };
    let found = RULES.iter().find(|(_, holds)| holds(&case));
    Some(found.map_or(Limiter::Storage, |(limiter, _)| *limiter))
}

/// Whether the CPU time that is missing was stolen: more than other threads took, and with enough to do in
/// it.
fn hypervisor_limits(limits: &Limits, occupied: f64) -> bool {
    let stolen = limits.steal.unwrap_or(0.0);
    stolen >= processors::STOLEN
        && stolen >= limits.run_delay.unwrap_or(0.0)
        && occupied + stolen >= contention::OCCUPIED
}

/// The largest share of the time that a thread was on a CPU or would have been.
fn occupied_share(span: &SpanContext, effort: &ResourceUsage) -> f64 {
    let times = effort.workers.iter().filter_map(|worker| worker.times);
    let most = times.map(|times| times.busy.saturating_add(times.run_delay.unwrap_or(0))).max().unwrap_or(0);
    most as f64 / (span.measured.seconds * 1e9)
}

/// Whether all targets have a limit, and the limits were reached.
fn is_paced(span: &SpanContext) -> bool {
    let seconds = span.measured.seconds;
    let limit = |target: &Target| -> Option<f64> {
        let (threads, block) = (f64::from(span.asked.threads_on(target)), f64::from(target.block_size));
        let Some(rate) = span.asked.offered_ios_per_s(target, span.rate_total) else {
            // Bursts have no rate of their own: it depends on how long they take.
            let bursts = target.burst_size.is_some() && target.think_time.is_some_and(|ms| ms > 0);
            return (bursts && pauses(span, target) >= MAJORITY_SHARE).then_some(0.0);
        };
        // The last I/O of each thread may just have missed the end.
        let ios = rate * seconds;
        Some(
            (ios * REACHED_SHARES.start() - threads - achieved_rate::rate_tolerance(span, ios)).max(0.0)
                * block,
        )
    };
    let limits: Option<Vec<f64>> = span.asked.targets.iter().map(limit).collect();
    let done = span.measured.total.total.throughput.bytes as f64;
    limits.is_some_and(|limits| done >= limits.iter().sum())
}

pub(super) fn check(
    span: &SpanContext,
    limits: Option<&Limits>,
    contention: Option<Contention>,
    late: Option<&CoordinatedOmission>,
) -> Vec<Finding> {
    let (Some(limits), Some(effort)) = (limits, span.effort()) else { return Vec::new() };
    let limiter = limits.limited_by;
    let told = limiter.map(|limiter| match span.program {
        Some(program) => program::describe(span, effort, program, limiter),
        None => wording::describe(span, effort, limits, limiter, (contention, late)),
    });
    told.into_iter().chain(groups::changed(span, effort)).collect()
}
