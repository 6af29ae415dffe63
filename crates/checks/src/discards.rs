//! Reads of areas that the run itself discarded (`--trim`) or otherwise emptied. They are holes, and are
//! served without the medium.

use super::view::RequestedTarget;
use super::{Finding, Severity, SpanContext, content};
use diskspd_base::operation::{AuxRow, Operation, ShareRow};
use diskspd_figures::units;
use diskspd_results::DirectionResults;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let targets = span.targets();
    targets
        .flat_map(|asked| Operation::replacements().filter_map(move |of| hole_finding(span, asked, of)))
        .collect()
}

/// Returns the maximum share of reads of holes at the end of the run. Every discard makes one hole, which
/// a write may fill, so discards limit the holes. After full coverage, the shares of discards and writes
/// equal the shares of holes and data.
fn hole_finding(
    span: &SpanContext,
    asked: RequestedTarget,
    (op, row, share): (Operation, &AuxRow, &ShareRow),
) -> Option<Finding> {
    // Simulated devices hold nothing.
    let storage = span.host.storage(asked.id)?;
    if storage.is_block_device() == Some(true) && share.writes_on_devices {
        return None;
    }
    let done = |count: fn(&DirectionResults) -> u64| {
        span.target_total(asked.id, move |target| target.aux_results(op).map_or(0, count))
    };
    let (discards, discarded) = (done(|done| done.ios), done(|done| done.bytes));
    let written = span.target_total(asked.id, |row| row.write.bytes);
    if discarded == 0 || span.target_total(asked.id, |row| row.read.ios) == 0 {
        return None;
    }
    let area = span.touched_area(asked).filter(|area| *area > 0)?;
    // The warm-up discards too, and isn't counted.
    let measured = span.results.measured.max(1) as f64;
    let all = discarded as f64 * (1.0 + f64::from(span.asked.warmup) * 1e9 / measured);
    let most = (all / area as f64).min(discarded as f64 / (discarded.saturating_add(written)) as f64);
    let severity = content::gaps_severity(most)?;
    let path = &asked.target.path;
    let message = format!(
        "up to {2} of the reads hit blocks of '{path}' that the run itself {0} ({1}): they never reach the \
         medium",
        share.past,
        row.option,
        content::percent(most)
    );
    let evidence = format!(
        "{discards} {} of {}, {} written, in an area of {}",
        row.plural,
        units::amount(discarded),
        units::amount(written),
        units::amount(area)
    );
    let finding = Finding::new("content-discarded", severity.min(Severity::Warning), span, message);
    let remedy =
        format!("give the {} a separate target, or measure reads without {}", row.plural, row.option);
    Some(finding.on_target(path).shown_by(evidence).remedy(remedy))
}
