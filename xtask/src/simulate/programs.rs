//! Programs as threads that run one at a time. Before each file step the seed may switch to another
//! program, fill the disk, or kill the program.

use super::course::RunTotals;
use super::power::DurableFolder;
use crate::harness::Random;
use diskspd::sys::fault_points::{FaultInjector, FileStep, watch};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

const ENDLESS: u32 = 100_000;
const PATIENCE: u32 = 5_000;
const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EOPNOTSUPP: i32 = 95;

#[derive(Debug, Clone)]
pub struct RoundFaults {
    pub killed_at: Vec<Option<u32>>,
    pub full: (u32, u32),
    /// Step before which the power is cut; `None` = never.
    pub cut_at: Option<u32>,
    /// The file system has files without names.
    pub has_unnamed: bool,
    pub ahead_ns: i64,
}

struct State {
    active: usize,
    has_ended: Vec<bool>,
    is_dead: Vec<bool>,
    is_cut: bool,
    steps: Vec<u32>,
    all_steps: u32,
    random: Random,
    course: RunTotals,
}

pub struct Programs {
    faults: RoundFaults,
    disk: Arc<DurableFolder>,
    state: Mutex<State>,
    turns: Vec<Condvar>,
}

impl Programs {
    pub fn new(faults: RoundFaults, disk: Arc<DurableFolder>, random: Random, course: RunTotals) -> Programs {
        let count = faults.killed_at.len();
        let state = State {
            active: 0,
            has_ended: vec![false; count],
            is_dead: vec![false; count],
            is_cut: false,
            steps: vec![0; count],
            all_steps: 0,
            random,
            course,
        };
        let turns = (0..count).map(|_| Condvar::new()).collect();
        Programs { faults, disk, state: Mutex::new(state), turns }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn run(self: &Arc<Programs>, work: impl Fn(usize) + Sync) -> bool {
        std::thread::scope(|scope| {
            for program in 0..self.turns.len() {
                let (work, programs) = (&work, Arc::clone(self));
                scope.spawn(move || {
                    drop(programs.turn(program, programs.state()));
                    let watched = Watched { program, programs: Arc::clone(&programs), waited: Cell::new(0) };
                    watch(Some(Rc::new(watched)));
                    work(program);
                    watch(None);
                    let mut state = programs.state();
                    state.has_ended[program] = true;
                    programs.give_turn(&mut state, program);
                });
            }
        });
        self.state().all_steps >= ENDLESS
    }

    pub fn end(&self) -> (Random, RunTotals) {
        let mut state = self.state();
        (Random(state.random.0), std::mem::replace(&mut state.course, RunTotals::new(false)))
    }

    pub fn note(&self, program: usize, what: &str) {
        self.state().course.step(format_args!("program {program}: {what}"));
    }

    /// A number of the seed's.
    pub fn number(&self) -> u64 {
        self.state().random.number()
    }

    pub fn is_dead(&self, program: usize) -> bool {
        self.state().is_dead[program]
    }

    /// Whether the power was cut.
    pub fn is_cut(&self) -> bool {
        self.state().is_cut
    }

    /// Whether the disk is full at some time.
    pub fn is_ever_full(&self) -> bool {
        self.faults.full.1 > 0
    }

    fn give_turn(&self, state: &mut State, except: usize) {
        let others: Vec<usize> = (0..self.turns.len())
            .filter(|program| *program != except && !state.has_ended[*program])
            .collect();
        if !others.is_empty() {
            state.active = others[state.random.number() as usize % others.len()];
            self.turns[state.active].notify_one();
        }
    }

    /// Waits for a program's turn.
    fn turn<'a>(&'a self, program: usize, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.active != program {
            state = self.turns[program].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

/// A program's thread.
struct Watched {
    program: usize,
    programs: Arc<Programs>,
    waited: Cell<u32>,
}

impl FaultInjector for Watched {
    fn before_step(&self, step: FileStep) -> io::Result<()> {
        let (program, faults) = (self.program, &self.programs.faults);
        let mut state = self.programs.state();
        if state.random.number().is_multiple_of(4) {
            self.programs.give_turn(&mut state, program);
            state = self.programs.turn(program, state);
        }
        self.waited.set(0);
        let at = state.steps[program];
        state.steps[program] += 1;
        state.all_steps += 1;
        if faults.killed_at[program] == Some(at) && !state.is_dead[program] {
            state.is_dead[program] = true;
            state.course.step(format_args!("program {program}: killed before {step:?}"));
        }
        if faults.cut_at.is_some_and(|at| state.all_steps > at) && !state.is_cut {
            state.is_cut = true;
            state.is_dead.fill(true);
            state.course.step(format_args!("program {program}: the power is cut before {step:?}"));
        }
        if state.is_dead[program] || state.all_steps >= ENDLESS {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        let (from, count) = faults.full;
        let is_full = (from..from.saturating_add(count)).contains(&state.all_steps) && grows(step);
        let failed = match step {
            FileStep::MakeUnnamed if !faults.has_unnamed => Some(EOPNOTSUPP),
            // It is a folder of the machine's, where others' files decide what a name finds.
            FileStep::MakeElsewhere => Some(ENOSPC),
            _ if is_full => Some(ENOSPC),
            _ => None,
        };
        let said = if failed.is_some() { ", refused" } else { "" };
        state.course.step(format_args!("program {program}: {step:?}{said}"));
        failed.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
    }

    fn synced(&self, what: &File) {
        if let Err(error) = self.programs.disk.synced(what) {
            self.programs.note(self.program, &format!("synced data cannot be read: {error}"));
        }
    }

    fn random(&self) -> u64 {
        self.programs.number()
    }

    fn ahead_ns(&self) -> i64 {
        self.programs.faults.ahead_ns
    }

    fn is_waiting(&self) -> bool {
        let mut state = self.programs.state();
        state.course.step(format_args!("program {}: waits", self.program));
        self.waited.set(self.waited.get() + 1);
        self.programs.give_turn(&mut state, self.program);
        drop(self.programs.turn(self.program, state));
        self.waited.get() < PATIENCE
    }
}

/// Whether a step takes room on the disk.
fn grows(step: FileStep) -> bool {
    use FileStep::{Commit, Link, MakeFolder, MakeNamed, MakeUnnamed, Write};
    matches!(step, MakeFolder | MakeUnnamed | MakeNamed | Write | Link | Commit)
}
