//! Rules about the machine as a whole, and its current activity.

use super::{HostFacts, new_finding};
use crate::{Finding, Severity};
use diskspd_figures::units::Size;
use diskspd_machine::unread_facts::UnreadFacts;

/// Facts that cannot be read were not checked, so the absence of findings has no meaning there.
pub(super) fn unread_facts(seen: &HostFacts) -> Vec<Finding> {
    let unread = &seen.system.unreadable;
    let Some(first) = unread.first() else { return Vec::new() };
    let more = match unread.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let message = format!("facts about this machine were not checked: {} is not readable{more}", first.path);
    let finding = new_finding(Severity::Warning, message);
    let shown = |finding: Finding, each: &UnreadFacts| {
        finding.shown_by(format!("{}: {}; {}", each.facts, each.reason, each.remedy))
    };
    vec![unread.iter().fold(finding, shown)]
}

pub(super) fn virtual_machine(seen: &HostFacts) -> Vec<Finding> {
    let platform = &seen.environment.platform;
    if !platform.virtual_machine {
        return Vec::new();
    }
    let mut finding = match &platform.cloud {
        Some(cloud) => new_finding(
            Severity::Note,
            format!(
                "this is a virtual machine of {cloud}: the figures may show its disk limits and burst \
                 credits instead of the disk"
            ),
        ),
        None => new_finding(
            Severity::Note,
            "this is a virtual machine: the host may cache, throttle and share its disks",
        ),
    };
    let words = [&platform.hypervisor, &platform.vendor, &platform.product].map(|word| word.as_deref());
    let words: Vec<&str> = words.into_iter().flatten().collect();
    if !words.is_empty() {
        finding = finding.shown_by(words.join(", "));
    }
    vec![finding]
}

/// Half of the processors busy with something else, or threads waiting for one for a tenth of the time.
pub(super) fn load(seen: &HostFacts) -> Vec<Finding> {
    let load = &seen.environment.load;
    let cpus = seen.system.topology.active_cpus().count() as u64;
    let busy = load.running.is_some_and(|running| cpus > 0 && running.saturating_mul(2) >= cpus);
    let waiting = load.cpu_pressure.is_some_and(|share| share >= 1000);
    if !busy && !waiting {
        return Vec::new();
    }
    let mut finding = new_finding(Severity::Warning, "other programs use the CPUs");
    if let Some(running) = load.running {
        finding = finding.shown_by(format!("{running} other threads ready to run on {cpus} CPUs"));
    }
    if let Some(average) = load.average {
        finding = finding.shown_by(format!("load average {} in the last minute", format_hundredths(average)));
    }
    if let Some(pressure) = load.cpu_pressure {
        finding = finding.shown_by(format!(
            "threads waited for a CPU in {} % of the last 10 s",
            format_hundredths(pressure)
        ));
    }
    vec![finding]
}

/// Reports threads that wait for I/O for a tenth of the time.
pub(super) fn io_load(seen: &HostFacts) -> Vec<Finding> {
    let pressure = seen.environment.load.io_pressure.filter(|&share| share >= 1000);
    let finding = pressure.map(|share| {
        new_finding(Severity::Warning, "other programs wait for disks")
            .shown_by(format!("threads waited for I/O in {} % of the last 10 s", format_hundredths(share)))
    });
    finding.into_iter().collect()
}

/// Reports low memory. Below a tenth the kernel may reclaim during the run, below a twentieth it will.
pub(super) fn memory(seen: &HostFacts) -> Vec<Finding> {
    let (available, total) = (seen.system.memory_available, seen.system.memory_total);
    if available == 0 || available >= total / 10 {
        return Vec::new();
    }
    let severity = if available < total / 20 { Severity::Warning } else { Severity::Note };
    vec![
        new_finding(severity, "memory is low: the kernel will reclaim pages during the run")
            .shown_by(format!("{} of {} available", Size(available), Size(total))),
    ]
}

pub(super) fn swap(seen: &HostFacts) -> Vec<Finding> {
    // A little is swapped out on any machine that runs long.
    let used = seen.environment.load.swap_used.filter(|&used| used > seen.system.memory_total / 100);
    let finding = used.map(|used| {
        new_finding(Severity::Note, "swap space is in use: waiting for it would count as I/O time")
            .shown_by(format!("{} swapped out", Size(used)))
    });
    finding.into_iter().collect()
}

fn format_hundredths(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
