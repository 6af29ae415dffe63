//! Accounts of operations other than reads and writes, one for each requested operation of a thread on a
//! target.

use super::{Accumulate, DirectionResults};
use diskspd_base::operation::Operation;
use diskspd_figures::stats::Histogram;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Results by operation, always with latencies, which no other figure includes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuxResults(Box<[(Operation, DirectionResults)]>);

impl AuxResults {
    /// Returns the results of an operation; `None` = not requested.
    pub fn results(&self, op: Operation) -> Option<&DirectionResults> {
        self.0.iter().find(|(known, _)| *known == op).map(|(_, account)| account)
    }

    #[inline]
    pub fn of_mut(&mut self, op: Operation) -> Option<&mut DirectionResults> {
        self.0.iter_mut().find(|(known, _)| *known == op).map(|(_, account)| account)
    }

    pub fn set(&mut self, op: Operation, account: DirectionResults) {
        match self.of_mut(op) {
            Some(known) => *known = account,
            None => {
                let at = self.0.partition_point(|(known, _)| *known < op);
                let mut accounts = std::mem::take(&mut self.0).into_vec();
                accounts.insert(at, (op, account));
                self.0 = accounts.into_boxed_slice();
            }
        }
    }

    /// Returns the results in the order of the operations.
    pub fn iter(&self) -> impl Iterator<Item = (Operation, &DirectionResults)> {
        self.0.iter().map(|(op, account)| (*op, account))
    }

    pub fn accounts_mut(&mut self) -> impl Iterator<Item = &mut DirectionResults> {
        self.0.iter_mut().map(|(_, account)| account)
    }

    pub fn are_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl Accumulate for AuxResults {
    fn add(&mut self, other: &AuxResults) {
        for (op, more) in other.iter() {
            match self.of_mut(op) {
                Some(account) => account.add(more),
                None => self.set(op, more.clone()),
            }
        }
    }
}

fn has_times_alone(op: Operation) -> bool {
    op.row().other.as_ref().is_none_or(|row| row.share.is_none())
}

impl Serialize for AuxResults {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (op, row) in Operation::aux_operations() {
            match self.results(op) {
                Some(account) if has_times_alone(op) => map.serialize_entry(row.stored, &account.latency)?,
                Some(account) => map.serialize_entry(row.stored, account)?,
                None => {}
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for AuxResults {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AuxResults, D::Error> {
        deserializer.deserialize_map(AccountsVisitor)
    }
}

/// Deserializer of the results among the fields of a target.
struct AccountsVisitor;

impl<'de> Visitor<'de> for AccountsVisitor {
    type Value = AuxResults;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("accounts of operations")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AuxResults, A::Error> {
        let mut results = AuxResults::default();
        while let Some(name) = map.next_key::<String>()? {
            let op = Operation::aux_operations().find(|(_, row)| row.stored == name).map(|(op, _)| op);
            let account = match op {
                Some(op) if has_times_alone(op) => map.next_value::<Option<Histogram>>()?.map(of_times),
                Some(_) => map.next_value()?,
                None => map.next_value::<IgnoredAny>().map(|_| None)?,
            };
            op.zip(account).into_iter().for_each(|(op, account)| results.set(op, account));
        }
        Ok(results)
    }
}

pub fn of_times(times: Histogram) -> DirectionResults {
    DirectionResults {
        ios: times.moments().count(),
        latency: Some(Box::new(times)),
        ..DirectionResults::default()
    }
}
