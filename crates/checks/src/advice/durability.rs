//! Requested durability that was not reached, and durability without a request.

use super::writes;
use crate::device::{FlushStop, Flushed, flushed};
use crate::view::RequestedTarget;
use crate::{Finding, Severity, SpanContext};
use diskspd_base::operation::Operation;
use diskspd_machine::file_systems::FileSystemType;
use diskspd_machine::stack::dropping_option;
use diskspd_machine::storage::FileSystem;
use diskspd_results::TargetResults;

/// Whether durability was requested for the writes to a target, and done: `-Sw`, `-Sh`, `--fua`, flushes of
/// mapped files, `--fsync-every`, `--flush-after`.
fn is_requested(span: &SpanContext, asked: RequestedTarget) -> bool {
    let single =
        |row: &TargetResults| row.aux_results(Operation::DurableWrite).map_or(0, |writes| writes.ios);
    asked.target.is_durable() && span.target_total(asked.id, writes) > 0
        || span.target_total(asked.id, single) > 0
        || waits_for_flush(span, asked)
}

/// Whether the run flushed a target by separate calls: `--fsync-every`, `--flush-after`, flushes of mapped
/// files.
fn waits_for_flush(span: &SpanContext, asked: RequestedTarget) -> bool {
    let flushed = |row: &TargetResults| row.aux_results(Operation::Flush).map_or(0, |flushes| flushes.ios);
    let afterwards = || span.facts_of(asked.id).any(|facts| facts.flush.is_some());
    let written = span.target_total(asked.id, writes) > 0;
    written && (asked.target.flush_type.is_some() || afterwards()) || span.target_total(asked.id, flushed) > 0
}

/// Whether an overlay with this option ignores flushes.
fn is_volatile(option: &str) -> bool {
    option.ends_with("volatile")
}

enum FlushDrop<'a> {
    Mount(&'a str, &'a str),
    /// Device whose settings state that its cache is not volatile.
    Device(&'a str),
}

/// Returns the place that certainly drops the flushes of a target.
fn dropped_flushes<'a>(
    span: &SpanContext<'a>,
    asked: RequestedTarget,
    found: &Flushed<'a>,
) -> Option<FlushDrop<'a>> {
    let mount = match &found.stopped {
        Some(FlushStop::Device(name)) => return Some(FlushDrop::Device(name)),
        Some(FlushStop::Mount(mount)) => Some((mount.mount_point.as_str(), mount.drops_flushes()?)),
        None => {
            // Records of older programs have the mount of the target alone.
            let on = span.host.storage(asked.id).and_then(|on| on.file_system.as_ref());
            on.and_then(|on| Some((on.mounted_at.as_str(), dropping_option(&on.kind, &on.options)?)))
        }
    };
    // A volatile overlay still passes on that its files are open for durable writes.
    let drops = |option: &str| !is_volatile(option) || waits_for_flush(span, asked) || found.is_short();
    mount.filter(|(_, option)| drops(option)).map(|(at, option)| FlushDrop::Mount(at, option))
}

/// Reports requests for durability without flushes of the volatile cache.
pub(super) fn not_flushed(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let found = flushed(span, asked.id).filter(|_| is_requested(span, asked))?;
    let dropped = dropped_flushes(span, asked, &found);
    if dropped.is_none() && !found.is_short() {
        return None;
    }
    let (path, names) = (&asked.target.path, found.devices.join(" and "));
    let why = match (found.flushes, &dropped) {
        (None | Some(0), _) => format!("{names} got no flush of its write cache"),
        (_, Some(_)) => format!("none of its flushes reached the write cache of {names}"),
        (Some(flushes), None) => format!("{names} got only {flushes} flushes of its write cache"),
    };
    let message = format!("writes to '{path}' should be durable on completion, but {why}");
    let mut finding = Finding::new("not-flushed", Severity::Warning, span, message).on_target(path);
    if let Some(flushes) = found.flushes.filter(|_| found.requests > 0) {
        let counted = format!("{flushes} flushes, other programs' included, for {} requests", found.requests);
        finding = finding.shown_by(counted);
    }
    Some(match dropped {
        Some(FlushDrop::Mount(at, option)) if is_volatile(option) => finding
            .shown_by(format!("the overlay at {at} is mounted with volatile"))
            .remedy("mount the overlay without volatile"),
        Some(FlushDrop::Mount(at, option)) => finding
            .shown_by(format!("{at} is mounted without barriers ({option})"))
            .remedy(format!("mount it with barriers: mount -o remount,barrier {at}")),
        Some(FlushDrop::Device(device)) => finding
            .shown_by(format!("{device} is set to write through, so the kernel drops flushes at it"))
            .remedy(format!("echo write back > /sys/block/{device}/queue/write_cache")),
        None => {
            finding.remedy("find out what suppresses the flushes (mount options, settings of the volume)")
        }
    })
}

/// Reports requests for durability of files in memory.
pub(super) fn in_memory(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let on = span.host.storage(asked.id).and_then(|on| on.file_system.as_ref());
    let own = on.filter(|on| FileSystemType::from_name(&on.kind).is_memory());
    let own = own.map(|on| format!("{} keeps its files in memory", on.kind));
    let hidden = || span.facts_of(asked.id).next()?.stack.in_memory.clone();
    let why = own.or_else(hidden).filter(|_| is_requested(span, asked))?;
    let path = &asked.target.path;
    let message =
        format!("writes to '{path}' are lost with the power, although the run requested durability: {why}");
    let finding = Finding::new("not-durable", Severity::Warning, span, message).on_target(path);
    Some(finding.remedy("choose a target on a device to measure durable writes"))
}

enum Synchronous<'a> {
    Mount(&'a FileSystem),
    /// The file has attribute S (synchronous). Attribute D of folders affects only the creation and
    /// removal of files.
    File,
}

fn synchronous_writes<'a>(span: &SpanContext<'a>, asked: RequestedTarget) -> Option<Synchronous<'a>> {
    let on = span.host.storage(asked.id).and_then(|on| on.file_system.as_ref());
    let mount = on.filter(|on| on.options.split(',').any(|option| option == "sync")).map(Synchronous::Mount);
    let file = span.facts_of(asked.id).any(|target| target.synchronous);
    mount.or(file.then_some(Synchronous::File))
}

pub(super) fn is_synchronous(span: &SpanContext, asked: RequestedTarget) -> bool {
    synchronous_writes(span, asked).is_some()
}

/// Reports a `sync` mount, or a file with the attribute S, which make every write durable without `-Sw`.
pub(super) fn sync_mount(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    if target.is_durable() || span.target_total(asked.id, writes) == 0 {
        return None;
    }
    let (name, why, remedy) = match synchronous_writes(span, asked)? {
        Synchronous::Mount(on) => (
            "sync-mount",
            format!("{} is mounted with sync", on.mounted_at),
            format!("mount it without: mount -o remount,async {}", on.mounted_at),
        ),
        Synchronous::File => (
            "sync-file",
            "the file has the attribute S (synchronous updates)".to_owned(),
            format!(
                "remove the attribute: chattr -S '{}'; new files inherit it from their folder",
                target.path
            ),
        ),
    };
    let message = format!(
        "every write to '{}' waited until it was durable, which the command line does not request: {why}",
        target.path
    );
    let mut finding = Finding::new(name, Severity::Warning, span, message).on_target(&target.path);
    if let Some(flushes) = flushed(span, asked.id).and_then(|found| found.flushes) {
        finding = finding.shown_by(format!("{flushes} flushes of the device"));
    }
    Some(finding.remedy(remedy))
}
