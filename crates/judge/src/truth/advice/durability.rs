//! Durable writes that weren't, and writes that were made durable though nobody asked for it.

use super::writes;
use crate::truth::device::flushed;
use crate::truth::view::Asked;
use crate::truth::{Finding, Severity, SpanView};
use diskspd_model::machine::storage::FileSystem;

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
        "writes to '{}' should be durable on completion, but {device} got no flush of its write cache",
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
            finding.remedy("find out what suppresses the flushes (mount options, settings of the volume)")
        }
    })
}

/// What makes every write to a target durable, asked for or not.
enum Synchronous<'a> {
    /// Its file system is mounted with `sync`.
    Mount(&'a FileSystem),
    /// The file has the attribute S. (D, of folders, is about making and removing files, and costs no I/O to
    /// them.)
    File,
}

fn synchronous<'a>(span: &SpanView<'a>, asked: Asked) -> Option<Synchronous<'a>> {
    let on = span.host.storage(asked.id).and_then(|on| on.file_system.as_ref());
    let mount = on.filter(|on| has_option(on, |option| option == "sync")).map(Synchronous::Mount);
    let targets = span.devices().map_or(&[][..], |devices| &devices.targets);
    let file = targets.iter().any(|target| target.target == asked.id && target.synchronous);
    mount.or(file.then_some(Synchronous::File))
}

/// Whether each write to a target is durable when it ends though nobody asked for that.
pub(super) fn is_synchronous(span: &SpanView, asked: Asked) -> bool {
    synchronous(span, asked).is_some()
}

/// A file system mounted with `sync`, or a file with the attribute S, makes every write durable: figures
/// without `-Sw` are those of it.
pub(super) fn sync_mount(span: &SpanView, asked: Asked) -> Option<Finding> {
    let target = asked.target;
    let durable = target.write_through || target.flush_type.is_some();
    if durable || span.done(asked.id, writes) == 0 {
        return None;
    }
    let (name, why, remedy) = match synchronous(span, asked)? {
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
        "every write to '{}' waited until it was durable, which the command line doesn't request: {why}",
        target.path
    );
    let mut finding = Finding::new(name, Severity::Warning, span, message).on(&target.path);
    if let Some(flushes) = flushed(span, asked.id).and_then(|found| found.flushes) {
        finding = finding.shown_by(format!("{flushes} flushes of the device"));
    }
    Some(finding.remedy(remedy))
}
