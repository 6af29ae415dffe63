//! Time spent waiting for CPUs, and other users of the CPUs.

use super::processors::{self, Share};
use super::{Finding, Limiter, Severity, SpanContext, achieved_rate};
use diskspd_machine::threads::ThreadTimes;
use diskspd_results::{ResourceUsage, WorkerUsage};
use std::collections::HashMap;

/// From this share of the rate on, what waiting takes away changes conclusions: more than repeated runs
/// scatter.
const MIN_DELAY_SHARE: f64 = 0.1;
/// A thread that was on a CPU, or ready to be, for so long hardly ever waited for the storage.
pub(super) const OCCUPIED: f64 = 0.8;
/// Share of the depth in flight at the device above which waiting threads have no effect on it.
const FULL_DEPTH_SHARE: f64 = 0.8;
const DRY: f64 = 0.5;
const MIN_EXPLAINED_SHARE: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CpuHolder {
    Threads,
    Kernel,
    Others,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentionEffect {
    /// Lower rate: the device had little or no I/O during the wait.
    Lowers,
    Unknown,
    /// None, because the queue of the device was full.
    None,
}

/// Threads that waited for a CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contention {
    /// Mean share of the threads' time.
    pub waiting: f64,
    /// Maximum I/Os per second without the wait; `None` if hardly higher, because the threads use all CPU
    /// time.
    pub iops: Option<f64>,
    pub holder: CpuHolder,
    pub effect: ContentionEffect,
}

struct Waiter<'a> {
    worker: &'a WorkerUsage,
    /// Share of the time on a CPU.
    busy: f64,
    waiting: f64,
    /// Share of the time in which other programs used its CPU; 1 = unknown.
    else_used: f64,
}

/// Returns the CPU contention if it changed the figures; `None` = it did not, or is unknown.
pub(super) fn judge(span: &SpanContext) -> Option<Contention> {
    let effort = span.effort()?;
    let window = span.measured.seconds * 1e9;
    let shares = processors::shares(span);
    let waiters: Option<Vec<Waiter>> =
        effort.workers.iter().map(|worker| find_waiter(span, &shares, worker, window)).collect();
    let waiters = waiters.filter(|waiters| !waiters.is_empty())?;
    let waiting = waiters.iter().map(|waiter| waiter.waiting).sum::<f64>() / waiters.len() as f64;
    // The remaining time would have had at most the same rate.
    let (mut done, mut possible) = (0.0, 0.0);
    for (index, waiter) in waiters.iter().enumerate() {
        let targets = span.results.threads.get(index).map_or(&[][..], |thread| &thread.targets);
        let ios = targets.iter().map(|target| (target.read.ios + target.write.ios) as f64).sum::<f64>();
        done += ios;
        possible += ios / (1.0 - waiter.waiting).max(0.001);
    }
    let matters = match done > 0.0 {
        true => possible >= done * (1.0 + MIN_DELAY_SHARE),
        false => waiting >= MIN_DELAY_SHARE,
    };
    // More threads than CPUs don't do more than these allow.
    let busy: f64 = waiters.iter().map(|waiter| waiter.busy).sum();
    let cpus = span.system.topology.allowed_cpus().count().clamp(1, waiters.len()) as f64;
    if busy > 0.0 {
        possible = possible.min((done / busy * cpus).max(done));
    }
    let gains = done > 0.0 && possible >= done * (1.0 + MIN_DELAY_SHARE);
    matters.then(|| Contention {
        waiting,
        iops: gains.then(|| possible / span.measured.seconds),
        holder: find_holder(&waiters, &shares, effort, window),
        effect: effect(span, effort, &waiters),
    })
}

fn find_waiter<'a>(
    span: &SpanContext,
    shares: &[Share],
    worker: &'a WorkerUsage,
    window: f64,
) -> Option<Waiter<'a>> {
    let ThreadTimes { busy, run_delay: waiting, .. } = worker.times?;
    let (busy, waiting) = (busy as f64 / window, waiting? as f64 / window);
    let used = used_cpus(span, shares, worker.bound_to());
    // A wait that began before the window may be longer than it. And where a CPU was idle nobody kept a
    // thread from it: it was waking up.
    let else_used = (used.unwrap_or(1.0) - busy).max(0.0);
    let waiting = waiting.min(1.0 - busy).clamp(0.0, else_used.min(1.0));
    Some(Waiter { worker, busy, waiting, else_used })
}

/// Returns the share of the time that a CPU was in use, or the mean of all CPUs for an unbound thread.
/// `None` if unknown.
fn used_cpus(span: &SpanContext, shares: &[Share], cpu: Option<u32>) -> Option<f64> {
    let allowed: Vec<u32> = span.system.topology.allowed_cpus().collect();
    let ours = |share: &&Share| cpu.map_or(allowed.contains(&share.cpu), |cpu| share.cpu == cpu);
    let used: Vec<f64> = shares.iter().filter(ours).map(|share| 1.0 - share.idle).collect();
    (!used.is_empty()).then(|| used.iter().sum::<f64>() / used.len() as f64)
}

fn find_holder(waiters: &[Waiter], shares: &[Share], effort: &ResourceUsage, window: f64) -> CpuHolder {
    let window_us = (window / 1e3) as u64;
    let cpus = shares.len().max(1) as f64;
    let mut busy_on: HashMap<u32, f64> = HashMap::new();
    for waiter in waiters {
        for (cpu, share) in waiter.worker.bound_shares(window_us) {
            *busy_on.entry(cpu).or_default() += waiter.busy * share;
        }
    }
    let all_busy: f64 = waiters.iter().map(|waiter| waiter.busy).sum();
    // Weighted by how long each waited: what its own companions had of its CPU, and what all others had.
    let (mut companions, mut rest) = (0.0, 0.0);
    for waiter in waiters {
        let beside: f64 = match (waiter.worker.cpu, &waiter.worker.affinity_change) {
            (_, Some(_)) => {
                let others = waiters.iter().filter(|other| !std::ptr::eq(*other, waiter));
                others.map(|other| other.busy * waiter.worker.combined_usage(other.worker, window_us)).sum()
            }
            (Some(cpu), None) => busy_on[&cpu] - waiter.busy,
            // Bound to none, they keep out of each other's way where there is room for all.
            _ if waiters.len() as f64 <= cpus => 0.0,
            _ => (all_busy - waiter.busy) / cpus,
        };
        let beside = beside.min(waiter.else_used).max(0.0);
        companions += waiter.waiting * beside;
        rest += waiter.waiting * (waiter.else_used - beside);
    }
    if companions >= rest {
        return CpuHolder::Threads;
    }
    let used: f64 = shares.iter().map(|share| 1.0 - share.idle).sum();
    let own: f64 = waiters.iter().map(|waiter| waiter.busy).sum();
    match processors::used_by_others(effort) {
        Some((Some(kernel), programs))
            if kernel > programs && kernel + programs >= MIN_EXPLAINED_SHARE * (used - own) =>
        {
            CpuHolder::Kernel
        }
        _ => CpuHolder::Others,
    }
}

fn effect(span: &SpanContext, effort: &ResourceUsage, waiters: &[Waiter]) -> ContentionEffect {
    let reachable = effort.reachable_depth();
    let one_each = reachable <= effort.workers.len() as u64;
    let occupied = waiters.iter().map(|waiter| waiter.busy + waiter.waiting).fold(0.0, f64::max);
    if one_each || occupied >= OCCUPIED {
        return ContentionEffect::Lowers;
    }
    match span.queues.in_flight.and_then(|queue| queue.counted) {
        Some(counted) if counted < DRY * reachable as f64 => ContentionEffect::Lowers,
        Some(counted) if counted >= FULL_DEPTH_SHARE * reachable as f64 => ContentionEffect::None,
        _ => ContentionEffect::Unknown,
    }
}

impl Contention {
    /// Whether it limited the run. `occupied`: the largest share of the time that a thread was running or
    /// ready.
    pub(super) fn limits(&self, occupied: f64) -> bool {
        // Threads of the kernel that share a CPU with one that waits for them are a part of its I/O.
        self.effect == ContentionEffect::Lowers && (self.holder != CpuHolder::Kernel || occupied >= OCCUPIED)
    }

    pub(super) fn evidence(&self, span: &SpanContext, effort: &ResourceUsage) -> Vec<String> {
        let now = span.measured.total.total.throughput.iops;
        let most = match self.iops {
            Some(iops) => {
                format!("without CPU contention up to {iops:.0} IOPS would be possible, instead of {now:.0}")
            }
            None => {
                "without CPU contention hardly more IOPS would be possible: the threads use the CPUs that \
                     they have"
                    .to_owned()
            }
        };
        // A requested rate is an upper limit, regardless of free CPUs.
        let most = (!achieved_rate::is_limited(span) && now > 0.0).then_some(most);
        most.into_iter().chain(processors::list_cpus(span, effort)).collect()
    }
}

/// Reports CPU waits, which are part of the latency even if they do not limit the rate.
pub(super) fn check(
    span: &SpanContext,
    contention: Option<Contention>,
    limiter: Option<Limiter>,
) -> Vec<Finding> {
    let (Some(effort), Some(limiter)) = (span.effort(), limiter) else { return Vec::new() };
    let told = [Limiter::BusyCpus, Limiter::Hypervisor, Limiter::CpuQuota, Limiter::Kernel];
    let contention = contention.filter(|_| !told.contains(&limiter));
    contention.map(|contention| contention_finding(span, effort, &contention)).into_iter().collect()
}

fn contention_finding(span: &SpanContext, effort: &ResourceUsage, contention: &Contention) -> Finding {
    let (severity, consequence) = match (contention.holder, contention.effect) {
        (_, ContentionEffect::None) => (Severity::Note, "the device's queue still stayed full"),
        (CpuHolder::Kernel, _) => {
            (Severity::Note, "kernel threads used the CPUs, and latencies include the wait")
        }
        (_, ContentionEffect::Lowers) => (Severity::Warning, "latencies include that"),
        (_, ContentionEffect::Unknown) => {
            (Severity::Warning, "latencies include the wait, and the rate may be lower because of it")
        }
    };
    let message = format!(
        "CPU contention: threads were ready to run but had no CPU {:.0} % of the time: {consequence}",
        contention.waiting * 100.0
    );
    let mut finding = Finding::new("run-queue-delay", severity, span, message);
    for text in contention.evidence(span, effort) {
        finding = finding.shown_by(text);
    }
    finding.remedy(remedy(contention.holder))
}

pub(super) fn remedy(holder: CpuHolder) -> &'static str {
    match holder {
        CpuHolder::Threads => "bind them to different CPUs (-a), or use fewer threads (-t)",
        CpuHolder::Kernel => "bind the threads to idle CPUs (-a), or use fewer threads (-t)",
        CpuHolder::Others => {
            "stop other programs, or bind the threads to CPUs that no other process uses \
            (-a)"
        }
    }
}
