//! Compares two sets of runs. The difference is the queue depth; a comparison needs several runs of each side.

use super::simulated::{profile, simulate};
use diskspd::experiments::compare::{ComparisonQuery, Side, SideRun, compare};
use diskspd::formats::known;
use diskspd::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

/// Runs of each side.
const RUNS: u32 = 6;

fn side(name: &str, queue_depth: u32) -> Result<Side, RunError> {
    let run = |seed| {
        let record = simulate(&profile(queue_depth, seed))?;
        let known = known::run(&JudgedRecord::new(&record), &format!("{name} {seed}"));
        let (environment, run_options) = (BTreeMap::new(), BTreeMap::new());
        Ok(SideRun { known, environment, run_options, began_ms: None, boot: None, test: None })
    };
    Ok(Side { name: name.to_owned(), runs: (1..=RUNS).map(run).collect::<Result<_, RunError>>()? })
}

pub fn run(output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // Sides that differ in their work are refused unless the question allows it.
    let question = ComparisonQuery { anyway: true, ..ComparisonQuery::default() };
    let comparison = compare(&side("shallow", 4)?, &side("deep", 8)?, &question)
        .map_err(|differences| format!("not comparable: {} differences", differences.len()))?;
    let deciding = comparison.time_spans.first().and_then(|span| span.metrics.first());
    let deciding = deciding.ok_or("no figure decides")?;
    let change =
        deciding.change_percent.map_or_else(|| "unknown".to_owned(), |change| format!("{change:+.1} %"));
    Ok(writeln!(output, "{}: {change}, {:?}", deciding.title, deciding.verdict)?)
}
