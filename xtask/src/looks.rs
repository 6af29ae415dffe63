//! Limits and error rates of comparisons that end when they are sure (`diskspd compare --until-sure`).

#[allow(dead_code)]
#[path = "../../tests/common/look_study.rs"]
mod look_study;

use crate::harness::{Arguments, Failure, random, table};
use crate::trends::noise;
use diskspd::experiments::compare::{DEFAULT_MARGIN, LEVELS};
use look_study::{Condition, LookLimit, make_limits, study_comparisons};
use noise::Noise;

const SEED: u64 = 1;
/// (change of B, noise of a run)
const CHANGES: [(f64, f64); 10] = [
    (0.0, 0.005),
    (0.0, 0.01),
    (0.0, 0.03),
    (-0.02, 0.03),
    (-0.03, 0.03),
    (-0.05, 0.03),
    (-0.1, 0.03),
    (-0.2, 0.03),
    (-0.5, 0.03),
    (-0.1, 0.1),
];

/// Computes the limits, counts the errors, and prints both.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let paths = arguments.number("--paths", 1_000_000)?;
    let comparisons = arguments.number("--comparisons", 1000)?;
    let markdown = arguments.flag("--markdown");
    arguments.finish()?;
    let limits = make_limits(usize::try_from(paths)?, SEED);
    println!("Limits of the looks, from {paths} pairs of sides without a difference:\n");
    table::print(
        &["pairs", "values at each end", "level", "level with one more", "ended so far, %"],
        &limits.iter().map(limit_cells).collect::<Vec<_>>(),
        markdown,
    );
    let differs = |(limit, level): &(&LookLimit, f64)| !(limit.level..limit.next_level).contains(level);
    if let Some((limit, level)) = limits.iter().zip(LEVELS).find(differs) {
        return Err(format!("LEVELS has {level} after {} pairs", limit.pairs).into());
    }
    println!("\n{comparisons} comparisons of each kind without a difference, called different, percent:\n");
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    for (name, condition) in Condition::all() {
        let found = study_comparisons(condition, 1.0, DEFAULT_MARGIN, comparisons);
        rows.push(vec![name, percent(found.different), percent(found.same), number(found.mean_pairs)]);
        shares.push(found.different);
    }
    table::print(&["noise", "different", "the same", "mean pairs"], &rows, markdown);
    println!("\nChanges of B, percent of {comparisons} comparisons:\n");
    let of_change = |(change, noise): &(f64, f64)| {
        let condition = Condition::Noise(Noise::White(*noise), 0.0);
        let found = study_comparisons(condition, 1.0 + change, DEFAULT_MARGIN, comparisons);
        let name = format!("{:+.0} %, noise {:.1} %", 100.0 * change, 100.0 * noise);
        vec![name, percent(found.different), percent(found.same), number(found.mean_pairs)]
    };
    table::print(
        &["change", "different", "the same", "mean pairs"],
        &CHANGES.iter().map(of_change).collect::<Vec<_>>(),
        markdown,
    );
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    println!(
        "\n{} of {} comparisons without a difference called one",
        percent(mean),
        comparisons * shares.len() as u64
    );
    let worst = shares.iter().copied().fold(0.0, f64::max);
    // Three standard deviations of a share of 5 %.
    let margin = 3.0 * (0.05 * 0.95 / comparisons as f64).sqrt();
    match mean > 0.05 || worst > 0.05 + margin {
        true => Err(format!("up to {} % are called different; 5 % are promised", percent(worst)).into()),
        false => Ok(()),
    }
}

fn limit_cells(limit: &LookLimit) -> Vec<String> {
    vec![
        limit.pairs.to_string(),
        limit.values.to_string(),
        format!("{:.6}", limit.level),
        format!("{:.6}", limit.next_level),
        format!("{:.2}", 100.0 * limit.ended),
    ]
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}
