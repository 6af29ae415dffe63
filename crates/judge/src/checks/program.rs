//! Findings about another program whose I/O was judged.

use super::device::amount;
use super::{Finding, Severity, SpanContext};
use diskspd_model::results::{ClaimedFigures, ClaimedSide, JudgedProgram};

/// Largest plausible ratio of claimed to requested bytes.
const CLAIMS_MORE: f64 = 1.1;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let Some(program) = span.program else { return Vec::new() };
    let claimed = program.claimed.as_ref();
    [
        claimed.and_then(|claimed| figures(span, claimed)),
        claimed.and_then(|claimed| more_than_requested(span, program, claimed)),
        left_running(span, program),
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

/// A command that reports more I/Os than its processes requested.
fn more_than_requested(
    span: &SpanContext,
    program: &JudgedProgram,
    claimed: &ClaimedFigures,
) -> Option<Finding> {
    let unclear = program.read.unclear.bytes + program.write.unclear.bytes;
    if !program.engines.is_empty() || program.unreadable > 0 {
        return None;
    }
    let total = span.measured.total.total.throughput.bytes;
    let bytes = claimed.read.bytes.unwrap_or(0).saturating_add(claimed.write.bytes.unwrap_or(0));
    let most = total.saturating_add(unclear);
    (bytes as f64 > CLAIMS_MORE * most as f64).then(|| {
        let message = format!(
            "{} claims {}, but the processes requested at most {}",
            claimed.source,
            amount(bytes),
            amount(most)
        );
        Finding::new("claim-exceeds-requests", Severity::Wrong, span, message)
    })
}

fn left_running(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    (program.left_running > 0).then(|| {
        let message = format!(
            "{} processes of the command were still running at its end: their later I/O is not judged",
            program.left_running
        );
        Finding::new("processes-left", Severity::Note, span, message)
    })
}

fn failed(span: &SpanContext, program: &JudgedProgram) -> Option<Finding> {
    let code = program.exit_code.filter(|code| *code != 0)?;
    let message = format!("the command ended with exit code {code}");
    Some(Finding::new("command-failed", Severity::Warning, span, message))
}
