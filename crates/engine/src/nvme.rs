//! NVMe commands past the block layer: the ring of [`super::uring`], whose entries are commands for the
//! character devices of namespaces (`/dev/ng0n1`, `IORING_OP_URING_CMD`).

use super::contract::{EngineError, NotPinned, Setup};
use super::file;
use super::uring::{Options, Uring, not_made};
use super::{EngineKind, Limits};
use diskspd_model::access::IoPriority;
use diskspd_model::io_error;
use diskspd_model::operation::Operation;
use diskspd_sys::clock::{Nanos, SECOND, monotonic};
use diskspd_sys::memory::Buffer;
use diskspd_sys::nvme;
use diskspd_sys::ring::{Blocks, Commands, Entered, Ring};
use diskspd_sys::transfer::Transfer;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// How long one command may take before the engine begins, ns: longer than the kernel's timeout (30 s).
const PATIENCE: Nanos = 60 * SECOND;

/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A queue of commands for the calling thread.
///
/// # Errors
/// A file is no namespace; the kernel takes no commands of it, and what to do.
pub fn open(setup: Setup, options: Options) -> Result<Uring<Commands>, EngineError> {
    let mut options = Options { polled: setup.files.iter().any(|file| file.polled), ..options };
    let limits = Limits::of(&setup, EngineKind::Nvme);
    let mut blocks = Vec::with_capacity(setup.files.len());
    for file in &setup.files {
        let namespace = nvme::namespace(&file.handle).map_err(|error| EngineError {
            what: "engine nvme: a target is no NVMe namespace that answers (/dev/ng0n1)".to_owned(),
            source: Some(error),
        })?;
        blocks.push(Blocks { namespace, write_through: file.write_through });
    }
    let mut refused = None;
    if let (Some(first), Some(known)) = (setup.files.first(), blocks.first()) {
        refused = tried(&first.handle, *known, &mut options)?;
    }
    let (priorities, files) = file::apart(setup.files);
    let form = Commands::new(blocks, setup.depth);
    let ring = Ring::of(form, setup.depth, files, setup.buffer, options);
    let ring = ring.map_err(|error| not_made(setup.depth, &error))?;
    let mut queue = Uring::with(ring, priorities, limits);
    if let Some(answer) = refused {
        queue.not_pinned = Some(NotPinned::Refused(answer));
    }
    Ok(queue)
}

/// Reads a block, to learn whether the kernel takes commands in this way. Without registered buffers where
/// it only takes those (before Linux 6.1); its answer then.
fn tried(file: &OwnedFd, blocks: Blocks, options: &mut Options) -> Result<Option<String>, EngineError> {
    let answer = read_one(file, blocks, *options);
    let Err(error) = answer else { return Ok(None) };
    if options.registered_buffer && !options.polled && error.raw_os_error() == Some(libc::EINVAL) {
        options.registered_buffer = false;
        if read_one(file, blocks, *options).is_ok() {
            return Ok(Some("Linux 6.1 is the first that registers buffers of NVMe commands".to_owned()));
        }
    }
    Err(explain(error, options.polled))
}

fn read_one(file: &OwnedFd, blocks: Blocks, options: Options) -> io::Result<()> {
    let length = blocks.namespace.block_size();
    let memory = Buffer::new(length as usize)?;
    let mut ring = Ring::of(Commands::new(vec![blocks], 1), 1, vec![file.try_clone()?], memory, options)?;
    let priority = IoPriority::Unstated;
    let read = Transfer { op: Operation::Read, file: 0, offset: 0, start: 0, length, tag: 0, priority };
    if ring.push([read].into_iter()) == 0 {
        return Err(io::Error::other("a new ring is full"));
    }
    let deadline = monotonic().saturating_add(PATIENCE);
    let mut answer = None;
    // It may return early: by a signal, without memory, and when it polls to let others have the processor.
    while answer.is_none() {
        if monotonic() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if ring.enter(1, LOOK)? == Entered::Busy {
            std::thread::sleep(LOOK);
        }
        ring.reap(|_, result| answer = Some(result));
    }
    match answer.unwrap_or_default() {
        error @ ..0 => Err(io_error::error(-error)),
        _ => Ok(()),
    }
}

#[cold]
fn explain(source: io::Error, polled: bool) -> EngineError {
    let hint = match source.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            "the kernel lets this user send no commands: run as root (before Linux 6.2 nobody else may)"
        }
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY) if polled => {
            "this kernel doesn't poll for NVMe commands: use Linux 6.1 or later, or leave out --poll"
        }
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY) => {
            "this kernel's io_uring takes no NVMe commands: use Linux 5.19 or later, or the block device"
        }
        _ => "a first read of one block failed",
    };
    EngineError { what: format!("engine nvme: {hint}"), source: Some(source) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::File;
    use diskspd_sys::clock::Clock;

    #[test]
    fn a_file_that_is_no_namespace_is_refused_by_name() {
        let null: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
        let files = vec![File::from(null)];
        let buffer = Buffer::new(4096).unwrap();
        let setup = Setup { files, buffer, depth: 1, clock: Clock::Monotonic, seed: 0 };
        let refusal = open(setup, Options::default()).err().unwrap().to_string();
        assert!(refusal.contains("no NVMe namespace"), "{refusal}");
    }

    #[test]
    fn what_the_kernel_refuses_is_told_with_the_next_step() {
        for (errno, polled, expected) in [
            (libc::EACCES, false, "run as root"),
            (libc::EOPNOTSUPP, false, "Linux 5.19"),
            (libc::EOPNOTSUPP, true, "leave out --poll"),
            (libc::EIO, true, "a first read"),
        ] {
            let told = explain(io::Error::from_raw_os_error(errno), polled).to_string();
            assert!(told.contains(expected), "{told}");
        }
    }
}
