//! The slowest I/Os of a worker (`--explain`), reported continuously.

use crate::telemetry::io_log::{Entry, LineRing, Producer};
use diskspd_base::message_error::MessageError;
use diskspd_sys::clock::{Nanos, SECOND};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

#[derive(Debug)]
pub struct SlowestRings {
    pub by_worker: Arc<Vec<LineRing>>,
    pub wanted: u32,
}

/// Reports the I/Os that may be among the slowest of their second. Most cost only a comparison. Its memory is
/// allocated on creation.
#[derive(Debug)]
pub struct Slowest<'a> {
    out: Producer<'a>,
    /// Longest latencies of the current second, with the shortest of them on top.
    longest: BinaryHeap<Reverse<Nanos>>,
    most: usize,
    threshold: Nanos,
    /// End of the current second.
    second_ends: Nanos,
}

pub fn no_memory(wanted: u32) -> String {
    format!("--explain={wanted}: not enough memory for this many I/Os of each thread; use a smaller number")
}

impl<'a> Slowest<'a> {
    /// Creates the buffer for this number of I/Os per second.
    ///
    /// # Errors
    /// Fails without memory.
    pub fn new(wanted: u32, out: Producer<'a>) -> Result<Slowest<'a>, MessageError> {
        let mut room = Vec::new();
        room.try_reserve_exact(wanted as usize + 1).map_err(|_| no_memory(wanted))?;
        let most = wanted as usize;
        Ok(Slowest { out, longest: BinaryHeap::from(room), most, threshold: 0, second_ends: 0 })
    }

    #[inline]
    pub fn reaped(&mut self, now: Nanos) {
        if now >= self.second_ends {
            self.second_ends = now + SECOND;
            self.longest.clear();
            self.threshold = 0;
        }
    }

    /// Whether a latency is among the slowest so far.
    #[inline]
    pub fn wants(&self, latency: Nanos) -> bool {
        latency > self.threshold
    }

    /// Passes on a slow I/O; the start in `entry` is the time of the clock itself.
    pub fn push(&mut self, entry: Entry) {
        self.longest.push(Reverse(entry.latency));
        if self.longest.len() > self.most {
            self.longest.pop();
        }
        if self.longest.len() == self.most {
            self.threshold = self.longest.peek().map_or(0, |least| least.0);
        }
        self.out.push(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::io_log::LineRing;
    use diskspd_base::operation::Operation;

    #[test]
    fn slowest_ios_of_each_second_are_kept() {
        let ring = LineRing::new(0, 1024, false).expect("memory");
        let mut slowest = Slowest::new(3, ring.producer()).expect("memory");
        let mut offer = |now: Nanos, latency: Nanos| {
            slowest.reaped(now);
            if slowest.wants(latency) {
                let op = Operation::Read;
                let start = now - latency;
                slowest.push(Entry { target: 0, op, offset: 0, size: 512, start, latency, due: None });
            }
        };
        for (index, latency) in [50, 40, 30, 20, 10, 60, 45, 30].into_iter().enumerate() {
            offer(SECOND + index as Nanos, latency);
        }
        offer(3 * SECOND, 5);
        let mut found = Vec::new();
        ring.drain(|entry| found.push(entry.latency));
        assert_eq!(found, [50, 40, 30, 60, 45, 5]);
    }
}
