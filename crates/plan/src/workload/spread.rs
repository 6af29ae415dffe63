//! Spreads of random positions by table (`--distribution`): Zipf, normal, hot.

use super::{Grid, Random};
use diskspd_figures::stats::normal;
use diskspd_profile::AddressSpread;

/// Number of spans of a Zipf distribution; each span of the first half has one position.
const ZIPF_SPANS: u64 = 2048;
/// Number of spans of a normal distribution, over its non-zero part.
const NORMAL_SPANS: u64 = 2048;
/// Deviations from the mean beyond which the probability counts as 0.
const MAX_DEVIATIONS: f64 = 8.0;

/// A table of spans of positions, each drawn with its own chance (Walker's alias method, as Vose fills it: a
/// look and a comparison, however many there are), and where in the area they lie. Within a span all
/// positions are equally likely; the chance of a span is exact.
#[derive(Debug, Clone)]
pub(super) struct SpreadTable {
    slots: Vec<AliasSlot>,
    positions: u64,
    /// Distance of two positions in bytes.
    stride: u64,
    places: PositionOrder,
}

/// Two spans that share the probability of a slot.
#[derive(Debug, Clone, Copy)]
struct AliasSlot {
    /// Upper bound of random numbers that select the first span.
    first_below: u64,
    spans: [PositionSpan; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PositionSpan {
    first: u64,
    count: u64,
}

#[derive(Debug, Clone, Copy)]
enum PositionOrder {
    Straight,
    /// Scattered positions, so that frequent positions are not adjacent; the same for all threads. Number
    /// k is (k + 1) x `factor` modulo the number of positions, which is coprime to `factor`.
    Scattered {
        factor: u64,
        modulus: super::Modulus,
    },
    /// Shifted by a number of positions, wrapping around the end; the shift grows by `step` per period in
    /// ns.
    Moved {
        by: u64,
        step: u64,
        every: u64,
    },
}

impl SpreadTable {
    pub(super) fn new(spread: AddressSpread, grid: &Grid) -> SpreadTable {
        let positions = grid.positions();
        let (chances, places) = match spread {
            AddressSpread::Zipf { theta_thousandths } => {
                let theta = f64::from(theta_thousandths) / 1000.0;
                (zipf_chances(positions, theta), scatter_places(positions))
            }
            AddressSpread::Normal { deviation_percent } => {
                (around_the_middle(positions, f64::from(deviation_percent) / 100.0), PositionOrder::Straight)
            }
            AddressSpread::Hot { area_percent, io_percent, moves_every_s } => {
                let part = u128::from(positions) * u128::from(area_percent) / 100;
                let hot = (part as u64).clamp(1, positions);
                let every = moves_every_s.map(|seconds| u64::from(seconds) * 1_000_000_000);
                let places = every.map_or(PositionOrder::Straight, |every| PositionOrder::Moved {
                    by: 0,
                    step: hot,
                    every,
                });
                (hot_and_rest(positions, hot, f64::from(io_percent) / 100.0), places)
            }
        };
        SpreadTable { slots: alias_slots(&chances), positions, stride: grid.stride.max(1), places }
    }

    /// Draws a position relative to the base offset from two random numbers.
    // Where addresses are drawn otherwise its code stays out of the way.
    #[inline(never)]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let (slot, chance) = scale_number(random.next_u64(), self.slots.len() as u64);
        let slot = &self.slots[slot as usize];
        let other = usize::from(chance >= slot.first_below);
        let span = slot.spans[other];
        let index = span.first + scale_number(random.next_u64(), span.count).0;
        let position = match self.places {
            PositionOrder::Straight => index,
            PositionOrder::Scattered { factor, modulus } => modulus.reduce((index + 1).wrapping_mul(factor)),
            PositionOrder::Moved { by, .. } => {
                let moved = index + by;
                if moved >= self.positions { moved - self.positions } else { moved }
            }
        };
        position * self.stride
    }

    pub(super) fn moves(&self) -> bool {
        matches!(self.places, PositionOrder::Moved { .. })
    }

    /// Sets the elapsed time since the start in ns.
    pub(super) fn move_to(&mut self, elapsed: u64) {
        if let PositionOrder::Moved { by, step, every } = &mut self.places {
            let moves = u128::from(elapsed / (*every).max(1));
            *by = (moves * u128::from(*step) % u128::from(self.positions)) as u64;
        }
    }
}

/// Returns which of `count` equal parts of the number range contains this number, and the place within the
/// part.
#[inline]
fn scale_number(number: u64, count: u64) -> (u64, u64) {
    let product = u128::from(number) * u128::from(count);
    ((product >> 64) as u64, product as u64)
}

/// A factor whose multiples modulo `positions` reach every position once without overflow. It places
/// neighbours in the table far from each other.
fn scatter_places(positions: u64) -> PositionOrder {
    let most = (u64::MAX / positions.saturating_add(1)).max(1);
    let golden = (positions as f64 * 0.618_033_988_749_895) as u64;
    let mut factor = golden.clamp(1, most);
    while factor > 1 && common_divisor(factor, positions) != 1 {
        factor -= 1;
    }
    PositionOrder::Scattered { factor, modulus: super::Modulus::new(positions) }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Spans with their relative probabilities.
type SpanChances = Vec<(PositionSpan, f64)>;

/// Rank k has the weight k^-theta. The first ranks have a span each; then spans grow by the same factor, at
/// most about 1 % for areas of 2^28 positions.
fn zipf_chances(positions: u64, theta: f64) -> SpanChances {
    let singles = if positions <= ZIPF_SPANS { positions } else { ZIPF_SPANS / 2 };
    let mut chances: SpanChances = (0..singles)
        .map(|index| (PositionSpan { first: index, count: 1 }, ((index + 1) as f64).powf(-theta)))
        .collect();
    let growth = (positions as f64 / singles as f64).ln() / (ZIPF_SPANS - singles).max(1) as f64;
    let mut first = singles;
    for number in 1..=ZIPF_SPANS - singles {
        if first >= positions {
            break;
        }
        let end = (singles as f64 * (growth * number as f64).exp()).round() as u64;
        let last = number == ZIPF_SPANS - singles;
        let end = if last { positions } else { end.clamp(first + 1, positions) };
        // The sum of the ranks first + 1 to end, by the middle of each.
        let weight =
            integral_of_power(end as f64 + 0.5, theta) - integral_of_power(first as f64 + 0.5, theta);
        chances.push((PositionSpan { first, count: end - first }, weight));
        first = end;
    }
    chances
}

fn integral_of_power(x: f64, theta: f64) -> f64 {
    let power = 1.0 - theta;
    if power.abs() < 1e-9 { x.ln() } else { x.powf(power) / power }
}

/// Returns the spans around the middle of the area; the deviation is a share of it.
fn around_the_middle(positions: u64, deviation: f64) -> SpanChances {
    let count = positions as f64;
    let (middle, deviation) = (count / 2.0, deviation * count);
    let from = (middle - MAX_DEVIATIONS * deviation).max(0.0) as u64;
    let to = ((middle + MAX_DEVIATIONS * deviation).ceil() as u64).min(positions);
    let spans = NORMAL_SPANS.min(to - from).max(1);
    let edge = |number: u64| from + (u128::from(to - from) * u128::from(number) / u128::from(spans)) as u64;
    let below = |position: u64| normal::cumulative((position as f64 - middle) / deviation);
    (0..spans)
        .map(|number| (edge(number), edge(number + 1)))
        .map(|(first, end)| (PositionSpan { first, count: end - first }, below(end) - below(first)))
        .collect()
}

fn hot_and_rest(positions: u64, hot: u64, share: f64) -> SpanChances {
    let mut chances = vec![(PositionSpan { first: 0, count: hot }, share)];
    if hot < positions {
        chances.push((PositionSpan { first: hot, count: positions - hot }, 1.0 - share));
    }
    chances
}

/// Slots of equal chance, of which each holds all or a part of the chance of two spans at most.
fn alias_slots(chances: &SpanChances) -> Vec<AliasSlot> {
    let total: f64 = chances.iter().map(|(_, chance)| chance).sum();
    let count = chances.len() as f64;
    let mut left: Vec<f64> = chances.iter().map(|(_, chance)| chance / total * count).collect();
    let whole = |(span, _): &(PositionSpan, f64)| AliasSlot { first_below: u64::MAX, spans: [*span, *span] };
    let mut slots: Vec<AliasSlot> = chances.iter().map(whole).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..chances.len()).partition(|&index| left[index] < 1.0);
    while let (Some(&under), Some(&over)) = (small.last(), large.last()) {
        small.pop();
        // As a share of all numbers.
        slots[under].first_below = (left[under] * 2f64.powi(64)) as u64;
        slots[under].spans[1] = chances[over].0;
        left[over] -= 1.0 - left[under];
        if left[over] < 1.0 {
            large.pop();
            small.push(over);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const BLOCK: u64 = 4096;

    fn sample_table(spread: &str, positions: u64) -> SpreadTable {
        let grid = Grid { region: positions * BLOCK, block_size: BLOCK as u32, stride: BLOCK };
        SpreadTable::new(AddressSpread::parse(spread).unwrap(), &grid)
    }

    fn draw_counts(table: &SpreadTable, draws: usize) -> Vec<u64> {
        let mut random = Random::new(7);
        (0..draws).map(|_| table.draw(&mut random) / BLOCK).collect()
    }

    fn allowed_slack(draws: usize, chance: f64) -> f64 {
        5.0 * (draws as f64 * chance * (1.0 - chance)).sqrt() + 1.0
    }

    #[test]
    fn zipf_ranks_have_exact_shares_and_are_scattered() {
        const DRAWS: usize = 400_000;
        for (theta, positions) in
            [(1.1, 100_000_u64), (1.0, 5000), (0.5, 1000), (2.0, 1 << 30), (0.8, 1 << 40)]
        {
            let table = sample_table(&format!("zipf:{theta}"), positions);
            let mut counts = HashMap::new();
            draw_counts(&table, DRAWS).into_iter().for_each(|at| *counts.entry(at).or_insert(0u64) += 1);
            let harmonic = |ranks: u64| -> f64 {
                let exact = (1..=ranks.min(1 << 16)).map(|k| (k as f64).powf(-theta)).sum::<f64>();
                let tail = ranks.max(1 << 16) as f64 + 0.5;
                exact + integral_of_power(tail, theta) - integral_of_power(65536.5, theta)
            };
            let PositionOrder::Scattered { factor, .. } = table.places else { panic!() };
            let place = |rank: u64| (u128::from(rank) * u128::from(factor) % u128::from(positions)) as u64;
            for rank in [1, 2, 3, 10, 100] {
                let chance = (rank as f64).powf(-theta) / harmonic(positions);
                let count = *counts.get(&place(rank)).unwrap_or(&0) as f64;
                let off = (count - DRAWS as f64 * chance).abs();
                assert!(
                    off <= allowed_slack(DRAWS, chance),
                    "zipf:{theta}, rank {rank} of {positions}: {count}"
                );
            }
            // All ranks up to one beyond the spans of one position, together.
            let ranks = positions / 2;
            let chance = harmonic(ranks) / harmonic(positions);
            let mut random = Random::new(3);
            let straight = SpreadTable { places: PositionOrder::Straight, ..table.clone() };
            let within = (0..DRAWS).filter(|_| straight.draw(&mut random) / BLOCK < ranks).count() as f64;
            let off = (within - DRAWS as f64 * chance).abs();
            assert!(off <= allowed_slack(DRAWS, chance), "zipf:{theta}, half of {positions}: {within}");
        }
    }

    #[test]
    fn normal_spread_has_stated_mean_deviation_and_bounds() {
        const DRAWS: usize = 200_000;
        for (percent, positions, within) in
            [(10, 1_000_000u64, 0.682_689), (1, 1 << 35, 0.682_689), (5, 300, 0.68)]
        {
            let table = sample_table(&format!("normal:{percent}%"), positions);
            let (middle, deviation) = (positions as f64 / 2.0, positions as f64 * f64::from(percent) / 100.0);
            let near = draw_counts(&table, DRAWS)
                .into_iter()
                .filter(|&at| (at as f64 + 0.5 - middle).abs() < deviation);
            let off = (near.count() as f64 - DRAWS as f64 * within).abs();
            // With few positions the edge falls between two of them.
            let edge = if positions < 1000 { 0.03 * DRAWS as f64 } else { 0.0 };
            assert!(off <= allowed_slack(DRAWS, within) + edge, "normal:{percent}% of {positions}");
        }
        // Cut off at one deviation: nearly uniform.
        let half =
            draw_counts(&sample_table("normal:50%", 1000), DRAWS).into_iter().filter(|&at| at < 500).count();
        assert!((half as f64 - DRAWS as f64 / 2.0).abs() <= allowed_slack(DRAWS, 0.5));
    }

    #[test]
    fn hot_spot_gets_its_share_and_moves() {
        const DRAWS: usize = 100_000;
        let mut table = sample_table("hot:10%/90%,moves=30s", 1000);
        for (seconds, first) in [(0, 0), (29, 0), (30, 100), (299, 900), (300, 0), (3600 * 24 * 365, 0)] {
            table.move_to(seconds * 1_000_000_000);
            let hot =
                draw_counts(&table, DRAWS).into_iter().filter(|at| (first..first + 100).contains(at)).count();
            let off = (hot as f64 - DRAWS as f64 * 0.9).abs();
            assert!(off <= allowed_slack(DRAWS, 0.9), "after {seconds} s: {hot}");
        }
        assert!(draw_counts(&self::sample_table("hot:5%/100%", 40), DRAWS).into_iter().all(|at| at < 2));
    }

    fn spread_strategy() -> impl Strategy<Value = AddressSpread> {
        prop_oneof![
            (1u32..=10_000).prop_map(|theta_thousandths| AddressSpread::Zipf { theta_thousandths }),
            (1u32..=100).prop_map(|deviation_percent| AddressSpread::Normal { deviation_percent }),
            (1u32..=99, 1u32..=100, prop::option::of(1u32..9)).prop_map(
                |(area_percent, io_percent, moves_every_s)| AddressSpread::Hot {
                    area_percent,
                    io_percent,
                    moves_every_s
                }
            ),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn every_position_is_one_of_the_grid(
            spread in spread_strategy(),
            block_size in 1u32..100_000,
            stride in 1u64..100_000,
            more in 0u64..=63,
            odd in any::<u64>(),
            elapsed in any::<u64>(),
        ) {
            let region = u64::from(block_size) + odd % (1 << more);
            let grid = Grid { region, block_size, stride };
            let mut table = SpreadTable::new(spread, &grid);
            table.move_to(elapsed);
            let mut random = Random::new(odd);
            for _ in 0..100 {
                let at = table.draw(&mut random);
                prop_assert!(at.is_multiple_of(stride) && at <= grid.limit(), "{at} of {grid:?}");
            }
        }
    }
}
