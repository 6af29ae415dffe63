//! Worlds that follow from a seed: the program's own code among simulated ranks and faults, in simulated
//! time.
//! docs/design/simulation.md lists the promises of each world.

mod course;
mod device;
mod network;
mod power;
mod programs;
mod ranks;
mod runs;
mod storage;
mod store;

use crate::harness::{Arguments, Failure};
use diskspd::sys::cpu;

/// A world: runs a seed, and prints its steps on request; returns the hash of the course, and the violated
/// rule.
type World = fn(u64, bool) -> (u64, Result<(), Failure>);

const WORLDS: &[(&str, World)] =
    &[("ranks", ranks::world), ("storage", storage::world), ("store", store::world)];

/// Binds the calling thread, and threads that it starts, to one CPU. Only one of them runs at a time, and
/// on two CPUs each switch would wake another CPU, which takes twice as long.
fn use_one_cpu() {
    if let Some(cpu) = cpu::allowed().last() {
        // Without it all is the same, but slower.
        let _ = cpu::bind_to(*cpu);
    }
}

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let seeds: u64 = arguments.number("--seeds", 1000)?;
    let only: Option<u64> = arguments.value("--seed")?.map(|seed| seed.parse()).transpose()?;
    let worlds = arguments.parts("--world", WORLDS, |(name, _)| name)?;
    arguments.finish()?;
    use_one_cpu();
    let played = only.map_or(0..=seeds.saturating_sub(1), |seed| seed..=seed);
    let mut failed = 0;
    for (name, world) in worlds {
        let mut all = 0_u64;
        for seed in played.clone() {
            let (hash, holds) = world(seed, only.is_some());
            all = all.rotate_left(1) ^ hash;
            if let Err(why) = holds {
                failed += 1;
                println!("{name}, seed {seed}: {why}\n    cargo xtask simulate --world {name} --seed {seed}");
            }
        }
        println!("{name}: seeds {} to {}, hash of all events {all:016x}", played.start(), played.end());
    }
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} simulated runs violate an invariant").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_reproducible_and_hold_all_properties() {
        use_one_cpu();
        for (name, world) in WORLDS {
            let courses: Vec<u64> = (0..20)
                .map(|seed| {
                    let (hash, holds) = world(seed, false);
                    assert!(holds.is_ok(), "{name}, seed {seed}: {holds:?}");
                    assert_eq!(world(seed, false).0, hash, "{name}, seed {seed}");
                    hash
                })
                .collect();
            assert!(courses.windows(2).all(|two| two[0] != two[1]), "{name}");
        }
    }
}
