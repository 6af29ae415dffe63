//! The rules of [`Io`], checked in one place.

use super::{EngineError, EngineKind, Io, MAX_LENGTH, Setup, cannot};
use diskspd_sys::transfer::{fits, fits_without_data};

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub depth: u32,
    /// Number of files; `None` = ignored by the engine.
    pub files: Option<usize>,
    /// Size of the buffer in bytes.
    pub buffer: usize,
    pub engine: EngineKind,
}

impl Limits {
    pub(crate) fn for_setup(setup: &Setup, engine: EngineKind) -> Limits {
        let files = engine.row().needs_files.then_some(setup.files.len());
        Limits { depth: setup.depth, files, buffer: setup.buffer.len(), engine }
    }

    /// Whether an I/O obeys the rules of reads and writes, which are stricter than those of other operations.
    #[inline]
    pub(crate) fn allow(&self, io: &Io) -> bool {
        io.request < self.depth
            && self.files.is_none_or(|files| (io.file as usize) < files)
            && fits(io.offset, io.length, io.buffer_offset, self.buffer)
    }

    /// Whether all of a batch keep the rules; may be false although they do. One comparison for all of them
    /// takes half of the instructions.
    #[inline]
    pub(crate) fn allow_all(&self, batch: &[Io]) -> bool {
        if let [io] = batch {
            return self.allow(io);
        }
        let (mut last, mut bits, mut lengths, mut end) = (0, 0, 0, 0);
        for io in batch {
            last = io.request.max(last);
            bits |= io.offset | io.buffer_offset as u64;
            lengths |= io.length;
            end = io.buffer_offset.wrapping_add(io.length as usize).max(end);
        }
        // Without a sign no end is beyond all addresses.
        batch.is_empty()
            || (last < self.depth
                && bits <= i64::MAX as u64
                && lengths <= MAX_LENGTH
                && end <= self.buffer
                && self.files.is_none_or(|files| batch.iter().all(|io| (io.file as usize) < files)))
    }

    /// Checks the rules of an I/O that [`Limits::allow`] did not accept.
    #[cold]
    pub(crate) fn check(&self, io: &Io) -> Result<(), EngineError> {
        let without_data = Io { length: 0, buffer_offset: 0, ..*io };
        let other = !io.op.moves_data() && self.engine.row().supports(io.op);
        let allowed = other && self.allow(&without_data) && fits_without_data(io.offset, io.length);
        if allowed { Ok(()) } else { Err(self.refuse(io)) }
    }

    /// Creates the error of an I/O that violates the rules.
    #[cold]
    pub(crate) fn refuse(&self, io: &Io) -> EngineError {
        if !self.engine.row().supports(io.op) {
            return cannot(self.engine, io.op);
        }
        EngineError::invalid(format!(
            "I/O refused, {io:?}: request must be below {}, file below {}, length at most {MAX_LENGTH}, \
             offset at most 2^63 - 1, and the data within the {} bytes of the buffer",
            self.depth,
            self.files.map_or("any".to_string(), |files| files.to_string()),
            self.buffer
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::operation::Operation;

    #[test]
    fn ios_outside_limits_are_rejected() {
        let limits = Limits { depth: 4, files: Some(2), buffer: 8192, engine: EngineKind::Sync };
        let good = Io {
            request: 3,
            file: 1,
            op: Operation::Read,
            offset: i64::MAX as u64,
            length: 4096,
            buffer_offset: 4096,
        };
        assert!(limits.allow(&good) && limits.allow_all(&[good, good]) && limits.allow_all(&[]));
        for bad in [
            Io { request: 4, ..good },
            Io { file: 2, ..good },
            Io { buffer_offset: 4097, ..good },
            Io { buffer_offset: usize::MAX, ..good },
            Io { length: 4097, ..good },
            Io { length: MAX_LENGTH + 1, ..good },
            Io { offset: u64::MAX, ..good },
        ] {
            assert!(!limits.allow(&bad) && !limits.allow_all(&[good, bad, good]), "{bad:?}");
        }
        let long = Io { op: Operation::Discard, offset: 0, length: u32::MAX, ..good };
        assert!(limits.check(&long).is_ok() && limits.check(&Io { file: 2, ..long }).is_err());
        assert!(limits.check(&Io { length: 4097, ..good }).is_err());
        assert!(Limits { files: None, ..limits }.allow(&Io { file: 9, ..good }));
    }
}
