//! The rules of [`Io`], checked in one place.

use super::{EngineError, Io, MAX_LENGTH, Setup};
use diskspd_sys::transfer::fits;

/// What an [`Io`] may ask of an engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// [`Setup::depth`].
    pub depth: u32,
    /// How many files there are; `None` = the engine ignores them.
    pub files: Option<usize>,
    /// Bytes of the buffer.
    pub buffer: usize,
}

impl Limits {
    pub fn of(setup: &Setup, files: bool) -> Limits {
        Limits { depth: setup.depth, files: files.then_some(setup.files.len()), buffer: setup.buffer.len() }
    }

    /// Whether the I/O keeps the rules.
    #[inline]
    pub fn allow(&self, io: &Io) -> bool {
        io.request < self.depth
            && self.files.is_none_or(|files| (io.file as usize) < files)
            && fits(io.offset, io.length, io.buffer_offset, self.buffer)
    }

    /// The same for a flush.
    pub fn allow_flush(&self, request: u32, file: u32) -> Result<(), EngineError> {
        let known = self.files.is_none_or(|files| (file as usize) < files);
        if request < self.depth && known {
            return Ok(());
        }
        Err(self.refuse_flush(request, file))
    }

    /// The same for a discard, which has no data and may be as long as it likes.
    pub fn allow_trim(&self, io: &Io) -> Result<(), EngineError> {
        let without_data = Io { length: 0, buffer_offset: 0, ..*io };
        let ends = io.offset.checked_add(io.length.into()).is_some_and(|end| i64::try_from(end).is_ok());
        if self.allow(&without_data) && ends { Ok(()) } else { Err(self.refuse(io)) }
    }

    /// The error for a flush that an engine has no place for.
    #[cold]
    pub fn refuse_flush(&self, request: u32, file: u32) -> EngineError {
        EngineError::invalid(format!(
            "flush of file {file} by request {request} refused: there are {} requests and {} files, and a \
             request has one I/O in flight at most",
            self.depth,
            self.files.map_or("any number of".to_string(), |files| files.to_string())
        ))
    }

    /// The error for an I/O that doesn't.
    #[cold]
    pub fn refuse(&self, io: &Io) -> EngineError {
        EngineError::invalid(format!(
            "I/O refused, {io:?}: request is to be below {}, file below {}, length at most {MAX_LENGTH}, offset at most \
             2^63 - 1, and the data within the {} bytes of the buffer",
            self.depth,
            self.files.map_or("any".to_string(), |files| files.to_string()),
            self.buffer
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_model::engines::Direction;

    #[test]
    fn an_io_stays_within_the_limits() {
        let limits = Limits { depth: 4, files: Some(2), buffer: 8192 };
        let good = Io {
            request: 3,
            file: 1,
            direction: Direction::Read,
            offset: i64::MAX as u64,
            length: 4096,
            buffer_offset: 4096,
        };
        assert!(limits.allow(&good));
        for bad in [
            Io { request: 4, ..good },
            Io { file: 2, ..good },
            Io { buffer_offset: 4097, ..good },
            Io { buffer_offset: usize::MAX, ..good },
            Io { length: 4097, ..good },
            Io { length: MAX_LENGTH + 1, ..good },
            Io { offset: u64::MAX, ..good },
        ] {
            assert!(!limits.allow(&bad), "{bad:?}");
        }
        assert!(Limits { files: None, ..limits }.allow(&Io { file: 9, ..good }));
    }
}
