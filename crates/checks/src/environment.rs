//! Machine properties that distort or determine figures: a table of rules.

mod cpu;
mod disk;
mod limits;
mod machine;
mod mounts;
mod queue;
mod seen;

use super::{Finding, Severity};
use diskspd_machine::System;
use diskspd_machine::storage::Storage;
use diskspd_results::Host;
use seen::{HostFacts, new_finding};

struct EnvironmentRule {
    name: &'static str,
    remedy: &'static str,
    /// Whether it applies only before a run: to the current state, or to facts that the run itself
    /// determines.
    before_only: bool,
    find: fn(&HostFacts) -> Vec<Finding>,
}

const fn lasting_rule(
    name: &'static str,
    remedy: &'static str,
    find: fn(&HostFacts) -> Vec<Finding>,
) -> EnvironmentRule {
    EnvironmentRule { name, remedy, before_only: false, find }
}

const fn before_rule(
    name: &'static str,
    remedy: &'static str,
    find: fn(&HostFacts) -> Vec<Finding>,
) -> EnvironmentRule {
    EnvironmentRule { before_only: true, ..lasting_rule(name, remedy, find) }
}

const RULES: &[EnvironmentRule] = &[
    lasting_rule(
        "facts-unreadable",
        "make these files readable, or measure outside of the container",
        machine::unread_facts,
    ),
    lasting_rule(
        "io-limit",
        "measure outside this control group, or lift its io.max (v1: blkio.throttle.*)",
        limits::io,
    ),
    lasting_rule("pcie-link", "reseat the device, or use a slot of its generation and width", disk::link),
    lasting_rule(
        "cpu-quota",
        "measure outside this control group, or lift its cpu.max (v1: cpu.cfs_quota_us)",
        limits::cpu,
    ),
    lasting_rule(
        "partition-alignment",
        "begin partitions on multiples of 1MiB, as partitioning programs do by default",
        disk::find_misaligned,
    ),
    lasting_rule("io-scheduler", "echo none > /sys/block/<disk>/queue/scheduler", disk::scheduler),
    lasting_rule(
        "clock-source",
        "look in dmesg why the kernel rejected tsc; or boot with clocksource=tsc tsc=reliable",
        cpu::clock_source,
    ),
    lasting_rule("cpu-governor", "cpupower frequency-set -g performance", cpu::governor),
    lasting_rule("power-scheme", "powercfg /setactive SCHEME_MIN (high performance)", cpu::power_scheme),
    lasting_rule(
        "cpu-frequency-limit",
        "cpupower frequency-set -u <the hardware's maximum>",
        cpu::frequency_limit,
    ),
    before_rule(
        "loop-buffered",
        "losetup --direct-io=on <device>; needs logical blocks no smaller than the underlying device's",
        queue::buffered_loop,
    ),
    before_rule("mount-sync", "mount -o remount,async <directory>, unless you measure that", mounts::sync),
    before_rule(
        "mount-without-barriers",
        "mount -o remount,barrier <directory>; without it no write is safe when the power fails",
        mounts::without_barriers,
    ),
    lasting_rule("queue-size", "echo 256 > /sys/block/<disk>/queue/nr_requests", queue::few_places),
    lasting_rule("numa-distance", "bind the threads to the CPUs of the device's node (-a)", disk::numa),
    before_rule("cpu-load", "end the other programs, or wait for them", machine::load),
    before_rule("io-load", "end the other programs, or wait for them", machine::io_load),
    before_rule("memory-low", "end programs that use much memory", machine::memory),
    before_rule("swap-used", "end programs that use much memory", machine::swap),
    lasting_rule(
        "file-system-full",
        "free some space: allocation and garbage collection take longer on a full file system",
        mounts::full,
    ),
    before_rule(
        "cpu-throttled",
        "improve the cooling; compare the first and the last minute of a long run",
        cpu::throttled,
    ),
    lasting_rule(
        "virtual-machine",
        "compare only with runs on the same kind of instance, and repeat them",
        machine::virtual_machine,
    ),
    lasting_rule(
        "memory-limit",
        "remember that the page cache counts as memory of the group",
        limits::memory,
    ),
    lasting_rule("cpu-set", "measure outside this control group to use all CPUs", limits::cpu_set),
    lasting_rule(
        "affinity-mask",
        "start the program without taskset or CPUAffinity= to use all CPUs",
        limits::affinity,
    ),
    lasting_rule(
        "request-size",
        "in /sys/block/<disk>/queue: cat max_hw_sectors_kb > max_sectors_kb",
        queue::small_requests,
    ),
    lasting_rule("read-ahead", "blockdev --setra 256 <disk> (128 KiB, the usual value)", queue::read_ahead),
    lasting_rule("idle-states", "--cpu-latency <µs> for latencies at low rates", cpu::idle_states),
    lasting_rule("volatile-write-cache", "measure durable writes with -Sh or -Suw", disk::volatile_cache),
    lasting_rule(
        "statistics-off",
        "echo 1 > /sys/block/<disk>/queue/iostats: it costs next to nothing",
        disk::uncounted,
    ),
    lasting_rule(
        "merging-off",
        "echo 0 > /sys/block/<disk>/queue/nomerges, unless you measure that",
        disk::merging,
    ),
    lasting_rule(
        "mitigations",
        "compare only with machines that have the same mitigations",
        cpu::mitigations,
    ),
];

/// Returns the findings, worst first; empty = the environment was not read.
pub fn findings(system: &System) -> Vec<Finding> {
    let targets: Vec<&Storage> = system.targets.iter().collect();
    let mut found: Vec<Finding> = all_findings(system, &targets).map(|(_, finding)| finding).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}

/// Returns the findings for a run's record, without informational ones and without momentary states before
/// the run.
pub(super) fn of_run(host: &Host) -> Vec<Finding> {
    let targets: Vec<&Storage> = host.targets.iter().map(|target| &target.storage).collect();
    all_findings(&host.system, &targets)
        .map(|(rule, finding)| match (rule.before_only, finding.severity) {
            (true, _) => Finding { severity: Severity::Note, ..finding }.quietly(),
            (false, Severity::Note) => finding.quietly(),
            (false, _) => finding,
        })
        .collect()
}

fn all_findings<'a>(
    system: &'a System,
    targets: &'a [&'a Storage],
) -> impl Iterator<Item = (&'static EnvironmentRule, Finding)> + 'a {
    let seen = system.environment.as_ref().map(|environment| HostFacts { system, environment, targets });
    seen.into_iter().flat_map(|seen| {
        RULES.iter().flat_map(move |rule| {
            let found = (rule.find)(&seen).into_iter();
            found.map(move |finding| (rule, Finding { name: rule.name, ..finding }.remedy(rule.remedy)))
        })
    })
}
