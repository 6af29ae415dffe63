//! Properties that comparable runs must share, and a hash of them.

use diskspd_base::fnv::Fnv;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Stable properties of a run's machine, file systems and disks that affect the figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// 64-bit FNV-1a hash over the lines `<name>=<value>\n` of all parts in order of name, as 16
    /// hexadecimal digits. Equal hashes mean comparable machines.
    pub hash: String,
    /// Hashed properties, such as `disk 1 firmware`, without unknown ones.
    pub parts: BTreeMap<String, String>,
}

/// Difference of two fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub part: String,
    pub first: Option<String>,
    pub other: Option<String>,
}

/// Returns the name of a disk's identity, numbered from 1. It is not part of the fingerprint, because
/// machines with disks of the same model are comparable.
pub fn disk_identity(number: usize) -> String {
    format!("disk {number} serial number or WWN")
}

pub fn replaced(before: &[Option<String>], now: &[Option<String>]) -> Vec<Difference> {
    let both = (1..).zip(before.iter().zip(now));
    both.filter(|(_, (before, now))| before.is_some() && now.is_some() && before != now)
        .map(|(number, (before, now))| Difference {
            part: disk_identity(number),
            first: before.clone(),
            other: now.clone(),
        })
        .collect()
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".into());
        write!(f, "{} {} -> {}", self.part, value(&self.first), value(&self.other))
    }
}

/// Returns up to `most` differences in one line, the kernel first.
pub fn differences_text(differences: &[Difference], most: usize) -> String {
    let mut sorted: Vec<&Difference> = differences.iter().collect();
    // The names of the others begin in lower case, too: mitigations and settings of disks stay in order.
    sorted.sort_by_key(|difference| (difference.part != "kernel", difference.part.starts_with("mitigation")));
    let named: Vec<String> = sorted.iter().take(most).map(ToString::to_string).collect();
    match differences.len().saturating_sub(most) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

impl Fingerprint {
    pub fn of_parts(parts: BTreeMap<String, String>) -> Fingerprint {
        Fingerprint { hash: hash(&parts), parts }
    }

    pub fn differences(&self, other: &Fingerprint) -> Vec<Difference> {
        let mut names: Vec<&String> = self.parts.keys().chain(other.parts.keys()).collect();
        names.sort();
        names.dedup();
        let pairs = names.into_iter().map(|name| (name, self.parts.get(name), other.parts.get(name)));
        pairs
            .filter(|(_, first, other)| first != other)
            .map(|(name, first, other)| Difference {
                part: name.clone(),
                first: first.cloned(),
                other: other.cloned(),
            })
            .collect()
    }
}

fn hash(parts: &BTreeMap<String, String>) -> String {
    let mut hash = Fnv::default();
    parts.iter().for_each(|(name, value)| hash.add(format!("{name}={value}\n").as_bytes()));
    hash.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_disk_needs_two_known_identities() {
        let disks = |names: &[&str]| -> Vec<Option<String>> {
            names.iter().map(|name| (!name.is_empty()).then(|| (*name).to_owned())).collect()
        };
        let told = |before, now| differences_text(&replaced(&disks(before), &disks(now)), 9);
        assert_eq!(told(&["a", "b"], &["a", "c"]), "disk 2 serial number or WWN b -> c");
        for (before, now) in
            [(&["a", "b"][..], &["a", "b"][..]), (&["a"], &["", "b"]), (&[], &["a"]), (&[""], &["a"])]
        {
            assert_eq!(told(before, now), "", "{before:?} {now:?}");
        }
    }

    #[test]
    fn fingerprint_hash_is_fnv_1a() {
        assert_eq!(hash(&BTreeMap::new()), "cbf29ce484222325");
        let parts: BTreeMap<_, _> = [("a".to_string(), "b".to_string())].into();
        // FNV-1a of "a=b\n", worked out by hand.
        let expected = [0x61u64, 0x3d, 0x62, 0x0a]
            .iter()
            .fold(14_695_981_039_346_656_037, |h: u64, b| (h ^ b).wrapping_mul(1_099_511_628_211));
        assert_eq!(hash(&parts), format!("{expected:016x}"));
    }
}
