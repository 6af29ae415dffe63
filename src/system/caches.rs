//! The caches of the processors, and how far apart buffers lie because of them.

use super::System;
#[cfg(target_os = "linux")]
use super::root::{Root, cpu_list, number};
use serde::{Deserialize, Serialize};

/// One cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1, 2, 3, ...
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Bytes.
    pub size: u64,
    /// Bytes of a line.
    pub line: u32,
    /// Ways; 255 = fully associative.
    pub associativity: u32,
    /// (group, mask) of the active CPUs that share it, ascending by group.
    pub masks: Vec<(u16, u64)>,
}

/// What a cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    /// Both.
    Unified,
    /// Instructions.
    Instruction,
    /// Data.
    Data,
    /// The kernel doesn't say.
    Unknown,
}

/// What DISKSPD takes where the machine doesn't tell, bytes.
const PAGE: u64 = 4096;
const LINE: u64 = 64;
/// A larger separation is none: it would be addresses without end.
const MOST: u64 = 1 << 30;
/// Bytes of an entry of a page directory.
const ENTRY: u64 = 8;
/// Fully associative.
#[cfg(target_os = "linux")]
const FULL: u32 = 255;

impl System {
    /// How far apart buffers begin so that no two have entries of page directories in the same cache line,
    /// bytes; 0 = as far as is too far.
    pub fn buffer_separation(&self) -> u64 {
        let line = self.caches.iter().map(|cache| u64::from(cache.line)).max().unwrap_or(LINE);
        let page = if self.page_size == 0 { PAGE } else { self.page_size };
        let bytes = (line / ENTRY).saturating_mul(page / ENTRY).saturating_mul(page);
        if bytes > MOST { 0 } else { bytes }
    }

    /// Finds out the size of pages, and the caches. Reads some files of each CPU.
    #[cfg(target_os = "linux")]
    pub fn look_at_caches(&mut self) {
        self.look_at_caches_at(&Root::live());
    }

    /// The same on the machine whose files lie in a directory; pages are this one's.
    #[cfg(target_os = "linux")]
    pub fn look_at_caches_at(&mut self, root: &Root) {
        self.page_size = rustix::param::page_size() as u64;
        let active: Vec<u32> = self.topology.kernel_cpus().collect();
        self.caches = read(root, &active);
    }
}

#[cfg(target_os = "linux")]
fn read(root: &Root, active: &[u32]) -> Vec<Cache> {
    let mut caches: Vec<Cache> = Vec::new();
    for cpu in active {
        let directory = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
        let mut indices: Vec<u32> = (root.names(&directory).iter())
            .filter_map(|name| name.strip_prefix("index")?.parse().ok())
            .collect();
        indices.sort_unstable();
        let found = indices.into_iter().filter_map(|n| cache(root, &format!("{directory}/index{n}"), active));
        for cache in found {
            // Each is seen from all CPUs that share it.
            if !caches.contains(&cache) {
                caches.push(cache);
            }
        }
    }
    caches
}

#[cfg(target_os = "linux")]
fn cache(root: &Root, directory: &str, active: &[u32]) -> Option<Cache> {
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
        associativity: if ways == 0 || sets == Some(1) { FULL } else { ways },
        masks,
    })
}

/// `48K`, as the kernel prints it.
#[cfg(target_os = "linux")]
fn size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_as_far_apart_as_a_line_of_page_directory_entries_covers() {
        let table = [
            (4096, Some(64), 16 << 20),
            (4096, Some(128), 32 << 20),
            (4096, Some(32), 8 << 20),
            (8192, Some(128), 128 << 20),
            (16384, Some(64), 256 << 20),
            (65536, Some(128), 0),
            (4096, None, 16 << 20),
            (0, None, 16 << 20),
        ];
        for (page_size, line, expected) in table {
            let cache = |line| Cache {
                level: 1,
                kind: CacheKind::Data,
                size: 1,
                line,
                associativity: 1,
                masks: Vec::new(),
            };
            let system =
                System { page_size, caches: line.map(cache).into_iter().collect(), ..System::default() };
            assert_eq!(system.buffer_separation(), expected, "{page_size} {line:?}");
        }
    }
}
