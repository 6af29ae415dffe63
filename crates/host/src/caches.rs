//! The processor caches, and the distance between buffers that they require.

use super::root::{Root, number};
use diskspd_machine::System;
use diskspd_machine::caches::*;
use diskspd_machine::cpu_list;

const FULLY_ASSOCIATIVE: u32 = 255;

/// Reads the page size and the caches from several files of each CPU.
pub fn read_caches(system: &mut System) {
    look_at(system, &Root::live_system());
}

/// Reads the caches of the machine with its files in a directory; the page size is this machine's.
pub fn look_at(system: &mut System, root: &Root) {
    system.page_size = rustix::param::page_size() as u64;
    let active: Vec<u32> = system.topology.kernel_cpus().collect();
    system.caches = read(root, &active);
}

fn read(root: &Root, active: &[u32]) -> Vec<Cache> {
    let mut caches: Vec<Cache> = Vec::new();
    for cpu in active {
        let directory = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
        let mut indices: Vec<u32> = (root.names(&directory).iter())
            .filter_map(|name| name.strip_prefix("index")?.parse().ok())
            .collect();
        indices.sort_unstable();
        let found =
            indices.into_iter().filter_map(|n| read_cache(root, &format!("{directory}/index{n}"), active));
        for cache in found {
            // Each is seen from all CPUs that share it.
            if !caches.contains(&cache) {
                caches.push(cache);
            }
        }
    }
    caches
}

fn read_cache(root: &Root, directory: &str, active: &[u32]) -> Option<Cache> {
    let text = |name: &str| root.text(format!("{directory}/{name}"));
    let sets: Option<u32> = number(&root.path(format!("{directory}/number_of_sets")));
    let ways: u32 = text("ways_of_associativity").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut cpus = cpu_list(&text("shared_cpu_list")?);
    cpus.retain(|cpu| active.contains(cpu));
    let mut masks: Vec<(u16, u64)> = Vec::new();
    for cpu in cpus {
        let (group, bit) = ((cpu / 64) as u16, 1 << (cpu % 64));
        match masks.last_mut() {
            Some((last, mask)) if *last == group => *mask |= bit,
            _ => masks.push((group, bit)),
        }
    }
    Some(Cache {
        level: text("level")?.parse().ok()?,
        kind: match text("type").as_deref() {
            Some("Unified") => CacheKind::Unified,
            Some("Instruction") => CacheKind::Instruction,
            Some("Data") => CacheKind::Data,
            _ => CacheKind::Unknown,
        },
        size: size(&text("size")?)?,
        line: text("coherency_line_size").and_then(|text| text.parse().ok()).unwrap_or(0),
        associativity: if ways == 0 || sets == Some(1) { FULLY_ASSOCIATIVE } else { ways },
        masks,
    })
}

/// Parses a size such as `48K`.
fn size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}
