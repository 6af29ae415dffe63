//! The rules for the path of I/Os from workers to devices.

use super::done::{DeviceIo, OwnDeviceIo, UncountedIo, count_done};
use super::foreign::ForeignIo;
use super::limits::*;
use super::neighbours::{OtherProcesses, neighbours};
use super::part::{IoCount, Part};
use super::verdict::{Comparison, DeviceWork};
use super::wording::{amount, times};
use crate::{Severity, arrays};
use diskspd_base::engines::Direction;
use diskspd_machine::io_counters::{DeviceFacts, Flow, TargetDevices};
use diskspd_machine::stack::Layer;
use diskspd_results::Verdict;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RuleOutcome {
    pub verdict: Verdict,
    pub severity: Option<Severity>,
    pub message: String,
    pub remedy: Option<String>,
}

/// Outcomes of all rules about a part.
#[derive(Debug, Default)]
pub(super) struct RuleOutcomes {
    pub effects: Vec<RuleOutcome>,
    pub read: Option<Comparison>,
    pub write: Option<Comparison>,
    pub device_read: Option<DeviceWork>,
    pub device_write: Option<DeviceWork>,
    pub device_mean_ms: Option<f64>,
    pub others: u64,
    /// Bytes of zeros that a loop device counted as written, but did not write.
    pub zeroed: u64,
    pub flushes: Option<u64>,
    pub discards: Flow,
    pub too_few: bool,
}

/// Bytes that other programs read from and wrote to the targets' devices.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ForeignBytes {
    pub read: u64,
    pub write: u64,
}

/// Part with the input of its rules.
#[derive(Debug)]
pub(super) struct JudgedPart<'a> {
    pub part: &'a Part<'a>,
    pub facts: &'a DeviceFacts,
    /// Measured time in ns, at least 1.
    pub measured: u64,
    /// Time of counter readings outside the window, as a share of the measured time.
    pub slack: f64,
    /// Whether the storage limited the run, not the program, a CPU, or the requested rate.
    pub by_storage: bool,
    /// Bytes that this process read from block devices; `None` if unknown, or if some of its targets are
    /// on other storage.
    pub own_read: Option<u64>,
    /// Bytes that this process made dirty or wrote past the page cache; `None` as above.
    pub own_written: Option<u64>,
    /// Bytes in one piece on the device, on average, of the most fragmented file; `None` = unknown.
    pub fragment: Option<u64>,
}

impl JudgedPart<'_> {
    /// Returns the possible difference of both sides in bytes: I/Os in flight at the edges, and during
    /// counter readings.
    pub(super) fn allowance(&self, counted: u64) -> u64 {
        self.part.in_flight.bytes.saturating_add((counted as f64 * self.slack) as u64)
    }

    /// Returns dirty data from before the window that was written within it, so it is not counted. If the
    /// kernel does not report it by file, the machine's total is used.
    fn settled_bytes(&self) -> u64 {
        let by_file = self.part.targets.iter().map(|target| target.unwritten_before.zip(target.unwritten));
        let machine = || self.facts.unwritten.filter(|_| self.part.write.bytes > 0);
        let (before, after) =
            match by_file.flatten().reduce(|a, b| (a.0.saturating_add(b.0), a.1.saturating_add(b.1))) {
                Some(known) => known,
                None => machine().unwrap_or_default(),
            };
        before.saturating_sub(after)
    }

    /// Returns the I/O of other programs on the targets' devices. The kernel counts this process's reads;
    /// written bytes are known only without a file system. `others_read`: bytes of all parts together;
    /// `share`: part's share of them.
    pub(super) fn foreign_share(
        &self,
        device: &DeviceIo,
        others_read: Option<u64>,
        share: f64,
    ) -> ForeignBytes {
        // The kernel does not count I/O to other hosts by process.
        let read = match others_read.filter(|_| !self.part.is_remote()) {
            Some(bytes) => ((bytes as f64 * share) as u64).min(device.read.bytes),
            None if self.part.buffered => 0,
            None => device.read.bytes.saturating_sub(self.part.read.bytes).saturating_sub(self.edge_bytes()),
        };
        // A file system that punches holes writes that down.
        let changes = self.part.write.bytes > 0 || self.part.discarded.ios > 0;
        // A client has no journal, and without the page cache it writes only what was requested.
        let by_itself = self.part.on_file_system && (!self.part.is_remote() || self.part.buffered);
        let known = if by_itself && changes {
            device.write.bytes.min(self.most_own_writes(device.write.bytes))
        } else {
            self.part.write.bytes.saturating_add(self.settled_bytes())
        };
        ForeignBytes {
            read,
            write: device.write.bytes.saturating_sub(known).saturating_sub(self.edge_bytes()),
        }
    }

    /// Returns the bytes that the device can have written for this process: data that it made dirty, and that
    /// is not dirty any more. Without limit unless the writes of others hide that the counted data is still
    /// in memory, because a file system also writes metadata.
    fn most_own_writes(&self, device: u64) -> u64 {
        let counted = self.part.write.bytes as f64;
        let left = self.part.unwritten_bytes().unwrap_or(0);
        let before = self.part.targets.iter().filter_map(|target| target.unwritten_before);
        let before = before.fold(0, u64::saturating_add);
        let most = self.own_written.map(|own| own.saturating_add(before).saturating_sub(left));
        let is_hidden = |most: &u64| {
            (*most as f64) < MIN_EQUAL_RATIO * counted
                && left as f64 > (1.0 - MIN_EQUAL_RATIO) * counted
                && device as f64 >= MIN_EQUAL_RATIO * counted
        };
        // Such a file system has the data on the device and as dirty pages.
        let journals_data = |target: &&TargetDevices| {
            target.stack.mounts.iter().any(|mount| mount.options.contains("data=journal"))
        };
        let is_known = self.part.buffered && !self.part.targets.iter().any(journals_data);
        most.filter(|_| is_known).filter(is_hidden).unwrap_or(u64::MAX)
    }

    /// Returns the bytes that a mount's client may have transferred for this run at the window's edges.
    /// Its requests cannot be separated from other requests, and an I/O in flight can be many of them.
    fn edge_bytes(&self) -> u64 {
        let counted = self.part.read.bytes.saturating_add(self.part.write.bytes);
        if self.part.is_remote() { self.allowance(counted) } else { 0 }
    }

    /// Compares the counted I/O with the targets' devices. `leaves`: activity of the lowest devices, if
    /// different.
    pub(super) fn judge_lower_level(
        &self,
        device: &DeviceIo,
        leaves: Option<&DeviceIo>,
        others: ForeignBytes,
        found: &mut RuleOutcomes,
    ) {
        let part = self.part;
        let mut sides = 0;
        let mut few = 0;
        let mut foreign_ios = 0u64;
        for (direction, counted, flow, foreign) in [
            (Direction::Read, part.read, device.read, others.read),
            (Direction::Write, part.write, device.write, others.write),
        ] {
            foreign_ios = foreign_ios.saturating_add(self.foreign_ios(flow, counted, foreign));
            if counted.bytes == 0 {
                continue;
            }
            sides += 1;
            let doubtful = if direction == Direction::Read { 0 } else { device.doubtful };
            let allowed = self.allowance(counted.bytes);
            let told = OwnDeviceIo::from_flow(flow, doubtful, foreign, counted, allowed);
            let ours = told.bytes;
            let comparison = Comparison::new(counted, &told);
            let ratio = comparison.ratio;
            let work = DeviceWork::work_over(self.facts.elapsed, told.ios, ours);
            match direction {
                Direction::Read => (found.read, found.device_read) = (Some(comparison), work),
                Direction::Write => (found.write, found.device_write) = (Some(comparison), work),
            }
            if ratio < MIN_EQUAL_RATIO {
                if counted.bytes - ours > allowed {
                    let gap = self.counter_gap(direction, counted, ours, leaves);
                    let shortfall = || self.shortfall_effect(direction, counted, ours, ratio);
                    found.effects.push(gap.unwrap_or_else(shortfall));
                } else {
                    few += 1;
                }
            } else if ratio > MAX_EQUAL_RATIO {
                let more = self.excess_effects(direction, counted.bytes, ours, allowed);
                few += usize::from(more.is_empty());
                found.effects.extend(more);
            } else {
                found.effects.extend(self.sizes(direction, counted, told, &part.first()));
            }
        }
        (found.device_mean_ms, found.flushes) = (device.mean_ms(), device.flushes);
        found.discards = device.discard;
        found.too_few = sides > 0 && few == sides;
        found.others = others.read.saturating_add(others.write);
        let foreign = ForeignIo {
            bytes: found.others,
            ios: foreign_ios,
            all: device.bytes(),
            all_ios: device.read.ios.saturating_add(device.write.ios),
            in_flight: self.foreign_in_flight(device),
        };
        found.effects.extend(self.shared(foreign, &names(&part.first()), ""));
    }

    /// Compares the I/O passed on by the upper devices with the lowest devices.
    pub(super) fn further_down(&self, passed: &DeviceIo, leaves: &DeviceIo, found: &mut RuleOutcomes) {
        let part = self.part;
        let (beside, passed) = self.with_neighbours(passed, found);
        let below = names(&part.leaves());
        let upper_write = Flow { bytes: self.data_passed(passed.write.bytes), ..passed.write };
        found.zeroed = self.zeroed_above(passed.write.bytes, leaves.write.bytes);
        for (direction, upper, lower) in
            [(Direction::Read, passed.read, leaves.read), (Direction::Write, upper_write, leaves.write)]
        {
            let ratio = lower.bytes as f64 / upper.bytes as f64;
            let missing = upper.bytes.saturating_sub(lower.bytes);
            if upper.bytes > 0
                && ratio < MIN_EQUAL_RATIO
                && missing > self.allowance(upper.bytes).saturating_add(BACKGROUND)
            {
                found.effects.push(self.less_below(direction, upper.bytes, lower.bytes, &below));
                found.device_mean_ms = leaves.mean_ms();
                let work = DeviceWork::work_over(self.facts.elapsed, lower.ios, lower.bytes);
                match direction {
                    Direction::Read => found.device_read = work,
                    Direction::Write => found.device_write = work,
                }
            }
        }
        let excess = leaves.bytes().saturating_sub(passed.bytes());
        let edges = self.allowance(passed.bytes());
        if part.is_faithful() {
            let foreign = ForeignIo::from_layers(&passed, leaves);
            found.others = found.others.max(foreign.bytes);
            found.effects.extend(self.shared(foreign, &below, ""));
        } else if let Some(foreign) = self.written_beneath_a_reader(&passed, leaves)
            && let Some(shared) = self.shared(foreign, &below, "")
        {
            found.others = found.others.max(foreign.bytes);
            found.effects.push(shared);
        } else if leaves.bytes() as f64 > MAX_EQUAL_RATIO * passed.bytes() as f64 && excess > edges {
            let much = leaves.bytes() as f64 >= HIGH_RATIO * passed.bytes() as f64;
            // In a short run a single commit is as much.
            let at_work = arrays::at_work(self.facts, &part.layers());
            let by_itself = at_work.map_or(String::new(), |(array, upkeep)| {
                format!(", background work of {} ({})", array.name, upkeep.action)
            });
            let ordinary = excess <= edges.saturating_add(self.settled_bytes()).saturating_add(COMMIT);
            found.effects.push(RuleOutcome {
                verdict: Verdict::Amplified,
                severity: Some(severity_for(much && !ordinary, false)),
                message: format!(
                    "{below} read {} and wrote {}, {} of what {} above did: redundancy, metadata, a cache or \
                     snapshot that copies{by_itself}, or other users",
                    amount(leaves.read.bytes),
                    amount(leaves.write.bytes),
                    times(leaves.bytes(), passed.bytes()),
                    names(&part.first())
                ),
                remedy: None,
            });
        }
        self.sizes_below(leaves, (beside.read, beside.write), edges, found);
    }

    /// Adds the I/O of other partitions to the I/O of the upper devices.
    fn with_neighbours(&self, passed: &DeviceIo, found: &mut RuleOutcomes) -> (OtherProcesses<'_>, DeviceIo) {
        let beside = neighbours(self.part, self.facts);
        if !beside.disks.is_empty() {
            let how = ", past the partitions of the targets";
            found.others = found.others.saturating_add(beside.bytes());
            found.effects.extend(self.shared(beside.foreign(), &names(&beside.disks), how));
        }
        let mut passed = *passed;
        passed.read.bytes = passed.read.bytes.saturating_add(beside.read);
        passed.write.bytes = passed.write.bytes.saturating_add(beside.write);
        (beside, passed)
    }

    /// Bytes written by the upper devices that the lower ones must write, too. The kernel counts zeros
    /// (WRITE_ZEROES) as writes, and a loop device only notes them in its file. They come from the run, from
    /// the lazy initialization of a file system, and from other programs. If the run has no dirty pages
    /// between the devices, only its own data must arrive.
    fn data_passed(&self, upper: u64) -> u64 {
        let part = self.part;
        let data = part.data_written();
        let known = part.has_direct_loop() || !part.on_file_system || part.write.bytes == 0;
        match known && part.has_loop() {
            true => upper.min(data.saturating_add(self.settled_bytes())),
            false => upper.saturating_sub(part.zeroed.bytes),
        }
    }

    /// Bytes of zeros that loop devices which bypass the page cache counted and did not write, at least.
    fn zeroed_above(&self, upper: u64, lower: u64) -> u64 {
        let missing = upper.saturating_sub(lower.max(self.part.data_written()));
        let sure = self.part.has_direct_loop() && missing > self.allowance(upper).saturating_add(BACKGROUND);
        if sure { missing } else { 0 }
    }

    /// Whether the devices at the bottom did I/Os of other sizes. `beside`: bytes read and written past the
    /// targets' partitions.
    fn sizes_below(&self, leaves: &DeviceIo, beside: (u64, u64), edges: u64, found: &mut RuleOutcomes) {
        let part = self.part;
        let as_counted =
            !found.effects.iter().any(|effect| matches!(effect.verdict, Verdict::Coalesced | Verdict::Split));
        for (direction, counted) in [(Direction::Read, part.read), (Direction::Write, part.write)] {
            let ours = match direction {
                Direction::Read => OwnDeviceIo::from_flow(leaves.read, 0, beside.0, counted, edges),
                Direction::Write => {
                    OwnDeviceIo::from_flow(leaves.write, leaves.doubtful, beside.1, counted, edges)
                }
            };
            if as_counted && ours.bytes as f64 >= MIN_EQUAL_RATIO * counted.bytes as f64 {
                found.effects.extend(self.sizes(direction, counted, ours, &part.leaves()));
            }
        }
    }

    /// Reports device bytes that exceed the counted ones by more than 10 %. Returns nothing if I/O at the
    /// edges of the window can explain the excess.
    fn excess_effects(
        &self,
        direction: Direction,
        counted: u64,
        ours: u64,
        allowed: u64,
    ) -> Vec<RuleOutcome> {
        let beyond = ours.saturating_sub(counted);
        if beyond <= allowed {
            return Vec::new();
        }
        let written = direction == Direction::Write;
        let earlier = if written { self.settled_bytes().min(beyond) } else { 0 };
        let share = earlier as f64 / ours.max(1) as f64;
        let by_itself = (share >= MIN_FOREIGN_SHARE && earlier > allowed).then(|| RuleOutcome {
            verdict: Verdict::Shared,
            severity: Some(severity_for(share >= HIGH_FOREIGN_SHARE, true)),
            message: format!(
                "the device wrote {} for the {} that the run counted ({}): {} of it ({:.0} %) were dirty \
                 pages from before measuring began",
                amount(ours),
                amount(counted),
                times(ours, counted),
                amount(earlier),
                share * 100.0
            ),
            remedy: Some("measure longer, or write through (-Suw or -Sh)".into()),
        });
        let rest = beyond - earlier;
        let floor = if self.part.on_file_system && written { COMMIT } else { BACKGROUND };
        let large =
            (counted.saturating_add(rest)) as f64 > MAX_EQUAL_RATIO * counted as f64 && rest > allowed;
        let of_nobody = (large || by_itself.is_none()).then(|| {
            let mut effect = amplification_effect(self.part, direction, counted, ours);
            // In a short run a single commit is as much.
            if rest <= allowed.saturating_add(floor) {
                effect.severity = Some(Severity::Note);
            }
            effect
        });
        by_itself.into_iter().chain(of_nobody).collect()
    }

    fn shortfall_effect(&self, direction: Direction, counted: IoCount, ours: u64, ratio: f64) -> RuleOutcome {
        let part = self.part;
        let severity = Some(severity_for(ratio < LOW_RATIO, true));
        let figures = format!(
            "the device {} {} of the {} that the run counted ({})",
            did(direction),
            amount(ours),
            amount(counted.bytes),
            times(ours, counted.bytes)
        );
        if !part.buffered {
            return self.less_unbuffered(direction, &figures, severity);
        }
        if direction == Direction::Read {
            let message = format!("served from the page cache, not by the device: {figures}");
            return RuleOutcome {
                verdict: Verdict::Cached,
                severity,
                message,
                remedy: Some("bypass the page cache with -Su".into()),
            };
        }
        let left = self.bytes_left(counted.bytes - ours);
        let message = match (left, part.unwritten_bytes()) {
            (0, None) => format!("{figures}: the rest is still in the page cache, or was overwritten there"),
            (0, Some(_)) => {
                format!("{figures}: the rest was overwritten in the page cache before it was written back")
            }
            (left, _) => format!("{figures}: {} were still dirty pages at the end", amount(left)),
        };
        let remedy = match self.facts.targets.iter().any(|target| target.write_error.is_some()) {
            // A flush would say the same, and nothing is there to be timed.
            true => "write through (-Suw or -Sh), so that failed writes are reported",
            false => "write through (-Suw or -Sh), or time the flush of the rest with --flush-after",
        };
        RuleOutcome { verdict: Verdict::Deferred, severity, message, remedy: Some(remedy.into()) }
    }

    /// Describes a device that performed less I/O in a run without the page cache.
    fn less_unbuffered(
        &self,
        direction: Direction,
        figures: &str,
        severity: Option<Severity>,
    ) -> RuleOutcome {
        let part = self.part;
        let trimmed = part.discarded.ios > 0;
        let came = part.targets.iter().filter_map(|target| target.cached_bytes).fold(0, u64::saturating_add);
        let message = match direction {
            Direction::Read if trimmed => format!(
                "{figures}: reads of blocks that the run itself had discarded (--trim) never reach the \
                 medium"
            ),
            _ if came > 0 => format!(
                "{figures}: the file system did this unbuffered I/O through the page cache, which took in \
                 {} of it",
                amount(came)
            ),
            Direction::Read => format!(
                "{figures}, although unbuffered I/O was requested: unwritten parts, compression or another \
                 cache"
            ),
            Direction::Write => format!(
                "{figures}, although unbuffered I/O was requested: they were compressed, or are held in a \
                 layer above the device"
            ),
        };
        let remedy = match direction {
            _ if came > 0 => Some(
                "use another file system, or a file without compression and checksums (chattr +C before \
                 it is written)"
                    .into(),
            ),
            Direction::Read if trimmed => Some("give the discards a separate target".into()),
            Direction::Read => Some("write the whole target once before reading it".into()),
            Direction::Write => None,
        };
        RuleOutcome { verdict: Verdict::Cached, severity, message, remedy }
    }

    /// Returns the bytes missing on the device that were still in memory at the end.
    pub(super) fn bytes_left(&self, missing: u64) -> u64 {
        let machine = self.facts.unwritten.map_or(0, |(before, after)| after.saturating_sub(before));
        self.part.unwritten_bytes().unwrap_or_else(|| machine.min(missing))
    }

    fn less_below(&self, direction: Direction, upper: u64, lower: u64, below: &str) -> RuleOutcome {
        let above = names(&self.part.first());
        let much = (lower as f64) < LOW_RATIO * upper as f64;
        let did = did(direction);
        let figures = format!(
            "{above} {did} {}, but {below} below it {did} {} ({})",
            amount(upper),
            amount(lower),
            times(lower, upper)
        );
        let severity = Some(severity_for(much, true));
        match (self.part.has_loop(), direction) {
            (true, Direction::Write) => RuleOutcome {
                verdict: Verdict::Deferred,
                severity,
                message: format!("{figures}: the rest is still in the page cache, or was overwritten there"),
                remedy: Some("make the loop device bypass the page cache: losetup --direct-io=on".into()),
            },
            (true, Direction::Read) => RuleOutcome {
                verdict: Verdict::Cached,
                severity,
                message: format!("{figures}: served from the page cache, or the blocks were never written"),
                remedy: Some(
                    "make the loop device bypass the page cache (losetup --direct-io=on), and fill it first"
                        .into(),
                ),
            },
            (false, _) => RuleOutcome {
                verdict: Verdict::Cached,
                severity,
                message: format!(
                    "{figures}: a layer between them served it, such as a cache, or a thin volume for blocks \
                     that were never written"
                ),
                remedy: None,
            },
        }
    }
}

fn amplification_effect(part: &Part, direction: Direction, counted: u64, ours: u64) -> RuleOutcome {
    let is_program = !part.depth_known;
    let more = match direction {
        Direction::Read if part.buffered && is_program => {
            "read-ahead, whole pages read for small I/Os, or uncounted I/O (memory-mapped files, splice)"
        }
        Direction::Read if part.buffered => "read-ahead, or whole pages read for small I/Os",
        // Nobody reads ahead past the page cache, and what others read is known.
        Direction::Read if part.on_file_system => {
            "metadata of the file system, or I/Os of this program outside of the measured time"
        }
        Direction::Read => "I/Os of this program outside of the measured time",
        Direction::Write if part.keeps_copies() => {
            "metadata, copies of the data (DUP, RAID1, ..), whole blocks written for small I/Os, or other \
             users of the file system"
        }
        Direction::Write => {
            "journal and metadata, whole blocks written for small I/Os, or other users of the file system"
        }
    };
    RuleOutcome {
        verdict: Verdict::Amplified,
        severity: Some(severity_for(ours as f64 >= HIGH_RATIO * counted as f64, false)),
        message: format!(
            "the device {} {} for the {} that the run counted ({}): {more}",
            did(direction),
            amount(ours),
            amount(counted),
            times(ours, counted)
        ),
        remedy: None,
    }
}

pub(super) fn did(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "wrote",
    }
}

/// Returns `Wrong` for false figures and otherwise a warning if `much`; one level less if not.
pub(super) fn severity_for(much: bool, false_figures: bool) -> Severity {
    match (much, false_figures) {
        (true, true) => Severity::Wrong,
        (true, false) | (false, true) => Severity::Warning,
        (false, false) => Severity::Note,
    }
}

/// Joins names of devices: `sda and sdb`.
pub(super) fn names(layers: &[&Layer]) -> String {
    let names: Vec<String> = layers.iter().map(|layer| layer.name.replace('!', "/")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] if names.len() <= 4 => format!("{} and {last}", most.join(", ")),
        [first, .., last] => format!("{first} .. {last} ({} devices)", names.len()),
    }
}

/// Returns the counted I/O in place of the upper devices' activity, if they have no counters.
pub(super) fn as_counted(part: &Part) -> DeviceIo {
    let flow = |counted: IoCount| Flow { ios: counted.ios, merges: 0, bytes: counted.bytes };
    DeviceIo { read: flow(part.read), write: flow(part.write), ..DeviceIo::default() }
}

/// Returns the activity of the lowest devices; `None` = they are the targets' devices.
pub(super) fn leaves(part: &Part, facts: &DeviceFacts) -> Option<Result<DeviceIo, UncountedIo>> {
    let (first, leaves) = (part.first(), part.leaves());
    let same = leaves.iter().all(|leaf| first.iter().any(|layer| layer.name == leaf.name));
    (!same).then(|| count_done(part, facts, &leaves))
}
