//! First writes allocate space, mark it as written, or copy shared extents. Later writes are faster.

use super::content::percent;
use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::Size;
use diskspd_machine::content::ContentShares;
use diskspd_machine::io_counters::{SpaceChange, TargetDevices};
use diskspd_machine::memory_backed::InMemory;
use diskspd_profile::TargetId;
use std::collections::HashSet;

/// Minimum share of the written bytes for a note.
const NOTED: f64 = 0.01;
/// Minimum share that changes conclusions; first writes take up to twice as long, durable ones longer.
const MIN_WRITTEN_SHARE: f64 = 0.1;

/// Bytes that a commit of a journal may allocate.
const COMMIT: u64 = 4 << 20;

/// Returns a finding for each target, and for each device with another target on it.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let mut found: Vec<FirstWrites> = Vec::new();
    let mut covered: HashSet<TargetId> = HashSet::new();
    let changes = span.devices().map_or(&[][..], |facts| &facts.space);
    let (own, beneath): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.device.is_none());
    for change in own.into_iter().chain(beneath) {
        let first = FirstWrites::for_change(span, change).filter(|first| first.share >= NOTED);
        let is_new = |first: &FirstWrites| first.targets.iter().any(|target| !covered.contains(target));
        if let Some(first) = first.filter(is_new) {
            covered.extend(&first.targets);
            found.push(first);
        }
    }
    found.iter().map(|first| first.build_finding(span)).collect()
}

/// Space allocated by writes to a target or device.
struct FirstWrites<'a> {
    targets: Vec<TargetId>,
    device: Option<&'a str>,
    kinds: [(u64, &'static str); 3],
    written: u64,
    /// Share of the written bytes.
    share: f64,
}

impl<'a> FirstWrites<'a> {
    fn for_change(span: &SpanContext, change: &'a SpaceChange) -> Option<FirstWrites<'a>> {
        let targets = through_space(span, change);
        let counted = |target: &TargetId| span.target_total(*target, |row| row.write.bytes);
        let written = targets.iter().map(counted).fold(0, u64::saturating_add);
        let kinds = allocated_kinds(&change.before, &change.after);
        let all = kinds.iter().map(|(bytes, _)| bytes).fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        let on_file =
            |target: &TargetId| span.host.storage(*target).is_some_and(|on| on.file_system.is_some());
        let floor = if change.device.is_some() && targets.iter().any(on_file) { COMMIT } else { 0 };
        let share = (all.saturating_sub(floor) as f64 / written.max(1) as f64).min(1.0);
        let device = change.device.as_deref();
        // zram allocates memory for each write.
        let is_zram = |target: &TargetDevices| {
            let layer = device.and_then(|device| target.stack.layer(device));
            layer.is_some_and(|layer| layer.memory == Some(InMemory::Zram))
        };
        let in_zram = span.devices().is_some_and(|facts| facts.targets.iter().any(is_zram));
        (written > 0 && !in_zram).then_some(FirstWrites { targets, device, kinds, written, share })
    }

    fn build_finding(&self, span: &SpanContext) -> Finding {
        let severity = if self.share >= MIN_WRITTEN_SHARE { Severity::Warning } else { Severity::Note };
        let path = self.targets.first().map(|target| span.host.path(*target));
        let (what, remedy) = match (self.device, path) {
            (None, Some(path)) => (
                format!("the bytes written to '{path}' had to allocate space"),
                "write the file before measuring: --prefill, or a first run over the area (-w100 -s -b1M)",
            ),
            (device, _) => (
                format!("the bytes written to {} had to allocate space under it", device.unwrap_or_default()),
                "write the whole area before measuring: a first run over it (-w100 -s -b1M)",
            ),
        };
        let message = format!("first writes: {} of {what}, which later writes do not", percent(self.share));
        let kinds = self.kinds.iter().filter(|(bytes, _)| *bytes > 0);
        let kinds: Vec<String> = kinds.map(|(bytes, kind)| format!("{} of {kind}", Size(*bytes))).collect();
        let evidence = format!("{}; {} were written", kinds.join(", "), Size(self.written));
        let finding = Finding::new("first-writes", severity, span, message).shown_by(evidence).remedy(remedy);
        match path {
            Some(path) => finding.on_target(path),
            None => finding,
        }
    }
}

/// Returns the targets whose I/O uses a space.
pub(super) fn through_space(span: &SpanContext, change: &SpaceChange) -> Vec<TargetId> {
    let on = |target: &&TargetDevices| match &change.device {
        Some(device) => target.stack.layer(device).is_some(),
        None => change.target == Some(target.target),
    };
    let targets = span.devices().map_or(&[][..], |facts| &facts.targets);
    targets.iter().filter(on).map(|target| target.target).collect()
}

fn allocated_kinds(before: &ContentShares, after: &ContentShares) -> [(u64, &'static str); 3] {
    [
        (before.holes.saturating_sub(after.holes), "holes filled"),
        (before.unwritten.saturating_sub(after.unwritten), "unwritten extents written"),
        (before.shared.saturating_sub(after.shared), "shared extents copied"),
    ]
}
