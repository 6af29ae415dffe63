//! Operations of an I/O: one table with their names and accounting.
//!
//! Reads and writes are in DISKSPD's figures. Every other operation has separate accounts and a separate
//! report section, is always timed, and affects no other figure. Durable writes are also counted as writes.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Read,
    Write,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Moves data from the target into the buffer.
    Read,
    /// Moves data from the buffer to the target.
    Write,
    /// Write that is durable on completion (`--fua`).
    DurableWrite,
    Flush,
    /// Discards a range of the target, which loses its data (`--trim`).
    Discard,
    /// Sets a range of the target to zeros, without transferring data (`--write-zeroes`).
    WriteZeroes,
    /// Empties a zone of a device, so that it can be written again. Follows the write that needs one
    /// (`--zoned`).
    ZoneReset,
}

#[derive(Debug)]
pub struct OperationRow {
    pub op: Operation,
    /// Name of a single operation in logs and messages.
    pub name: &'static str,
    pub doing: &'static str,
    pub other: Option<AuxRow>,
}

/// Operation that is not included in DISKSPD's figures.
#[derive(Debug, PartialEq)]
pub struct AuxRow {
    /// Plural in sentences and column headings.
    pub plural: &'static str,
    pub title: &'static str,
    pub element: &'static str,
    pub stored: &'static str,
    pub option: &'static str,
    pub in_files: &'static str,
    /// A share of the I/Os is of this kind instead, at the places of those; `None` = they follow from
    /// others, and concern no part of the target.
    pub share: Option<ShareRow>,
}

#[derive(Debug, PartialEq)]
pub struct ShareRow {
    pub name: &'static str,
    pub ratio: &'static str,
    /// Name among the parameters of a run.
    pub percent: &'static str,
    /// Element in an XML profile, in this project's namespace.
    pub element: &'static str,
    pub past: &'static str,
    /// Whether it is a share of the writes, which include it; otherwise it replaces I/Os.
    pub of_writes: bool,
    /// Whether the operation writes to block devices and is counted as a write. If not, and in files, it
    /// leaves holes.
    pub writes_on_devices: bool,
    /// Reason why sectors after this operation cannot be verified.
    pub unverifiable: &'static str,
}

pub const OPERATIONS: [OperationRow; 7] = [
    OperationRow { op: Operation::Read, name: "read", doing: "reading", other: None },
    OperationRow { op: Operation::Write, name: "write", doing: "writing", other: None },
    OperationRow {
        op: Operation::DurableWrite,
        name: "durable-write",
        doing: "writing durably",
        other: Some(AuxRow {
            plural: "FUA writes",
            title: "Durable writes (--fua)",
            element: "DurableWrites",
            stored: "durable_writes",
            option: "--fua",
            in_files: "write durably",
            share: Some(ShareRow {
                name: "share of durable writes",
                ratio: "fua_ratio",
                percent: "fua_percent",
                element: "FuaRatio",
                past: "written",
                of_writes: true,
                writes_on_devices: true,
                unverifiable: "",
            }),
        }),
    },
    OperationRow {
        op: Operation::Flush,
        name: "flush",
        doing: "flushing",
        other: Some(AuxRow {
            plural: "flushes",
            title: "Flushes",
            element: "Flushes",
            stored: "flushes",
            option: "--fsync-every",
            in_files: "flush",
            share: None,
        }),
    },
    OperationRow {
        op: Operation::Discard,
        name: "discard",
        doing: "discarding",
        other: Some(AuxRow {
            plural: "discards",
            title: "Discards",
            element: "Discards",
            stored: "discards",
            option: "--trim",
            in_files: "punch holes",
            share: Some(ShareRow {
                name: "share of discards",
                ratio: "trim_ratio",
                percent: "trim_percent",
                element: "TrimRatio",
                past: "discarded",
                of_writes: false,
                writes_on_devices: false,
                unverifiable: "the content of discarded sectors is undefined and cannot be verified",
            }),
        }),
    },
    OperationRow {
        op: Operation::WriteZeroes,
        name: "write-zeroes",
        doing: "zeroing",
        other: Some(AuxRow {
            plural: "write zeroes",
            title: "Write zeroes",
            element: "WriteZeroes",
            stored: "write_zeroes",
            option: "--write-zeroes",
            in_files: "zero ranges",
            share: Some(ShareRow {
                name: "share of write zeroes",
                ratio: "write_zeroes_ratio",
                percent: "write_zeroes_percent",
                element: "WriteZeroesRatio",
                past: "zeroed",
                of_writes: false,
                writes_on_devices: true,
                unverifiable: "zeroed sectors carry no stamp and cannot be verified",
            }),
        }),
    },
    OperationRow {
        op: Operation::ZoneReset,
        name: "zone-reset",
        doing: "resetting a zone",
        other: Some(AuxRow {
            plural: "zone resets",
            title: "Zone resets",
            element: "ZoneResets",
            stored: "zone_resets",
            option: "--zoned",
            in_files: "reset zones",
            share: None,
        }),
    },
];

impl Operation {
    pub const ALL: [Operation; OPERATIONS.len()] = {
        let mut all = [Operation::Read; OPERATIONS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = OPERATIONS[at].op;
            at += 1;
        }
        all
    };

    pub fn row(self) -> &'static OperationRow {
        &OPERATIONS[self as usize]
    }

    pub fn number(self) -> u8 {
        self as u8
    }

    pub fn of_number(number: u8) -> Option<Operation> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Whether data moves between buffer and target.
    #[inline]
    pub fn moves_data(self) -> bool {
        self <= Operation::DurableWrite
    }

    /// Whether it follows from other I/Os and is not part of the workload: flushes and zone resets.
    pub fn follows_others(self) -> bool {
        self.row().other.as_ref().is_some_and(|row| row.share.is_none())
    }

    /// Returns the direction of an operation that moves data.
    #[inline]
    pub fn direction(self) -> Direction {
        debug_assert!(self.moves_data(), "{self:?} has no direction");
        if self == Operation::Read { Direction::Read } else { Direction::Write }
    }

    pub fn aux_operations() -> impl Iterator<Item = (Operation, &'static AuxRow)> {
        OPERATIONS.iter().filter_map(|row| Some((row.op, row.other.as_ref()?)))
    }

    /// Returns the operations that may have a share of a target's I/Os.
    pub fn shared() -> impl Iterator<Item = (Operation, &'static AuxRow, &'static ShareRow)> {
        Operation::aux_operations().filter_map(|(op, row)| Some((op, row, row.share.as_ref()?)))
    }

    pub fn replacements() -> impl Iterator<Item = (Operation, &'static AuxRow, &'static ShareRow)> {
        Operation::shared().filter(|(.., share)| !share.of_writes)
    }
}

impl From<Direction> for Operation {
    #[inline]
    fn from(direction: Direction) -> Operation {
        match direction {
            Direction::Read => Operation::Read,
            Direction::Write => Operation::Write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_rows_follow_operation_order() {
        for (number, row) in (0..).zip(&OPERATIONS) {
            assert_eq!((row.op.number(), row.op.row().name), (number, row.name));
            assert_eq!(Operation::of_number(number), Some(row.op));
            let share = row.other.as_ref().and_then(|other| other.share.as_ref());
            let is_write = share.is_some_and(|share| share.of_writes);
            assert_eq!(row.op.moves_data(), row.other.is_none() || is_write, "{}", row.name);
        }
        assert_eq!(Operation::of_number(OPERATIONS.len() as u8), None);
    }
}
