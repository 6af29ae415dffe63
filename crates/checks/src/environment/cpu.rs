//! Rules about processors and clocks.

use super::{HostFacts, new_finding};
use crate::{Finding, Severity};

const CHOOSING: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

/// `powersave` of a driver that obeys means the lowest frequency always; other governors need time to react
/// to load.
pub(super) fn governor(seen: &HostFacts) -> Vec<Finding> {
    let (Some(governor), Some(frequency)) = (&seen.system.power_scheme.name, &seen.environment.cpu.frequency)
    else {
        return Vec::new();
    };
    let driver = frequency.driver.as_deref().unwrap_or("unknown");
    let (severity, message) = match governor.as_str() {
        "performance" | "userspace" => return Vec::new(),
        "powersave" if !CHOOSING.contains(&driver) => {
            (Severity::Warning, "the CPUs run at their lowest frequency all the time".to_owned())
        }
        "mixed" => (Severity::Warning, "the CPUs have different frequency governors".to_owned()),
        _ => (Severity::Note, format!("the frequency governor '{governor}' follows the load with a delay")),
    };
    let mut finding =
        new_finding(severity, message).shown_by(format!("governor {governor}, driver {driver}"));
    if let Some(preference) = &frequency.preference {
        finding = finding.shown_by(format!("energy preference {preference}"));
    }
    if let (Some(current), Some(max)) = (frequency.current, frequency.hardware_max) {
        finding = finding.shown_by(format!(
            "{} MHz of {} MHz at the time of the check",
            current / 1000,
            max / 1000
        ));
    }
    vec![finding]
}

/// GUIDs of Windows power schemes that slow down processors, which are the same on every machine, with
/// severity and name.
const SLOW_SCHEMES: [(&str, Severity, &str); 2] = [
    (
        "a1841308-3541-4fab-bc81-f71556f20b4a",
        Severity::Warning,
        "the power scheme is Power saver: processors are kept slow",
    ),
    (
        "381b4222-f694-41f0-9685-ff5bb260df2e",
        Severity::Note,
        "the power scheme is Balanced: processors follow the load with a delay",
    ),
];

/// Reports the power scheme, the Windows counterpart of a governor. In a virtual machine the host decides.
pub(super) fn power_scheme(seen: &HostFacts) -> Vec<Finding> {
    let Some(guid) = &seen.system.power_scheme.guid else { return Vec::new() };
    let slow = SLOW_SCHEMES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(guid));
    let found = slow.map(|(_, severity, message)| {
        let name = seen.system.power_scheme.name.as_deref().unwrap_or("its name is unknown");
        new_finding(*severity, *message).shown_by(format!("{guid} ({name})"))
    });
    found.into_iter().filter(|_| !seen.environment.platform.virtual_machine).collect()
}

/// Reports a cap below 90 % of the hardware's maximum; the kernel rounds slightly.
pub(super) fn frequency_limit(seen: &HostFacts) -> Vec<Finding> {
    let Some(frequency) = &seen.environment.cpu.frequency else { return Vec::new() };
    match (frequency.max, frequency.hardware_max) {
        (Some(max), Some(hardware)) if max / 9 < hardware / 10 => {
            vec![
                new_finding(Severity::Warning, "the CPUs are limited below their full frequency")
                    .shown_by(format!("limit {} MHz, maximum {} MHz", max / 1000, hardware / 1000)),
            ]
        }
        _ => Vec::new(),
    }
}

/// Clock sources that are read over a bus, or tick too rarely.
const SLOW_CLOCKS: [(&str, &str); 5] = [
    ("hpet", "each clock read takes about 1 µs, and CPUs contend for it"),
    ("acpi_pm", "each clock read takes about 1 µs, and CPUs contend for it"),
    ("pit", "each clock read takes several µs"),
    ("jiffies", "it ticks every few milliseconds"),
    ("refined-jiffies", "it ticks every few milliseconds"),
];

pub(super) fn clock_source(seen: &HostFacts) -> Vec<Finding> {
    let name = seen.environment.clock_source.as_deref();
    let slow = SLOW_CLOCKS.iter().find(|(slow, _)| Some(*slow) == name);
    slow.map(|(name, why)| {
        new_finding(Severity::Warning, format!("the kernel's clock source is {name}, a slow one: {why}"))
            .shown_by(format!("current_clocksource is {name}"))
    })
    .into_iter()
    .collect()
}

/// Maximum wake-up time in µs that is negligible compared to any disk latency.
const SHALLOW: u64 = 20;

pub(super) fn idle_states(seen: &HostFacts) -> Vec<Finding> {
    let deepest =
        seen.environment.cpu.idle_states.iter().filter(|state| state.enabled).max_by_key(|s| s.latency);
    deepest
        .filter(|state| state.latency > SHALLOW)
        .map(|state| {
            new_finding(Severity::Note, "idle CPUs sleep deeply: at low rates latencies include the wake-up")
                .shown_by(format!("{} takes {} µs to leave", state.name, state.latency))
        })
        .into_iter()
        .collect()
}

pub(super) fn throttled(seen: &HostFacts) -> Vec<Finding> {
    let count = seen.environment.cpu.throttled.filter(|&count| count > 0);
    count
        .map(|count| {
            new_finding(Severity::Note, "the CPUs were throttled for heat since the machine started")
                .shown_by(format!("core_throttle_count is {count} over all CPUs"))
        })
        .into_iter()
        .collect()
}

pub(super) fn mitigations(seen: &HostFacts) -> Vec<Finding> {
    let of = |state: &str| {
        let flaws = seen.environment.vulnerabilities.iter().filter(|(_, text)| text.starts_with(state));
        flaws.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    };
    let (mitigated, open) = (of("Mitigation"), of("Vulnerable"));
    if mitigated.is_empty() {
        return Vec::new();
    }
    let finding = new_finding(Severity::Note, "mitigations of CPU flaws make system calls slower")
        .shown_by(format!("mitigated: {}", mitigated.join(", ")));
    vec![if open.is_empty() { finding } else { finding.shown_by(format!("left open: {}", open.join(", "))) }]
}

#[cfg(test)]
mod tests {
    use super::super::findings;
    use super::*;
    use diskspd_machine::System;

    fn found_of(guid: &str, virtual_machine: bool) -> Vec<(&'static str, Severity)> {
        let mut system = System { environment: Some(Default::default()), ..System::default() };
        system.power_scheme.guid = Some(guid.into());
        if let Some(environment) = &mut system.environment {
            environment.platform.virtual_machine = virtual_machine;
        }
        let found = findings(&system);
        found.iter().filter(|f| f.name == "power-scheme").map(|f| (f.name, f.severity)).collect()
    }

    #[test]
    fn throttling_cpufreq_settings_are_reported_by_value() {
        let [(saver, ..), (balanced, ..)] = SLOW_SCHEMES;
        assert_eq!(found_of(saver, false), [("power-scheme", Severity::Warning)]);
        assert_eq!(found_of(&balanced.to_uppercase(), false), [("power-scheme", Severity::Note)]);
        assert_eq!(found_of(saver, true), []);
        // High performance, and one that a vendor made.
        assert_eq!(found_of("8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", false), []);
        assert_eq!(found_of("", false), []);
    }
}
