//! Failed writes that the kernel had already accepted.

use super::{Finding, Severity, SpanContext};

/// Reports failed writeback. Buffered writes count when they are in memory; only `fsync` or this check
/// shows a later failure.
pub(crate) fn check(span: &SpanContext) -> Vec<Finding> {
    let observed = span.results.observed.as_ref();
    let targets = span.devices().into_iter().flat_map(|devices| &devices.targets);
    let mut findings: Vec<Finding> = targets
        .filter_map(|target| {
            let error = std::io::Error::from_raw_os_error(target.write_error?);
            let message = format!(
                "some writes to '{}' never reached the device ({error}) but are counted as completed",
                span.host.path(target.target)
            );
            let found = Finding::new("writes-lost", Severity::Wrong, span, message);
            Some(found.on_target(span.host.path(target.target)).remedy(
                "look for the cause in dmesg; with -Su \
                 failed writes are reported",
            ))
        })
        .collect();
    let offline = observed.map_or(&[][..], |observed| &observed.offline);
    if !offline.is_empty() {
        let cpus: Vec<String> = offline.iter().map(u32::to_string).collect();
        let message = format!(
            "CPU {} went offline during the measurement; the table of CPUs shows 0 % for it",
            cpus.join(", ")
        );
        findings.push(Finding::new("cpu-offline", Severity::Note, span, message));
    }
    findings
}
