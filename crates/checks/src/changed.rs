//! Changes by other processes during the measurement: settings of devices, mount options, and the targets'
//! files.

use super::first_writes::through_space;
use super::{Finding, Severity, SpanContext};
use diskspd_base::operation::Operation;
use diskspd_figures::units::{Size, seconds_of_us};
use diskspd_machine::content::ContentShares;
use diskspd_machine::io_counters::{FileState, SpaceChange, TargetDevices};
use diskspd_machine::stack::StackMount;
use diskspd_profile::TargetId;
use diskspd_results::TargetResults;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub what: String,
    /// Last check before and first check after the change in s since the start of the measurement; `None` =
    /// unknown.
    pub between: Option<(f64, f64)>,
}

impl Change {
    fn new(what: String, (after_us, seen_us): (u64, u64)) -> Change {
        Change { what, between: Some((seconds_of_us(after_us), seconds_of_us(seen_us))) }
    }

    /// Formats the change with its time.
    pub(super) fn dated(&self) -> String {
        match self.between {
            Some((after, seen)) => format!("between second {after:.1} and {seen:.1}: {}", self.what),
            None => format!("during the measurement: {}", self.what),
        }
    }
}

/// Reports changes of settings and files.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let settings = settings(span);
    let message = "settings of the targets' devices or file systems changed during the measurement";
    let finding = || {
        let finding = Finding::new("settings-changed", Severity::Warning, span, message);
        let finding = settings.iter().fold(finding, |finding, change| finding.shown_by(change.dated()));
        finding.remedy("measure again with unchanged settings")
    };
    let settings = (!settings.is_empty()).then(finding);
    settings
        .into_iter()
        .chain(changed_targets(span).filter_map(|target| changed_file(span, target)))
        .chain(changed_spaces(span))
        .collect()
}

/// Reports space that another process emptied or shared, once for each target.
fn changed_spaces(span: &SpanContext) -> Vec<Finding> {
    let Some(facts) = span.devices() else { return Vec::new() };
    let spaces = facts.space.iter().filter_map(|change| {
        let targets = through_space(span, change);
        Some((*targets.first()?, space_changes(span, change, &targets)?))
    });
    let discards = facts.targets.iter().filter_map(|target| {
        let first = target.stack.layers.first().filter(|_| target.stack.file_system.is_none())?;
        let device = facts.devices.iter().find(|device| device.name == first.name)?;
        let bytes = device.activity.discard.bytes;
        let is_foreign = bytes > 0 && own_discards(span, &[target.target]) == 0;
        is_foreign.then(|| (target.target, format!("{:#} of it were discarded", Size(bytes))))
    });
    let mut found: Vec<(TargetId, String)> = spaces.collect();
    for discard in discards {
        if found.iter().all(|(target, _)| *target != discard.0) {
            found.push(discard);
        }
    }
    found.into_iter().map(|(target, what)| build_space_finding(span, target, &what)).collect()
}

/// Returns the number of I/Os of the run that empty space.
fn own_discards(span: &SpanContext, targets: &[TargetId]) -> u64 {
    total_of(span, targets, |row| {
        let done = Operation::replacements().filter_map(|(op, ..)| row.aux_results(op));
        done.map(|done| done.ios).sum()
    })
}

fn total_of(span: &SpanContext, targets: &[TargetId], of: impl Fn(&TargetResults) -> u64) -> u64 {
    targets.iter().map(|target| span.target_total(*target, &of)).fold(0, u64::saturating_add)
}

/// Minimum relevant share of a space that another process changes.
const CHANGED_SHARE: f64 = 0.01;

/// Returns the text for space that was emptied or shared. A target on a file system does not use all of the
/// devices under it.
fn space_changes(span: &SpanContext, change: &SpaceChange, targets: &[TargetId]) -> Option<String> {
    let own = changed_targets(span).filter(|own| targets.contains(&own.target));
    if change.device.is_some() && own.into_iter().any(|own| own.stack.file_system.is_some()) {
        return None;
    }
    let least = (change.before.examined as f64 * CHANGED_SHARE) as u64;
    let grown = |before: u64, after: u64| Some(after.saturating_sub(before)).filter(|more| *more > least);
    let gaps = |space: &ContentShares| space.holes.saturating_add(space.unwritten);
    let emptied = grown(gaps(&change.before), gaps(&change.after));
    if let Some(more) = emptied.filter(|_| own_discards(span, targets) == 0) {
        return Some(format!("{:#} of it became unwritten (punched, zeroed or discarded)", Size(more)));
    }
    let more = grown(change.before.shared, change.after.shared);
    let more = more.filter(|_| total_of(span, targets, |row| row.write.ios) > 0)?;
    Some(format!("{:#} of it became shared (a clone or snapshot), so writes copy it first", Size(more)))
}

fn build_space_finding(span: &SpanContext, target: TargetId, what: &str) -> Finding {
    let path = span.host.path(target);
    let message = format!("another process changed '{path}' during the measurement: {what}");
    Finding::new("file-changed", Severity::Warning, span, message).on_target(path).remedy(CHANGED_REMEDY)
}

fn changed_targets<'a>(span: &SpanContext<'a>) -> impl Iterator<Item = &'a TargetDevices> + use<'a> {
    span.devices().map_or(&[][..], |facts| &facts.targets).iter()
}

/// Returns every change of a queue, of mount options, and of synchronous writes.
pub(super) fn settings(span: &SpanContext) -> Vec<Change> {
    let devices = span.devices().map_or(&[][..], |facts| &facts.devices);
    let queues = devices.iter().flat_map(|device| {
        device.changes.iter().map(|change| {
            let [from, to] = [&change.from, &change.to].map(|value| format_setting(&change.setting, value));
            let what = format!("{} of {} from {from} to {to}", change.setting, device.name);
            Change::new(what, (change.after_us, change.observed_us))
        })
    });
    let files = changed_targets(span).flat_map(|target| {
        let path = span.host.path(target.target);
        let changes = target.states.windows(2).filter_map(|pair| pair.first().zip(pair.get(1)));
        changes.filter(|(before, after)| before.synchronous != after.synchronous).map(
            move |(before, after)| {
                let now = if after.synchronous { "synchronous" } else { "no longer synchronous" };
                Change::new(
                    format!("writes to '{path}' are {now} (chattr, remount)"),
                    compare_states(before, after),
                )
            },
        )
    });
    let mut all: Vec<Change> = queues.chain(files).collect();
    for change in
        changed_targets(span).flat_map(|target| remount_changes(&target.stack.mounts, &target.remounted))
    {
        if !all.contains(&change) {
            all.push(change);
        }
    }
    all
}

/// The chosen one of a list, such as `none` of `mq-deadline [none]`; a size in bytes instead of sectors.
fn format_setting(setting: &str, value: &str) -> String {
    match value.parse::<u64>() {
        Ok(sectors) if setting == "size" => format!("{:#}", Size(sectors.saturating_mul(512))),
        _ => diskspd_machine::storage::chosen_word(value),
    }
}

/// Returns the options that differ; empty if the mount is another one.
fn remount_changes(before: &[StackMount], after: &[StackMount]) -> Vec<Change> {
    let pairs = before.iter().zip(after).filter(|(before, after)| before.mount_point == after.mount_point);
    let changed = pairs.filter_map(|(before, after)| {
        let only = |one: &StackMount, other: &StackMount| {
            let others: Vec<&str> = other.options.split(',').collect();
            let own = one.options.split(',').filter(|option| !others.contains(option));
            own.map(str::to_owned).collect::<Vec<_>>()
        };
        let (gone, new) = (only(before, after), only(after, before));
        let parts = [("without", gone), ("with", new)].into_iter().filter(|(_, options)| !options.is_empty());
        let parts: Vec<String> =
            parts.map(|(word, options)| format!("{word} {}", options.join(","))).collect();
        let what = format!("{} is mounted {} now", before.mount_point, parts.join(" and "));
        (!parts.is_empty()).then_some(Change { what, between: None })
    });
    changed.collect()
}

/// When a state was seen: the state before is the last that is recorded, so any time since then.
fn compare_states(before: &FileState, after: &FileState) -> (u64, u64) {
    (before.observed_us.max(after.observed_us.saturating_sub(CHECK_INTERVAL_US)), after.observed_us)
}

const CHANGED_REMEDY: &str = "stop the other process, or measure another file";
/// Interval of checks in µs.
const CHECK_INTERVAL_US: u64 = 1_000_000;

/// Reports that another process deleted the file of a target, or changed its size.
fn changed_file(span: &SpanContext, target: &TargetDevices) -> Option<Finding> {
    let path = span.host.path(target.target);
    let pairs = target.states.windows(2).filter_map(|pair| pair.first().zip(pair.get(1)));
    let changes: Vec<Change> = pairs.flat_map(|(before, after)| file_changes(before, after)).collect();
    let last = changes.last()?;
    let message = format!("another process changed '{path}' during the measurement: {}", last.what);
    let finding = Finding::new("file-changed", Severity::Warning, span, message).on_target(path);
    let finding = changes.iter().fold(finding, |finding, change| finding.shown_by(change.dated()));
    Some(finding.remedy(CHANGED_REMEDY))
}

fn file_changes(before: &FileState, after: &FileState) -> Vec<Change> {
    let size = match before.size.cmp(&after.size) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some("it grew"),
        std::cmp::Ordering::Greater => Some("it was truncated"),
    };
    let size = size.map(|word| format!("{word} from {} to {}", Size(before.size), Size(after.size)));
    let gone = (before.links > 0 && after.links == 0).then(|| "it was deleted".to_owned());
    size.into_iter().chain(gone).map(|what| Change::new(what, compare_states(before, after))).collect()
}
