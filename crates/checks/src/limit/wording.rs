//! Messages about the limiting factor of a run.

use super::kernel::{KernelPath, LimitDoubt};
use super::{Limits, MAJORITY_SHARE, SATURATED, groups, kernel, quota};
use crate::contention::{self, Contention, CpuHolder};
use crate::coordinated_omission::CoordinatedOmission;
use crate::device::Part;
use crate::interrupts::Crossing;
use crate::{
    Finding, Severity, SpanContext, achieved_rate, device_log_deltas, interrupts, process_stalls, processors,
};
use diskspd_base::engines::EngineKind;
use diskspd_figures::units::seconds_of_ns;
use diskspd_results::{Limiter, ResourceUsage, ToolCost};
use std::collections::BTreeMap;

/// Maximum ratio of the measured to the requested depth that counts as different.
const MAX_DEPTH_RATIO: f64 = 0.9;

const KERNEL_REMEDY: &str = "the device could do more: use -v or perf to find where the time goes \
                                  (file system, compression, encryption, loop devices, locks)";

const SPREAD_INTERRUPTS: &str = "spread the interrupts of the device (/proc/irq/*/smp_affinity_list, \
                                 irqbalance), or bind threads to other CPUs (-a)";
const VARY_THREADS_AND_DEPTH: &str = "run again with more threads (-t), then with another depth (-o): the \
                                      option that changes the figures was the limit";
const VARY_DEPTH: &str = "a run with a larger -o shows whether the storage does more with more I/Os";
const FEWER_CALLS_REMEDY: &str = "use more threads (-t) or larger blocks (-b)";
const FEWER_CALLS_OR_RANDOM_REMEDY: &str = "use more threads (-t) or larger blocks (-b), and leave out -Zr";
const INTENDED: &str = "the program itself, as intended with engine null";

pub(super) fn describe(
    span: &SpanContext,
    effort: &ResourceUsage,
    limits: &Limits,
    limiter: Limiter,
    (contention, late): (Option<Contention>, Option<&CoordinatedOmission>),
) -> Finding {
    let percent = |share: Option<f64>| share.unwrap_or(0.0) * 100.0;
    let finding =
        |severity, name, what: String| Finding::new(name, severity, span, format!("limited by {what}"));
    let is_null = effort.workers.iter().all(|worker| worker.engine == EngineKind::Null);
    let finding = match limiter {
        Limiter::Profile => finding(Severity::Note, "limited-by-profile", asked_for(span, late)),
        Limiter::CpuQuota => cpu_quota(span, effort),
        Limiter::IoLimit => io_limit(span, effort),
        Limiter::VolumeLimit => volume_finding(span),
        Limiter::Tool if is_null => finding(Severity::Note, "limited-by-tool", INTENDED.into()),
        Limiter::Tool => {
            let what = format!(
                "the program itself, not the storage: its own code used {:.0} % of a CPU",
                percent(limits.user)
            );
            let is_random = span.asked.random_write_data;
            finding(Severity::Warning, "limited-by-tool", what).remedy(if is_random {
                FEWER_CALLS_OR_RANDOM_REMEDY
            } else {
                FEWER_CALLS_REMEDY
            })
        }
        Limiter::Cpu => {
            let least = SATURATED * span.measured.seconds * 1e9;
            let full = effort.workers.iter().filter_map(|worker| worker.times);
            let full =
                full.filter(|t| t.busy.saturating_add(t.run_delay.unwrap_or(0)) as f64 >= least).count();
            let what = format!(
                "the CPU: {full} of {} threads had no idle time (the busiest used {:.0} % of a CPU), mostly \
                 in the kernel",
                effort.workers.len(),
                percent(limits.busiest)
            );
            finding(Severity::Note, "limited-by-cpu", what).remedy("try more threads (-t)")
        }
        Limiter::Hypervisor => {
            let stolen = percent(limits.steal);
            let what = format!(
                "the hypervisor, which took the threads' CPUs away {stolen:.0} % of the time (steal)"
            );
            finding(Severity::Warning, "limited-by-hypervisor", what)
                .remedy("measure on an instance with dedicated CPUs, or when the host is less busy")
        }
        Limiter::Interrupts => {
            let share = processors::saturated_by_interrupts(span);
            let (cpu, interrupts) = share.map_or((0, 0.0), |share| (share.cpu, share.interrupts * 100.0));
            let what =
                format!("interrupts: CPU {cpu} was saturated, {interrupts:.0} % of its time went to them");
            finding(Severity::Warning, "limited-by-interrupts", what).remedy(SPREAD_INTERRUPTS)
        }
        Limiter::BusyCpus => busy_cpus(span, effort, limits, contention),
        Limiter::Kernel => kernel_finding(span, effort),
        Limiter::Unclear if groups::io_changed(span, effort) => limits_changed(span),
        Limiter::Unclear if process_stalls::stopped(span).is_some() => stopped_finding(span),
        Limiter::Unclear if kernel::limits(span, effort, limits) => kernel_or_what(span, effort, limits),
        Limiter::Unclear if kernel::devices_are_idle(span) => idle_devices(span, limits),
        Limiter::Unclear if !kernel::device_is_short(span, effort) => storage_or_way(span, effort),
        Limiter::Unclear => device_or_threads(span, effort, limits),
        Limiter::Depth => one_at_a_time(span, effort),
        Limiter::Storage => storage_finding(span, limits),
    };
    with_figures(finding, span, effort, limits, limiter)
}

fn kernel_finding(span: &SpanContext, effort: &ResourceUsage) -> Finding {
    let (depth, at_device) = kernel::depths(span, effort).unwrap_or_default();
    let device = span.the_device();
    let message = format!(
        "limited by the kernel above {device}: {device} had {at_device:.1} of {depth:.0} outstanding I/Os in \
         flight"
    );
    let finding = Finding::new("limited-by-kernel", Severity::Note, span, message).remedy(KERNEL_REMEDY);
    match kernel::held_by_layer(span, depth) {
        Some((upper, held)) => finding.shown_by(format!(
            "{upper} had {held:.1} of them in flight: a layer between it and {device} held them"
        )),
        None => finding,
    }
}

fn device_or_threads(span: &SpanContext, effort: &ResourceUsage, limits: &Limits) -> Finding {
    let (depth, at_device) = kernel::depths(span, effort).unwrap_or_default();
    let message = format!(
        "the limit is unclear: {} had {at_device:.1} of {depth:.0} outstanding I/Os in flight, and threads \
         were on a CPU or ready for one {:.0} % of the time",
        span.the_device(),
        awake_percent(limits)
    );
    unclear_finding(span, message).remedy(VARY_THREADS_AND_DEPTH)
}

/// Reports one I/O at a time, by the requested depth or despite a larger one.
fn one_at_a_time(span: &SpanContext, effort: &ResourceUsage) -> Finding {
    let (depth, remedy) = match effort.workers.iter().any(|worker| worker.depth > 1) {
        true => (
            "one I/O at a time, though -o asks for more",
            "use more threads (-t), if the application keeps more I/Os outstanding: more with -o changes \
             nothing here",
        ),
        false => ("the queue depth of 1", "raise -o or -t, if the application keeps more I/Os outstanding"),
    };
    let message = format!("limited by {depth}: each I/O waits for the one before, so latency sets the rate");
    Finding::new("limited-by-depth", Severity::Note, span, message).remedy(remedy)
}

/// Reports the storage as the limit at the actual depth.
fn storage_finding(span: &SpanContext, limits: &Limits) -> Finding {
    // A depth below the requested one is important: the figures are of another depth.
    let but = |ios: f64| if ios < MAX_DEPTH_RATIO * limits.depth as f64 { "but only " } else { "" };
    let at_device = match span.queues.in_flight.and_then(|queue| queue.counted) {
        Some(ios) => format!("{}{ios:.1} of them {}", but(ios), place_text(span)),
        None => format!("the number of them {} is unknown", place_text(span)),
    };
    let at_depth = match kernel::full_queue(span) {
        Some((disk, places)) => {
            format!("at the depth that the queue of {disk} allows (nr_requests is {places})")
        }
        None => "at this depth".to_owned(),
    };
    let storage =
        if served_text(span).is_some() { "the storage or the program that serves it" } else { "the storage" };
    let message =
        format!("limited by {storage} {at_depth}, with {} I/Os outstanding, {at_device}", limits.depth);
    Finding::new("limited-by-storage", Severity::Note, span, message).remedy(VARY_DEPTH)
}

/// The kernel above the device may have limited the run, or what kept it from its work.
fn kernel_or_what(span: &SpanContext, effort: &ResourceUsage, limits: &Limits) -> Finding {
    let (depth, at_device) = kernel::depths(span, effort).unwrap_or_default();
    let crossing = interrupts::crossing(span);
    let (or_what, remedy) = match kernel::doubt(span, effort, limits) {
        Some(LimitDoubt::IoLimit) => (
            "the I/O limits of this process's control groups",
            "measure without the limits, and compare".to_owned(),
        ),
        Some(LimitDoubt::Interrupts) => {
            let remedy = crossing.as_ref().map_or_else(String::new, Crossing::remedy);
            ("the path of the device's interrupts", remedy)
        }
        _ => ("other programs, which used the CPUs", "stop other programs, and measure again".to_owned()),
    };
    let message = format!(
        "the limit is unclear, the kernel above the device or {or_what}: the device had {at_device:.1} of \
         {depth:.0} outstanding I/Os in flight"
    );
    unclear_finding(span, message).remedy(remedy)
}

fn unclear_finding(span: &SpanContext, message: impl Into<String>) -> Finding {
    Finding::new("limit-unclear", Severity::Note, span, message)
}

/// Returns the percentage of time in which threads were on a CPU or ready for one.
fn awake_percent(limits: &Limits) -> f64 {
    (limits.busy.unwrap_or(0.0) + limits.run_delay.unwrap_or(0.0)).min(1.0) * 100.0
}

/// Reports I/O limits that differed for a part of the time.
fn limits_changed(span: &SpanContext) -> Finding {
    let message = "the limit is unclear: I/O limits of this process's control groups changed during the run";
    unclear_finding(span, message).remedy("measure again with unchanged limits")
}

/// Reports that the program was stopped for a part of the time.
fn stopped_finding(span: &SpanContext) -> Finding {
    let share = process_stalls::stopped(span).unwrap_or(0.0) * 100.0;
    let message = format!("the limit is unclear: the program was stopped for {share:.0} % of the time");
    unclear_finding(span, message).remedy("measure again")
}

fn idle_devices(span: &SpanContext, limits: &Limits) -> Finding {
    let requests = span.queues.in_flight.map_or(0.0, |queue| queue.requests);
    let message = format!(
        "the limit is unclear: the devices had only {requests:.1} I/Os in flight on average, and threads \
         were on a CPU or ready for one {:.0} % of the time",
        awake_percent(limits)
    );
    unclear_finding(span, message).remedy(VARY_THREADS_AND_DEPTH)
}

fn storage_or_way(span: &SpanContext, effort: &ResourceUsage) -> Finding {
    let crossing = interrupts::crossing(span);
    let or_what = match &crossing {
        Some(crossing) => format!("the path of its interrupts ({})", crossing.describe()),
        None => "the path to it".to_owned(),
    };
    let at_device = match kernel::way_matters(span, effort) {
        Some(KernelPath::Long { depth, at_device }) => {
            format!(": {} had {at_device:.1} of {depth:.0} outstanding I/Os in flight", span.the_device())
        }
        _ => String::new(),
    };
    let message = format!("the limit is unclear, the storage or {or_what}{at_device}");
    let remedy = crossing.map_or_else(|| VARY_THREADS_AND_DEPTH.to_owned(), |crossing| crossing.remedy());
    unclear_finding(span, message).remedy(remedy)
}

pub(super) fn cpu_quota(span: &SpanContext, effort: &ResourceUsage) -> Finding {
    let (cpus, group) = quota(span, effort).map_or((0.0, ""), |quota| (quota.cpus, quota.group.as_str()));
    let when = if groups::quota_changed(effort) { ", for a part of the time" } else { "" };
    let message = format!("limited by a CPU quota: the control group {group} may use {cpus:.2} CPUs{when}");
    Finding::new("limited-by-cpu-quota", Severity::Warning, span, message)
        .remedy("lift the quota, or run outside of the group")
}

/// Reports an I/O limit of a control group.
pub(super) fn io_limit(span: &SpanContext, effort: &ResourceUsage) -> Finding {
    let what = groups::at_limit(span, effort).map_or_else(String::new, |at| at.describe());
    let message = format!("limited by {what}");
    Finding::new("limited-by-io-limit", Severity::Warning, span, message)
        .remedy("lift the limit, or run outside of the group")
}

fn volume_finding(span: &SpanContext) -> Finding {
    let over = device_log_deltas::most_over(span);
    let what = over.as_ref().map_or_else(String::new, |over| over.describe());
    let message = format!("limited by {what}");
    Finding::new("limited-by-volume-limit", Severity::Warning, span, message)
        .remedy(over.map_or("", |over| over.remedy()))
}

/// Returns the place of I/Os that are neither with the threads nor in the kernel.
fn place_text(span: &SpanContext) -> &'static str {
    if span.parts.iter().any(Part::is_remote) { "sent to the server" } else { "at the device" }
}

/// Reports threads without a CPU, and the users of the CPUs.
fn busy_cpus(
    span: &SpanContext,
    effort: &ResourceUsage,
    limits: &Limits,
    contention: Option<Contention>,
) -> Finding {
    let holder = contention.map_or(CpuHolder::Others, |contention| contention.holder);
    let shared = sharing_text(effort);
    let (severity, whose) = match holder {
        CpuHolder::Threads => (
            Severity::Warning,
            format!(
                "CPU contention among the program's own threads: {}",
                shared.clone().unwrap_or_else(|| more_than_cpus(span, effort))
            ),
        ),
        CpuHolder::Kernel => (Severity::Note, "CPU contention with kernel threads".to_owned()),
        CpuHolder::Others => (Severity::Warning, "CPU contention with other programs".to_owned()),
    };
    let waiting = contention.map_or(limits.run_delay.unwrap_or(0.0), |contention| contention.waiting) * 100.0;
    let message =
        format!("limited by {whose}: threads were ready to run but had no CPU {waiting:.0} % of the time");
    let mut finding = Finding::new("limited-by-busy-cpus", severity, span, message);
    if let Some(shared) = shared.filter(|_| holder != CpuHolder::Threads) {
        finding = finding.shown_by(format!("the program's own threads share CPUs too: {shared}"));
    }
    for text in contention.iter().flat_map(|contention| contention.evidence(span, effort)) {
        finding = finding.shown_by(text);
    }
    finding.remedy(contention::remedy(holder))
}

/// Maximum number of threads in a message; others are counted.
const MAX_NAMED_THREADS: usize = 4;

fn sharing_text(effort: &ResourceUsage) -> Option<String> {
    let mut bound: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (thread, worker) in effort.workers.iter().enumerate() {
        if let Some(cpu) = worker.bound_to() {
            bound.entry(cpu).or_default().push(thread);
        }
    }
    bound.retain(|_, threads| threads.len() > 1);
    let (cpu, threads) = bound.first_key_value()?;
    Some(match (bound.len(), threads.as_slice()) {
        (1, [first @ .., last]) if threads.len() <= MAX_NAMED_THREADS => {
            let first: Vec<String> = first.iter().map(usize::to_string).collect();
            format!("threads {} and {last} share CPU {cpu}", first.join(", "))
        }
        (1, _) => format!("{} share CPU {cpu}", threads.len()),
        (cpus, _) => format!("{} share {cpus} CPUs", bound.values().map(Vec::len).sum::<usize>()),
    })
}

fn more_than_cpus(span: &SpanContext, effort: &ResourceUsage) -> String {
    if effort.workers.iter().any(|worker| worker.affinity_change.is_some()) {
        return "some shared CPUs for a part of the time".into();
    }
    format!("{} share {} CPUs", effort.workers.len(), span.system.topology.allowed_cpus().count())
}

fn asked_for(span: &SpanContext, late: Option<&CoordinatedOmission>) -> String {
    if span.replays {
        let late =
            late.and_then(CoordinatedOmission::in_short).map(|late| format!("; {late}")).unwrap_or_default();
        return format!("the times of the recorded I/Os (--replay){late}");
    }
    let option = achieved_rate::limited_by(span).unwrap_or("-i and -j");
    let late = late
        .and_then(CoordinatedOmission::in_short)
        .map(|late| format!(", kept overall, but {late}"))
        .unwrap_or_default();
    format!("the requested limit ({option}){late}")
}

fn additional_lines(span: &SpanContext, effort: &ResourceUsage, limiter: Limiter) -> Vec<String> {
    use Limiter::{BusyCpus, Cpu, Depth, Kernel, Storage, Unclear};
    let mut lines = Vec::new();
    // What else used the CPUs may be what works for the storage: workers, servers of file systems.
    if matches!(limiter, Kernel | Unclear | Storage | Cpu) {
        lines = processors::list_cpus(span, effort);
    }
    lines.extend(served_text(span).filter(|_| matches!(limiter, BusyCpus | Depth | Unclear | Storage)));
    lines
}

/// Returns a note about file systems served by a program. Its CPU use belongs to the run.
fn served_text(span: &SpanContext) -> Option<String> {
    let kinds = span.ids.iter().filter_map(|id| Some(&span.host.storage(*id)?.file_system.as_ref()?.kind));
    let kind = kinds.into_iter().find(|kind| kind.starts_with("fuse"))?;
    Some(format!("a program serves the file system ({kind}): its CPU time is part of the I/Os"))
}

fn asked_in_vain(mut finding: Finding, span: &SpanContext) -> Finding {
    let paused = span.asked.targets.iter().map(|target| super::pauses(span, target)).fold(0.0, f64::max);
    if paused > 0.0 {
        finding = finding
            .shown_by(format!("the requested pauses (-i, -j) took {:.1} % of the time", paused * 100.0));
    }
    match achieved_rate::limited_by(span) {
        Some(option) => finding.shown_by(format!("the requested limit ({option}) was not reached")),
        None => finding,
    }
}

fn with_figures(
    mut finding: Finding,
    span: &SpanContext,
    effort: &ResourceUsage,
    limits: &Limits,
    limiter: Limiter,
) -> Finding {
    if let Some(quota) = quota(span, effort) {
        finding = finding.shown_by(format!(
            "the quota throttled the program in {} of {} periods, for {:.2} s in all",
            quota.throttled_periods,
            quota.periods,
            seconds_of_ns(quota.throttled)
        ));
    }
    if limiter == Limiter::Kernel {
        let full = processors::full(span);
        if !full.is_empty() {
            let names: Vec<String> = full.iter().map(u32::to_string).collect();
            let cpus = if names.len() == 1 { "CPU" } else { "CPUs" };
            finding = finding.shown_by(format!("{cpus} {} had no idle time", names.join(", ")));
        }
        if effort.other_processes.as_ref().is_none_or(|others| others.kernel.is_none()) {
            finding = finding.shown_by("kernel threads are not visible to this process".into());
        }
    }
    finding = additional_lines(span, effort, limiter).into_iter().fold(finding, Finding::shown_by);
    let percent = |share: f64| share * 100.0;
    if let (Some(busy), Some(busiest), Some(user)) = (limits.busy, limits.busiest, limits.user) {
        let mut text = format!("threads used {:.0} % of a CPU each", percent(busy));
        if busiest > busy + 0.05 {
            text += &format!(" (the busiest one {:.0} %)", percent(busiest));
        }
        // How it divides is only sampled.
        if busy >= MAJORITY_SHARE {
            text += &format!(", {:.0} % in the program itself", percent(user.min(busy)));
        }
        if let Some(waiting) = limits.run_delay.filter(|waiting| percent(*waiting) >= 1.0) {
            text += &format!(", and waited for one {:.0} % of the time", percent(waiting));
        }
        finding = finding.shown_by(text);
    }
    if let (Some(in_flight), false) = (limits.in_flight, limits.in_flight_share.is_some()) {
        finding = finding.shown_by(format!("{in_flight:.1} of {} I/Os in flight on average", limits.depth));
    }
    if let (Limiter::Tool | Limiter::Cpu, Some(ToolCost { clock, histogram, ring_noop, .. })) =
        (limiter, effort.tool)
    {
        let ring = ring_noop.map(|nanos| format!(", an empty I/O through io_uring {nanos:.0} ns"));
        let text = format!("here reading the clock takes {clock:.0} ns, a histogram entry {histogram:.0} ns");
        finding = finding.shown_by(text + &ring.unwrap_or_default());
    }
    if limiter != Limiter::Profile {
        finding = asked_in_vain(finding, span);
    }
    if matches!(limiter, Limiter::Storage | Limiter::Unclear) {
        let unread = device_log_deltas::unread_logs(span);
        finding =
            groups::not_reached(span, effort).into_iter().chain(unread).fold(finding, Finding::shown_by);
    }
    finding
}
