//! Open files of processes, and calls attributed to them.

use diskspd_machine::process_io::{CallsDone, ProcessIo, SortedCalls};

/// Kinds of files that a process opened for a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OpenKinds {
    /// Files and devices of the examined storage.
    pub storage: bool,
    /// Files without a block device.
    pub without_device: bool,
    pub elsewhere: bool,
    /// Small files of the judged storage, such as logs. They decide if no other kind is open.
    pub small: bool,
    /// Messages on standard error, which decide if no other kind is open.
    pub messages: bool,
}

impl OpenKinds {
    fn union(self, other: OpenKinds) -> OpenKinds {
        OpenKinds {
            storage: self.storage || other.storage,
            without_device: self.without_device || other.without_device,
            elsewhere: self.elsewhere || other.elsewhere,
            small: self.small || other.small,
            messages: self.messages || other.messages,
        }
    }

    /// Returns the sum for calls of such a process. `reached_device`: whether some of them certainly were on
    /// storage.
    fn sum(self, sums: &mut SortedCalls, reached_device: bool) -> &mut CallsDone {
        match (self.storage, self.without_device, self.elsewhere) {
            (false, _, true) if self.small && reached_device => &mut sums.unclear,
            (true, false, false) => &mut sums.storage,
            (false, true, false) => &mut sums.without_device,
            (false, false, true) => &mut sums.elsewhere,
            (false, false, false) if self.small => &mut sums.storage,
            (false, false, false) if self.messages => &mut sums.elsewhere,
            _ => &mut sums.unclear,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Classes {
    pub read: OpenKinds,
    pub write: OpenKinds,
}

impl Classes {
    pub(crate) fn union(self, other: Classes) -> Classes {
        Classes { read: self.read.union(other.read), write: self.write.union(other.write) }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SortedIo {
    pub read: SortedCalls,
    pub write: SortedCalls,
}

impl SortedIo {
    /// Adds the calls of a process since the last look. `reaped`: counters of reaped children at that look,
    /// which are sorted already.
    pub(crate) fn add(
        &mut self,
        grown: ProcessIo,
        own: Classes,
        reaped: impl Iterator<Item = (ProcessIo, Classes)>,
    ) {
        let (mut known, mut of_children) = (ProcessIo::default(), Classes::default());
        for (io, classes) in reaped {
            known = known.plus(io);
            of_children = of_children.union(classes);
        }
        let new = grown.since(known);
        let all = own.union(of_children);
        for (sums, calls, ends, on_devices) in [
            (&mut self.read, new.read, all.read, new.read_bytes),
            (&mut self.write, new.write, all.write, new.write_bytes),
        ] {
            let sum = ends.sum(sums, on_devices > 0);
            *sum = sum.plus(calls);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: u64) -> ProcessIo {
        ProcessIo { read: CallsDone { calls: 1, bytes }, ..ProcessIo::default() }
    }

    fn reads(ends: OpenKinds) -> Classes {
        Classes { read: ends, ..Classes::default() }
    }

    const NO_FILES: OpenKinds =
        OpenKinds { storage: false, without_device: false, elsewhere: false, small: false, messages: false };
    const STORAGE: OpenKinds = OpenKinds { storage: true, ..NO_FILES };
    const PIPE: OpenKinds = OpenKinds { elsewhere: true, ..NO_FILES };
    const LOG: OpenKinds = OpenKinds { small: true, messages: true, ..NO_FILES };

    /// Bytes of reads on storage, elsewhere, and unclear.
    fn sorted(grown: ProcessIo, ends: OpenKinds) -> [u64; 3] {
        let mut sorted = SortedIo::default();
        sorted.add(grown, reads(ends), std::iter::empty());
        [sorted.read.storage, sorted.read.elsewhere, sorted.read.unclear].map(|calls| calls.bytes)
    }

    #[test]
    fn calls_of_one_kind_are_attributed() {
        for (ends, expected) in [
            (STORAGE, [10, 0, 0]),
            (PIPE, [0, 10, 0]),
            (STORAGE.union(LOG), [10, 0, 0]),
            (PIPE.union(LOG), [0, 10, 0]),
            (LOG, [10, 0, 0]),
            (STORAGE.union(PIPE), [0, 0, 10]),
            (OpenKinds::default(), [0, 0, 10]),
        ] {
            assert_eq!(sorted(read(10), ends), expected, "{ends:?}");
        }
    }

    #[test]
    fn calls_that_reached_a_device_are_not_elsewhere() {
        for (ends, device_bytes, expected) in [
            (PIPE.union(LOG), 1, [0, 0, 10]),
            (PIPE.union(LOG), 0, [0, 10, 0]),
            // A program reads its libraries.
            (PIPE, 1, [0, 10, 0]),
            (STORAGE.union(LOG), 1, [10, 0, 0]),
        ] {
            let grown = ProcessIo { read_bytes: device_bytes, ..read(10) };
            assert_eq!(sorted(grown, ends), expected, "{ends:?}, {device_bytes}");
        }
    }

    #[test]
    fn reaped_child_is_not_counted_twice() {
        let mut sorted = SortedIo::default();
        // A shell without files reaps a child that had read 7 at the last look, and 9 in the end.
        sorted.add(read(9), Classes::default(), [(read(7), reads(STORAGE))].into_iter());
        assert_eq!((sorted.read.storage.bytes, sorted.read.unclear.bytes), (2, 0));
    }
}
