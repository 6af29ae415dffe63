//! Access to a target: the caching modes (`-S`, `-N`), hints (`-f`) and priorities (`-I`) on Linux.

use super::{AccessHint, Flush, IoPriority, MapOptions, OpenMode};
use diskspd_base::access::IoFeatures;
use diskspd_machine::target::TargetFacts;
use diskspd_profile::{self as profile, CacheMode, FlushType, Target};

/// Whether the I/Os on a target use the page cache, if it is not mapped.
pub(crate) fn is_cached(target: &Target, facts: &TargetFacts) -> bool {
    target.is_cached(facts.kind.is_device())
}

/// Whether the target bypasses the cache only because it is a block device.
pub(crate) fn is_uncached_device(target: &Target, facts: &TargetFacts) -> bool {
    target.is_cached(false) && !is_cached(target, facts) && !target.memory_mapped_io
}

/// Returns the open mode. Mapped files are always opened for reading and writing, as in DISKSPD.
/// Write-through then depends on the method of copying.
pub(crate) fn open_mode(target: &Target, facts: &TargetFacts) -> OpenMode {
    let mapped = target.memory_mapped_io;
    OpenMode {
        read: mapped || target.write_ratio < 100,
        write: mapped || target.is_changed(),
        direct: !mapped && !is_cached(target, facts),
        only_remote_cache: target.cache_mode == CacheMode::DisableLocalCache,
        dsync: !mapped && target.write_through,
        hint: access_hint(target),
        lifetime: target.write_hint,
    }
}

/// Returns the additional kernel flags of its I/Os, the same for all threads.
pub(crate) fn io_ways(target: &Target) -> IoFeatures {
    let Target { atomic, dont_cache, no_wait, .. } = *target;
    IoFeatures { atomic, dont_cache, no_wait, ..IoFeatures::default() }
}

/// Returns the memory mapping; `None` = not mapped. Non-temporal copies (`-Smw`) are never flushed.
pub(crate) fn map_options(target: &Target) -> Option<MapOptions> {
    let non_temporal = target.write_through;
    let flush = match target.flush_type {
        _ if non_temporal => Flush::None,
        None => Flush::None,
        Some(FlushType::ViewOfFile) => Flush::Pages,
        Some(FlushType::NonVolatileMemory) => Flush::CacheLines,
        Some(FlushType::NonVolatileMemoryNoDrain) => Flush::CacheLinesWithoutDrain,
    };
    target.memory_mapped_io.then(|| MapOptions { non_temporal, flush, hint: access_hint(target) })
}

/// Returns the priority: very low is the idle class, low the lowest best-effort level.
pub(crate) fn priority(target: &Target) -> IoPriority {
    match target.io_priority {
        profile::IoPriority::VeryLow => IoPriority::Idle,
        profile::IoPriority::Low => IoPriority::Low,
        profile::IoPriority::Normal => IoPriority::Unstated,
    }
}

fn access_hint(target: &Target) -> AccessHint {
    AccessHint {
        random: target.random_access,
        sequential: target.sequential_scan,
        temporary: target.temporary_file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::target::TargetKind;

    fn mapped_target(write_through: bool, flush_type: Option<FlushType>) -> Target {
        Target { memory_mapped_io: true, write_through, flush_type, ..Target::default() }
    }

    #[test]
    fn mapped_target_opens_for_read_and_write() {
        for write_ratio in [0, 50, 100] {
            let mode =
                open_mode(&Target { write_ratio, ..mapped_target(true, None) }, &TargetFacts::default());
            assert!(mode.read && mode.write && !mode.direct && !mode.dsync, "-w{write_ratio}: {mode:?}");
        }
        assert_eq!(map_options(&Target::default()), None);
    }

    #[test]
    fn block_devices_bypass_cache_without_explicit_sb() {
        let on = |kind| TargetFacts { kind, ..TargetFacts::default() };
        let unstated = Target::default();
        let cached = Target { uncached_devices: false, ..Target::default() };
        let bypassed = Target { cache_mode: CacheMode::DisableOsCache, ..Target::default() };
        let mapped = Target { memory_mapped_io: true, ..Target::default() };
        for (target, file, device) in [
            (&unstated, false, true),
            (&cached, false, false),
            (&bypassed, true, true),
            (&mapped, false, false),
        ] {
            for (kind, direct) in
                [(TargetKind::File, file), (TargetKind::Missing, file), (TargetKind::BlockDevice, device)]
            {
                assert_eq!(open_mode(target, &on(kind)).direct, direct, "{kind:?}: {target:?}");
                let by_default = direct && target.cache_mode == CacheMode::Cached;
                assert_eq!(is_uncached_device(target, &on(kind)), by_default, "{kind:?}: {target:?}");
            }
        }
    }

    #[test]
    fn mapped_flush_follows_option_n() {
        let view = Some(FlushType::ViewOfFile);
        let memory = Some(FlushType::NonVolatileMemory);
        let undrained = Some(FlushType::NonVolatileMemoryNoDrain);
        for (write_through, asked, expected) in [
            (false, None, Flush::None),
            (false, view, Flush::Pages),
            (false, memory, Flush::CacheLines),
            (false, undrained, Flush::CacheLinesWithoutDrain),
            (true, None, Flush::None),
            (true, view, Flush::None),
            (true, memory, Flush::None),
            (true, undrained, Flush::None),
        ] {
            let options = map_options(&mapped_target(write_through, asked)).expect("a mapping");
            assert_eq!((options.flush, options.non_temporal), (expected, write_through), "{asked:?}");
        }
    }
}
