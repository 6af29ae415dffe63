//! `pread(2)` and `pwrite(2)`: one I/O at a time, the thread blocks in it. Several that are handed over
//! together are done one after the other.

use super::at_once::{AtOnce, Perform};
use super::{Direction, EngineError, File, Io, Setup};
use diskspd_model::access::TrimWay;
use diskspd_sys::io_priority::ThreadIoPriority;
use diskspd_sys::memory::Buffer;
use diskspd_sys::trim::trim;
use rustix::io::{Errno, pread, pwrite, retry_on_intr};

/// See the module.
pub(super) struct Sync {
    files: Vec<File>,
    thread: ThreadIoPriority,
}

impl Sync {
    /// The engine, of these files.
    ///
    /// # Errors
    /// None.
    pub fn open(setup: Setup) -> Result<AtOnce<Sync>, EngineError> {
        AtOnce::new(setup, true, |files| Ok(Sync { files, thread: ThreadIoPriority::default() }))
    }
}

/// Does one I/O. A short transfer is not continued: it is the storage's answer, and is reported as such.
fn transfer(io: &Io, file: &File, buffer: &mut Buffer) -> Result<usize, Errno> {
    match io.direction {
        Direction::Read => {
            let data = buffer.as_mut_slice().get_mut(io.place()).ok_or(Errno::FAULT)?;
            retry_on_intr(|| pread(&file.handle, &mut *data, io.offset))
        }
        Direction::Write => {
            let data = buffer.as_slice().get(io.place()).ok_or(Errno::FAULT)?;
            retry_on_intr(|| pwrite(&file.handle, data, io.offset))
        }
    }
}

impl Perform for Sync {
    #[inline]
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError> {
        let file = &self.files[io.file as usize];
        // Such I/O has the priority of its thread, which changes where files of one thread differ in it.
        self.thread.set(file.priority).map_err(super::priority_refused)?;
        Ok(match transfer(io, file, buffer) {
            Ok(bytes) => bytes as i64,
            Err(errno) => -i64::from(errno.raw_os_error()),
        })
    }

    fn flush(&mut self, file: u32) -> std::io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::fdatasync(&self.files[file as usize].handle))?)
    }

    fn trim(&mut self, io: &Io, way: TrimWay) -> Result<i64, EngineError> {
        let file = &self.files[io.file as usize];
        self.thread.set(file.priority).map_err(super::priority_refused)?;
        Ok(trim(&file.handle, way, io.offset, io.length).map_or_else(|error| super::negated(&error), |()| 0))
    }

    fn features(&self) -> String {
        "sync: pread and pwrite".to_string()
    }
}
