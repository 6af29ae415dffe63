//! Writes a record as the program does (`--out FILE.json`), reads it again, and prints its verdict.

use super::simulated::{profile, simulate};
use diskspd::formats::json;
use diskspd::prelude::*;
use std::error::Error;
use std::io::Write;

pub fn run(output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let stored = json::bytes(&simulate(&profile(8, 0))?);
    let record = json::read(&stored)?;
    let judged = JudgedRecord::new(&record);
    for (number, span) in judged.summary.time_spans.iter().flatten().enumerate() {
        let total = &span.total.total.throughput;
        writeln!(output, "time span {}: {} I/Os, {:.0} IOPS", number + 1, total.ios, total.iops)?;
    }
    Ok(writeln!(output, "worst finding: {:?}", judged.judgement.worst())?)
}
