//! Wake-up time of processors that sleep between I/Os, which counts as latency.

use crate::view::RequestedTarget;
use crate::{Finding, Severity, SpanContext};
use diskspd_machine::environment::Environment;
use diskspd_results::CpuSleeps;

/// Minimum share of wake-ups in the mean latency for a finding.
const SHARE: f64 = 0.1;

/// Minimum cost in us of a sleep that the hypervisor ends: timer tick stop and start, halt, and interrupt
/// trap. The kernel reports 1 us. Measured: 6 to 16 us.
const HALT: f64 = 10.0;

/// Idle driver of virtual machines, whose only idle state is a halt.
const HALTING: &str = "haltpoll";

struct IdleExit {
    /// Mean over all I/Os in µs.
    cost: f64,
    evidence: Vec<String>,
}

/// Reports wake-up latency. Processors sleep between I/Os that are far apart. Only for unbuffered I/O,
/// because copying may otherwise keep the processors busy.
pub(super) fn waking_up(span: &SpanContext) -> Option<Finding> {
    let past_the_cache = |asked: RequestedTarget| {
        !span.is_cached(asked) && !asked.target.memory_mapped_io && span.host.storage(asked.id).is_some()
    };
    let observed = span.results.observed.as_ref();
    // The sleeps that were counted are of the CPUs that threads were bound to at first.
    let moved = span
        .effort()
        .is_some_and(|effort| effort.workers.iter().any(|worker| worker.affinity_change.is_some()));
    let kept_awake = observed.is_some_and(|seen| seen.polled || seen.cpu_latency.is_some());
    if kept_awake || moved || !span.targets().all(past_the_cache) {
        return None;
    }
    let latency = span.measured.total.total.latency.and_then(|latency| latency.mean)?.ms() * 1000.0;
    let environment = span.system.environment.as_ref()?;
    let waking = match observed.map_or(&[][..], |seen| &seen.idle_entries) {
        [] => expected_waking(span, environment)?,
        sleeps => sum_wakeups(span, environment, sleeps)?,
    };
    if latency <= 0.0 || waking.cost < latency * SHARE {
        return None;
    }
    let message = "the CPUs sleep between I/Os: latencies include the wake-up".to_owned();
    let finding = Finding::new("idle-exit-latency", Severity::Note, span, message)
        .shown_by(format!("the mean latency is {latency:.0} µs"));
    let finding = waking.evidence.into_iter().fold(finding, Finding::shown_by);
    Some(finding.remedy("use --cpu-latency 0 (as root) for latencies without the wake-up"))
}

/// Uses the kernel's counters. A processor with more sleeps than I/Os was also woken by other events; at
/// most one sleep per I/O caused a delay.
fn sum_wakeups(span: &SpanContext, environment: &Environment, sleeps: &[CpuSleeps]) -> Option<IdleExit> {
    let ios = span.measured.total.total.throughput.ios as f64;
    let halting =
        environment.platform.virtual_machine && environment.cpu.idle_driver.as_deref() == Some(HALTING);
    let least = if halting { HALT } else { 0.0 };
    let states = || sleeps.iter().flat_map(|cpu| &cpu.states);
    let entered: f64 = states().map(|state| state.entered as f64).sum();
    if ios <= 0.0 || entered <= 0.0 {
        return None;
    }
    let all: f64 = states().map(|state| state.entered as f64 * (state.latency as f64).max(least)).sum();
    let whose = match sleeps {
        [only] => format!("CPU {} slept", only.cpu),
        several => format!("the {} CPUs of the threads slept", several.len()),
    };
    let mut evidence = vec![format!("{whose} {:.2} times per I/O", entered / ios)];
    let weight = |entered: u64, latency: u64| u128::from(entered) * u128::from(latency);
    if halting {
        evidence.push(format!(
            "each wake-up goes through the hypervisor (idle driver {HALTING}): {HALT:.0} µs or more"
        ));
    } else if let Some(state) = states().max_by_key(|state| weight(state.entered, state.latency)) {
        evidence.push(format!("idle state {} takes {} µs to leave", state.name, state.latency));
    }
    Some(IdleExit { cost: all / entered.max(ios), evidence })
}

/// Estimates wake-ups from the pauses between I/Os, without counters: unbound threads, records of older
/// programs.
fn expected_waking(span: &SpanContext, environment: &Environment) -> Option<IdleExit> {
    let iops = span.measured.total.total.throughput.iops;
    if iops <= 0.0 {
        return None;
    }
    let pause = f64::from(span.measured.thread_count) * 1e6 / iops;
    let state = environment.cpu.idle_state_for(pause)?;
    let evidence = vec![
        format!("each thread issues an I/O every {pause:.0} µs"),
        format!("idle state {} takes {} µs to leave", state.name, state.latency),
    ];
    Some(IdleExit { cost: state.latency as f64, evidence })
}

/// Reports CPUs without an idle driver, which halt regardless of the latency limit.
pub(super) fn unheeded(span: &SpanContext) -> Option<Finding> {
    let environment = span.system.environment.as_ref()?;
    let limit = span.results.observed.as_ref()?.cpu_latency?;
    let words = environment.kernel_command_line.as_deref().unwrap_or_default();
    let polling = words.split_ascii_whitespace().any(|word| word == "idle=poll");
    if environment.cpu.idle_driver.is_some() || !environment.cpu.idle_states.is_empty() || polling {
        return None;
    }
    let message =
        format!("CPUs may have slept despite --cpu-latency {limit}: latencies may include the wake-up");
    Some(
        Finding::new("cpu-latency-ignored", Severity::Warning, span, message)
            .shown_by(
                "the kernel has no idle driver here (cpuidle/current_driver), so the limit has no effect"
                    .into(),
            )
            .remedy(
                "start the kernel with idle=poll, or give it a driver (in a virtual machine modprobe \
                 cpuidle-haltpoll)",
            ),
    )
}
