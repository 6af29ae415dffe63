//! What the block layer told, and what of it belongs to an I/O.

/// What became of a piece of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockStep {
    /// The block layer got it, by the task of this number.
    Queued(i32),
    /// The driver got it.
    Issued,
    /// It is complete.
    Completed,
}

/// One event of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSeen {
    /// When, ns.
    pub at: u64,
    /// What.
    pub step: BlockStep,
    /// Which device, as tracepoints number it.
    pub device: u32,
    /// First sector of 512 bytes.
    pub sector: u64,
    /// How many.
    pub sectors: u32,
    /// Whether it writes.
    pub write: bool,
    /// Whether the device flushes its cache: no sectors belong to it.
    pub flush: bool,
}

/// When the parts of an I/O were where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockTimes {
    /// When the block layer got the first of it, ns, and by which task.
    pub queued: Option<(u64, i32)>,
    /// When the driver got the first of it, ns.
    pub issued: Option<u64>,
    /// When the last of it was complete, ns.
    pub completed: Option<u64>,
    /// The longest flush of the device in its time: begin and end, ns.
    pub flush: Option<(u64, u64)>,
}

impl BlockTimes {
    /// The next event, in the order of time, that touches the sectors of the I/O and was between its
    /// submission and its reap. What comes before the block layer got the I/O is somebody else's, on the same
    /// sectors.
    pub fn take(&mut self, seen: &BlockSeen) {
        match seen.step {
            BlockStep::Queued(by) if self.queued.is_none() => self.queued = Some((seen.at, by)),
            BlockStep::Issued if self.queued.is_some() && self.issued.is_none() => {
                self.issued = Some(seen.at)
            }
            BlockStep::Completed if self.queued.is_some() => self.completed = Some(seen.at),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_part_begins_and_the_last_one_ends() {
        let seen =
            |at, step| BlockSeen { at, step, device: 1, sector: 8, sectors: 8, write: false, flush: false };
        let mut times = BlockTimes::default();
        for (at, step) in [
            (1, BlockStep::Completed), // of another I/O
            (2, BlockStep::Issued),
            (3, BlockStep::Queued(7)),
            (4, BlockStep::Queued(8)),
            (5, BlockStep::Issued),
            (6, BlockStep::Issued),
            (7, BlockStep::Completed),
            (9, BlockStep::Completed),
        ] {
            times.take(&seen(at, step));
        }
        let expected = BlockTimes { queued: Some((3, 7)), issued: Some(5), completed: Some(9), flush: None };
        assert_eq!(times, expected);
    }
}
