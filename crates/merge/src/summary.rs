//! The summary of one host.

use diskspd_checks::{DeviceVerdict, JudgedRecord, SpanVerdict};
use diskspd_formats::index::Index;
use diskspd_formats::known;
use diskspd_profile::{TargetId, TargetIds};
use diskspd_results::{Chart, HostDevices, HostFinding, HostSummary, SlowIos};

/// Returns figures and verdicts of a host's record; `called` is its origin.
pub(crate) fn from_record(judged: &JudgedRecord, called: &str) -> HostSummary {
    let findings = judged.judgement.findings.iter().filter(|finding| !finding.quiet);
    let finding = |finding: &diskspd_base::finding::Finding| HostFinding {
        name: finding.name.to_owned(),
        severity: finding.severity,
        time_span: finding.place.time_span,
        message: finding.message.clone(),
    };
    HostSummary {
        run: known::of_index(Index::from_record(judged), called),
        windows: Vec::new(),
        findings: findings.map(finding).collect(),
        devices: judged.judgement.verdicts.iter().filter_map(host_devices).collect(),
        slow: slow_ios(judged),
    }
}

/// Returns the slowest I/Os by time span; empty = none in all time spans.
fn slow_ios(judged: &JudgedRecord) -> Vec<Option<SlowIos>> {
    let spans = judged.record.host().results.time_spans.iter();
    let slow: Vec<_> =
        spans.map(|span| span.observed.as_ref().and_then(|observed| observed.slow.clone())).collect();
    if slow.iter().all(Option::is_none) { Vec::new() } else { slow }
}

fn host_devices(verdict: &SpanVerdict) -> Option<HostDevices> {
    verdict.parts.first().map(|worst| of_part(verdict.time_span, worst, 1))
}

/// Returns the device findings of a host; `ranks`: number of ranks on its machine that used them.
pub(crate) fn of_part(time_span: usize, part: &DeviceVerdict, ranks: usize) -> HostDevices {
    let (severity, message) = (part.severity, part.message.clone());
    HostDevices { time_span, verdict: part.verdict, severity, message, ranks }
}

pub(crate) fn judge_anew(summary: &mut HostSummary, devices: HostDevices) {
    let known = &mut summary.run;
    if let Some(Some(span)) = known.time_spans.get_mut(devices.time_span - 1) {
        span.verdict = Some(devices.verdict);
    }
    summary.devices.retain(|before| before.time_span != devices.time_span);
    summary.devices.push(devices);
    summary.devices.sort_by_key(|devices| devices.time_span);
    let verdicts = summary.devices.iter().filter_map(|devices| devices.severity);
    let worst = verdicts.chain(summary.findings.iter().map(|finding| finding.severity)).max();
    if let Some(findings) = &mut known.findings {
        findings.severity = worst;
    }
}

/// Returns the latencies of each target of the host, by time span.
pub(crate) fn charts(judged: &JudgedRecord) -> Vec<Vec<(TargetId, Chart)>> {
    let ids = TargetIds::from_profile(&judged.record.profile);
    let results = &judged.record.host().results.time_spans;
    let spans = judged.summary.time_spans.iter().zip(results);
    spans
        .map(|(measured, results)| {
            let Some(charts) = measured.as_ref().and_then(|measured| measured.latency.as_ref()) else {
                return Vec::new();
            };
            if charts.paths.is_empty() {
                let only = results.threads.iter().flat_map(|thread| &thread.targets).next();
                return only.map(|row| (row.target, charts.all.clone())).into_iter().collect();
            }
            charts.paths.iter().filter_map(|path| Some((ids.get(&path.path)?, path.chart.clone()))).collect()
        })
        .collect()
}
