//! Ranks as threads that run one at a time, and a network between them, in simulated time.
//!
//! A rank runs until it pauses. Time then jumps to the next wake-up, and only then, so that the course
//! depends only on the seed.

use super::course::RunTotals;
use crate::harness::Random;
use diskspd::clock::{Nanos, SECOND};
use diskspd::ranks::{GroupError, RankGroup, RankMessage};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const YIELD: Nanos = 200_000;
/// A rank that still waits after this hangs: all limits of waiting together are far shorter.
const HANGS_AFTER: Nanos = 600 * SECOND;
const NEVER: Nanos = Nanos::MAX;

#[derive(Debug, Clone, Copy)]
pub struct RankFaults {
    /// It is killed then, ns; [`Nanos::MAX`] = never.
    pub killed_at: Nanos,
    /// It is stopped from then on, for so long, ns.
    pub stopped: (Nanos, Nanos),
    pub cut_at: [Nanos; 2],
    pub is_reported: bool,
    pub ahead: Nanos,
}

impl RankFaults {
    pub const NONE: RankFaults = RankFaults {
        killed_at: NEVER,
        stopped: (NEVER, 0),
        cut_at: [NEVER; 2],
        is_reported: false,
        ahead: 0,
    };
}

/// Why a rank's thread was ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Killed,
    Hangs,
}

struct Message {
    from: usize,
    arrives: Nanos,
    bytes: Vec<u8>,
}

struct State {
    now: Nanos,
    active: usize,
    wakes: Vec<Nanos>,
    mail: Vec<VecDeque<Message>>,
    faults: Vec<RankFaults>,
    told: Vec<[bool; 2]>,
    /// Maximum delay of a normal message in ns, and the number of delayed messages of 1000.
    delay: Nanos,
    late: u64,
    random: Random,
    course: RunTotals,
}

/// The network, and all its ranks.
pub struct Network {
    state: Mutex<State>,
    turns: Vec<Condvar>,
}

impl Network {
    /// For as many ranks as there are faults; no message takes longer than `longest`, ns.
    pub fn new(
        faults: Vec<RankFaults>,
        delay: Nanos,
        late: u64,
        random: Random,
        course: RunTotals,
    ) -> Arc<Self> {
        let size = faults.len();
        let state = State {
            now: SECOND,
            active: 0,
            wakes: vec![SECOND; size],
            mail: (0..size).map(|_| VecDeque::new()).collect(),
            faults,
            told: vec![[false; 2]; size],
            delay,
            late,
            random,
            course,
        };
        Arc::new(Network { state: Mutex::new(state), turns: (0..size).map(|_| Condvar::new()).collect() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a step of a rank.
    pub fn step(&self, rank: usize, what: &str) {
        let mut state = self.state();
        let now = state.now;
        state.course.step(format_args!("{now} rank {rank} {what}"));
    }

    /// Simulated time and the hash of the course.
    pub fn end(&self) -> (Nanos, u64) {
        let state = self.state();
        (state.now, state.course.hash())
    }

    pub fn begins(&self, rank: usize) {
        let mut state = self.state();
        while state.active != rank {
            state = self.turns[rank].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A rank's thread ends.
    pub fn ends(&self, rank: usize) {
        let mut state = self.state();
        state.wakes[rank] = NEVER;
        self.give_turn(&mut state);
    }

    /// The next turn is of the rank that wakes first.
    fn give_turn(&self, state: &mut State) {
        let next = state.wakes.iter().copied().zip(0..).min().filter(|(wakes, _)| *wakes != NEVER);
        if let Some((wakes, rank)) = next {
            state.now = state.now.max(wakes);
            state.active = rank;
            self.turns[rank].notify_one();
        }
    }

    fn pause(&self, rank: usize, time: Nanos) -> Option<Ended> {
        let mut state = self.state();
        let mut wakes = state.now + time.max(YIELD);
        let (stopped_at, length) = state.faults[rank].stopped;
        if (state.now..wakes).contains(&stopped_at) {
            wakes = wakes.max(stopped_at.saturating_add(length));
        }
        state.wakes[rank] = wakes.min(state.faults[rank].killed_at.max(state.now));
        self.give_turn(&mut state);
        while state.active != rank {
            state = self.turns[rank].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match () {
            () if state.now >= state.faults[rank].killed_at => Some(Ended::Killed),
            () if state.now >= HANGS_AFTER => Some(Ended::Hangs),
            () => None,
        }
    }
}

/// A rank's end of the network.
pub struct SimulatedRank {
    pub rank: usize,
    pub network: Arc<Network>,
}

impl State {
    fn cut(&self, from: usize, to: usize) -> (Nanos, usize, usize) {
        let (rank, direction) = if to == 0 { (from, 0) } else { (to, 1) };
        (self.faults[rank].cut_at[direction], rank, direction)
    }

    fn arrival(&mut self, from: usize, to: usize) -> Nanos {
        let is_late = self.random.number() % 1000 < self.late;
        let longest = if is_late { self.delay * 100 } else { self.delay };
        let arrives = self.now + 1 + self.random.number() % longest;
        let before =
            self.mail[to].iter().filter(|message| message.from == from).map(|message| message.arrives);
        before.max().map_or(arrives, |before| arrives.max(before))
    }

    fn broken(&mut self, rank: usize) -> Option<usize> {
        let others: Vec<usize> = if rank == 0 { (1..self.faults.len()).collect() } else { vec![0] };
        others.into_iter().find(|other| {
            let (cut_at, of, direction) = self.cut(*other, rank);
            let is_broken = self.faults[of].is_reported && self.now >= cut_at;
            is_broken && !std::mem::replace(&mut self.told[of][direction], true)
        })
    }
}

impl RankGroup for SimulatedRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.network.turns.len()
    }

    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        let mut state = self.network.state();
        let (now, from) = (state.now, self.rank);
        state.course.step(format_args!("{now} {from} to {to}: {bytes:?}"));
        let (cut_at, of, _) = state.cut(from, to);
        if now >= cut_at {
            return if state.faults[of].is_reported { Err(GroupError::NoRank(to)) } else { Ok(()) };
        }
        let arrives = state.arrival(from, to);
        // What is on its way when the way is cut is lost.
        if arrives < cut_at {
            state.mail[to].push_back(Message { from, arrives, bytes: bytes.to_vec() });
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)> {
        let mut state = self.network.state();
        let (now, rank) = (state.now, self.rank);
        let there = state.mail[rank].iter().enumerate().filter(|(_, message)| message.arrives <= now);
        let Some((place, _)) = there.min_by_key(|(place, message)| (message.arrives, *place)) else {
            return state.broken(rank).map_or(Ok(None), |other| Err((other, GroupError::NoRank(other))));
        };
        Ok(state.mail[rank].remove(place).map(|message| (message.from, message.bytes)))
    }

    fn now(&self) -> Nanos {
        let state = self.network.state();
        state.now + state.faults[self.rank].ahead
    }

    fn wall(&self) -> i64 {
        self.now() as i64
    }

    fn pause(&mut self, time: Duration) {
        let time = time.as_nanos() as Nanos;
        if let Some(ended) = self.network.pause(self.rank, time) {
            // Without a message: it is caught where the thread began.
            std::panic::resume_unwind(Box::new(ended));
        }
    }
}
