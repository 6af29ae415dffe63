//! The offset between two clocks, determined by round-trip messages.

use diskspd_sys::clock::Nanos;

/// A query of another rank's clock, and its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrip {
    /// Local monotonic clock at the query, in ns.
    pub asked: Nanos,
    /// The peer's monotonic clock at its answer in ns.
    pub other: Nanos,
    /// The peer's wall clock at its answer in ns since 1970.
    pub other_wall: i64,
    /// Own monotonic clock at the receipt of the answer in ns.
    pub answered: Nanos,
}

#[derive(Debug, Default)]
pub struct ClockReply {
    /// Number of the open query; 0 = none.
    pub number: u32,
    /// Local monotonic clock at the query, in ns.
    pub at: Nanos,
    /// Time of the first query.
    pub begun: Nanos,
    pub trips: Vec<RoundTrip>,
}

impl ClockReply {
    /// Accepts the answer to the current query and ignores answers to older ones.
    pub fn answer(&mut self, number: u32, other: Nanos, other_wall: i64, now: Nanos) {
        if number == self.number && number != 0 {
            self.trips.push(RoundTrip { asked: self.at, other, other_wall, answered: now });
            self.number = 0;
        }
    }
}

/// Offset of another rank's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offset {
    /// The peer's monotonic clock minus the own one in ns.
    pub ahead_ns: i64,
    /// It may be wrong by this, ns: half of the smallest round trip. The answer was given at some time in it.
    pub uncertainty_ns: u64,
    /// The peer's wall clock minus its monotonic clock in ns.
    pub wall_ns: i64,
}

impl Offset {
    /// Returns the offset from the quickest round trip, which is the most exact; `None` without round
    /// trips.
    pub fn from_trips(trips: &[RoundTrip]) -> Option<Offset> {
        let took = |trip: &&RoundTrip| trip.answered.saturating_sub(trip.asked);
        let best = trips.iter().min_by_key(took)?;
        let took = took(&best);
        let middle = best.asked + took / 2;
        Some(Offset {
            ahead_ns: best.other.wrapping_sub(middle) as i64,
            uncertainty_ns: took.div_ceil(2),
            wall_ns: best.other_wall.wrapping_sub(best.other as i64),
        })
    }

    /// Whether the offsets can belong to the same clock, given their errors.
    pub fn may_be(&self, other: &Offset) -> bool {
        self.ahead_ns.abs_diff(other.ahead_ns) <= self.uncertainty_ns.saturating_add(other.uncertainty_ns)
    }

    /// Converts a time of this clock to the other clock.
    pub fn to_other(&self, own: Nanos) -> Nanos {
        own.wrapping_add_signed(self.ahead_ns)
    }

    /// Converts a time of the other clock to this clock.
    pub fn to_own(&self, other: Nanos) -> Nanos {
        other.wrapping_add_signed(self.ahead_ns.wrapping_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn true_offset_is_within_uncertainty(
            ahead in -1_000_000_000_000i64..1_000_000_000_000,
            ways in proptest::collection::vec((0u64..50_000_000, 0u64..50_000_000), 1..20),
        ) {
            let mut now = 5_000_000_000_000u64;
            let trips: Vec<RoundTrip> = ways.iter().map(|(there, back)| {
                let (asked, at, answered) = (now, now + there, now + there + back);
                now = answered + 1000;
                let other = at.wrapping_add_signed(ahead);
                RoundTrip { asked, other, other_wall: other as i64 + 77, answered }
            }).collect();
            let found = Offset::from_trips(&trips).unwrap();
            prop_assert!((found.ahead_ns - ahead).unsigned_abs() <= found.uncertainty_ns);
            let quickest = ways.iter().map(|(there, back)| there + back).min().unwrap();
            prop_assert_eq!(found.uncertainty_ns, quickest.div_ceil(2));
            prop_assert_eq!(found.wall_ns, 77);
            prop_assert_eq!(found.to_own(found.to_other(now)), now);
        }
    }

    #[test]
    fn missing_round_trips_give_no_offset() {
        assert_eq!(Offset::from_trips(&[]), None);
    }
}
