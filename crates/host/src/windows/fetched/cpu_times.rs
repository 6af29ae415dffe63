//! Query of the CPU times.

use crate::windows::processors::{ProcessorFacts, topology};
use crate::windows::times::times;
use diskspd_machine::cpu_times::{CpuTimes, LostTimes};
use diskspd_sys::machine_answers::{Relation, processor_times, processors};
use std::collections::BTreeMap;
use std::io;

/// Returns the current times of all active CPUs.
///
/// # Errors
/// Fails if the system reports no groups, or no times.
pub(crate) fn now() -> io::Result<BTreeMap<u32, (CpuTimes, LostTimes)>> {
    let groups = processors(Relation::Groups)?;
    let known = topology(&ProcessorFacts { groups, ..ProcessorFacts::default() });
    let groups = known.map(|topology| topology.groups).unwrap_or_default();
    let mut all = BTreeMap::new();
    for group in groups.iter().filter(|group| group.mask != 0) {
        all.extend(times(&processor_times(group.number, groups.len() == 1)?, group.number, group.mask));
    }
    Ok(all)
}
