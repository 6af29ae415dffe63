//! Observation of the targets' devices: their counters right before and right after the measured window.

use super::arrays::ArrayWatch;
use super::changes::{FileWatch, SettingsWatch, micros};
use super::observe_remote::{self, RemoteWatch};
use crate::located::SpanTargets;
use crate::unobserved::{targets, without_io};
use crate::watch::device_readings::{DeviceReadings, names_of};
use diskspd_base::engines::EngineKind;
use diskspd_host::content::WrittenSpace;
use diskspd_host::located::InspectionHandle;
use diskspd_host::root::Root;
use diskspd_host::stack;
use diskspd_machine::content::ContentShares;
use diskspd_machine::io_counters::{CacheGrowth, DeviceFacts, SpaceChange, TargetDevices};
use diskspd_machine::stack::{Layer, LayerKind, Stack};
use diskspd_plan::{SpanPlan, WorkerTarget};
use diskspd_profile::TargetId;
use diskspd_sys::clock;
use diskspd_sys::page_cache::{self, CachedData};
use diskspd_sys::writeback;
use std::fs::File;
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct DeviceWatch {
    targets: Vec<CachedTarget>,
    readings: DeviceReadings,
    /// Mounted files of other hosts.
    remote: RemoteWatch,
    arrays: ArrayWatch,
    settings: SettingsWatch,
    spaces: Vec<CountedSpace>,
    /// Time of the first reading.
    begun: clock::Nanos,
    flush: bool,
}

/// Free space that writes fill and other processes can change, before and after.
#[derive(Debug)]
struct CountedSpace {
    target: Option<TargetId>,
    space: WrittenSpace,
    before: Option<ContentShares>,
    after: Option<ContentShares>,
}

#[derive(Debug)]
struct CachedTarget {
    facts: TargetDevices,
    /// The open file, for questions about the page cache and for flushes. Only for written and unbuffered
    /// targets, for one of several cached ones, and for `--dontcache`.
    file: Option<File>,
    /// Open file on devices that can change, with its path.
    looked_at: Option<(File, PathBuf)>,
    changes: Option<FileWatch>,
    location: PathBuf,
    /// Whether the file is open with direct I/O.
    direct: bool,
    written: bool,
    cached: bool,
    held: Option<CachedData>,
    size: u64,
}

/// Time limit in ns for querying dirty data of the targets; the rest is unknown.
const MAX_QUERY_TIME: clock::Nanos = 20_000_000;
/// Maximum number of watched files, each of which needs a descriptor.
const MAX_WATCHED: usize = 64;
/// Time limit in ns for reading the free space of all targets.
const SPACE_TIME_NS: clock::Nanos = 20_000_000;
/// Mean fragment size in bytes below which I/Os can be split.
const SMALL_FRAGMENT: u64 = 4 << 20;
/// Bytes per query, which takes less than a millisecond if all are cached.
const PIECE: u64 = 16 << 20;

impl CachedTarget {
    /// Returns the cached part; `None` = not reported, or not before `deadline`.
    fn cached_bytes(&self, deadline: clock::Nanos) -> Option<CachedData> {
        let file = self.file.as_ref()?;
        let mut sum = CachedData::default();
        let mut offset = 0;
        while offset < self.size {
            if clock::monotonic() >= deadline {
                return None;
            }
            let held = page_cache::cached_bytes(file, offset, PIECE).ok()?;
            sum.cached += held.cached;
            sum.unwritten += held.unwritten;
            sum.evicted += held.evicted;
            offset += PIECE;
        }
        Some(sum)
    }
}

impl DeviceWatch {
    /// Finds the targets' devices, and opens the counters. `flush`: writes dirty data at the end.
    pub(crate) fn new(plan: &SpanPlan, located: &SpanTargets, flush: bool) -> DeviceWatch {
        let targets = targets(plan);
        let several = targets.len() > 1;
        let mut spaces = Vec::new();
        let targets: Vec<CachedTarget> = targets
            .into_iter()
            .enumerate()
            .map(|(index, (engine, target))| {
                let written = target.open.write && engine.row().real_io;
                let is_asked = several || target.ways.dont_cache;
                let cached = is_asked && !target.open.direct && engine.row().real_io;
                let InspectionHandle { stack, file } = opened(located, engine, target);
                let synchronous = file.as_ref().is_some_and(writeback::is_synchronous);
                let (target_id, atomic) = (target.id, target.atomic_writes);
                let facts =
                    TargetDevices { target: target_id, stack, synchronous, atomic, ..Default::default() };
                let watched = file.as_ref().filter(|_| index < MAX_WATCHED && engine.row().real_io);
                let changes = watched.and_then(FileWatch::start);
                // Without local devices only writes matter, and a server may never reply.
                if let Some(file) = watched.filter(|_| written || !facts.stack.layers.is_empty()) {
                    spaces.extend(spaces_of(plan, target, file, &facts.stack, &spaces));
                }
                let again = file.as_ref().filter(|_| can_change(&facts.stack));
                let again = again.and_then(|file| file.try_clone().ok());
                let looked_at = again.map(|file| (file, target.location.clone()));
                // Some file systems do unbuffered I/O through the page cache all the same.
                let file = file.filter(|_| written || cached || changes.is_some() && target.open.direct);
                let direct = target.open.direct;
                let (size, location, held) = (target.size, target.location.clone(), None);
                CachedTarget {
                    facts,
                    file,
                    looked_at,
                    changes,
                    location,
                    direct,
                    written,
                    cached,
                    held,
                    size,
                }
            })
            .collect();
        let readings =
            DeviceReadings::for_devices(names_of(targets.iter().map(|target| &target.facts.stack)));
        let remote = RemoteWatch::new(targets.iter().flat_map(|target| &target.facts.stack.layers));
        let arrays =
            ArrayWatch::for_stacks(Root::live_system(), targets.iter().map(|target| &target.facts.stack));
        let settings = SettingsWatch::start(&readings.names);
        DeviceWatch { targets, readings, remote, arrays, settings, spaces, begun: 0, flush }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.readings.names
    }

    /// Reads the dirty data and free space of the targets, and the device settings, shortly before the first
    /// reading.
    pub(crate) fn look_at_memory_before(&mut self) {
        self.settings.begin();
        let deadline = clock::monotonic() + SPACE_TIME_NS;
        self.spaces.iter_mut().for_each(|space| space.before = space.space.read(deadline));
        let deadline = clock::monotonic() + MAX_QUERY_TIME;
        for target in &mut self.targets {
            target.held = target.cached_bytes(deadline);
            target.facts.unwritten_before = target.held.filter(|_| target.written).map(|held| held.unwritten);
        }
    }

    /// Takes the first reading. Devices count I/O between the reading and the window, but workers do not,
    /// so nothing else may come between.
    pub(crate) fn begin(&mut self) {
        self.arrays.begin();
        self.targets
            .iter_mut()
            .filter_map(|target| target.changes.as_mut())
            .for_each(|file| file.read_changes(0));
        let at = clock::monotonic();
        self.begun = at;
        self.remote.begin();
        self.readings.begin(at);
    }

    /// Takes the second reading.
    pub(crate) fn end(&mut self) {
        let reading = self.readings.read();
        self.remote.end();
        self.readings.end(reading);
        self.arrays.read_arrays();
    }

    /// Reads enabled states, arrays and changes within the window.
    pub(crate) fn look_meanwhile(&mut self) {
        self.readings.look_at_switches();
        self.arrays.read_arrays();
        self.look_at_changes();
    }

    fn look_at_changes(&mut self) {
        let now = micros(self.begun, clock::monotonic());
        self.settings.read_changes(now);
        self.targets
            .iter_mut()
            .filter_map(|target| target.changes.as_mut())
            .for_each(|file| file.read_changes(now));
    }

    /// Reads the page cache and the space of the targets after the last reading of the counters, because it
    /// takes longer.
    pub(crate) fn look_at_memory(&mut self) {
        self.look_at_changes();
        let deadline = clock::monotonic() + SPACE_TIME_NS;
        self.spaces.iter_mut().for_each(|space| space.after = space.space.read(deadline));
        let deadline = clock::monotonic() + MAX_QUERY_TIME;
        for target in &mut self.targets {
            let after = target.cached_bytes(deadline);
            target.facts.unwritten = after.filter(|_| target.written).map(|held| held.unwritten);
            let came =
                target.held.zip(after).map(|(before, after)| after.cached.saturating_sub(before.cached));
            target.facts.cached_bytes = came.filter(|came| target.direct && *came > 0);
            let both = target.held.zip(after).filter(|_| target.cached);
            target.facts.cached = both.map(|(before, after)| CacheGrowth {
                before: before.cached,
                after: after.cached,
                evicted: after.evicted.saturating_sub(before.evicted),
            });
        }
    }

    /// Disables flushes and queries at the end, because they would wait for hanging I/O.
    pub(crate) fn read_end_counters(&mut self) {
        self.flush = false;
        self.targets.iter_mut().for_each(|target| target.looked_at = None);
    }

    /// Returns the facts; `None` = the time span was not measured to its end.
    pub(crate) fn finish(self) -> Option<DeviceFacts> {
        let mut facts = self.readings.finish()?;
        let remote = self.remote.finish();
        facts.devices.extend(remote.iter().map(observe_remote::as_device));
        self.settings.finish(&mut facts.devices);
        let root = Root::live_system().remembering();
        let finished = |target| target_devices(&root, target, self.flush);
        let targets = self.targets.into_iter().map(finished).collect();
        let space = self.spaces.into_iter().filter_map(CountedSpace::finish).collect();
        Some(DeviceFacts { remote, targets, space, arrays: self.arrays.finish(), ..facts })
    }
}

/// Whether the devices can be replaced while a target is open: devices of a mapper, a RAID or a loop
/// device, and of file systems that manage several.
fn can_change(stack: &Stack) -> bool {
    let by_itself = matches!(stack.file_system.as_deref(), Some("btrfs" | "bcachefs"));
    let above = |layer: &Layer| !layer.lower_devices.is_empty() && layer.kind != LayerKind::Partition;
    by_itself || stack.layers.iter().any(above)
}

/// Returns the spaces of a target that are not known yet.
fn spaces_of(
    plan: &SpanPlan,
    target: &WorkerTarget,
    file: &File,
    stack: &Stack,
    known: &[CountedSpace],
) -> Vec<CountedSpace> {
    let areas = plan.workers.iter().flat_map(|worker| &worker.targets);
    let areas = areas.filter(|other| other.id == target.id);
    let areas =
        areas.map(|other| (other.workload.base, other.workload.base.saturating_add(other.workload.region)));
    let (from, to) = areas.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
    let own = WrittenSpace::of_file(file, from, to);
    let beneath = WrittenSpace::find(&Root::live_system(), stack);
    let new = own.into_iter().chain(beneath);
    let new = new.filter(|space| {
        space.device.is_none() || known.iter().all(|known| known.space.device != space.device)
    });
    let counted = |space: WrittenSpace| {
        let target = space.device.is_none().then_some(target.id);
        CountedSpace { target, space, before: None, after: None }
    };
    new.map(counted).collect()
}

impl CountedSpace {
    /// Returns the change of a space with holes, unwritten or shared extents, or small fragments, or with a
    /// change.
    fn finish(self) -> Option<SpaceChange> {
        let matters = |space: &ContentShares| {
            let mean = space.examined.checked_div(space.fragments).filter(|_| space.fragments > 1);
            space.unallocated() > 0 || mean.is_some_and(|mean| mean < SMALL_FRAGMENT)
        };
        let both = self.before.zip(self.after);
        let (before, after) = both.filter(|(before, after)| matters(before) || before != after)?;
        Some(SpaceChange { target: self.target, device: self.space.device, before, after })
    }
}

/// `root` = the machine at the end.
fn target_devices(root: &Root, target: CachedTarget, flush: bool) -> TargetDevices {
    let mut facts = target.facts;
    if let Some((file, path)) = &target.looked_at {
        facts.stack_at_end = stack::moved_to(root, &facts.stack, file, path);
    }
    if let Some(changes) = target.changes {
        facts.remounted = stack::remounted(root, &facts.stack, changes.file(), &target.location);
        facts.states = changes.finish();
    }
    // Asked before: it tells without waiting, and each error once.
    let written = target.file.as_ref().filter(|_| target.written);
    facts.write_error = written.and_then(writeback::failed);
    if let Some(file) = target.file.filter(|_| flush && target.written) {
        let begin = clock::monotonic();
        // A target that cannot be flushed has no time; the report states this.
        match file.sync_all() {
            Ok(()) => facts.flush = Some(clock::monotonic() - begin),
            Err(error) => facts.write_error = Some(writeback::error_number(&error)),
        }
    }
    facts
}

/// Returns the stack of a target, if its engine uses it, and the file opened for it; `None` without an
/// open file.
pub(crate) fn opened(located: &SpanTargets, engine: EngineKind, target: &WorkerTarget) -> InspectionHandle {
    let without = |stack| InspectionHandle { stack, file: None };
    match (without_io(engine), located.find(target)) {
        (Some(stack), _) => without(stack),
        (None, Some(located)) => located.opened(target.open.write),
        (None, None) => without(Stack::without("it cannot be inspected")),
    }
}
