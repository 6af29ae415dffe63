//! The I/O of a process and all its descendants, by the kernel's counters (`/proc/<pid>/io`), sorted by the
//! open files of each process.
//!
//! The counters of a process include its reaped children. So the sum over living processes and over the
//! children of this process is exact. Files are seen by sampling: a process
//! with storage alone open for reading has read from storage.

mod classes;
mod open_files;
mod target_users;

use crate::process_stat::ProcessStat;
use crate::root::Root;
use classes::{Classes, SortedIo};
use diskspd_machine::process_io::{CallsDone, ProcessIo, SortedCalls};
pub use open_files::{OpenFileUse, OpenFiles};
use std::collections::{BTreeMap, BTreeSet};
pub use target_users::TargetUsers;

/// Looks that examine the open files of a process: the first ones, then each that is a power of two, and each
/// after as many bytes.
const INITIAL_SAMPLES: u32 = 4;
const MIN_RELEVANT_BYTES: u64 = 256 << 10;

/// Programs that delegate their work to a daemon or another host. podman starts containers itself.
const CLIENTS: [&str; 10] =
    ["docker", "nerdctl", "ctr", "kubectl", "crictl", "lxc", "machinectl", "systemd-run", "ssh", "virsh"];

#[derive(Debug)]
pub struct ProcessTree {
    root: Root,
    /// Process whose descendants are observed.
    top: u32,
    living: BTreeMap<u32, ProcessSample>,
    ended: ProcessIo,
    ended_ticks: u64,
    ended_faults: u64,
    /// Children that disappeared since the last sample, by their living ancestor.
    vanished: Vec<VanishedChildren>,
    sorted: SortedIo,
    pub files: OpenFiles,
    pub seen: u64,
    pub unreadable: u64,
    /// Observed programs that delegate their work to a daemon or another host.
    pub clients: BTreeSet<String>,
    /// Processes with counters that the kernel dropped, because their parent ignored SIGCHLD. Their I/O
    /// counts up to the last look.
    pub dropped: u64,
}

/// Children of a process in the sample before the last one, with their counters.
#[derive(Debug)]
struct VanishedChildren {
    above: u32,
    /// Counters of the ancestor in that sample.
    before: ProcessIo,
    io: ProcessIo,
    processes: u64,
}

impl VanishedChildren {
    fn below<'a>(
        above: u32,
        before: ProcessIo,
        children: impl Iterator<Item = &'a ProcessSample>,
    ) -> VanishedChildren {
        let none = VanishedChildren { above, before, io: ProcessIo::default(), processes: 0 };
        children.fold(none, |sum, child| VanishedChildren {
            io: sum.io.plus(child.io),
            processes: sum.processes + 1,
            ..sum
        })
    }

    /// Whether the ancestor has reaped them, which adds their counters to its own.
    fn are_reaped(&self, now: ProcessIo) -> bool {
        let grown = now.since(self.before);
        let covers =
            |grown: CallsDone, gone: CallsDone| grown.calls >= gone.calls && grown.bytes >= gone.bytes;
        covers(grown.read, self.io.read)
            && covers(grown.write, self.io.write)
            && grown.read_bytes >= self.io.read_bytes
            && grown.write_bytes >= self.io.write_bytes
    }
}

#[derive(Debug, Clone, Default)]
struct ProcessSample {
    parent: u32,
    io: ProcessIo,
    ticks: u64,
    faults: u64,
    is_stopped: bool,
    is_readable: bool,
    /// Open files at the last examination, and the program's name.
    classes: Classes,
    name: String,
    /// Files that were open at one of the last two examinations.
    window: Classes,
    looks: u32,
}

impl ProcessTree {
    /// Observes the descendants of this process. `storage` = devices of the examined files; empty = all.
    pub fn below_this_process(storage: Vec<String>) -> ProcessTree {
        ProcessTree {
            root: Root::live_system(),
            top: std::process::id(),
            living: BTreeMap::new(),
            ended: ProcessIo::default(),
            ended_ticks: 0,
            ended_faults: 0,
            vanished: Vec::new(),
            sorted: SortedIo::default(),
            files: OpenFiles::new(storage),
            seen: 0,
            unreadable: 0,
            clients: BTreeSet::new(),
            dropped: 0,
        }
    }

    /// Reads the counters and the open files of all descendants.
    pub fn read_processes(&mut self) {
        let present = self.descendants();
        let mut now: BTreeMap<u32, ProcessSample> = BTreeMap::new();
        for pid in present {
            let before = self.living.get(&pid).cloned();
            if let Some(process) = self.read(pid, before) {
                now.insert(pid, process);
            }
        }
        let before = std::mem::replace(&mut self.living, now);
        for children in std::mem::take(&mut self.vanished) {
            let now = self.living.get(&children.above).map(|process| process.io);
            self.settle(&children, now);
        }
        self.sort(&before);
    }

    /// Keeps the counters of children that their ancestor has not reaped. `now` = its counters.
    fn settle(&mut self, children: &VanishedChildren, now: Option<ProcessIo>) {
        if now.is_some_and(|now| !children.are_reaped(now)) {
            self.ended = self.ended.plus(children.io);
            self.dropped += children.processes;
        }
    }

    /// Adds the counters of a child that has ended and is about to be reaped.
    pub fn ended(&mut self, pid: u32) {
        let before = self.living.remove(&pid);
        let Some(last) = self.read(pid, before.clone()) else { return };
        self.ended = self.ended.plus(last.io);
        self.ended_ticks = self.ended_ticks.saturating_add(last.ticks);
        self.ended_faults = self.ended_faults.saturating_add(last.faults);
        for children in std::mem::take(&mut self.vanished) {
            match children.above == pid {
                true => self.settle(&children, Some(last.io)),
                false => self.vanished.push(children),
            }
        }
        let earlier = before.map(|process| process.io).unwrap_or_default();
        // Those that were alive at the last look, and that it or its descendants have reaped since.
        let gone: Vec<u32> = self.living.keys().copied().filter(|child| !self.is_there(*child)).collect();
        let below = |child: &u32| {
            let mut above = self.living.get(child).map(|child| child.parent);
            while let Some(process) = above.filter(|above| *above != pid && gone.contains(above)) {
                above = self.living.get(&process).map(|process| process.parent);
            }
            above == Some(pid)
        };
        let reaped: Vec<u32> = gone.iter().copied().filter(|child| below(child)).collect();
        let reaped: Vec<ProcessSample> =
            reaped.iter().filter_map(|child| self.living.remove(child)).collect();
        if last.is_readable {
            let children = VanishedChildren::below(pid, earlier, reaped.iter());
            self.settle(&children, Some(last.io));
        }
        let reaped = reaped.iter().map(|child| (child.io, child.window));
        self.sorted.add(last.io.since(earlier), last.window, reaped);
    }

    fn is_there(&self, pid: u32) -> bool {
        self.root.path(format!("/proc/{pid}")).exists()
    }

    pub fn total(&self) -> ProcessIo {
        self.living.values().map(|process| process.io).fold(self.ended, ProcessIo::plus)
    }

    pub fn cpu_ns(&self) -> u64 {
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        let ticks =
            self.living.values().map(|process| process.ticks).fold(self.ended_ticks, u64::saturating_add);
        ticks.saturating_mul(tick)
    }

    /// Returns the page faults of all processes that read from storage.
    pub fn major_faults(&self) -> u64 {
        self.living.values().map(|process| process.faults).fold(self.ended_faults, u64::saturating_add)
    }

    /// Whether a process was stopped at the last sample.
    pub fn has_stopped(&self) -> bool {
        self.living.values().any(|process| process.is_stopped)
    }

    pub fn living(&self) -> usize {
        self.living.len()
    }

    /// Returns reads and writes, sorted by the open files of their processes.
    pub fn sorted(&self) -> (SortedCalls, SortedCalls) {
        (self.sorted.read, self.sorted.write)
    }

    /// Returns the numbers of all descendants, parents first.
    fn descendants(&self) -> Vec<u32> {
        let mut found = vec![self.top];
        let mut next = 0;
        while let Some(pid) = found.get(next).copied() {
            next += 1;
            for task in self.root.names(format!("/proc/{pid}/task")) {
                let children =
                    self.root.text(format!("/proc/{pid}/task/{task}/children")).unwrap_or_default();
                found.extend(children.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
            }
        }
        found.split_off(1)
    }

    /// Reads a process; `None` = it has ended.
    fn read(&mut self, pid: u32, before: Option<ProcessSample>) -> Option<ProcessSample> {
        let stat = ProcessStat::read(&self.root, pid)?;
        let (state, parent) = (stat.state()?, stat.parent()?);
        let is_new = before.is_none();
        let mut process = before.unwrap_or_default();
        process.parent = parent;
        // CPU time of the process and the children that it has reaped, clock ticks.
        process.ticks = (14..=17).filter_map(|field| stat.number(field)).fold(0, u64::saturating_add);
        process.faults = (12..=13).filter_map(|field| stat.number(field)).fold(0, u64::saturating_add);
        if CLIENTS.contains(&stat.name()) {
            self.clients.insert(stat.name().to_owned());
        }
        process.is_stopped = matches!(state, 'T' | 't');
        let io = self.root.text(format!("/proc/{pid}/io")).and_then(|text| ProcessIo::parse(&text));
        // Reaped in between: the process above has its counters.
        if io.is_none() && !self.is_there(pid) {
            return None;
        }
        self.seen += u64::from(is_new);
        if io.is_none() && (is_new || process.is_readable) {
            self.unreadable += 1;
        }
        process.is_readable = io.is_some();
        let grown = io.unwrap_or(process.io).since(process.io);
        process.io = io.unwrap_or(process.io);
        process.looks += 1;
        // Another program in the same process has other files open.
        let same_program = process.name == stat.name();
        process.window = if same_program { process.classes } else { Classes::default() };
        // Of mapped files only the bytes of devices grow.
        let amounts = [grown.read.bytes, grown.write.bytes, grown.read_bytes, grown.write_bytes];
        let much = amounts.iter().any(|bytes| *bytes >= MIN_RELEVANT_BYTES);
        let due =
            process.looks <= INITIAL_SAMPLES || process.looks.is_power_of_two() || much || !same_program;
        if state != 'Z' && due {
            process.classes = self.files.read_files(&self.root, pid);
            process.window = process.window.union(process.classes);
            process.name = stat.name().to_owned();
        }
        Some(process)
    }

    /// Sorts the calls since the last look. The counters of a parent grew by its reaped children.
    fn sort(&mut self, before: &BTreeMap<u32, ProcessSample>) {
        let gone: Vec<(u32, &ProcessSample)> = before
            .iter()
            .filter(|(pid, _)| !self.living.contains_key(pid))
            .map(|(pid, process)| (*pid, process))
            .collect();
        for (pid, process) in &self.living {
            let earlier = before.get(pid).map(|process| process.io).unwrap_or_default();
            let children =
                gone.iter().filter(|(_, child)| ancestor(child.parent, before, &self.living) == Some(*pid));
            let reaped = children.clone().map(|(_, child)| (child.io, child.window));
            self.sorted.add(process.io.since(earlier), process.window, reaped);
            let vanished = VanishedChildren::below(*pid, earlier, children.map(|(_, child)| *child));
            if process.is_readable && vanished.processes > 0 {
                self.vanished.push(vanished);
            }
        }
    }
}

/// Returns the nearest living ancestor, starting with this process.
fn ancestor(
    mut pid: u32,
    before: &BTreeMap<u32, ProcessSample>,
    living: &BTreeMap<u32, ProcessSample>,
) -> Option<u32> {
    while !living.contains_key(&pid) {
        pid = before.get(&pid)?.parent;
    }
    Some(pid)
}
