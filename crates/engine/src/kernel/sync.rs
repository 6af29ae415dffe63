//! `pread(2)` and `pwrite(2)`: one I/O at a time, which blocks the thread. Several submitted together are
//! done one after the other.

use crate::at_once::{SyncIo, SynchronousEngine};
use crate::errno::priority_refused;
use crate::{EngineError, EngineKind, File, Io, Setup};
use diskspd_base::operation::Operation;
use diskspd_sys::io_features;
use diskspd_sys::io_priority::ThreadIoPriority;
use diskspd_sys::memory::Buffer;
use diskspd_sys::operation::{is_device, perform};
use diskspd_sys::positioned::write_slot;
use rustix::io::{Errno, pread, retry_on_intr};
use std::io;
use std::os::fd::AsFd;

/// See the module. `WITH` = some of the files have additional kernel options; without any, I/Os have no
/// additional cost.
pub(super) struct Sync<const WITH: bool> {
    files: Vec<File>,
    devices: Vec<bool>,
    thread: ThreadIoPriority,
}

impl<const WITH: bool> Sync<WITH> {
    pub(crate) fn open(setup: Setup) -> Result<SynchronousEngine<Sync<WITH>>, EngineError> {
        SynchronousEngine::new(setup, EngineKind::Sync, |files| {
            let devices = files.iter().map(|file| is_device(&file.handle)).collect();
            Ok(Sync { files, devices, thread: ThreadIoPriority::default() })
        })
    }
}

/// Does one I/O; returns its result. A short transfer is not continued: it is the storage's answer, and is
/// reported as such.
fn run_io<const WITH: bool>(io: &Io, file: &File, device: bool, buffer: &mut Buffer) -> Result<usize, Errno> {
    match io.op {
        Operation::Read => {
            let data = buffer.as_mut_slice().get_mut(io.place()).ok_or(Errno::FAULT)?;
            if WITH {
                return io_features::read(&file.handle, data, io.offset, file.ways);
            }
            retry_on_intr(|| pread(&file.handle, &mut *data, io.offset))
        }
        Operation::Write => {
            let data = buffer.slot(io.buffer_offset, io.length as usize).ok_or(Errno::FAULT)?;
            if WITH {
                return io_features::write(&file.handle, data, io.offset, file.ways);
            }
            write_slot(&file.handle, data, io.offset).map_err(|error| error_number(&error))
        }
        Operation::DurableWrite => {
            let data = buffer.slot(io.buffer_offset, io.length as usize).ok_or(Errno::FAULT)?;
            io_features::write(&file.handle, data, io.offset, file.ways.with_durable(true))
        }
        other => {
            let did = perform(other, file.handle.as_fd(), device, io.offset, io.length.into());
            did.map(|()| 0).map_err(|error| error_number(&error))
        }
    }
}

fn error_number(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

impl<const WITH: bool> SyncIo for Sync<WITH> {
    #[inline]
    fn perform(&mut self, io: &Io, buffer: &mut Buffer) -> Result<i64, EngineError> {
        let at = io.file as usize;
        let file = &self.files[at];
        // Such I/O has the priority of its thread, which changes where files of one thread differ in it.
        self.thread.set(file.priority).map_err(priority_refused)?;
        Ok(match run_io::<WITH>(io, file, self.devices[at], buffer) {
            Ok(bytes) => bytes as i64,
            Err(errno) => -i64::from(errno.raw_os_error()),
        })
    }

    fn features(&self) -> String {
        match WITH {
            true => "sync: preadv2 and pwritev2".to_string(),
            false => "sync: pread and pwrite".to_string(),
        }
    }
}
