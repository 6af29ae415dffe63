//! The table of caches.

use diskspd_figures::units::NewestSize;
use diskspd_machine::caches::{Cache, CacheKind};
use diskspd_machine::{System, Topology};
use diskspd_profile::affinity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CacheOwner {
    /// All active CPUs of a group, if there are several groups.
    Group,
    /// Core with more than one CPU.
    Core,
    Cpu,
    Other,
}

pub(super) fn write(out: &mut Vec<u8>, system: &System) {
    if system.caches.is_empty() {
        return;
    }
    let several = system.topology.groups.len() > 1;
    let (label, dashes) = if several { ("Group/CPU", 59) } else { ("CPU", 55) };
    put!(out, "\n  cache information:\n\n");
    put!(out, "    Cache |   Size   | Line  | Assoc  | {label}\n    {}\n", "-".repeat(dashes));
    let mut shown = vec![false; system.caches.len()];
    for (index, cache) in system.caches.iter().enumerate() {
        if shown[index] {
            continue;
        }
        let owner = cache_owner(cache, &system.topology);
        let like = |other: &Cache| {
            is_same_cache(cache, other) && self::cache_owner(other, &system.topology) == owner
        };
        let mut masks = cache.masks.clone();
        let mut suffix = "";
        for (later, other) in system.caches.iter().enumerate().skip(index + 1) {
            if owner != CacheOwner::Other && !shown[later] && like(other) {
                shown[later] = true;
                suffix = owner.name_suffix();
                other.masks.iter().for_each(|&(group, mask)| add(&mut masks, group, mask));
            }
        }
        let cpus = match (owner, suffix) {
            (CacheOwner::Group, " (per group)") => {
                let groups =
                    masks.iter().fold(0u64, |all, (group, _)| all | 1u64.wrapping_shl((*group).into()));
                affinity::ranges(groups)
            }
            _ => affinity::affinity_text(&masks, several),
        };
        put!(
            out,
            "    {:<5} | {:>8} | {:>5} | {:>6} | {cpus}{suffix}\n",
            name(cache),
            NewestSize(cache.size).to_string(),
            NewestSize(cache.line.into()).to_string(),
            match cache.associativity {
                255 => "full".to_owned(),
                ways => format!("{ways}-way"),
            },
        );
    }
}

impl CacheOwner {
    fn name_suffix(self) -> &'static str {
        match self {
            CacheOwner::Group => " (per group)",
            CacheOwner::Core => " (per core)",
            CacheOwner::Cpu => " (per cpu)",
            CacheOwner::Other => "",
        }
    }
}

fn cache_owner(cache: &Cache, topology: &Topology) -> CacheOwner {
    let [(group, mask)] = cache.masks[..] else { return CacheOwner::Other };
    let whole = topology.groups.iter().any(|g| g.number == group && g.mask == mask);
    let core = topology.cores.iter().any(|core| core.group == group && core.mask == mask);
    match mask.count_ones() {
        _ if whole && topology.groups.len() > 1 => CacheOwner::Group,
        1 => CacheOwner::Cpu,
        _ if core => CacheOwner::Core,
        _ => CacheOwner::Other,
    }
}

fn is_same_cache(a: &Cache, b: &Cache) -> bool {
    let of = |cache: &Cache| (cache.level, cache.kind, cache.size, cache.line, cache.associativity);
    of(a) == of(b)
}

fn add(masks: &mut Vec<(u16, u64)>, group: u16, mask: u64) {
    match masks.iter_mut().find(|(known, _)| *known == group) {
        Some((_, known)) => *known |= mask,
        None => masks.push((group, mask)),
    }
}

fn name(cache: &Cache) -> String {
    let kind = match cache.kind {
        CacheKind::Data => "d",
        CacheKind::Instruction => "i",
        CacheKind::Unified | CacheKind::Unknown => "",
    };
    format!("L{}{kind}", cache.level)
}
