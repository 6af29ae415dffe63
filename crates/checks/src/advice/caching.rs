//! Caches that answer instead of the device.

use super::{durability, reads, writes};
use crate::view::RequestedTarget;
use crate::{Finding, Severity, SpanContext};
use diskspd_base::operation::Operation;
use diskspd_figures::units::Size;
use diskspd_machine::file_systems::FileSystemType;
use diskspd_results::TargetResults;

/// Reports cached reads of an area that fits into the page cache. They are served from memory at the
/// latest from the second time; a newly written file is cached from the start.
pub(super) fn reads_fit(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    if !span.is_cached(asked) || span.target_total(asked.id, reads) == 0 {
        return None;
    }
    let on = span.host.storage(asked.id)?;
    // Files that are memory themselves: no cache is between.
    if on.file_system.as_ref().is_some_and(|found| FileSystemType::from_name(&found.kind).is_memory()) {
        return None;
    }
    let area = span.touched_area(asked).filter(|&area| area > 0)?;
    let limit = span.system.environment.as_ref().and_then(|environment| environment.limits.memory);
    let room = span.system.memory_available.min(limit.unwrap_or(u64::MAX));
    if area > room {
        return None;
    }
    let message = format!("the area read of '{}' fits into memory: the page cache can answer", target.path);
    Some(
        Finding::new("cached-reads", Severity::Warning, span, message)
            .on_target(&target.path)
            .shown_by(format!(
                "the area has {}, {} of memory are available for the page cache",
                Size(area),
                Size(room)
            ))
            .remedy("bypass the page cache with -Su or -Sh, or use a file several times the size of memory")
            // Whether they were answered from there is the verdict's to say.
            .quietly(),
    )
}

/// Size in bytes up to which an area fits into the cache of any disk.
const SMALL_AREA: u64 = 4 << 20;
/// An area that was passed over fewer times was not served from such a cache for most of the run.
const PASSES: u64 = 4;

/// I/O past the page cache in an area that the device's own cache holds. Durable writes are not served from
/// there.
pub(super) fn small_area(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    let durable = target.is_durable();
    let own = |row: &TargetResults| match durable {
        true => row.read.bytes,
        false => row.read.bytes.saturating_add(row.write.bytes),
    };
    let area = span.touched_area(asked).filter(|&area| area > 0 && area <= SMALL_AREA)?;
    let part = span.parts.iter().find(|part| part.has_target(asked.id))?;
    let passes = span.target_total(asked.id, own) / area;
    let on_disks = part.has_devices() && part.memory().is_none() && !part.is_remote();
    if span.is_cached(asked) || target.memory_mapped_io || !on_disks || passes < PASSES {
        return None;
    }
    let message =
        format!("the area of '{}' has only {}: the device's own cache can serve it", target.path, Size(area));
    let finding = Finding::new("small-area", Severity::Warning, span, message).on_target(&target.path);
    let finding = finding.shown_by(format!("it was passed over {passes} times"));
    let size = span.rows_of(asked.id).map(|row| row.size).max()?;
    let larger = match area < size {
        true => "more of the target: -f, -B",
        false => "a larger file or device",
    };
    Some(finding.remedy(format!("use an area many times the size of the device's cache ({larger})")))
}

/// Reports writes that complete before they are durable, unless requested. This is valid, but not
/// comparable with a database log.
pub(super) fn not_durable(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    let durable = target.is_durable();
    let flushed = span.rows_of(asked.id).any(|row| row.aux_results(Operation::Flush).is_some());
    let durable = durable || flushed || durability::is_synchronous(span, asked);
    if durable || span.target_total(asked.id, writes) == 0 {
        return None;
    }
    let finding = |message| {
        Finding::new("not-durable", Severity::Note, span, message)
            .on_target(&target.path)
            .remedy("measure durable writes with -Sh or -Suw, durable writes through the cache with -Sbw")
            .quietly()
    };
    if span.is_cached(asked) {
        let message =
            format!("writes to '{}' complete in the page cache: they are not durable yet", target.path);
        return span.host.storage(asked.id).map(|_| finding(message));
    }
    let disks = span.by_target.disks(asked.id);
    let volatile: Vec<&str> = disks
        .filter(|disk| disk.device.queue.get("write_cache").is_some_and(|cache| cache == "write back"))
        .map(|disk| disk.device.name.as_str())
        .collect();
    if volatile.is_empty() {
        return None;
    }
    // Of several, such as a cache and the disk behind it, which one took a write isn't known.
    let message = format!(
        "writes to '{}' complete in the volatile write cache of {}: a power cut loses them",
        target.path,
        volatile.join(" or ")
    );
    Some(finding(message).shown_by("write_cache: write back".to_owned()))
}
