//! Order of the runs of two sides.
//!
//! A run after another one may be slower (heat, a full cache). A machine may do something every third run.
//! In a fixed order such an effect looks like a change. So the order within each pair is random, and an order
//! that resembles a pattern is drawn again.

use diskspd_base::fnv::Fnv;
use diskspd_plan::workload::Random;
use std::cmp::Ordering;

/// Minimum number of pairs for a certain difference by signed ranks.
pub(super) const MIN_PAIRS: usize = 6;

/// Longest repeating pattern of sides, in runs.
const MAX_PERIOD: usize = 4;

/// Minimum share of the sides explained by a pattern that confounds side and position.
const MIN_CONFOUNDED: f64 = 0.8;

/// Maximum similarity of a drawn order to any pattern, if one of [`MAX_DRAWS`] orders achieves it.
const MAX_DRAWN: f64 = 0.4;
const MAX_DRAWS: usize = 200;

/// Minimum number of runs; any order of fewer runs shows a pattern.
const MIN_RUNS: usize = 8;

/// The side of each run, 0 = A and 1 = B: pairs in random order, each side first in half of them.
pub fn draw_order(pairs: usize, seed: u64) -> Vec<usize> {
    draw_balanced(&[pairs], seed)
}

/// An order for the last of these numbers of pairs, ascending: after each number, each side was first in half
/// of the pairs, and the sides resemble no pattern.
pub(super) fn draw_balanced(looks: &[usize], seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed);
    let mut order = Vec::new();
    for pairs in looks.iter().copied() {
        let mut draws = 0;
        loop {
            let more = draw_pairs(pairs - order.len() / 2, &order, &mut random);
            let longer = [order.as_slice(), more.as_slice()].concat();
            let limit = if draws < MAX_DRAWS { MAX_DRAWN } else { MIN_CONFOUNDED };
            if find_pattern(&longer, limit).is_none() {
                order = longer;
                break;
            }
            draws += 1;
        }
    }
    order
}

/// Endless order of the boots of two kernels, in blocks of [`MIN_PAIRS`] random pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootOrder {
    pub seed: u32,
}

impl BootOrder {
    /// Creates the order, whose seed is the id of the first boot.
    pub fn from_first_boot(first_boot: &str) -> BootOrder {
        let mut hash = Fnv::default();
        hash.add(first_boot.as_bytes());
        BootOrder { seed: hash.value() as u32 }
    }

    /// The side of a boot, numbered from 0: 0 = A and 1 = B. The first boot is of A.
    pub fn side(&self, boot: usize) -> usize {
        let (block, place) = (boot / (2 * MIN_PAIRS), boot % (2 * MIN_PAIRS));
        let sides = |block: usize| draw_order(MIN_PAIRS, u64::from(self.seed) + block as u64);
        (sides(block)[place] + sides(0)[0]) % 2
    }
}

/// More pairs after `before`. The side that was first less often is first in the odd pair.
fn draw_pairs(pairs: usize, before: &[usize], random: &mut Random) -> Vec<usize> {
    let first_b: usize = before.iter().step_by(2).sum();
    let first_a = before.len() / 2 - first_b;
    let offset = match first_a.cmp(&first_b) {
        Ordering::Equal => (random.next_u64() % 2) as usize,
        Ordering::Less => 0,
        Ordering::Greater => 1,
    };
    let mut first: Vec<usize> = (0..pairs).map(|pair| (pair + offset) % 2).collect();
    random.shuffle(&mut first);
    first.into_iter().flat_map(|side| [side, 1 - side]).collect()
}

/// Returns the period of a pattern, in runs, that predicts the side of most runs. An effect with this
/// period cannot be separated from a change.
pub(super) fn find_period(order: &[usize]) -> Option<usize> {
    find_pattern(order, MIN_CONFOUNDED)
}

fn find_pattern(order: &[usize], limit: f64) -> Option<usize> {
    let is_pattern = |period: &usize| confounded_share(order, *period) >= limit;
    (2..=MAX_PERIOD).find(is_pattern).filter(|_| order.len() >= MIN_RUNS)
}

/// Share of the variance of the sides that the position in a period explains, from 0 to 1.
fn confounded_share(order: &[usize], period: usize) -> f64 {
    let mean = |sides: &[f64]| sides.iter().sum::<f64>() / sides.len().max(1) as f64;
    let sides: Vec<f64> = order.iter().map(|side| *side as f64).collect();
    let all = mean(&sides);
    let between: f64 = (0..period)
        .map(|phase| {
            let of_phase: Vec<f64> = sides.iter().copied().skip(phase).step_by(period).collect();
            of_phase.len() as f64 * (mean(&of_phase) - all).powi(2)
        })
        .sum();
    let total = sides.len() as f64 * all * (1.0 - all);
    if total > 0.0 { between / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_order_is_balanced_and_has_no_period() {
        for pairs in 0..=40 {
            for seed in 0..50 {
                let order = draw_order(pairs, seed);
                let is_pair = |pair: &[usize]| pair[0] + pair[1] == 1;
                let first_a = order.chunks(2).filter(|pair| pair[0] == 0).count();
                assert!(order.len() == 2 * pairs && order.chunks(2).all(is_pair), "{order:?}");
                assert!(first_a.abs_diff(pairs - first_a) <= 1, "{order:?}");
                assert_eq!(find_period(&order), None, "{order:?}");
            }
        }
        assert_eq!(draw_order(8, 1), draw_order(8, 1));
        assert_ne!(draw_order(8, 1), draw_order(8, 2));
    }

    #[test]
    fn boot_order_begins_with_a_and_stays_balanced() {
        for number in 0..200 {
            let order = BootOrder::from_first_boot(&format!("boot {number}"));
            let sides: Vec<usize> = (0..60).map(|boot| order.side(boot)).collect();
            assert_eq!(sides[..2], [0, 1]);
            assert!(sides.chunks(2).all(|pair| pair[0] + pair[1] == 1), "{sides:?}");
            for boots in [12, 24, 60] {
                let first_a = sides[..boots].chunks(2).filter(|pair| pair[0] == 0).count();
                assert_eq!(first_a, boots / 4, "{sides:?}");
                assert_eq!(find_period(&sides[..boots]), None, "{sides:?}");
            }
        }
        let [one, other] = ["1", "2"].map(BootOrder::from_first_boot);
        assert!(one != other && one == BootOrder::from_first_boot("1"));
    }

    #[test]
    fn fixed_order_has_its_period() {
        let sides = |pattern: &str, count: usize| -> Vec<usize> {
            pattern.bytes().cycle().take(count).map(|side| usize::from(side == b'B')).collect()
        };
        for (pattern, count, period) in [
            ("AB", 16, Some(2)),
            ("BA", 17, Some(2)),
            ("AAB", 18, Some(3)),
            ("ABBA", 16, Some(4)),
            ("ABBA", 19, Some(4)),
            ("AABB", 16, Some(4)),
            ("AAABBB", 24, None),
            ("ABBAAB", 24, None),
            ("AB", 6, None),
            ("A", 16, None),
        ] {
            assert_eq!(find_period(&sides(pattern, count)), period, "{pattern} {count}");
        }
        // A missing run at one place leaves a pattern in the rest.
        let mut lost = sides("AB", 21);
        lost.remove(1);
        assert_eq!(find_period(&lost), Some(2));
    }
}
