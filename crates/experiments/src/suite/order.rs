//! The order of a suite's tests.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuiteTurn {
    pub test: usize,
    pub round: u32,
}

/// Returns the runs of these rounds: all tests forwards, then backwards, and so on, so drift affects all
/// tests equally. `rounds`: number of rounds of each test; `from`: number of earlier rounds.
pub fn turns(rounds: &[u32], from: u32) -> Vec<SuiteTurn> {
    let last = rounds.iter().copied().max().unwrap_or(0);
    let of_round = |round: u32| {
        let places = (0..rounds.len()).filter(move |place| round < rounds[*place]);
        let forward: Vec<SuiteTurn> = places.map(|test| SuiteTurn { test, round }).collect();
        if round.is_multiple_of(2) { forward } else { forward.into_iter().rev().collect() }
    };
    (from..last).flat_map(of_round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_round_runs_in_reverse() {
        let order = |rounds: &[u32], from| {
            let turns = turns(rounds, from).into_iter();
            turns.map(|turn| format!("{}{}", ["a", "b", "c"][turn.test], turn.round + 1)).collect::<String>()
        };
        for (rounds, from, expected) in [
            (&[2, 2, 2][..], 0, "a1b1c1c2b2a2"),
            (&[3, 1], 0, "a1b1a2a3"),
            (&[2, 3], 2, "b3"),
            (&[2], 2, ""),
            (&[], 0, ""),
        ] {
            assert_eq!(order(rounds, from), expected, "{rounds:?} from {from}");
        }
    }
}
