//! Addresses of I/Os: overlapping streams, and blocks that are not aligned to blocks of the device.

use super::{reads_and_writes, writes};
use crate::view::RequestedTarget;
use crate::{Finding, Severity, SpanContext};
use diskspd_machine::file_systems::{FileSystemType, Trait};

/// Reports threads that start their sequential streams at the same place, without `-T` and `-si`. The
/// profile check warns before the run. This finding is for programs, and includes the consequences.
pub(super) fn overlapping(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    let threads = span.asked.threads_on(target);
    let apart = target.random_ratio > 0 || target.interlocked_sequential || target.thread_stride > 0;
    if apart || threads < 2 || span.target_total(asked.id, reads_and_writes) == 0 {
        return None;
    }
    let meets = match span.is_cached(asked) {
        true => "the first one fills the page cache, and the others are served from it",
        false => "the device gets each address several times in a row, and serves it from its own cache",
    };
    let message = format!("{threads} threads access the same addresses of '{}'", target.path);
    Some(
        Finding::new("overlapping-streams", Severity::Warning, span, message)
            .on_target(&target.path)
            .shown_by(format!(
                "all start at {} with a stride of {}; {meets}",
                target.base_file_offset,
                target.stride()
            ))
            .remedy(
                "use -si for one stream shared by all threads, -T<size> for separate streams, or -r for \
                     random I/O",
            )
            .quietly(),
    )
}

/// Maximum real sector size in bytes; larger physical blocks are hints about stripes or flash pages.
const MAX_SECTOR_BYTES: u64 = 4096;

/// Past the cache, a write that covers a part of a block reads the rest of it first; a read takes whole
/// blocks anyway.
pub(super) fn find_misaligned(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    if span.is_cached(asked) || target.memory_mapped_io {
        return None;
    }
    let writes = span.target_total(asked.id, writes) > 0;
    let on = span.host.storage(asked.id)?;
    let physical =
        on.device.as_ref().and_then(|device| device.queue.get("physical_block_size")?.parse().ok());
    let tells = |kind: &str| FileSystemType::from_name(kind).has_trait(Trait::TellsBlocks);
    let file_system = on.file_system.as_ref().filter(|found| tells(&found.kind));
    let file_system = file_system.and_then(|found| found.block_size).filter(|_| writes);
    let places = [
        ("the block size", u64::from(target.block_size)),
        ("the alignment or stride", target.stride()),
        ("the base offset", target.base_file_offset),
    ];
    let blocks = [("physical blocks of the device", physical), ("blocks of the file system", file_system)];
    for (what, block) in blocks {
        let Some(block) = block.filter(|&block: &u64| block > 0) else { continue };
        let Some((place, value)) = places.iter().find(|(_, value)| !value.is_multiple_of(block)) else {
            continue;
        };
        let message = match writes {
            true => {
                format!("writes to '{}' cover partial blocks: the rest is read or locked first", target.path)
            }
            false => format!("reads of '{}' cover partial blocks: the device reads more", target.path),
        };
        let severity = if writes { Severity::Warning } else { Severity::Note };
        let finding = Finding::new("misaligned", severity, span, message)
            .on_target(&target.path)
            .shown_by(format!(
                "{place} of {value} bytes is not a multiple of {block}, the size of the {what}"
            ))
            .remedy(format!("use multiples of {block} for -b, -r or -s, and -B"));
        return Some(match writes && block <= MAX_SECTOR_BYTES {
            true => finding,
            false => Finding { severity: Severity::Note, ..finding }.quietly(),
        });
    }
    None
}
