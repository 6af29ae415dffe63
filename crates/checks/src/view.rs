//! One time span in the form that the checks use.

use super::by_target::ByTarget;
use super::device::{Part, Queues};
use diskspd_base::finding::FindingLocation;
use diskspd_machine::System;
use diskspd_machine::io_counters::{DeviceFacts, TargetDevices};
use diskspd_machine::storage::Storage;
use diskspd_profile::{FlushType, Profile, RateTotal, Target, TargetId, TimeSpan};
use diskspd_results::{Host, JudgedProgram, Measured, ResourceUsage, SpanResults, TargetResults};

/// Measured time span with all facts about it.
#[derive(Debug)]
pub struct SpanContext<'a> {
    pub number: usize,
    pub profile: &'a Profile,
    /// Rate shared by all threads and targets (`--rate-total`); `None` = not given.
    pub rate_total: Option<RateTotal>,
    /// Whether recorded I/Os are replayed (`--replay`), with the times of the file.
    pub replays: bool,
    /// Named workload (`--preset`); `None` = not given.
    pub preset: Option<&'a str>,
    /// Other program whose I/O was observed; `None` = this program performed the I/O.
    pub program: Option<&'a JudgedProgram>,
    pub asked: &'a TimeSpan,
    pub host: &'a Host,
    pub system: &'a System,
    pub results: &'a SpanResults,
    /// Figures of the report.
    pub measured: &'a Measured,
    pub(super) ids: Vec<TargetId>,
    pub(super) by_target: ByTarget<'a>,
    /// Targets by shared devices; empty = not observed.
    pub(super) parts: Vec<Part<'a>>,
    /// I/Os in flight at the devices, and their speed.
    pub(super) queues: Queues,
}

impl From<&SpanContext<'_>> for FindingLocation {
    fn from(span: &SpanContext) -> FindingLocation {
        FindingLocation { time_span: Some(span.number), ..FindingLocation::default() }
    }
}

impl<'a> SpanContext<'a> {
    pub(super) fn devices(&self) -> Option<&'a DeviceFacts> {
        self.results.observed.as_ref()?.devices.as_ref()
    }

    pub(super) fn effort(&self) -> Option<&'a ResourceUsage> {
        self.results.observed.as_ref()?.resource_usage.as_ref()
    }

    pub(super) fn targets(&self) -> impl Iterator<Item = RequestedTarget<'a>> {
        self.ids.iter().zip(&self.asked.targets).map(|(id, target)| RequestedTarget { id: *id, target })
    }

    /// Whether pauses were requested: think times (`-i`, `-j`), or the times of recorded I/Os.
    pub(super) fn pauses_on_request(&self) -> bool {
        self.replays || self.asked.targets.iter().any(|target| target.think_time.is_some_and(|ms| ms > 0))
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &'a TargetResults> {
        self.results.threads.iter().flat_map(|thread| &thread.targets)
    }

    pub(super) fn rows_of(&self, id: TargetId) -> impl Iterator<Item = &'a TargetResults> + Clone {
        self.by_target.rows(id)
    }

    /// Returns the bytes of the target that I/O may access.
    pub(super) fn touched_area(&self, asked: RequestedTarget) -> Option<u64> {
        let target = asked.target;
        let size = self.rows_of(asked.id).map(|row| row.size).max()?;
        let end = if target.max_file_size > 0 { size.min(target.max_file_size) } else { size };
        Some(end.saturating_sub(target.base_file_offset))
    }

    /// Returns the kernel's counters and settings of a target's devices.
    pub(super) fn facts_of(&self, id: TargetId) -> impl Iterator<Item = &'a TargetDevices> {
        self.by_target.facts(id)
    }

    pub(super) fn target_of(&self, id: TargetId) -> Option<RequestedTarget<'a>> {
        self.targets_of(id).next()
    }

    /// Returns the entries of the profile with a target's path.
    pub(super) fn targets_of(&self, id: TargetId) -> impl Iterator<Item = RequestedTarget<'a>> {
        let targets = self.by_target.places(id).iter().filter_map(|place| self.asked.targets.get(*place));
        targets.map(move |target| RequestedTarget { id, target })
    }

    pub(super) fn target_total(&self, id: TargetId, of: impl Fn(&TargetResults) -> u64) -> u64 {
        self.rows_of(id).map(of).fold(0, u64::saturating_add)
    }

    /// Whether the I/Os of a target use the page cache; only for targets that are not mapped.
    pub(super) fn is_cached(&self, asked: RequestedTarget) -> bool {
        let device = self.host.storage(asked.id).and_then(Storage::is_block_device);
        asked.target.is_cached(device == Some(true))
    }

    /// Whether each durable write to a target flushes the device, as fsync does: writes through the page
    /// cache, and write-back of mapped pages.
    pub(super) fn flushes_by_fsync(&self, asked: RequestedTarget) -> bool {
        let target = asked.target;
        match target.memory_mapped_io {
            true => target.write_through || target.flush_type == Some(FlushType::ViewOfFile),
            false => self.is_cached(asked),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct RequestedTarget<'a> {
    pub id: TargetId,
    pub target: &'a Target,
}
