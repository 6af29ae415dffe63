//! The share of other operations among a target's I/Os (`--trim`), or among its writes (`--fua`).

use diskspd_base::operation::{AuxRow, Operation, ShareRow};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use std::fmt;

/// Shares of the operations in all I/Os, in percent; 0 = none. Reads and writes share the rest. Durable
/// writes are a share of the writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OperationShares([u32; Operation::ALL.len()]);

impl OperationShares {
    /// Returns the share of an operation in percent.
    pub fn percent(&self, op: Operation) -> u32 {
        self.0[op as usize]
    }

    pub fn set(&mut self, op: Operation, percent: u32) {
        self.0[op as usize] = percent;
    }

    pub fn with(mut self, op: Operation, percent: u32) -> OperationShares {
        self.set(op, percent);
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = (Operation, &'static AuxRow, u32)> + use<> {
        let shares = *self;
        let of = move |(op, row, _)| (op, row, shares.percent(op));
        Operation::shared().map(of).filter(|(.., percent)| *percent > 0)
    }

    pub fn are_none(&self) -> bool {
        self.iter().next().is_none()
    }

    pub fn replacements(&self) -> impl Iterator<Item = (Operation, &'static AuxRow, u32)> + use<> {
        let replaces = |(op, ..): &(Operation, &AuxRow, u32)| !op.moves_data();
        self.iter().filter(replaces)
    }

    pub fn sum(&self) -> u32 {
        self.replacements().map(|(.., percent)| percent).fold(0, u32::saturating_add)
    }

    fn write<S: Serializer>(&self, to: S, name: fn(&ShareRow) -> &'static str) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (op, _, share) in Operation::shared().filter(|(op, ..)| self.percent(*op) > 0) {
            map.serialize_entry(name(share), &self.percent(op))?;
        }
        map.end()
    }
}

pub mod ratios {
    use super::*;

    /// Serializes the existing shares.
    pub fn serialize<S: Serializer>(shares: &OperationShares, to: S) -> Result<S::Ok, S::Error> {
        shares.write(to, |share| share.ratio)
    }

    /// Deserializes shares; missing ones are 0.
    ///
    /// # Errors
    /// Fails if a share is not a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OperationShares, D::Error> {
        from.deserialize_map(SharesVisitor(|share| share.ratio))
    }
}

pub mod percents {
    use super::*;

    /// Serializes the existing shares.
    pub fn serialize<S: Serializer>(shares: &OperationShares, to: S) -> Result<S::Ok, S::Error> {
        shares.write(to, |share| share.percent)
    }

    /// Deserializes shares; missing ones are 0.
    ///
    /// # Errors
    /// Fails if a share is not a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OperationShares, D::Error> {
        from.deserialize_map(SharesVisitor(|share| share.percent))
    }
}

/// Deserializer of shares among the fields of an object.
struct SharesVisitor(fn(&ShareRow) -> &'static str);

impl<'de> Visitor<'de> for SharesVisitor {
    type Value = OperationShares;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("shares of operations, in percent")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OperationShares, A::Error> {
        let mut shares = OperationShares::default();
        while let Some(name) = map.next_key::<String>()? {
            match Operation::shared().find(|(_, _, share)| (self.0)(share) == name) {
                Some((op, ..)) => shares.set(op, map.next_value::<Option<u32>>()?.unwrap_or(0)),
                None => drop(map.next_value::<serde::de::IgnoredAny>()?),
            }
        }
        Ok(shares)
    }
}
