//! Findings of a merged run: per host, and from comparing hosts.
//!
//! The merge has already judged each host by all its observations. Here equal findings of several hosts
//! are combined, and the hosts are compared.

mod differences;
mod names;
mod standstills;
mod stragglers;

pub use differences::{HostsDifference, differences};
pub use stragglers::{HostFigure, SlowHosts, figures};

use super::{DeviceVerdict, Finding, Severity, SpanVerdict, Verdict};
use diskspd_base::finding::known_names;
use diskspd_figures::units::seconds_of_ns;
use diskspd_machine::storage::BlockDevice;
use diskspd_results::{Alignment, Host, HostFinding, MergedHosts, Record};
use names::{MAX_NAMED_HOSTS, names};
use std::collections::BTreeMap;

type FindingKind<'a> = (&'a str, Severity, Option<usize>);
type VerdictKind = (Option<Severity>, Verdict);

/// Minimum relevant share of the measured time without overlap of all hosts.
const MIN_SEPARATE_SHARE: f64 = 0.01;

pub(super) fn findings(record: &Record, whole: &MergedHosts) -> Vec<Finding> {
    let mut found: Vec<Finding> = missing_hosts(record).into_iter().collect();
    for (index, alignment) in whole.alignments.iter().enumerate() {
        let measured = whole.host.results.time_spans.get(index).map_or(0, |span| span.measured);
        found.extend(
            window_skew(alignment, measured, record).map(|finding| finding.in_time_span(Some(index + 1))),
        );
        let hosts = figures(record, index);
        let slow = SlowHosts::find(&hosts);
        found.extend(slow.finding().map(|finding| finding.in_time_span(Some(index + 1))));
        let still = standstills::finding(record, whole, index);
        found.extend(still.map(|finding| finding.in_time_span(Some(index + 1))));
    }
    found.extend(of_hosts(record));
    found.extend(shared_devices(record));
    found.extend(mixed_kinds(record));
    found
}

fn missing_hosts(record: &Record) -> Option<Finding> {
    let lost: Vec<&Host> = record.hosts.iter().filter(|host| host.missing.is_some()).collect();
    if lost.is_empty() {
        return None;
    }
    let (all, present) = (record.hosts.len(), record.hosts.len() - lost.len());
    let message = format!("only {present} of {all} hosts are in the figures; the others are missing");
    let mut finding = Finding::of_machine("hosts-missing", Severity::Wrong, message);
    for host in lost {
        let why = host.missing.as_deref().unwrap_or_default();
        finding = finding.shown_by(format!("{}: {why}", host.name));
    }
    Some(finding.remedy("find the cause, and measure again"))
}

fn window_skew(alignment: &Alignment, measured: u64, record: &Record) -> Option<Finding> {
    let seconds = seconds_of_ns;
    let Alignment { start_skew_ns, stop_skew_ns, common_ns, .. } = *alignment;
    let (Some(start), Some(stop), Some(common)) = (start_skew_ns, stop_skew_ns, common_ns) else {
        if record.present().count() < 2 || measured == 0 {
            return None;
        }
        let message = "the hosts' measuring times are unknown: the sums assume that all measured at once";
        return Some(Finding::of_machine("hosts-not-simultaneous", Severity::Note, message));
    };
    let outside = 1.0 - seconds(common) / seconds(measured.max(1));
    let severity = if outside > MIN_SEPARATE_SHARE { Severity::Warning } else { Severity::Note };
    let message = format!(
        "the hosts' measured times began up to {:.3} s apart, and ended up to {:.3} s apart: all measured \
         together for {:.3} of {:.3} s",
        seconds(start),
        seconds(stop),
        seconds(common),
        seconds(measured)
    );
    let clocks = match alignment.clock_uncertainty_ns {
        Some(ns) => format!("their clock offsets are known within {:.6} s", seconds(ns)),
        None => "their clock offsets are unknown".to_owned(),
    };
    let mut finding = Finding::of_machine("hosts-not-simultaneous", severity, message).shown_by(clocks);
    if let Some(ns) = alignment.intervals_apart_ns {
        finding = finding.shown_by(format!(
            "sums by interval add intervals that lie up to {:.3} s \
                                      apart",
            seconds(ns)
        ));
    }
    if severity == Severity::Warning {
        finding =
            finding.remedy("totals cover each host's own window; the intervals (-D) cover the common window");
    }
    Some(finding)
}

fn of_hosts(record: &Record) -> Vec<Finding> {
    let mut kinds: BTreeMap<FindingKind, Vec<(&str, &HostFinding)>> = BTreeMap::new();
    for host in record.present() {
        for found in host.summary.iter().flat_map(|kept| &kept.findings) {
            let kind = (found.name.as_str(), found.severity, found.time_span);
            kinds.entry(kind).or_default().push((&host.name, found));
        }
    }
    let hosts = record.present().count();
    let finding = |((name, severity, time_span), found): (FindingKind, Vec<(&str, &HostFinding)>)| {
        let on: Vec<&str> = found.iter().map(|(host, _)| *host).collect();
        let (first, example) = found[0];
        let message = match (on.len(), hosts) {
            (1, _) => format!("on {first}: {}", example.message),
            (all, hosts) if all == hosts => format!("on all {all} hosts; on {first}: {}", example.message),
            (some, _) => {
                format!("on {some} of {hosts} hosts ({}); on {first}: {}", names(&on), example.message)
            }
        };
        let message = match name.starts_with("amount-") && hosts > 1 {
            true => {
                format!("{message}; --until-written and --until-read count per host, not over all hosts")
            }
            false => message,
        };
        Finding::of_machine(known_names::known_name(name), severity, message).in_time_span(time_span)
    };
    kinds.into_iter().map(finding).collect()
}

fn shared_devices(record: &Record) -> Vec<Finding> {
    let mut users: BTreeMap<DeviceName, Vec<&str>> = BTreeMap::new();
    let mut unknown = Vec::new();
    let several = several_machines(record);
    for host in record.present() {
        let devices = host.targets.iter().filter_map(|target| target.storage.device.as_ref());
        let mut own: Vec<&BlockDevice> = devices.collect();
        own.sort_by_key(|device| (&device.identity, &device.name));
        own.dedup_by_key(|device| (&device.identity, &device.name));
        let mut names: Vec<DeviceName> = Vec::new();
        for device in own {
            let boot = host.system.boot.as_deref();
            let disk = device.disk.as_deref().unwrap_or(&device.name);
            names.extend(match (&device.identity, boot) {
                (Some(identity), _) => Some((identity.as_str(), None)),
                (None, boot) => boot.map(|boot| (disk, Some(boot))),
            });
            if device.identity.is_none() && several {
                unknown.push(host.name.as_str());
            }
        }
        names.dedup();
        names.into_iter().for_each(|name| users.entry(name).or_default().push(&host.name));
    }
    unknown.dedup();
    let shared = users.into_iter().filter(|(_, hosts)| hosts.len() > 1);
    let mut found: Vec<Finding> = shared
        .map(|((device, boot), hosts)| {
            let message = format!(
                "{} {} worked on the same device ({device}): {}; it counts once",
                hosts.len(),
                if boot.is_some() { "ranks on one machine" } else { "hosts" },
                names(&hosts)
            );
            Finding::of_machine("shared-device", Severity::Note, message)
        })
        .collect();
    if !unknown.is_empty() && record.present().count() > 1 {
        let message = format!(
            "unknown whether hosts share the devices of {}: they have no WWN and no serial number",
            names(&unknown)
        );
        found.push(Finding::of_machine("shared-device", Severity::Note, message));
    }
    found
}

/// Identity of a device: its globally unique WWN or serial number, else its name on a running kernel.
type DeviceName<'a> = (&'a str, Option<&'a str>);

fn several_machines(record: &Record) -> bool {
    let boots: Vec<Option<&str>> = record.present().map(|host| host.system.boot.as_deref()).collect();
    boots.iter().any(|boot| boot.is_none() || *boot != boots[0])
}

fn mixed_kinds(record: &Record) -> Option<Finding> {
    let prints = || record.present().filter_map(|host| Some((host, host.system.fingerprint.as_ref()?)));
    let (first, own) = prints().next()?;
    let other: Vec<&str> =
        prints().filter(|(_, print)| print.hash != own.hash).map(|(host, _)| host.name.as_str()).collect();
    let (host, print) = prints().find(|(_, print)| print.hash != own.hash)?;
    let differences = own.differences(print);
    let what: Vec<&str> =
        differences.iter().map(|difference| difference.part.as_str()).take(MAX_NAMED_HOSTS).collect();
    let message = format!(
        "{} of {} hosts are not like {}: {}; {} differs in {}",
        other.len(),
        record.present().count(),
        first.name,
        names(&other),
        host.name,
        what.join(", ")
    );
    Some(Finding::of_machine("hosts-differ", Severity::Note, message))
}

/// Returns the worst verdict of all hosts, with one part for all hosts with the same result.
pub(super) fn verdict(record: &Record, span: usize) -> Option<SpanVerdict> {
    let mut kinds: BTreeMap<VerdictKind, Vec<(&Host, String)>> = BTreeMap::new();
    let hosts = record.present().count();
    for host in record.present() {
        let devices = host.summary.as_ref()?.devices.iter().find(|devices| devices.time_span == span)?;
        let verdict = devices.verdict;
        let message = match devices.ranks {
            0 | 1 => devices.message.clone(),
            ranks => format!("{}; {ranks} ranks on its machine together", devices.message),
        };
        kinds.entry((devices.severity, verdict)).or_default().push((host, message));
    }
    let part = |((severity, verdict), found): (VerdictKind, Vec<(&Host, String)>)| {
        let on: Vec<&str> = found.iter().map(|(host, _)| host.name.as_str()).collect();
        let (first, example) = (&found[0].0.name, &found[0].1);
        let message = match on.len() {
            1 => format!("{first}: {example}"),
            some => format!("{some} of {hosts} hosts ({}); {first}: {example}", names(&on)),
        };
        DeviceVerdict::of_hosts(verdict, severity, message)
    };
    let parts: Vec<DeviceVerdict> = kinds.into_iter().rev().map(part).collect();
    let worst = parts.first()?;
    Some(SpanVerdict { time_span: span, verdict: worst.verdict, severity: worst.severity, parts })
}
