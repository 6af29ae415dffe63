//! Durable writes that weren't, and writes that were made durable though nobody asked for it.

use super::writes;
use crate::system::storage::FileSystem;
use crate::truth::device::flushed;
use crate::truth::view::Asked;
use crate::truth::{Finding, Severity, SpanView};

fn has_option(file_system: &FileSystem, wanted: fn(&str) -> bool) -> bool {
    file_system.options.split(',').any(wanted)
}

/// `-Sw` and `-Sh` on a device whose cache loses what is in it with the power, and nothing flushed it.
pub(super) fn not_flushed(span: &SpanView, asked: Asked) -> Option<Finding> {
    let target = asked.target;
    let durable = target.write_through || target.flush_type.is_some();
    if !durable || span.done(asked.id, writes) == 0 {
        return None;
    }
    let found = flushed(span, asked.id)?;
    let without_barriers = |option: &str| {
        matches!(option, "nobarrier" | "barrier=0" | "barrier=none") || option.ends_with("=nobarrier")
    };
    let file_system = span.host.storage(asked.id).and_then(|on| on.file_system.as_ref());
    let mount = file_system.filter(|file_system| has_option(file_system, without_barriers));
    // I/Os in flight together share a flush.
    let few = |flushes: &u64| flushes.saturating_mul(found.at_once) < found.durable / 2;
    let flushes = found.flushes.filter(|flushes| few(flushes) && !found.past_cache);
    if mount.is_none() && flushes.is_none() {
        return None;
    }
    let device = &found.device;
    let message = format!(
        "writes to '{}' were to be durable when they end, but {device} was not told to flush its write cache",
        target.path
    );
    let mut finding = Finding::new("not-flushed", Severity::Warning, span, message).on(&target.path);
    if let Some(flushes) = found.flushes {
        finding = finding.shown_by(format!("{flushes} flushes for {} writes", found.durable));
    }
    Some(match mount {
        Some(mount) => finding
            .shown_by(format!("{} is mounted without barriers ({})", mount.mounted_at, mount.options))
            .remedy(format!("mount it with barriers: mount -o remount,barrier {}", mount.mounted_at)),
        None => {
            finding.remedy("find out what keeps the flushes back (mount options, settings of the volume)")
        }
    })
}

/// A file system mounted with `sync` makes every write durable: figures without `-Sw` are those of it.
pub(super) fn sync_mount(span: &SpanView, asked: Asked) -> Option<Finding> {
    let target = asked.target;
    let durable = target.write_through || target.flush_type.is_some();
    if durable || span.done(asked.id, writes) == 0 {
        return None;
    }
    let on = span.host.storage(asked.id)?.file_system.as_ref()?;
    if !has_option(on, |option| option == "sync") {
        return None;
    }
    let message = format!(
        "every write to '{}' waited until it was durable, though that was not asked for: {} is mounted with sync",
        target.path, on.mounted_at
    );
    let mut finding = Finding::new("sync-mount", Severity::Warning, span, message).on(&target.path);
    if let Some(flushes) = flushed(span, asked.id).and_then(|found| found.flushes) {
        finding = finding.shown_by(format!("{flushes} flushes of the device"));
    }
    Some(finding.remedy(format!("mount it without: mount -o remount,async {}", on.mounted_at)))
}
