//! Rates of false and of detected lasting changes (`diskspd history trend`).

#[allow(dead_code)]
#[path = "../../tests/common/noise.rs"]
pub mod noise;

use crate::harness::{Arguments, Failure, random, table};
use diskspd::stats::trend::Trend;
use noise::{Noise, STATIONARY, TREACHEROUS, changed};
use random::Random;

const LENGTHS: [usize; 6] = [16, 20, 30, 40, 60, 100];
const PROMISED: f64 = 2.0;
/// (factor, position of the first changed run as a share of all, in words).
const CHANGES: [(f64, f64, &str); 8] = [
    (0.95, 0.5, "-5 %, half of the runs"),
    (0.9, 0.5, "-10 %, half of the runs"),
    (0.9, 0.75, "-10 %, the last quarter"),
    (0.8, 0.5, "-20 %, half of the runs"),
    (0.8, 0.75, "-20 %, the last quarter"),
    (0.5, 0.5, "-50 %, half of the runs"),
    (0.5, 0.75, "-50 %, the last quarter"),
    (0.0, 0.75, "dead, the last quarter"),
];

/// Places of single bad runs in a history of 40 runs, by their number.
const SINGLE_RUNS: [(&str, [&[usize]; 3]); 4] = [
    ("at the start", [&[0], &[0, 1], &[0, 1, 2]]),
    ("at the end", [&[39], &[38, 39], &[37, 38, 39]]),
    ("in a row", [&[12], &[12, 13], &[12, 13, 14]]),
    ("apart", [&[9], &[9, 27], &[5, 19, 31]]),
];
/// Factors on the rate of the later half; 1 = no change.
const LOSSES: [f64; 5] = [1.0, 0.98, 0.95, 0.9, 0.8];

/// Prints the share of histories with single bad runs that seem to change.
fn print_single_runs(histories: u64, markdown: bool) {
    println!("\nHistories of 40 runs with bad ones, noise of 1 %, that seem to change, percent:\n");
    let mut rows = Vec::new();
    for ((place, sets), factor) in SINGLE_RUNS.iter().flat_map(|row| [0.0, 0.5].map(|factor| (row, factor))) {
        for runs in sets {
            let share = |loss: f64| {
                let is_change = |seed: &u64| {
                    let noise = Noise::White(0.01).runs(40, &mut Random(seed * 7919 + 41));
                    let mut history = changed(noise, 20, loss);
                    runs.iter().for_each(|run| history[*run] *= factor);
                    Trend::detect(&history).levels.len() > 1
                };
                (0..histories).filter(is_change).count() as f64 * 100.0 / histories as f64
            };
            let name = format!("{} {place}, {:.0} % of the rate", runs.len(), factor * 100.0);
            rows.push([vec![name], LOSSES.map(|loss| format!("{:.1}", share(loss))).to_vec()].concat());
        }
    }
    table::print(&["bad runs", "no loss", "-2 %", "-5 %", "-10 %", "-20 %"], &rows, markdown);
}

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let histories = arguments.number("--histories", 4000)?;
    let markdown = arguments.flag("--markdown");
    arguments.finish()?;
    let mut head = vec!["runs of a history"];
    let lengths = LENGTHS.map(|length| length.to_string());
    head.extend(lengths.iter().map(String::as_str));
    let share = |runs: usize, make: &dyn Fn(&mut Random) -> Vec<f64>| {
        let seems_to_change = |seed: &u64| {
            let trend = Trend::detect(&make(&mut Random(seed * 7919 + runs as u64)));
            trend.levels.len() > 1 || trend.slope.is_some()
        };
        (0..histories).filter(seems_to_change).count() as f64 * 100.0 / histories as f64
    };
    let row = |name: &str, make: &dyn Fn(usize, &mut Random) -> Vec<f64>| {
        let shares = LENGTHS.map(|runs| share(runs, &|random| make(runs, random)));
        let cells = shares.iter().map(|share| format!("{share:.1}"));
        ([name.to_owned()].into_iter().chain(cells).collect::<Vec<_>>(), shares)
    };
    let of_noise = |(name, noise): &(&str, Noise)| row(name, &|runs, random| noise.runs(runs, random));
    let (rows, shares): (Vec<_>, Vec<_>) = STATIONARY.iter().map(of_noise).unzip();
    println!("Share of {histories} unchanging histories that seem to change, percent:\n");
    table::print(&head, &rows, markdown);
    println!("\nThe same of noise that looks like changes in few runs:\n");
    table::print(&head, &TREACHEROUS.iter().map(|kind| of_noise(kind).0).collect::<Vec<_>>(), markdown);
    println!("\nReal changes that are found, normal noise of 3 %, percent:\n");
    let of_change = |(factor, from, name): &(f64, f64, &str)| {
        let make = |runs: usize, random: &mut Random| {
            changed(Noise::White(0.03).runs(runs, random), (runs as f64 * from) as usize, *factor)
        };
        row(name, &make).0
    };
    table::print(&head, &CHANGES.iter().map(of_change).collect::<Vec<_>>(), markdown);
    print_single_runs(histories, markdown);
    let worst = shares.iter().flatten().copied().fold(0.0, f64::max);
    if worst >= PROMISED {
        return Err(format!("{worst:.1} % of one kind seem to change; {PROMISED} % are promised").into());
    }
    Ok(())
}
