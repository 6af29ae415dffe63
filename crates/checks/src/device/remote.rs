//! Verdict about a mount of another host's files: the same rules with client counters, and additional
//! client findings.

use super::part::Part;
use super::verdict::DeviceVerdict;
use super::wording::count;
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::remote::{Protocol, RemoteCalls, RemoteFacts};
use diskspd_machine::stack::Layer;

/// Adapts the verdict to a server, and adds findings from the client's counters. Local targets are
/// unchanged.
pub(super) fn report_remote(verdict: &mut DeviceVerdict, part: &Part, facts: &DeviceFacts) {
    if !part.is_remote() {
        return;
    }
    verdict.message = of_server(&verdict.message);
    verdict.remedy = verdict.remedy.as_deref().map(of_server);
    verdict.evidence = verdict.evidence.iter().map(|text| of_server(text)).collect();
    for mount in part.mounts() {
        if let Some(facts) = facts.remote.iter().find(|facts| facts.name == mount.name) {
            verdict.evidence.extend(time_lines(mount, facts));
        }
    }
    let unseen = "whether the server's memory or its disks served the I/Os is unknown to this host";
    verdict.evidence.push(unseen.to_owned());
}

/// Replaces the device in a text by the server.
fn of_server(text: &str) -> String {
    text.replace("the device", "the server")
}

fn time_lines(mount: &Layer, facts: &RemoteFacts) -> Vec<String> {
    let name = &mount.name;
    let sides = [
        ("read", &facts.activity.read),
        ("write", &facts.activity.write),
        ("commit", &facts.activity.commit),
    ];
    let told: Vec<String> =
        sides.into_iter().filter_map(|(what, calls)| split_text(name, what, calls)).collect();
    let smb = mount.remote.as_ref().is_some_and(|remote| remote.protocol == Protocol::Smb);
    if smb && told.is_empty() {
        return vec![format!(
            "{name}: the SMB client counts requests and bytes of a share, not how long they took"
        )];
    }
    told
}

/// Returns the mean request of one kind; `None` = no requests, or unknown.
fn split_text(name: &str, what: &str, calls: &RemoteCalls) -> Option<String> {
    let times = calls.times.filter(|_| calls.requests > 0)?;
    let mean = |ms: u64| ms as f64 / calls.requests as f64;
    let rest = times.total_ms.saturating_sub(times.queue_ms).saturating_sub(times.round_trip_ms);
    Some(format!(
        "{name}: a {what} request lasted {:.3} ms on average ({} of them): {:.3} ms queued in the client, \
         {:.3} ms in the network and the server together (the client cannot separate these), {:.3} ms in \
         the client afterwards",
        mean(times.total_ms),
        count(calls.requests),
        mean(times.queue_ms),
        mean(times.round_trip_ms),
        mean(rest),
    ))
}
