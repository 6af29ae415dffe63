//! Findings about another program whose I/O was judged.

use super::device::amount;
use super::{Finding, Severity, SpanContext};
use diskspd_results::{ClaimedFigures, ClaimedSide, JudgedProgram, RequestShape, SizeClass, TargetUser};

/// Maximum plausible ratio of claimed to requested bytes.
const MAX_CLAIM_RATIO: f64 = 1.1;
/// Maximum bytes that a client requests itself.
const MIN_OWN_BYTES: u64 = 1 << 20;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let Some(program) = span.program else { return Vec::new() };
    let claimed = program.claimed.as_ref();
    [
        claimed.and_then(|claimed| figures(span, claimed)),
        claimed.and_then(|claimed| more_than_requested(span, program, claimed)),
        target_users(span, program),
        device_view(span, program),
        still_running(span, program),
        clients(span, program),
        failed(span, program),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Compares the command's own figures with the devices' figures.
fn figures(span: &SpanContext, claimed: &ClaimedFigures) -> Option<Finding> {
    let (read, write) = (claimed.read, claimed.write);
    let sum = |of: fn(ClaimedSide) -> Option<u64>| Some(of(read).unwrap_or(0).saturating_add(of(write)?));
    let ios = sum(|side| side.ios).or(read.ios)?;
    let bytes = sum(|side| side.bytes).or(read.bytes)?;
    let seconds = claimed.seconds.filter(|seconds| *seconds > 0.0).unwrap_or(span.measured.seconds);
    let rates = span.queues.rates?;
    let all = span.measured.seconds;
    let (device_ios, device_bytes) =
        ((rates.reads + rates.writes) * all, (rates.read_bytes + rates.write_bytes) * all);
    let message = format!(
        "claimed by {}: {:.0} IOPS, {} ({ios} I/Os in {seconds:.2} s); done by the device: {:.0} IOPS, {} \
         ({device_ios:.0} I/Os in {all:.2} s)",
        claimed.source,
        ios as f64 / seconds,
        amount(bytes),
        device_ios / seconds,
        amount(device_bytes as u64),
    );
    let mut finding = Finding::new("claimed-figures", Severity::Note, span, message);
    finding.answers = true;
    Some(finding)
}

/// Reports a command that claims more I/Os than its processes requested.
fn more_than_requested(
    span: &SpanContext,
    program: &JudgedProgram,
    claimed: &ClaimedFigures,
) -> Option<Finding> {
    let unclear = program.read.unclear.bytes + program.write.unclear.bytes;
    if !program.engines.is_empty() || program.unreadable > 0 || program.dropped > 0 {
        return None;
    }
    let total = span.measured.total.total.throughput.bytes;
    let bytes = claimed.read.bytes.unwrap_or(0).saturating_add(claimed.write.bytes.unwrap_or(0));
    let most = total.saturating_add(unclear);
    (bytes as f64 > MAX_CLAIM_RATIO * most as f64).then(|| {
        let message = format!(
            "{} claims {}, but the processes requested at most {}",
            claimed.source,
            amount(bytes),
            amount(most)
        );
        Finding::new("claim-exceeds-requests", Severity::Wrong, span, message)
    })
}

const MAX_LISTED: usize = 4;

/// Reports the processes with an open target, if there is no command.
fn target_users(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    if !program.words.is_empty() {
        return None;
    }
    let bytes =
        |user: &TargetUser| user.read_bytes.unwrap_or(0).saturating_add(user.write_bytes.unwrap_or(0));
    let all: u64 = program.users.iter().map(bytes).sum();
    let listed: Vec<String> = program
        .users
        .iter()
        .take(MAX_LISTED)
        .map(|user| match (user.read_bytes, all) {
            (None, _) => format!("{} ({}) with unreadable counters", user.name, user.pid),
            (_, 0) => format!("{} ({})", user.name, user.pid),
            _ => {
                let share = bytes(user) as f64 / all as f64 * 100.0;
                format!("{} ({}) {share:.0} %", user.name, user.pid)
            }
        })
        .collect();
    let more = program.processes.saturating_sub(listed.len() as u64);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let unreadable = match program.unreadable {
        0 => String::new(),
        count => format!("; {count} processes of other users could not be inspected: root can"),
    };
    let message = match listed.is_empty() {
        true => format!("no process was seen with a target open{unreadable}"),
        false => format!(
            "processes with a target open: {}{more}; they requested {} of block devices{unreadable}",
            listed.join(", "),
            amount(all)
        ),
    };
    let mut finding = Finding::new("target-users", Severity::Note, span, message);
    finding.answers = true;
    Some(finding)
}

/// Reports queue depths, sizes and addresses at the device.
fn device_view(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    let view = program.device_view.as_ref()?;
    let mut parts = Vec::new();
    if let Some(median) = SizeClass::quantile(&view.in_flight, 0.5) {
        let [p90, most] = [0.9, 1.0].map(|share| SizeClass::quantile(&view.in_flight, share).unwrap_or(0));
        let samples: u64 = view.in_flight.iter().map(|class| class.count).sum();
        let from = |ios: u64| if ios < 2 { ios.to_string() } else { format!("{ios} to {}", 2 * ios - 1) };
        parts.push(format!(
            "I/Os in flight: median {}, 90th percentile {}, maximum {} ({samples} samples)",
            from(median),
            from(p90),
            from(most)
        ));
    }
    if let Some(traced) = &view.requests {
        let sides = [("reads", &traced.read), ("writes", &traced.write)];
        parts.extend(sides.iter().filter_map(|(name, shape)| shape_text(name, shape)));
        let lost =
            if traced.lost > 0 { format!(", {} events were lost", traced.lost) } else { String::new() };
        parts.push(format!(
            "requests of {} were traced in {:.1} % of the time{lost}",
            traced.device,
            traced.traced_share * 100.0
        ));
    }
    parts.extend(view.untraced_reason.as_ref().map(|reason| format!("requests were not traced: {reason}")));
    let message = parts.join("; ");
    (!parts.is_empty()).then(|| Finding::new("device-view", Severity::Note, span, message))
}

fn shape_text(name: &str, shape: &RequestShape) -> Option<String> {
    let median = SizeClass::quantile(&shape.sizes, 0.5)?;
    let most = SizeClass::quantile(&shape.sizes, 1.0)?;
    let share = shape.sequential as f64 / shape.requests.max(1) as f64 * 100.0;
    let sizes = match median == most {
        true => amount(median),
        false => format!("median {}, maximum {}", amount(median), amount(most)),
    };
    Some(format!("{} traced {name}: size class {sizes}, {share:.0} % sequential", shape.requests))
}

fn still_running(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    (program.still_running > 0).then(|| {
        let message = format!(
            "{} processes of the command were still running at its end: their later I/O is not judged",
            program.still_running
        );
        Finding::new("processes-left", Severity::Note, span, message)
    })
}

/// Reports clients, because containers of a daemon are not descendants of the command.
fn clients(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    (!program.clients.is_empty()).then(|| {
        let message = format!(
            "I/O of other process trees is not counted: {} leaves its work to a daemon or another host",
            program.clients.join(", ")
        );
        let requested = span.measured.total.total.throughput.bytes;
        let severity = if requested < MIN_OWN_BYTES { Severity::Warning } else { Severity::Note };
        Finding::new("io-elsewhere", severity, span, message)
            .remedy("watch the storage of the container: judge --for 60s TARGET")
    })
}

fn failed(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    let code = program.exit_code.filter(|code| *code != 0)?;
    let message = format!("the command ended with exit code {code}");
    Some(Finding::new("command-failed", Severity::Warning, span, message))
}
