//! Ranks with mutual liveness checks: rounds with time limits on top of a group.
//!
//! In a round every rank has an answer for rank 0, and rank 0 a decision for all. A rank may take any time
//! before it answers, and sends signs of life during it. A silent rank is lost after a while, and the
//! other ranks continue without it.

use super::RankGroup;
use super::frame::Frame;
use super::offset::ClockReply;
use diskspd_sys::clock::{Nanos, SECOND};
use std::fmt;
use std::time::Duration;

/// Heartbeat of a job that is ending.
const SHORT_HEARTBEAT: Duration = Duration::from_millis(50);
const SHORT_TIMEOUT_LIMIT: Duration = Duration::from_millis(600);

/// Maximum number of states per rank that rank 0 keeps until it reads them.
const KEPT_STATES: usize = 8;

/// A waiting rank polls for messages after this fraction of its waiting time, so that many ranks on few
/// CPUs leave them to working ranks.
const POLL_DIVISOR: u32 = 10;
const MAX_POLL_FACTOR: u32 = 10;

#[derive(Debug, Clone, Copy)]
pub struct WaitLimits {
    pub beat: Duration,
    /// Time without a message after which a rank counts as lost.
    pub silence: Duration,
    /// Minimum interval of checks for messages; ten times as long during long waits.
    pub look: Duration,
    pub pings: u32,
    /// Maximum duration of all queries to a clock.
    pub clock: Duration,
}

impl Default for WaitLimits {
    fn default() -> WaitLimits {
        WaitLimits {
            beat: Duration::from_secs(1),
            silence: Duration::from_secs(20),
            look: Duration::from_millis(2),
            pings: 32,
            clock: Duration::from_secs(3),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeparationError {
    /// Rank 0 is lost, for this reason.
    NoRank0(String),
    /// Rank 0 has given this rank up.
    GivenUp {
        /// Seconds without a message.
        silent_s: u32,
    },
}

impl fmt::Display for SeparationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeparationError::NoRank0(why) => write!(f, "lost rank 0, which leads the run: {why}"),
            SeparationError::GivenUp { silent_s } => write!(
                f,
                "this rank was silent for {silent_s} s, so rank 0 continues without it: it was stopped, or \
                 lost its connection"
            ),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Peer {
    heard_at: Nanos,
    pub(super) lost: Option<String>,
    told_lost: bool,
    /// States that rank 0 has not read yet, in order.
    states: Vec<Vec<u8>>,
    answer: Option<Vec<u8>>,
    pub(super) asked: ClockReply,
}

/// A rank's end of the connection. Rank 0 is connected with all, every other one with rank 0.
pub struct RankLink<'g> {
    pub(super) group: &'g mut dyn RankGroup,
    pub(super) limits: WaitLimits,
    round: u32,
    pub(super) peers: Vec<Peer>,
    pub(super) said_alive_at: Nanos,
    decision: Option<Vec<u8>>,
    stop: Option<u8>,
    given_up: Option<SeparationError>,
    /// Whether rank 0 is reading this rank's clock.
    pub(super) reads_clocks: bool,
    /// Number of the last clock query.
    pub(super) asked: u32,
}

impl<'g> RankLink<'g> {
    pub fn new(group: &'g mut dyn RankGroup, limits: WaitLimits) -> RankLink<'g> {
        let now = group.now();
        let peer = |_| Peer { heard_at: now, ..Peer::default() };
        let peers = (0..group.size()).map(peer).collect();
        let (round, said_alive_at, decision, stop, given_up) = Default::default();
        let (reads_clocks, asked) = Default::default();
        RankLink { group, limits, round, peers, said_alive_at, decision, stop, given_up, reads_clocks, asked }
    }

    pub fn rank(&self) -> usize {
        self.group.rank()
    }

    pub fn size(&self) -> usize {
        self.group.size()
    }

    pub fn limits(&self) -> &WaitLimits {
        &self.limits
    }

    pub fn lost_ranks(&self) -> Vec<Option<String>> {
        self.peers.iter().map(|peer| peer.lost.clone()).collect()
    }

    pub fn is_complete(&self) -> bool {
        self.peers.iter().all(|peer| peer.lost.is_none())
    }

    /// Returns the origin of the run's end as reported by another rank.
    pub fn stop(&self) -> Option<u8> {
        self.stop
    }

    /// Drops a rank and all its messages.
    pub fn lose(&mut self, rank: usize, why: &str) {
        if let Some(peer) = self.peers.get_mut(rank) {
            peer.lost.get_or_insert_with(|| why.to_owned());
        }
    }

    pub fn say_stop(&mut self, by: u8) {
        self.stop = Some(by);
        self.say_to_all(&Frame::Stop(by));
    }

    /// Shortens waiting times because the job is being ended. Launchers kill the remaining processes after
    /// a while, Open MPI after a second.
    pub fn hurry(&mut self) {
        self.limits.beat = self.limits.beat.min(SHORT_HEARTBEAT);
        self.limits.silence = self.limits.silence.min(SHORT_TIMEOUT_LIMIT);
        let now = self.group.now();
        self.peers.iter_mut().for_each(|peer| peer.heard_at = now);
    }

    /// Returns the ranks that exchange messages with this one and are not lost.
    fn live_partners(&self) -> Vec<usize> {
        let others = match self.rank() {
            0 => 1..self.size(),
            _ => 0..1,
        };
        others.filter(|rank| self.peers[*rank].lost.is_none()).collect()
    }

    pub(super) fn send_frame(&mut self, to: usize, frame: &Frame) {
        if let Err(why) = self.group.post(to, &frame.to_bytes()) {
            self.lose(to, &why.to_string());
        }
    }

    fn say_to_all(&mut self, frame: &Frame) {
        for to in self.live_partners() {
            self.send_frame(to, frame);
        }
    }

    /// Sends signs of life and receives pending messages without waiting. Every rank must call it often.
    ///
    /// # Errors
    /// Fails if this rank is alone.
    pub fn tend(&mut self) -> Result<(), SeparationError> {
        self.hear();
        let now = self.group.now();
        if now.saturating_sub(self.said_alive_at) >= nanos(self.limits.beat) {
            self.said_alive_at = now;
            self.say_to_all(&Frame::Alive);
        }
        for rank in self.live_partners() {
            let silent = now.saturating_sub(self.peers[rank].heard_at);
            if silent >= nanos(self.limits.silence) {
                let why = format!("no message from it for {} s", silent.div_ceil(SECOND));
                self.lose(rank, &why);
            }
        }
        self.check_ended()
    }

    /// Any rank except rank 0: sends the state of its run, which rank 0 need not answer.
    pub fn send_state(&mut self, bytes: Vec<u8>) {
        if self.rank() != 0 && self.peers[0].lost.is_none() {
            self.send_frame(0, &Frame::State(bytes));
        }
    }

    /// Rank 0: the states that ranks sent since the last call, in the order of each rank.
    pub fn take_states(&mut self) -> Vec<(usize, Vec<u8>)> {
        let of_rank = |(rank, peer): (usize, &mut Peer)| {
            std::mem::take(&mut peer.states).into_iter().map(move |state| (rank, state)).collect::<Vec<_>>()
        };
        self.peers.iter_mut().enumerate().flat_map(of_rank).collect()
    }

    /// Rank 0: the time in ns since the last message of each rank; 0 for itself.
    pub fn silences(&self) -> Vec<Nanos> {
        let (now, own) = (self.group.now(), self.rank());
        let silence = |(rank, peer): (usize, &Peer)| match rank == own {
            true => 0,
            false => now.saturating_sub(peer.heard_at),
        };
        self.peers.iter().enumerate().map(silence).collect()
    }

    fn check_ended(&self) -> Result<(), SeparationError> {
        if let Some(ended) = &self.given_up {
            return Err(ended.clone());
        }
        match &self.peers[0].lost {
            Some(why) if self.rank() != 0 => Err(SeparationError::NoRank0(why.clone())),
            _ => Ok(()),
        }
    }

    /// Receives all available messages.
    pub(super) fn hear(&mut self) {
        loop {
            match self.group.take() {
                Ok(Some((from, bytes))) => self.handle_frame(from, Frame::parse_frame(&bytes)),
                Ok(None) => return,
                Err((from, why)) => self.lose(from, &why.to_string()),
            }
        }
    }

    fn handle_frame(&mut self, from: usize, frame: Option<Frame>) {
        if self.peers[from].lost.is_some() {
            // It was stopped and goes on now: it shall not wait.
            if !std::mem::replace(&mut self.peers[from].told_lost, true) {
                let silent = Frame::GivenUp(self.limits.silence.as_secs() as u32);
                let _ = self.group.post(from, &silent.to_bytes());
            }
            return;
        }
        let now = self.group.now();
        self.peers[from].heard_at = now;
        match frame {
            Some(Frame::Stop(by)) => {
                let first = self.stop.is_none();
                self.stop.get_or_insert(by);
                if first && self.rank() == 0 {
                    self.say_to_all(&Frame::Stop(by));
                }
            }
            Some(Frame::Answer(round, bytes)) if round == self.round => {
                self.peers[from].answer = Some(bytes);
            }
            // The next round's decision can't be made before this rank's answer.
            Some(Frame::Decision(round, bytes)) if round == self.round => self.decision = Some(bytes),
            Some(Frame::ClocksBegin) => self.reads_clocks = true,
            Some(Frame::ClocksEnd) => self.reads_clocks = false,
            Some(Frame::Ping(number)) => {
                let (monotonic, wall) = (self.group.now(), self.group.wall());
                self.send_frame(from, &Frame::Pong(number, monotonic, wall));
            }
            Some(Frame::Pong(number, other, other_wall)) => {
                self.peers[from].asked.answer(number, other, other_wall, now);
            }
            Some(Frame::State(bytes)) => {
                let states = &mut self.peers[from].states;
                states.drain(..states.len().saturating_sub(KEPT_STATES - 1));
                states.push(bytes);
            }
            Some(Frame::GivenUp(silent_s)) => {
                self.given_up.get_or_insert(SeparationError::GivenUp { silent_s });
            }
            _ => {}
        }
    }

    /// Rank 0: waits for the replies of all ranks that are not lost, and returns them; `own` is rank 0's.
    /// `meanwhile` is called repeatedly.
    pub fn gather(&mut self, own: Vec<u8>, mut meanwhile: impl FnMut(&mut Self)) -> Vec<Option<Vec<u8>>> {
        let begun = self.group.now();
        loop {
            let _ = self.tend();
            let partners = self.live_partners();
            if partners.iter().all(|rank| self.peers[*rank].answer.is_some()) {
                let mut answers: Vec<_> = self.peers.iter_mut().map(|peer| peer.answer.take()).collect();
                for (answer, peer) in answers.iter_mut().zip(&self.peers) {
                    *answer = answer.take().filter(|_| peer.lost.is_none());
                }
                answers[0] = Some(own);
                return answers;
            }
            meanwhile(self);
            self.pause_since(begun);
        }
    }

    /// Sleeps until the next check for messages; the wait began at `begun`.
    fn pause_since(&mut self, begun: Nanos) {
        let waited = Duration::from_nanos(self.group.now().saturating_sub(begun));
        let look = self.limits.look;
        self.group.pause((waited / POLL_DIVISOR).clamp(look, look * MAX_POLL_FACTOR));
    }

    /// Returns the ranks that have not answered yet.
    pub fn awaited(&self) -> Vec<usize> {
        self.live_partners().into_iter().filter(|rank| self.peers[*rank].answer.is_none()).collect()
    }

    /// Rank 0: ends the round with the decision from the answers.
    pub fn decide(&mut self, decision: &[u8]) {
        let frame = Frame::Decision(self.round, decision.to_vec());
        self.say_to_all(&frame);
        self.round += 1;
    }

    /// Any other rank: gives its answer, and waits for the decision. `meanwhile` is called again and again.
    ///
    /// # Errors
    /// Fails if the connection to the other ranks is lost.
    pub fn answer(
        &mut self,
        own: Vec<u8>,
        mut meanwhile: impl FnMut(&mut Self),
    ) -> Result<Vec<u8>, SeparationError> {
        let (round, begun) = (self.round, self.group.now());
        self.send_frame(0, &Frame::Answer(round, own));
        loop {
            self.tend()?;
            if let Some(decision) = self.decision.take() {
                self.round += 1;
                self.reads_clocks = false;
                return Ok(decision);
            }
            if self.reads_clocks {
                self.be_quick();
                continue;
            }
            meanwhile(self);
            self.pause_since(begun);
        }
    }
}

impl fmt::Debug for RankLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RankLink")
            .field("round", &self.round)
            .field("peers", &self.peers)
            .finish_non_exhaustive()
    }
}

pub(super) fn nanos(duration: Duration) -> Nanos {
    Nanos::try_from(duration.as_nanos()).unwrap_or(Nanos::MAX)
}

#[cfg(test)]
mod tests;
