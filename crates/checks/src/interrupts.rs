//! CPUs that handle the disks' interrupts: the threads' CPUs, or other CPUs that have to wake them.

use super::device::Part;
use super::processors::{self, cpus_in_words};
use super::{Finding, Limiter, Severity, SpanContext};
use diskspd_results::DeviceInterrupts;

const MIN_CPU_SHARE: f64 = 0.9;
const MIN_INTERRUPTS: u64 = 100;

/// Disk with interrupts on CPUs without its bound threads.
#[derive(Debug)]
pub(super) struct Crossing<'a> {
    device: &'a str,
    taking: Vec<u32>,
    share: f64,
    bound: Vec<u32>,
}

/// Returns the disk with the most interrupts on other CPUs. `None` without such a disk, or with unbound
/// threads, which the kernel moves to the waking CPU.
pub(super) fn crossing<'a>(span: &SpanContext<'a>) -> Option<Crossing<'a>> {
    let observed = span.results.observed.as_ref()?;
    let far = observed.interrupts.iter().filter_map(|disk| Some((disk.total(), find_crossing(span, disk)?)));
    far.max_by_key(|(total, _)| *total).map(|(_, crossing)| crossing)
}

fn find_crossing<'a>(span: &SpanContext<'a>, disk: &'a DeviceInterrupts) -> Option<Crossing<'a>> {
    let bound = bound_cpus(span, &disk.device)?;
    let total = disk.total();
    let mut far: Vec<_> = disk.cpus.iter().filter(|taking| !bound.contains(&taking.cpu)).collect();
    let share = far.iter().map(|taking| taking.count).sum::<u64>() as f64 / total.max(1) as f64;
    if total < MIN_INTERRUPTS || share < MIN_CPU_SHARE {
        return None;
    }
    far.sort_by_key(|taking| std::cmp::Reverse(taking.count));
    // One that takes hardly any, compared with an equal part, isn't where they arrive.
    let equal = total as f64 / disk.cpus.len().max(1) as f64;
    far.retain(|taking| taking.count as f64 >= (1.0 - MIN_CPU_SHARE) * equal);
    let taking = far.iter().map(|taking| taking.cpu).collect();
    Some(Crossing { device: &disk.device, taking, share, bound })
}

/// Returns the CPUs of the permanently bound threads with targets on a disk; `None` with an unbound
/// thread, or without threads.
fn bound_cpus(span: &SpanContext, device: &str) -> Option<Vec<u32>> {
    let workers = &span.effort()?.workers;
    let mut cpus = Vec::new();
    for (thread, worker) in span.results.threads.iter().zip(workers) {
        let part = |part: &&Part| thread.targets.iter().any(|target| part.has_target(target.target));
        let mut layers = span.parts.iter().filter(part).flat_map(Part::layers);
        if layers.any(|layer| is_on(&layer.name, device)) {
            cpus.push(worker.bound_to()?);
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    (!cpus.is_empty()).then_some(cpus)
}

/// Whether a block device is this disk or one of its partitions (`sda2`, `nvme0n1p2`).
fn is_on(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk) else { return false };
    let number =
        if disk.ends_with(|last: char| last.is_ascii_digit()) { rest.strip_prefix('p') } else { Some(rest) };
    rest.is_empty() || number.is_some_and(|n| !n.is_empty() && n.chars().all(|digit| digit.is_ascii_digit()))
}

impl Crossing<'_> {
    /// Formats `the interrupts of vda arrive on CPU 1, and the threads are bound to CPU 0`.
    pub(super) fn describe(&self) -> String {
        let (taking, bound) = (cpus_in_words(&self.taking), cpus_in_words(&self.bound));
        format!("the interrupts of {} arrive on {taking}, and the threads are bound to {bound}", self.device)
    }

    pub(super) fn evidence(&self, span: &SpanContext) -> Vec<String> {
        let mut lines = vec![format!(
            "{:.0} % of the interrupts of {} arrived on CPUs that none of its threads is bound to",
            self.share * 100.0,
            self.device
        )];
        let shares = processors::shares(span);
        let idle = self.taking.first().and_then(|cpu| shares.iter().find(|share| share.cpu == *cpu));
        lines.extend(
            idle.map(|share| format!("CPU {} was idle {:.0} % of the time", share.cpu, share.idle * 100.0)),
        );
        lines
    }

    pub(super) fn remedy(&self) -> String {
        let cpu = self.taking.first().copied().unwrap_or_default();
        format!(
            "compare with threads on the CPU of the interrupts (-a{cpu}), with unbound ones (-n), and with \
             CPUs that do not sleep (--cpu-latency 0): diskspd compare --repeat 10 -- .. :: .."
        )
    }
}

/// Reports interrupts that wake threads on other CPUs, if relevant to rate or latency. They are relevant
/// if the storage or its queue limited the run, or the limit is unknown.
pub(super) fn check(span: &SpanContext, limiter: Option<Limiter>) -> Vec<Finding> {
    let told = [Limiter::Storage, Limiter::Depth, Limiter::Kernel, Limiter::Unclear];
    if !limiter.is_some_and(|limiter| told.contains(&limiter)) {
        return Vec::new();
    }
    let polled = span.results.observed.as_ref().is_some_and(|seen| seen.polled);
    let Some(crossing) = crossing(span).filter(|_| !polled) else { return Vec::new() };
    let message = format!("{}: each has to wake a thread of another CPU", crossing.describe());
    let finding = Finding::new("remote-interrupts", Severity::Note, span, message);
    let finding = crossing.evidence(span).into_iter().fold(finding, Finding::shown_by);
    vec![finding.remedy(crossing.remedy())]
}
