//! False and missed steady states of the PTS rule: the table of docs/reference/precondition.md.

use crate::common::random::Random;
use diskspd::experiments::precondition::{MAX_ROUNDS, NextRound, next};

/// Drive, given by the rates of its rounds, from 1.
type Drive = (&'static str, fn(f64) -> f64);

const DRIVES: [Drive; 7] = [
    ("stays where it is", |_| 1.0),
    ("loses 2 % with each round, for ever", |round| 0.98_f64.powf(round)),
    ("loses 3 % with each round", |round| 0.97_f64.powf(round)),
    ("loses 5 % with each round", |round| 0.95_f64.powf(round)),
    ("falls to half in round 8 (a cache that is full then)", |round| if round < 8.0 { 1.0 } else { 0.5 }),
    ("saw-tooth of 30 %, 12 rounds long", |round| 1.0 - 0.3 * (round % 12.0) / 12.0),
    ("saw-tooth of 40 %, 20 rounds long", |round| 1.0 - 0.4 * (round % 20.0) / 20.0),
];

/// Returns the number of 1000 drives that are judged steady, and the median of their rounds.
fn called_steady(rate: fn(f64) -> f64, noise: f64) -> (usize, Option<usize>) {
    let mut random = Random(5);
    let mut one = || {
        let mut iops = Vec::new();
        loop {
            match next(&iops, MAX_ROUNDS) {
                NextRound::Another => {
                    let round = (iops.len() + 1) as f64;
                    iops.push(1000.0 * rate(round) * (1.0 + noise * random.normal()));
                }
                NextRound::Steady => return Some(iops.len()),
                NextRound::Enough => return None,
            }
        }
    };
    let mut rounds: Vec<usize> = (0..1000).filter_map(|_| one()).collect();
    rounds.sort_unstable();
    (rounds.len(), rounds.get(rounds.len() / 2).copied())
}

#[test]
fn page_states_the_false_steady_rate() {
    let page = include_str!("../../docs/reference/precondition.md");
    for (name, rate) in DRIVES {
        let found = [0.01, 0.03, 0.05].map(|noise| called_steady(rate, noise));
        let shares = found.map(|(count, _)| format!("{:.0} %", count as f64 / 10.0)).join(", ");
        let rounds =
            found.map(|(_, round)| round.map_or("-".to_owned(), |round| round.to_string())).join(", ");
        let row = format!("| {name} | {shares} | {rounds} |");
        assert!(page.contains(&row), "docs/reference/precondition.md lacks: {row}");
    }
}
