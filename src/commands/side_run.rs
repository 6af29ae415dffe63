//! A run as comparisons see it: of a record, or of what is known of a run that another program made.

use crate::lab::compare::SideRun;
use crate::machine::System;
use crate::machine::environment::Disk;
use crate::machine::fingerprint::Fingerprint;
use crate::record::known;
use crate::results::{Record, RunSummary};
use crate::truth::Judged;
use serde_json::Value;
use std::collections::BTreeMap;

/// The run of another program, of whose machine nothing is known.
pub fn of_known(known: RunSummary) -> SideRun {
    SideRun {
        began_ms: known.started_at.map(|at| at.saturating_mul(1000)),
        known,
        environment: BTreeMap::new(),
        run_options: BTreeMap::new(),
        boot: None,
        test: None,
    }
}

/// A record's run.
pub fn of_record(record: &Record, name: &str) -> SideRun {
    let system = &record.host().system;
    let mut environment = match &system.fingerprint {
        Some(fingerprint) => fingerprint.parts.clone(),
        None => Fingerprint::of(system).parts,
    };
    environment.extend(disks(system));
    let mut run_options = BTreeMap::new();
    if let Some(Value::Object(fields)) =
        record.run_options.as_ref().and_then(|m| serde_json::to_value(m).ok())
    {
        // The rate is one of the parameters, which have to agree.
        let fields = fields.into_iter().filter(|(name, _)| name != "rate_total");
        run_options
            .extend(fields.map(|(name, value)| (format!("--{}", name.replace('_', "-")), text(value))));
    }
    // All runs of a program that repeats have its start in common, and each measured at a time of its own.
    let measured = record.host().results.time_spans.iter().find_map(|span| span.started_at);
    let began_ms = measured.or(system.start_time.map(|at| at.saturating_mul(1000)));
    let (known, boot) = (known::run(&Judged::new(record), name), system.boot.clone());
    SideRun { known, environment, run_options, began_ms, boot, test: None }
}

/// Which disks they were: one of the same model in the place of another has the same fingerprint.
fn disks(system: &System) -> impl Iterator<Item = (String, String)> {
    let disks = system.environment.iter().flat_map(|environment| &environment.disks);
    let identity = |(number, disk): (u32, &Disk)| {
        Some((format!("disk {number} serial number or WWN"), disk.device.identity.clone()?))
    };
    (1..).zip(disks).filter_map(identity)
}

fn text(value: Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => "no".into(),
        Value::Bool(true) => "yes".into(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::environment::Environment;

    #[test]
    fn a_disk_that_took_the_place_of_another_of_its_model_is_another() {
        let machine = |identities: &[Option<&str>]| {
            let disk = |identity: &Option<&str>| {
                let mut disk = Disk::default();
                disk.device.identity = identity.map(str::to_owned);
                disk
            };
            let disks = identities.iter().map(disk).collect();
            System { environment: Some(Environment { disks, ..Environment::default() }), ..System::default() }
        };
        let found = |identities: &[Option<&str>]| disks(&machine(identities)).collect::<Vec<_>>();
        let named =
            |number: u32, identity: &str| (format!("disk {number} serial number or WWN"), identity.into());
        assert_eq!(found(&[Some("a"), None, Some("b")]), [named(1, "a"), named(3, "b")]);
        assert_eq!(found(&[]), []);
        assert_eq!(disks(&System::default()).count(), 0);
    }
}
