//! Clock queries from rank 0 to all other ranks.
//!
//! A question and its answer are a round trip ([`Offset`]), whose time bounds the error. A delayed message
//! makes the answer less exact, never wrong. Several ranks are queried concurrently, because distant ones
//! answer late. They disturb each other only by the few microseconds for each answer at rank 0. Each is
//! queried several times, and the quickest counts.

use super::frame::Frame;
use super::link::{Peer, RankLink, nanos};
use super::offset::{ClockReply, Offset};
use diskspd_sys::clock::Nanos;
use std::time::Duration;

/// Sufficient number of round trips, once they have taken a large part of the total time limit.
const MIN_ROUND_TRIPS: usize = 8;
const LONG_PART: Nanos = 100;
/// Number of ranks queried concurrently. Rank 0 needs about 4 us per answer, so more would wait for each
/// other with a round trip of 50 us.
const SIDE_BY_SIDE: usize = 16;

#[derive(Clone, Copy)]
struct ClockProbes {
    pings: usize,
    side_by_side: usize,
    told: bool,
}

impl RankLink<'_> {
    /// Answers clock queries without sleeping, as long as there are any.
    pub(super) fn be_quick(&mut self) {
        let until = self.group.now() + nanos(self.limits.clock);
        while self.reads_clocks && self.group.now() < until {
            self.hear();
            self.group.pause(Duration::ZERO);
        }
        self.reads_clocks = false;
    }

    /// Rank 0: returns the clock offsets of all ranks, with zero for rank 0. To be called while the other
    /// ranks wait for a decision. `None` = the rank is lost, or did not answer.
    ///
    /// `first_with` contains for each rank the first rank that reports the same clock. These ranks are
    /// queried once to verify it.
    pub fn clocks(&mut self, first_with: &[usize]) -> Vec<Option<Offset>> {
        let own_wall = self.group.wall().wrapping_sub(self.group.now() as i64);
        let own = Offset { wall_ns: own_wall, ..Offset::default() };
        let mut found = vec![None; self.size()];
        found[0] = Some(own);
        let first = |rank: usize| first_with.get(rank).copied().filter(|first| *first < rank).unwrap_or(rank);
        let others: Vec<usize> = (1..self.size()).filter(|rank| self.peers[*rank].lost.is_none()).collect();
        let (alone, with_others): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|rank| first(*rank) == *rank);
        let pings = self.limits.pings as usize;
        let exactly = ClockProbes { pings, side_by_side: SIDE_BY_SIDE, told: true };
        let roughly = ClockProbes { pings: 1, side_by_side: usize::MAX, told: false };
        self.query_clocks(&alone, exactly, &mut found);
        self.query_clocks(&with_others, roughly, &mut found);
        let mut apart = Vec::new();
        for rank in with_others {
            match (found[first(rank)], found[rank]) {
                (Some(shared), Some(own)) if shared.may_be(&own) => found[rank] = Some(shared),
                (_, Some(_)) => apart.push(rank),
                (_, None) => {}
            }
        }
        self.query_clocks(&apart, exactly, &mut found);
        found
    }

    /// Queries the clocks of these ranks, and stores their offsets.
    fn query_clocks(&mut self, ranks: &[usize], how: ClockProbes, found: &mut [Option<Offset>]) {
        let mut to_ask = ranks.iter().copied();
        let mut asked: Vec<usize> = Vec::new();
        loop {
            while asked.len() < how.side_by_side
                && let Some(rank) = to_ask.next()
            {
                self.peers[rank].asked = ClockReply { begun: self.group.now(), ..ClockReply::default() };
                if how.told {
                    self.send_frame(rank, &Frame::ClocksBegin);
                }
                asked.push(rank);
            }
            if asked.is_empty() {
                return;
            }
            asked.retain(|rank| {
                let continues = self.probe_again(*rank, how);
                if !continues {
                    found[*rank] = Offset::from_trips(&self.peers[*rank].asked.trips);
                }
                continues
            });
            self.hear();
            // All others wait meanwhile, and are not silent for that.
            if self.group.now().saturating_sub(self.said_alive_at) >= nanos(self.limits.beat) {
                let _ = self.tend();
            }
            self.group.pause(if how.told { Duration::ZERO } else { self.limits.look / 10 });
        }
    }

    /// Queries a rank again after its reply; returns whether queries or replies remain.
    fn probe_again(&mut self, rank: usize, how: ClockProbes) -> bool {
        let (now, limit) = (self.group.now(), nanos(self.limits.clock));
        let Peer { asked, lost, .. } = &mut self.peers[rank];
        let took = now.saturating_sub(asked.begun);
        let enough = asked.trips.len() >= how.pings
            || (asked.trips.len() >= MIN_ROUND_TRIPS && took >= limit / LONG_PART)
            || took >= limit;
        if enough || lost.is_some() {
            asked.number = 0;
            if how.told {
                self.send_frame(rank, &Frame::ClocksEnd);
            }
            return false;
        }
        if asked.number == 0 {
            self.asked += 1;
            (asked.number, asked.at) = (self.asked, now);
            let ping = Frame::Ping(asked.number);
            self.send_frame(rank, &ping);
        }
        true
    }
}
