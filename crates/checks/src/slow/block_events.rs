//! Block layer events, and their assignment to an I/O.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockStep {
    /// The block layer received it from the task with this number.
    Queued(i32),
    Issued,
    Completed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockEvent {
    /// Time in ns.
    pub at: u64,
    pub step: BlockStep,
    pub device: u32,
    /// First sector of 512 bytes.
    pub sector: u64,
    pub sectors: u32,
    pub write: bool,
    /// Whether the device flushes its cache; without sectors.
    pub flush: bool,
}

/// Times of the parts of an I/O in the block layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockTimes {
    /// Time in ns at which the block layer received the first part, and the task.
    pub queued: Option<(u64, i32)>,
    /// Time at which the driver received the first part in ns.
    pub issued: Option<u64>,
    /// Completion time of the last part in ns.
    pub completed: Option<u64>,
    /// Start and end in ns of the longest flush of the device in this time.
    pub flush: Option<(u64, u64)>,
}

impl BlockTimes {
    /// Adds the next event in order of time that touches the sectors of the I/O between its submission and
    /// reap. Events before the block layer received the I/O belong to other I/Os on the same sectors.
    pub fn take(&mut self, seen: &BlockEvent) {
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

/// Search for the events of an I/O, because other programs access the same sectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct BlockMatch {
    pub times: BlockTimes,
    /// Whether events with exactly the I/O's sectors occurred: block layer, driver, completion.
    exact: [bool; 3],
}

impl BlockMatch {
    /// Adds the next event, as in [`BlockTimes::take`]. `is_exact`: whether it has exactly the sectors of
    /// the I/O. Merged or split requests have other sectors. After an exact event, overlapping events
    /// belong to other I/Os.
    pub fn take(&mut self, seen: &BlockEvent, is_exact: bool) {
        let (place, before) = match seen.step {
            BlockStep::Queued(_) => (0, true),
            BlockStep::Issued => (1, self.times.queued.is_some()),
            BlockStep::Completed => (2, self.times.issued.is_some() || !self.exact[1]),
        };
        if !before || self.exact[place] {
            return;
        }
        if is_exact {
            match seen.step {
                BlockStep::Queued(_) => {
                    self.times = BlockTimes { flush: self.times.flush, ..BlockTimes::default() }
                }
                BlockStep::Issued => (self.times.issued, self.times.completed) = (None, None),
                BlockStep::Completed => {}
            }
            self.exact[place..].fill(false);
            self.exact[place] = true;
        }
        self.times.take(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_others_on_same_sectors_are_separate() {
        let seen =
            |at, step| BlockEvent { at, step, device: 1, sector: 8, sectors: 8, write: false, flush: false };
        let mut found = BlockMatch::default();
        for (at, step, is_exact) in [
            (1, BlockStep::Queued(9), false),
            (2, BlockStep::Issued, false),
            (3, BlockStep::Queued(7), true),
            (4, BlockStep::Completed, false),
            (5, BlockStep::Issued, false),
            (6, BlockStep::Completed, false),
            (7, BlockStep::Issued, true),
            (8, BlockStep::Queued(9), false),
            (9, BlockStep::Completed, true),
            (10, BlockStep::Issued, false),
            (11, BlockStep::Completed, false),
        ] {
            found.take(&seen(at, step), is_exact);
        }
        let expected = BlockTimes { queued: Some((3, 7)), issued: Some(7), completed: Some(9), flush: None };
        assert_eq!(found.times, expected);
        // Merged with others: none has exactly its sectors but the one that the block layer got.
        let mut merged = BlockMatch::default();
        merged.take(&seen(3, BlockStep::Queued(7)), true);
        merged.take(&seen(5, BlockStep::Issued), false);
        merged.take(&seen(6, BlockStep::Completed), false);
        let expected = BlockTimes { queued: Some((3, 7)), issued: Some(5), completed: Some(6), flush: None };
        assert_eq!(merged.times, expected);
    }

    #[test]
    fn split_io_lasts_from_first_to_last_part() {
        let seen =
            |at, step| BlockEvent { at, step, device: 1, sector: 8, sectors: 8, write: false, flush: false };
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
