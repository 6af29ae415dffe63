//! Assignment of runs to machines, and changes of a machine between two runs.
//!
//! A machine stays the same when its kernel, firmware or settings change, because trends are meant to show
//! such changes. Its identity is its name and a number ([`diskspd_machine::System::machine`]).

use super::StoreEntry;
use diskspd_machine::fingerprint::{Difference, Fingerprint, replaced};
use diskspd_machine::numbers::is_container;
use diskspd_results::RunSummary;
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Debug, Default)]
pub struct MachineNames<'a> {
    /// Machine numbers of the runs with a name.
    numbers: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> MachineNames<'a> {
    pub fn from_entries(entries: &'a [StoreEntry]) -> MachineNames<'a> {
        let mut machines = MachineNames::default();
        for entry in entries {
            let numbers = machines.numbers.entry(name(entry)).or_default();
            numbers.extend(entry.run.machine.as_deref());
        }
        machines
    }

    /// Returns a unique name of a machine, the same for all its runs.
    pub fn name(&self, entry: &StoreEntry) -> String {
        let (name, number) = (name(entry), entry.run.machine.as_deref());
        let of_name = self.numbers.get(name);
        match number {
            // Each start of a container has a name of its own.
            Some(number) if is_container(number) => number.replacen('-', " on ", 1),
            Some(number) if of_name.is_some_and(|numbers| numbers.len() > 1) => format!("{name} ({number})"),
            // Runs of older programs have no number: where only one machine has the name, they are its.
            None if of_name.is_some_and(|numbers| numbers.len() > 1) => {
                format!("{name} (which of these is not recorded)")
            }
            _ => name.to_owned(),
        }
    }
}

fn name(entry: &StoreEntry) -> &str {
    entry.run.hosts.first().map_or("", String::as_str)
}

#[derive(Debug, Default)]
pub struct Fingerprints(HashMap<String, Fingerprint>);

impl Fingerprints {
    pub fn new(all: Vec<Fingerprint>) -> Fingerprints {
        let known = all.into_iter().filter(|one| !one.parts.is_empty());
        Fingerprints(known.map(|one| (one.hash.clone(), one)).collect())
    }

    /// Returns the changes of the machine from one run to another; empty if a run did not record it.
    pub fn changes(&self, before: &RunSummary, now: &RunSummary) -> Vec<Difference> {
        let mut changed = replaced(&before.disks, &now.disks);
        let Some((before, now)) = before.fingerprint.as_ref().zip(now.fingerprint.as_ref()) else {
            return changed;
        };
        match (self.0.get(before), self.0.get(now)) {
            _ if before == now => {}
            (Some(before), Some(now)) => changed.extend(before.differences(now)),
            _ => changed.push(Difference {
                part: "fingerprint".into(),
                first: Some(before.clone()),
                other: Some(now.clone()),
            }),
        }
        changed
    }

    /// Returns for each run the changes of its machine since the previous run of the same work there.
    pub fn changes_of<'a>(&self, entries: &'a [StoreEntry]) -> HashMap<&'a str, Vec<Difference>> {
        let machines = MachineNames::from_entries(entries);
        let mut latest: HashMap<(String, &str), &RunSummary> = HashMap::new();
        let mut changes = HashMap::new();
        for entry in entries.iter().filter(|entry| entry.run.fingerprint.is_some()) {
            let before = latest.insert((machines.name(entry), entry.workload.as_str()), &entry.run);
            let changed = before.map(|before| self.changes(before, &entry.run)).unwrap_or_default();
            if !changed.is_empty() {
                changes.insert(entry.id.as_str(), changed);
            }
        }
        changes
    }
}
