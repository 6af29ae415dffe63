//! Runs the same profile with several queue depths, and finds the knee.

use super::simulated::{profile, simulate};
use diskspd::prelude::*;
use std::error::Error;
use std::io::Write;

/// Share of the highest rate that counts as the same.
const ALIKE: f64 = 0.98;

pub fn run(output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut points = Vec::new();
    for queue_depth in [1, 2, 4, 8, 16, 32, 64] {
        let record = simulate(&profile(queue_depth, 0))?;
        let judged = JudgedRecord::new(&record);
        let span = judged.summary.time_spans[0].as_ref().ok_or("no I/O was measured")?;
        points.push((queue_depth, span.total.total.throughput.iops));
    }
    points.iter().try_for_each(|(depth, iops)| writeln!(output, "{depth:>3} | {iops:>9.0} IOPS"))?;
    let highest = points.iter().map(|(_, iops)| *iops).fold(0.0, f64::max);
    let knee = points.iter().find(|(_, iops)| *iops >= ALIKE * highest);
    Ok(knee.map_or(Ok(()), |(depth, _)| writeln!(output, "queue depth {depth} reaches the highest rate"))?)
}
