//! The order of the points in a pass.

use super::settings::SweepOrder;
use diskspd_plan::workload::Random;

pub(super) fn pass(order: SweepOrder, count: usize, number: usize) -> Vec<usize> {
    match order {
        SweepOrder::Given => (0..count).collect(),
        SweepOrder::Interleaved => {
            let mut places = spread_order(count);
            // Every second pass goes back the way: what drifts evenly then weighs on all points alike.
            if number % 2 == 1 {
                places.reverse();
            }
            places
        }
        SweepOrder::Random => shuffled_order(count, number),
    }
}

/// Returns an order that separates neighbours, by the reversed bits of their numbers.
fn spread_order(count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by_key(|place| place.reverse_bits());
    places
}

/// Returns a reproducible random order, so that a continued sweep has the same one.
fn shuffled_order(count: usize, number: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    Random::new(number as u64 + 1).shuffle(&mut places);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_has_every_point_once() {
        for order in [SweepOrder::Given, SweepOrder::Interleaved, SweepOrder::Random] {
            for (count, number) in [(0, 0), (1, 1), (7, 0), (7, 1), (64, 5)] {
                let mut places = pass(order, count, number);
                places.sort_unstable();
                assert_eq!(places, (0..count).collect::<Vec<_>>(), "{order:?}");
            }
        }
    }

    #[test]
    fn interleaved_order_spreads_neighbours() {
        assert_eq!(pass(SweepOrder::Interleaved, 8, 0), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(pass(SweepOrder::Interleaved, 8, 1), [7, 3, 5, 1, 6, 2, 4, 0]);
        assert_eq!(pass(SweepOrder::Interleaved, 7, 0), [0, 4, 2, 6, 1, 5, 3]);
        assert_ne!(pass(SweepOrder::Random, 16, 0), pass(SweepOrder::Random, 16, 1));
    }
}
