//! Other loads on the threads' CPUs: interrupts, a hypervisor, and the distance to the device.

use super::{Finding, Limiter, Limits, Severity, SpanContext};
use diskspd_machine::environment::Disk;
use diskspd_profile::TargetId;
use diskspd_results::{ResourceUsage, WorkerUsage};
use std::collections::HashSet;

/// Minimum share of stolen time that changes figures, as for other CPU users.
pub(super) const STOLEN: f64 = 0.1;
/// Maximum idle share of a busy CPU.
const IDLE: f64 = 0.05;
const MAJORITY_INTERRUPT_SHARE: f64 = 0.5;
/// Minimum window in ns; shorter ones have too few ticks.
const MIN_WINDOW: u64 = 500_000_000;

/// Shares of a CPU's time in the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub cpu: u32,
    pub idle: f64,
    pub interrupts: f64,
    pub stolen: f64,
}

/// Returns all active CPUs; empty without observation, or if it was too short.
pub(super) fn shares(span: &SpanContext) -> Vec<Share> {
    let (times, measured) = (&span.results.cpus, span.results.measured);
    let lost = span.results.observed.as_ref().map_or(&[][..], |observed| &observed.lost_cpu_times);
    if lost.len() != times.len() || measured < MIN_WINDOW {
        return Vec::new();
    }
    let cpus = span.system.topology.kernel_cpus().zip(times.iter().zip(lost));
    cpus.map(|(cpu, (times, lost))| {
        let all = times.idle.saturating_add(times.kernel).saturating_add(times.user).max(1) as f64;
        let share = |time: u64| time as f64 / all;
        Share { cpu, idle: share(times.idle), interrupts: share(lost.interrupts), stolen: share(lost.steal) }
    })
    .collect()
}

/// Returns the kernel numbers of the CPUs without idle time.
pub(super) fn full(span: &SpanContext) -> Vec<u32> {
    shares(span).iter().filter(|share| share.idle <= IDLE).map(|share| share.cpu).collect()
}

/// Returns the CPU time of the process outside its workers in ns: io_uring's threads for blocking I/Os
/// (`iou-wrk`). These kernel threads run on the CPUs of their owner, and count for the process.
fn io_workers(effort: &ResourceUsage) -> u64 {
    let own = effort.workers.iter().filter_map(|worker| worker.times).map(|times| times.busy);
    let own = own.fold(0, u64::saturating_add);
    let known = effort.workers.iter().all(|worker| worker.times.is_some());
    if known { effort.process.saturating_sub(own) } else { 0 }
}

/// Returns the mean number of CPUs used by kernel threads (`None` if invisible) and by other programs.
pub(super) fn used_by_others(effort: &ResourceUsage) -> Option<(Option<f64>, f64)> {
    let others = effort.other_processes.as_ref().filter(|others| others.elapsed > 0)?;
    let share = |nanos: u64| nanos as f64 / others.elapsed as f64;
    let kernel = others.kernel.map(|kernel| share(kernel.saturating_add(io_workers(effort))));
    Some((kernel, share(others.programs)))
}

const MIN_NAMED_SHARE: f64 = 0.05;
/// Minimum share; a smaller one may be caused by the distance of two readings.
const MIN_INFERRED_SHARE: f64 = 0.2;
const MAX_NAMED: usize = 4;

/// CPUs in use without a known user: programs that started or ended during the run, or invisible ones.
fn unexplained_cpus(span: &SpanContext, effort: &ResourceUsage) -> f64 {
    let Some((kernel, programs)) = used_by_others(effort) else { return 0.0 };
    let used: f64 = shares(span).iter().map(|share| 1.0 - share.idle - share.interrupts - share.stolen).sum();
    let own = effort.process as f64 / (span.measured.seconds.max(1e-9) * 1e9);
    let own_workers = io_workers(effort) as f64 / (span.measured.seconds.max(1e-9) * 1e9);
    used - (own - own_workers) - kernel.unwrap_or(0.0) - programs
}

pub(super) fn list_cpus(span: &SpanContext, effort: &ResourceUsage) -> Vec<String> {
    let (Some((kernel, programs)), Some(others)) = (used_by_others(effort), &effort.other_processes) else {
        return Vec::new();
    };
    let percent = |nanos: u64| nanos as f64 * 100.0 / others.elapsed as f64;
    let mut lines = Vec::new();
    if programs >= MIN_NAMED_SHARE {
        let programs_of = others.busiest.iter().filter(|task| !task.kernel).take(MAX_NAMED);
        let names: Vec<String> = programs_of
            .map(|task| format!("{} (process {}) {:.0} %", task.name, task.pid, percent(task.busy)))
            .collect();
        lines.push(format!("other programs used {programs:.1} CPUs{}", list_names(&names)));
    }
    if let Some(kernel) = kernel.filter(|kernel| *kernel >= MIN_NAMED_SHARE) {
        let mut sums: Vec<(&str, u64)> = vec![("io_uring's for this program", io_workers(effort))];
        for task in others.busiest.iter().filter(|task| task.kernel) {
            let name = work_of(&task.name);
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, busy)) => *busy = busy.saturating_add(task.busy),
                None => sums.push((name, task.busy)),
            }
        }
        sums.sort_by_key(|(_, busy)| std::cmp::Reverse(*busy));
        sums.retain(|(_, busy)| percent(*busy) >= MIN_NAMED_SHARE * 100.0);
        let names: Vec<String> = sums
            .iter()
            .take(MAX_NAMED)
            .map(|(name, busy)| format!("{name} {:.0} %", percent(*busy)))
            .collect();
        lines.push(format!("kernel threads used {kernel:.1} CPUs{}", list_names(&names)));
    }
    let unexplained = unexplained_cpus(span, effort);
    if unexplained >= MIN_INFERRED_SHARE && unexplained > programs {
        lines.push(match (others.short_lived(), others.started) {
            (Some(started), _) => format!(
                "about {unexplained:.1} CPUs more were used by short-lived programs: {started} processes or \
                 threads were started during the run"
            ),
            (None, Some(_)) => format!(
                "about {unexplained:.1} CPUs more were used by programs that ended during the run, or are \
                 invisible from here"
            ),
            (None, None) => format!(
                "about {unexplained:.1} CPUs more were used by programs that started or ended during the \
                 run, or are invisible from here"
            ),
        });
    }
    lines
}

fn list_names(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}

/// Returns the work of a kernel thread. The name of a worker is `kworker/`, its number, and its last work
/// after `-` or `+`.
fn work_of(name: &str) -> &str {
    let worker = name.strip_prefix("kworker/");
    worker.and_then(|name| name.find(['-', '+']).map(|at| &name[at + 1..])).unwrap_or(name)
}

pub(super) fn most_interrupted(span: &SpanContext) -> Option<Share> {
    shares(span).into_iter().max_by(|a, b| a.interrupts.total_cmp(&b.interrupts))
}

/// Returns a CPU without idle time because of interrupts.
pub(super) fn saturated_by_interrupts(span: &SpanContext) -> Option<Share> {
    let shares = shares(span).into_iter();
    let saturated = shares.filter(|share| share.idle <= IDLE && share.interrupts >= MAJORITY_INTERRUPT_SHARE);
    saturated.max_by(|a, b| a.interrupts.total_cmp(&b.interrupts))
}

pub(super) fn cpus_in_words(cpus: &[u32]) -> String {
    match cpus {
        [cpu] => format!("CPU {cpu}"),
        cpus if cpus.len() <= MAX_NAMED => {
            let names: Vec<String> = cpus.iter().map(u32::to_string).collect();
            format!("CPUs {}", names.join(", "))
        }
        cpus => format!("{} CPUs", cpus.len()),
    }
}

/// Returns the bound CPU of each thread; `None` = unbound.
fn bound_cpus<'a>(span: &SpanContext<'a>) -> impl Iterator<Item = Option<u32>> + 'a {
    span.effort().into_iter().flat_map(|effort| &effort.workers).map(WorkerUsage::bound_to)
}

/// Returns the mean share of time stolen by a hypervisor from the CPUs of the threads, or from all CPUs
/// with an unbound thread. `None` without observation.
pub(super) fn stolen(span: &SpanContext) -> Option<f64> {
    let cpus: Option<Vec<u32>> = bound_cpus(span).collect();
    let ours = |share: &Share| cpus.as_ref().is_none_or(|cpus| cpus.contains(&share.cpu));
    let stolen: Vec<f64> =
        shares(span).iter().filter(|share| ours(share)).map(|share| share.stolen).collect();
    (!stolen.is_empty()).then(|| stolen.iter().sum::<f64>() / stolen.len() as f64)
}

pub(super) fn check(span: &SpanContext, limits: Option<&Limits>) -> Vec<Finding> {
    let disks = span.system.environment.iter().flat_map(|environment| &environment.disks);
    cpus_taken(span, limits).into_iter().chain(disks.filter_map(|disk| remote_node(span, disk))).collect()
}

fn cpus_taken(span: &SpanContext, limits: Option<&Limits>) -> Option<Finding> {
    let stolen = stolen(span).filter(|stolen| *stolen >= STOLEN)?;
    if limits?.limited_by == Some(Limiter::Hypervisor) {
        return None;
    }
    let message = format!(
        "the hypervisor took the threads' CPUs away {:.0} % of the time (steal), and latencies include it",
        stolen * 100.0
    );
    Some(
        Finding::new("cpu-stolen", Severity::Warning, span, message)
            .remedy("measure on an instance with dedicated CPUs, or when the host is less busy"),
    )
}

/// Threads on CPUs of another NUMA node than the disk: commands, data and interrupts cross the sockets.
fn remote_node(span: &SpanContext, disk: &Disk) -> Option<Finding> {
    let (node, topology) = (disk.numa_node?, &span.system.topology);
    if topology.nodes.len() < 2 {
        return None;
    }
    let on_disk: HashSet<TargetId> = disk.targets.iter().copied().collect();
    let works = |thread: usize| {
        let targets = span.results.threads.get(thread).map_or(&[][..], |thread| &thread.targets);
        targets.iter().any(|target| on_disk.contains(&target.target))
    };
    let bound = bound_cpus(span).enumerate().filter(|(thread, _)| works(*thread));
    let nodes: Vec<u32> = bound.filter_map(|(_, cpu)| topology.node_of(cpu?)).collect();
    let far = nodes.iter().filter(|place| **place != node).count();
    if far == 0 {
        return None;
    }
    let name = &disk.device.name;
    let (severity, message) = match far == nodes.len() {
        true => (
            Severity::Warning,
            format!("all threads run on another NUMA node than {name}: every I/O crosses nodes"),
        ),
        false => (
            Severity::Note,
            format!(
                "{far} of {} threads run on another NUMA node than {name}: their I/O crosses nodes",
                nodes.len()
            ),
        ),
    };
    let mut others: Vec<String> = Vec::new();
    for place in nodes.iter().filter(|place| **place != node).map(u32::to_string) {
        if !others.contains(&place) {
            others.push(place);
        }
    }
    let finding = Finding::new("numa-remote", severity, span, message)
        .shown_by(format!("{name} is on NUMA node {node}, their CPUs on {}", others.join(", ")))
        .remedy("bind the threads to the CPUs of the device's node (-a)");
    Some(match disk.targets.as_slice() {
        [only] => finding.on_target(span.host.path(*only)),
        _ => finding,
    })
}
