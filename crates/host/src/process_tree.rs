//! The I/O of a process and all its descendants, by the kernel's counters (`/proc/<pid>/io`), sorted by the
//! open files of each process.
//!
//! The counters of a process include its reaped children. So the sum over living processes and over the
//! children of this process is exact. Files are seen by sampling: a process
//! with storage alone open for reading has read from storage.

mod classes;
mod open_files;

use crate::process_stat::ProcessStat;
use crate::root::Root;
use classes::{Classes, SortedIo};
use diskspd_model::machine::process_io::{ProcessIo, SortedCalls};
pub use open_files::{OpenFiles, SeenFile};
use std::collections::BTreeMap;

/// Looks that examine the open files of a process: the first ones, then each that is a power of two, and each
/// after as many bytes.
const EAGER_LOOKS: u32 = 4;
const MUCH: u64 = 256 << 10;

/// All processes below one.
#[derive(Debug)]
pub struct ProcessTree {
    root: Root,
    /// The process whose descendants are watched.
    top: u32,
    living: BTreeMap<u32, SeenProcess>,
    /// Counters of ended processes.
    ended: ProcessIo,
    ended_ticks: u64,
    sorted: SortedIo,
    pub files: OpenFiles,
    /// Processes that were seen.
    pub seen: u64,
    pub unreadable: u64,
}

#[derive(Debug, Clone, Default)]
struct SeenProcess {
    parent: u32,
    io: ProcessIo,
    ticks: u64,
    is_stopped: bool,
    is_readable: bool,
    /// Open files at the last examination, and the name of the program then.
    classes: Classes,
    name: String,
    /// Open files at one of the last two examinations.
    window: Classes,
    looks: u32,
}

impl ProcessTree {
    /// Watches the descendants of this process. `storage`: the devices whose files are judged; empty = all.
    pub fn below_this_process(storage: Vec<String>) -> ProcessTree {
        ProcessTree {
            root: Root::live(),
            top: std::process::id(),
            living: BTreeMap::new(),
            ended: ProcessIo::default(),
            ended_ticks: 0,
            sorted: SortedIo::default(),
            files: OpenFiles::new(storage),
            seen: 0,
            unreadable: 0,
        }
    }

    /// Reads the counters and the open files of all descendants.
    pub fn look(&mut self) {
        let present = self.descendants();
        let mut now: BTreeMap<u32, SeenProcess> = BTreeMap::new();
        for pid in present {
            let before = self.living.get(&pid).cloned();
            if let Some(process) = self.read(pid, before) {
                now.insert(pid, process);
            }
        }
        let before = std::mem::replace(&mut self.living, now);
        self.sort(&before);
    }

    /// Adds the counters of a child that has ended and is about to be reaped.
    pub fn ended(&mut self, pid: u32) {
        let before = self.living.remove(&pid);
        let Some(last) = self.read(pid, before.clone()) else { return };
        self.ended = self.ended.plus(last.io);
        self.ended_ticks = self.ended_ticks.saturating_add(last.ticks);
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
        let reaped: Vec<SeenProcess> = reaped.iter().filter_map(|child| self.living.remove(child)).collect();
        let reaped = reaped.iter().map(|child| (child.io, child.window));
        self.sorted.add(last.io.since(earlier), last.window, reaped);
    }

    fn is_there(&self, pid: u32) -> bool {
        self.root.path(format!("/proc/{pid}")).exists()
    }

    /// The counters of all processes so far.
    pub fn total(&self) -> ProcessIo {
        self.living.values().map(|process| process.io).fold(self.ended, ProcessIo::plus)
    }

    /// CPU time of all processes so far, ns.
    pub fn cpu_ns(&self) -> u64 {
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        let ticks =
            self.living.values().map(|process| process.ticks).fold(self.ended_ticks, u64::saturating_add);
        ticks.saturating_mul(tick)
    }

    /// Whether a process was stopped at the last look.
    pub fn has_stopped(&self) -> bool {
        self.living.values().any(|process| process.is_stopped)
    }

    pub fn living(&self) -> usize {
        self.living.len()
    }

    /// Calls by the open files of their processes: reads and writes.
    pub fn sorted(&self) -> (SortedCalls, SortedCalls) {
        (self.sorted.read, self.sorted.write)
    }

    /// The numbers of all descendants, parents first.
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

    /// Reads a process; `None` = it is gone.
    fn read(&mut self, pid: u32, before: Option<SeenProcess>) -> Option<SeenProcess> {
        let stat = ProcessStat::read(&self.root, pid)?;
        let (state, parent) = (stat.state()?, stat.parent()?);
        let is_new = before.is_none();
        let mut process = before.unwrap_or_default();
        self.seen += u64::from(is_new);
        process.parent = parent;
        // CPU time of the process and the children that it has reaped, clock ticks.
        process.ticks = (14..=17).filter_map(|field| stat.number(field)).fold(0, u64::saturating_add);
        process.is_stopped = matches!(state, 'T' | 't');
        let io = self.root.text(format!("/proc/{pid}/io")).and_then(|text| ProcessIo::parse(&text));
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
        let much = grown.read.bytes.max(grown.write.bytes) >= MUCH;
        let due = process.looks <= EAGER_LOOKS || process.looks.is_power_of_two() || much || !same_program;
        if state != 'Z' && due {
            process.classes = self.files.look(&self.root, pid);
            process.window = process.window.or(process.classes);
            process.name = stat.name().to_owned();
        }
        Some(process)
    }

    /// Sorts the calls since the last look. The counters of a parent grew by its reaped children.
    fn sort(&mut self, before: &BTreeMap<u32, SeenProcess>) {
        let gone: Vec<(u32, &SeenProcess)> = before
            .iter()
            .filter(|(pid, _)| !self.living.contains_key(pid))
            .map(|(pid, process)| (*pid, process))
            .collect();
        for (pid, process) in &self.living {
            let earlier = before.get(pid).map(|process| process.io).unwrap_or_default();
            let reaped =
                gone.iter().filter(|(_, child)| ancestor(child.parent, before, &self.living) == Some(*pid));
            let reaped = reaped.map(|(_, child)| (child.io, child.window));
            self.sorted.add(process.io.since(earlier), process.window, reaped);
        }
    }
}

/// The nearest living process from this one upwards.
fn ancestor(
    mut pid: u32,
    before: &BTreeMap<u32, SeenProcess>,
    living: &BTreeMap<u32, SeenProcess>,
) -> Option<u32> {
    while !living.contains_key(&pid) {
        pid = before.get(&pid)?.parent;
    }
    Some(pid)
}
