//! What limited a run, in words.

use super::{Limiter, Limits, MOSTLY, SATURATED, io_limit, quota};
use crate::engine::EngineKind;
use crate::results::{Effort, ToolCost};
use crate::system::cgroup::IoLimit;
use crate::truth::{Finding, Severity, SpanView, device, processors};

pub(super) fn describe(span: &SpanView, effort: &Effort, limits: &Limits, limiter: Limiter) -> Finding {
    let percent = |share: Option<f64>| share.unwrap_or(0.0) * 100.0;
    let finding =
        |severity, name, what: String| Finding::new(name, severity, span, format!("what limited it: {what}"));
    let is_null = effort.workers.iter().all(|worker| worker.engine == EngineKind::Null);
    let finding = match limiter {
        Limiter::Profile => finding(
            Severity::Note,
            "limited-by-profile",
            "the limits that were asked for (-g, or -i and -j)".into(),
        ),
        Limiter::CpuQuota => {
            let (cpus, group) =
                quota(span, effort).map_or((0.0, ""), |quota| (quota.cpus, quota.group.as_str()));
            let what = format!("a CPU quota: the control group {group} may use {cpus:.2} CPUs");
            finding(Severity::Warning, "limited-by-cpu-quota", what)
                .remedy("lift the quota, or run outside of the group")
        }
        Limiter::IoLimit => {
            let (device, group) = io_limit(span, effort)
                .map_or(("", ""), |limit| (limit.device.as_str(), limit.group.as_str()));
            let what = format!("the I/O limit of the control group {group} on device {device}");
            finding(Severity::Warning, "limited-by-io-limit", what)
                .remedy("lift the limit, or run outside of the group")
        }
        Limiter::Tool if is_null => finding(
            Severity::Note,
            "limited-by-tool",
            "the program itself, which is what engine null measures".into(),
        ),
        Limiter::Tool => {
            let what = format!(
                "the program itself, not the storage: it used {:.0} % of a CPU",
                percent(limits.user)
            );
            finding(Severity::Warning, "limited-by-tool", what)
                .remedy("more threads (-t), larger blocks (-b), no -Zr")
        }
        Limiter::Cpu => {
            let least = SATURATED * span.measured.seconds * 1e9;
            let full = effort.workers.iter().filter_map(|worker| worker.times);
            let full = full.filter(|t| t.busy.saturating_add(t.waiting.unwrap_or(0)) as f64 >= least).count();
            let what = format!(
                "the CPU: {full} of {} threads used {:.0} % of one each, mostly in the kernel",
                effort.workers.len(),
                percent(limits.busiest)
            );
            finding(Severity::Note, "limited-by-cpu", what).remedy("more threads (-t) may do more")
        }
        Limiter::Hypervisor => {
            let stolen = percent(limits.stolen);
            let what = format!(
                "the hypervisor: it gave the CPUs of the threads to others {stolen:.0} % of the time"
            );
            finding(Severity::Warning, "limited-by-hypervisor", what)
                .remedy("measure on an instance with CPUs of its own, or when the host is less busy")
        }
        Limiter::Interrupts => {
            let share = processors::saturated_by_interrupts(span);
            let (cpu, interrupts) = share.map_or((0, 0.0), |share| (share.cpu, share.interrupts * 100.0));
            let what =
                format!("interrupts: CPU {cpu} had no time left, {interrupts:.0} % of it went to them");
            finding(Severity::Warning, "limited-by-interrupts", what).remedy(
                "spread the interrupts of the device (/proc/irq/*/smp_affinity_list, irqbalance), or bind threads to other CPUs (-a)",
            )
        }
        Limiter::BusyCpus => {
            let (threads, cpus) = (effort.workers.len(), span.system.topology.allowed_cpus().count());
            let whose = match threads > cpus {
                true => format!("the CPUs: {threads} threads share {cpus}"),
                false => "CPUs that others used".to_owned(),
            };
            let waiting = percent(limits.waiting);
            let what = format!("{whose}: they were ready to run but had none {waiting:.0} % of the time");
            finding(Severity::Note, "limited-by-busy-cpus", what)
                .remedy("end what else runs, or use fewer threads")
        }
        Limiter::Depth => {
            let what = "the queue depth of 1: each I/O waits for the one before, so the latency decides";
            finding(Severity::Note, "limited-by-depth", what.into())
                .remedy("more outstanding I/Os (-o) or threads (-t), if that is what the application does")
        }
        Limiter::Storage => {
            let at_device = device::in_flight(span).and_then(|queue| queue.counted);
            let at_device =
                at_device.map(|ios| format!(", {ios:.1} of them at the device")).unwrap_or_default();
            let what = format!("the storage, with {} I/Os outstanding{at_device}", limits.depth);
            finding(Severity::Note, "limited-by-storage", what)
        }
    };
    with_figures(finding, span, effort, limits, limiter)
}

fn with_figures(
    mut finding: Finding,
    span: &SpanView,
    effort: &Effort,
    limits: &Limits,
    limiter: Limiter,
) -> Finding {
    if let Some(quota) = quota(span, effort) {
        finding = finding.shown_by(format!(
            "it was stopped in {} of {} periods, for {:.2} s in all",
            quota.throttled_periods,
            quota.periods,
            quota.throttled as f64 / 1e9
        ));
    }
    let percent = |share: f64| share * 100.0;
    if let (Some(busy), Some(busiest), Some(user)) = (limits.busy, limits.busiest, limits.user) {
        let mut text = format!("threads used {:.0} % of a CPU each", percent(busy));
        if busiest > busy + 0.05 {
            text += &format!(" (the busiest one {:.0} %)", percent(busiest));
        }
        // How it divides is only sampled.
        if busy >= MOSTLY {
            text += &format!(", {:.0} % in the program itself", percent(user.min(busy)));
        }
        if let Some(waiting) = limits.waiting.filter(|waiting| percent(*waiting) >= 1.0) {
            text += &format!(", and waited for one {:.0} % of the time", percent(waiting));
        }
        finding = finding.shown_by(text);
    }
    if let (Some(nanos), Some(ceiling), true) =
        (limits.cpu_per_io, limits.ceiling_iops, limiter != Limiter::Profile)
    {
        finding = finding.shown_by(format!(
            "{:.2} us of CPU for an I/O: the CPUs would allow these threads {ceiling:.0} IOPS",
            nanos / 1000.0
        ));
    }
    if let (Some(in_flight), false) = (limits.in_flight, limits.accounted.is_some()) {
        finding = finding.shown_by(format!("{in_flight:.1} of {} I/Os in flight on average", limits.depth));
    }
    if let (Limiter::Tool | Limiter::Cpu, Some(ToolCost { clock, histogram, ring_noop, .. })) =
        (limiter, effort.tool)
    {
        let ring = ring_noop.map(|nanos| format!(", an empty I/O through io_uring {nanos:.0} ns"));
        let text =
            format!("here a look at the clock takes {clock:.0} ns, a histogram entry {histogram:.0} ns");
        finding = finding.shown_by(text + &ring.unwrap_or_default());
    }
    if limiter != Limiter::Profile && span.asked.targets.iter().any(|target| target.throughput.is_some()) {
        finding = finding.shown_by("the limit that was asked for (-g) was not reached".into());
    }
    let unreached = effort.io_limits.iter().filter(|_| limiter == Limiter::Storage);
    for IoLimit { group, device, .. } in unreached {
        finding = finding.shown_by(format!(
            "the control group {group} has an I/O limit on device {device}; it wasn't reached"
        ));
    }
    finding
}
