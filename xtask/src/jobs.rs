//! Jobs of several ranks under real launchers: counts recomputed from the logs of single I/Os, shared files
//! that one rank creates, and killed ranks.

mod counts;
mod fills;
mod kills;
mod launched;

use crate::harness::{Arguments, Failure, is_installed};
use launched::{Jobs, LAUNCHERS};

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let only = arguments.value("--only")?.unwrap_or_default();
    let kills: usize = arguments.number("--kills", 100)?;
    let fills: usize = arguments.number("--fills", 200)?;
    let seed: u64 = arguments.number("--seed", 1)?;
    let below = arguments.directory()?;
    let program = std::fs::canonicalize(arguments.program()?)?;
    arguments.finish()?;
    for (_, words, _) in LAUNCHERS {
        if !is_installed(words[0]) {
            return Err(format!("{} is missing: apt-get install openmpi-bin mpich", words[0]).into());
        }
    }
    let folder = tempfile::tempdir_in(below)?;
    let jobs = Jobs { program, folder: folder.path().to_owned() };
    let mut failures = Vec::new();
    if only.is_empty() || only == "counts" {
        failures.extend(counts::check(&jobs)?);
    }
    if only.is_empty() || only == "fills" {
        failures.extend(fills::check(&jobs, fills)?);
    }
    if only.is_empty() || only == "kills" {
        failures.extend(kills::check(&jobs, kills, seed)?);
    }
    failures.iter().for_each(|failure| println!("FAILED: {failure}"));
    if failures.is_empty() { Ok(()) } else { Err(format!("{} jobs failed", failures.len()).into()) }
}
