//! CPUs for binding threads: their notation and order.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A CPU as DISKSPD names it: number within a processor group. On Linux group g holds CPUs 64 g to 64 g + 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GroupCpu {
    pub group: u16,
    /// CPU number within the group; `None` = all active CPUs in order (`-ag<group>`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u8>,
}

/// Order of the CPUs (`-ac -as -ap -aP -ae -aE -aup`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AffinityTraversal {
    /// `-ac`: first CPU of each core before the second of any.
    pub core_aware: bool,
    /// `-as`: across all groups instead of group by group.
    pub span_groups: bool,
    pub efficiency: Efficiency,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Efficiency {
    /// `-aup`: ignores the classes of cores.
    Unordered,
    /// `-ap`: performance cores first; with `-ac`, in each pass over the cores.
    #[default]
    PFirst,
    EFirst,
    /// `-aP`: all CPUs of performance cores first.
    FillPFirst,
    /// `-aE`: all CPUs of efficiency cores first.
    FillEFirst,
}

/// CPUs by group and mask as DISKSPD 2.3 keeps them: a CPU joins the entry before it if that is of the same
/// group and holds lower ones only. Mask 0 = all active CPUs of the group.
pub fn masks(cpus: impl IntoIterator<Item = GroupCpu>) -> Vec<(u16, u64)> {
    let mut entries: Vec<(u16, u64)> = Vec::new();
    for GroupCpu { group, cpu } in cpus {
        // There are no others than 0 to 63, and a machine would refuse them.
        let Some(bit) = cpu.map_or(Some(0), |cpu| 1u64.checked_shl(cpu.into())) else { continue };
        match entries.last_mut() {
            Some((last, mask)) if *last == group && *mask != 0 && bit > *mask => *mask |= bit,
            _ => entries.push((group, bit)),
        }
    }
    entries
}

pub fn ranges(mask: u64) -> String {
    let mut text = String::new();
    let is_set = |cpu: u32| cpu < 64 && mask >> cpu & 1 == 1;
    let mut cpu = 0;
    while cpu < 64 {
        if !is_set(cpu) {
            cpu += 1;
            continue;
        }
        let first = cpu;
        while is_set(cpu + 1) {
            cpu += 1;
        }
        let comma = if text.is_empty() { "" } else { "," };
        let _ = match first == cpu {
            true => write!(text, "{comma}{first}"),
            false => write!(text, "{comma}{first}-{cpu}"),
        };
        cpu += 1;
    }
    text
}

/// Returns the entries in the report's form, separated by blanks. On a machine with several groups they
/// start with `<group>/`; `*` means a whole group.
pub fn affinity_text(entries: &[(u16, u64)], several_groups: bool) -> String {
    let entry = |&(group, mask): &(u16, u64)| {
        let cpus = if mask == 0 { "*".to_owned() } else { ranges(mask) };
        if several_groups { format!("{group}/{cpus}") } else { cpus }
    };
    entries.iter().map(entry).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_shown_as_ranges() {
        let table: [(u64, &str); 7] = [
            (0x1, "0"),
            (0x52, "1,4,6"),
            (0xe7, "0-2,5-7"),
            (0xb9, "0,3-5,7"),
            (0x1f_87ff, "0-10,15-20"),
            (u64::MAX, "0-63"),
            (1 << 63, "63"),
        ];
        for (mask, expected) in table {
            assert_eq!(ranges(mask), expected);
        }
    }

    #[test]
    fn ascending_cpus_are_joined_in_one_mask() {
        let table: [(&[u8], &[u64]); 6] = [
            (&[0, 1, 2], &[7]),
            (&[2, 1, 0], &[4, 2, 1]),
            (&[0, 2, 1, 3], &[5, 0xa]),
            (&[0, 0, 1], &[1, 3]),
            (&[63, 0], &[1 << 63, 1]),
            (&[4, 5, 6, 7, 0, 1], &[0xf0, 3]),
        ];
        for (cpus, expected) in table {
            let found = masks(cpus.iter().map(|&cpu| GroupCpu { group: 0, cpu: Some(cpu) }));
            assert_eq!(found, expected.iter().map(|&mask| (0, mask)).collect::<Vec<_>>(), "{cpus:?}");
        }
        let cpu = |group, cpu| GroupCpu { group, cpu };
        let mixed = [cpu(0, Some(0)), cpu(0, None), cpu(0, Some(1)), cpu(1, Some(2))];
        assert_eq!(masks(mixed), [(0, 1), (0, 0), (0, 2), (1, 4)]);
        assert_eq!(affinity_text(&masks(mixed), true), "0/0 0/* 0/1 1/2");
        assert_eq!(affinity_text(&masks(mixed), false), "0 * 1 2");
    }
}
