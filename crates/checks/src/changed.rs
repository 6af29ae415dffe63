//! Changes by other processes during the measurement: settings of devices, mount options, and the targets'
//! files.

use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::{Size, seconds_of_us};
use diskspd_machine::io_counters::{FileState, TargetDevices};
use diskspd_machine::stack::StackMount;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub what: String,
    /// The looks before and after it, s since measuring began; `None` = at any time.
    pub between: Option<(f64, f64)>,
}

impl Change {
    fn new(what: String, (after_us, seen_us): (u64, u64)) -> Change {
        Change { what, between: Some((seconds_of_us(after_us), seconds_of_us(seen_us))) }
    }

    /// Returns the change with its time.
    pub(super) fn dated(&self) -> String {
        match self.between {
            Some((after, seen)) => format!("between second {after:.1} and {seen:.1}: {}", self.what),
            None => format!("during the measurement: {}", self.what),
        }
    }
}

/// Changes of settings, and of files.
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
        .collect()
}

fn changed_targets<'a>(span: &SpanContext<'a>) -> impl Iterator<Item = &'a TargetDevices> + use<'a> {
    span.devices().map_or(&[][..], |facts| &facts.targets).iter()
}

/// Returns every change of a queue, of mount options, and of synchronous writes.
pub(super) fn settings(span: &SpanContext) -> Vec<Change> {
    let devices = span.devices().map_or(&[][..], |facts| &facts.devices);
    let queues = devices.iter().flat_map(|device| {
        device.changes.iter().map(|change| {
            let (from, to) = (chosen_word(&change.from), chosen_word(&change.to));
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

/// The chosen one of a list, such as `none` of `mq-deadline [none]`.
fn chosen_word(list: &str) -> String {
    diskspd_machine::storage::chosen_word(list)
}

/// The options that differ; none where a mount is another one.
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

/// Time between two checks in us.
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
    Some(finding.remedy("stop the other process, or measure another file"))
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
