//! Errors between this host and a server: retransmissions, lost packets.

use super::{Finding, Severity, SpanContext};
use diskspd_machine::remote::RemoteFacts;

/// Minimum share of retransmissions with a visible effect on the time.
const MIN_RELEVANT_SHARE: f64 = 0.001;

/// Reports retransmitted requests and packets by mount.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let Some(devices) = span.devices() else { return Vec::new() };
    let requests = devices.remote.iter().filter_map(|mount| request_finding(span, mount));
    // All mounts have the same connections' counter.
    requests.chain(devices.remote.first().and_then(|mount| packet_finding(span, mount))).collect()
}

fn request_finding(span: &SpanContext, mount: &RemoteFacts) -> Option<Finding> {
    let all = mount.activity.all();
    let again = [mount.activity.read, mount.activity.write, mount.activity.commit]
        .iter()
        .map(|c| c.sent_again())
        .sum();
    let reconnects = mount.activity.reconnects.unwrap_or(0);
    let (RemoteFacts { name, .. }, again): (_, u64) = (mount, again);
    if again == 0 && all.timeouts == 0 && reconnects == 0 {
        return None;
    }
    let message = match (again, reconnects) {
        (0, 0) => format!("{name}: {} requests had no answer in time", all.timeouts),
        (0, _) => format!("{name}: the client reconnected to a server {reconnects} times"),
        _ => format!(
            "{name}: {again} of {} requests were sent again, {} had no answer in time: each waited for the \
             client's timeout, and the figures include it",
            all.requests, all.timeouts
        ),
    };
    let finding = Finding::new("rpc-retransmits", Severity::Warning, span, message);
    Some(finding.remedy("look for lost connections: dmesg, nfsstat -rc, ss -ti"))
}

fn packet_finding(span: &SpanContext, mount: &RemoteFacts) -> Option<Finding> {
    let tcp = mount.tcp.filter(|tcp| tcp.retransmitted > 0)?;
    let share = tcp.retransmitted as f64 / tcp.sent.max(1) as f64;
    let severity = if share >= MIN_RELEVANT_SHARE { Severity::Warning } else { Severity::Note };
    let message = format!(
        "packets or their acknowledgements were lost, or late: TCP sent {} of {} segments again ({:.2} %), \
         over all connections of this host",
        tcp.retransmitted,
        tcp.sent,
        share * 100.0
    );
    let finding = Finding::new("tcp-retransmits", severity, span, message);
    Some(finding.remedy("check the network's errors and drops: ip -s link, ss -ti, ethtool -S"))
}
