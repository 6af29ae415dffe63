//! Which runs are of the same machine, and what changed about it between two of them.
//!
//! A machine stays the same when its kernel, firmware or settings change: those are what its figures depend
//! on, and what a trend is looked at for. It is told by its name and the number that stands for it
//! ([`diskspd_model::machine::System::machine`]).

use super::StoreEntry;
use diskspd_model::machine::fingerprint::{Difference, Fingerprint};
use diskspd_model::machine::numbers::is_container;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The machines of many runs.
#[derive(Debug, Default)]
pub struct MachineNames<'a> {
    /// The numbers that runs of a name have.
    numbers: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> MachineNames<'a> {
    /// Those of these runs.
    pub fn of(entries: &'a [StoreEntry]) -> MachineNames<'a> {
        let mut machines = MachineNames::default();
        for entry in entries {
            let numbers = machines.numbers.entry(name(entry)).or_default();
            numbers.extend(entry.run.machine.as_deref());
        }
        machines
    }

    /// What a machine is called: the same for all its runs, and for those of no other.
    pub fn name(&self, entry: &StoreEntry) -> String {
        let (name, number) = (name(entry), entry.run.machine.as_deref());
        let of_name = self.numbers.get(name);
        match number {
            // Each start of a container has a name of its own.
            Some(number) if is_container(number) => number.replacen('-', " on ", 1),
            Some(number) if of_name.is_some_and(|numbers| numbers.len() > 1) => format!("{name} ({number})"),
            // Runs of older programs have no number: where only one machine has the name, they are its.
            None if of_name.is_some_and(|numbers| numbers.len() > 1) => {
                format!("{name} (which of these isn't recorded)")
            }
            _ => name.to_owned(),
        }
    }
}

fn name(entry: &StoreEntry) -> &str {
    entry.run.hosts.first().map_or("", String::as_str)
}

/// What fingerprints are made of, by their hashes.
#[derive(Debug, Default)]
pub struct Fingerprints(HashMap<String, Fingerprint>);

impl Fingerprints {
    /// Of these; one without parts tells nothing.
    pub fn new(all: Vec<Fingerprint>) -> Fingerprints {
        let known = all.into_iter().filter(|one| !one.parts.is_empty());
        Fingerprints(known.map(|one| (one.hash.clone(), one)).collect())
    }

    /// What changed from one fingerprint to another; nothing where one of them isn't recorded.
    pub fn changes(&self, before: Option<&str>, now: Option<&str>) -> Vec<Difference> {
        let Some((before, now)) = before.zip(now).filter(|(before, now)| before != now) else {
            return Vec::new();
        };
        match (self.0.get(before), self.0.get(now)) {
            (Some(before), Some(now)) => before.differences(now),
            _ => vec![Difference {
                part: "fingerprint".into(),
                first: Some(before.to_owned()),
                other: Some(now.to_owned()),
            }],
        }
    }

    /// For each run what changed about its machine since the run before it of the same work there.
    pub fn changes_of<'a>(&self, entries: &'a [StoreEntry]) -> HashMap<&'a str, Vec<Difference>> {
        let machines = MachineNames::of(entries);
        let mut latest: HashMap<(String, &str), &str> = HashMap::new();
        let mut changes = HashMap::new();
        for entry in entries {
            let Some(now) = entry.run.fingerprint.as_deref() else { continue };
            let before = latest.insert((machines.name(entry), entry.workload.as_str()), now);
            let changed = self.changes(before, Some(now));
            if !changed.is_empty() {
                changes.insert(entry.id.as_str(), changed);
            }
        }
        changes
    }
}
