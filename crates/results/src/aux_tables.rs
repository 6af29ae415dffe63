//! Figures of other operations than reads and writes: how many there were, how much of the target they
//! concerned, and how long they took.

use super::aux_figures::{AuxFigures, IgnoredOr};
use super::by_thread::rows as by_thread;
use super::{Accumulate, DirectionResults, Host, SpanResults};
use diskspd_base::operation::{AuxRow, Operation};
use diskspd_profile::RawText;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// Tables of a time span, one per requested operation, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuxTables(pub Vec<AuxTable>);

/// Operation by thread and target.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AuxTable {
    #[serde(skip)]
    pub row: &'static AuxRow,
    #[serde(skip)]
    pub op: Operation,
    /// Rows of the threads with this operation, ascending; targets in the thread's order.
    pub rows: Vec<ThreadOther>,
    pub total: AuxFigures,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ThreadOther {
    pub thread: u32,
    /// Path of the target as entered by the user.
    pub path: RawText,
    pub figures: AuxFigures,
}

impl AuxTables {
    /// Creates the tables of a time span measured for `seconds`, greater than 0.
    pub(super) fn new(host: &Host, results: &SpanResults, seconds: f64) -> AuxTables {
        let table = |(op, row): (Operation, &'static AuxRow)| {
            let mut all = DirectionResults::default();
            let mut rows = Vec::new();
            for (thread, target) in by_thread(&results.threads) {
                let Some(account) = target.others.results(op) else { continue };
                all.add(account);
                let figures = AuxFigures::new(row, account, seconds);
                rows.push(ThreadOther { thread, path: host.path(target.target).clone(), figures });
            }
            let total = AuxFigures::new(row, &all, seconds);
            (!rows.is_empty()).then_some(AuxTable { row, op, rows, total })
        };
        AuxTables(Operation::aux_operations().filter_map(table).collect())
    }

    pub fn table(&self, op: Operation) -> Option<&AuxTable> {
        self.0.iter().find(|table| table.op == op)
    }
}

impl Serialize for AuxTables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (op, row) in Operation::aux_operations() {
            match self.table(op) {
                // Summaries always state when nothing was flushed.
                None if op != Operation::Flush => {}
                table => map.serialize_entry(row.stored, &table)?,
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for AuxTables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AuxTables, D::Error> {
        #[derive(serde::Deserialize)]
        struct StoredTable {
            rows: Vec<ThreadOther>,
            total: AuxFigures,
        }
        let mut found: BTreeMap<String, IgnoredOr<StoredTable>> = BTreeMap::deserialize(deserializer)?;
        let table = |(op, row): (Operation, &'static AuxRow)| match found.remove(row.stored) {
            Some(IgnoredOr::Known(StoredTable { rows, total })) => Some(AuxTable { row, op, rows, total }),
            _ => None,
        };
        Ok(AuxTables(Operation::aux_operations().filter_map(table).collect()))
    }
}
