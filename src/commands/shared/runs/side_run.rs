//! A run for comparisons: from a record, or from the summary of another program's run.

use crate::checks::JudgedRecord;
use crate::experiments::compare::SideRun;
use crate::formats::known;
use crate::machine::fingerprint::Fingerprint;
use crate::results::{Record, RunSummary};
use serde_json::Value;
use std::collections::BTreeMap;

/// Creates a run of another program, whose machine is unknown.
pub(crate) fn of_known(known: RunSummary) -> SideRun {
    SideRun {
        began_ms: known.started_at.map(|at| at.saturating_mul(1000)),
        known,
        environment: BTreeMap::new(),
        run_options: BTreeMap::new(),
        boot: None,
        test: None,
    }
}

pub(crate) fn of_record(record: &Record, name: &str) -> SideRun {
    let system = &record.host().system;
    let environment = match &system.fingerprint {
        Some(fingerprint) => fingerprint.parts.clone(),
        None => Fingerprint::from_system(system).parts,
    };
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
    let (known, boot) = (known::run(&JudgedRecord::new(record), name), system.boot.clone());
    SideRun { known, environment, run_options, began_ms, boot, test: None }
}

fn text(value: Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => "no".into(),
        Value::Bool(true) => "yes".into(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
