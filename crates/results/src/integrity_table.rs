//! Table of the verification results.

use super::integrity::IntegrityResults;
use crate::{Host, SpanResults};
use diskspd_profile::{RawText, TargetId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Verified sectors by target, over all threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntegrityTable {
    pub rows: Vec<IntegrityRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntegrityRow {
    /// Path of the target as entered by the user.
    pub path: RawText,
    #[serde(default)]
    pub target: TargetId,
    /// Results of all threads, with their first failures by offset.
    pub results: IntegrityResults,
}

impl IntegrityTable {
    /// Returns `None` if nothing was verified.
    pub fn new(host: &Host, results: &SpanResults) -> Option<IntegrityTable> {
        let mut rows: BTreeMap<_, IntegrityResults> = BTreeMap::new();
        for target in results.threads.iter().flat_map(|thread| &thread.targets) {
            let Some(more) = &target.integrity else { continue };
            rows.entry(target.target).or_default().add_thread(IntegrityResults::clone(more));
        }
        let row = |(id, results): (_, _)| IntegrityRow { path: host.path(id).clone(), target: id, results };
        let rows: Vec<IntegrityRow> = rows.into_iter().map(row).collect();
        (!rows.is_empty()).then_some(IntegrityTable { rows })
    }
}
