//! NVMe commands that bypass the block layer: the ring of [`super::uring`], whose entries are commands for
//! the character devices of namespaces (`/dev/ng0n1`, `IORING_OP_URING_CMD`).

use super::uring::{RingOptions, Uring, not_made};
use crate::errno;
use crate::{EngineError, EngineKind, Limits, Setup};
use diskspd_base::access::IoPriority;
use diskspd_base::io_error;
use diskspd_base::operation::Operation;
use diskspd_sys::clock::{Nanos, SECOND, monotonic};
use diskspd_sys::nvme;
use diskspd_sys::ring::{Blocks, Commands, EnterOutcome, Ring};
use diskspd_sys::transfer::Transfer;
use std::io;
use std::time::Duration;

/// Maximum duration in ns of a command before the start of the engine: longer than the kernel's timeout (30
/// s).
const MAX_COMMAND_TIME: Nanos = 60 * SECOND;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A queue of commands for the calling thread.
///
/// # Errors
/// Fails with a remedy if a file is not a namespace, or the kernel does not accept commands for it.
pub fn open(setup: Setup, options: RingOptions) -> Result<Uring<Commands>, EngineError> {
    let options = RingOptions { polled: setup.files.iter().any(|file| file.polled), ..options };
    let limits = Limits::for_setup(&setup, EngineKind::Nvme);
    let mut blocks = Vec::with_capacity(setup.files.len());
    for file in &setup.files {
        let namespace = nvme::namespace(&file.handle).map_err(|error| EngineError {
            what: "engine nvme: a target is not an NVMe namespace (/dev/ng0n1), or is not responding"
                .to_owned(),
            source: Some(error),
        })?;
        let placement = file.ways.placement;
        blocks.push(Blocks { namespace, write_through: file.write_through, placement });
    }
    let guarded = blocks.iter().any(|blocks| blocks.namespace.guards_itself());
    let placed = blocks.iter().filter_map(|blocks| blocks.placement).next();
    let first = blocks.first().map(|blocks| blocks.namespace.block_size());
    let (priorities, files) = errno::split_files(setup.files);
    let form = Commands::new(blocks, setup.depth);
    let ring = Ring::set_up(form, setup.depth, files, setup.buffer, options);
    let mut ring = ring.map_err(|error| not_made(setup.depth, &error))?;
    if guarded {
        ring.note("protection information by the controller");
    }
    if let Some(placement) = placed {
        ring.note(&format!("placement identifier {placement:#x}"));
    }
    if let Some(length) = first {
        try_out(&mut ring, length, options.registered_buffer)
            .map_err(|error| explain_error(error, options.polled))?;
    }
    Ok(Uring::with(ring, priorities, limits))
}

/// Reads a block to test whether the kernel accepts commands in this way, and without a registered buffer if
/// that fails with one. Linux 6.0 accepts none, and 6.1 none with more pages than the device supports per
/// command (`blk_rq_map_user_bvec`), regardless of the position of the data: the most pages follow its start.
fn try_out(ring: &mut Ring<Commands>, length: u32, registered: bool) -> io::Result<()> {
    let size = length as usize;
    let mut bytes = vec![0; size];
    // Nothing but flushes needs no memory, and has nothing to be tried with.
    match ring.memory_mut().part(0, size) {
        Some(_) => ring.slot(0, size).iter().for_each(|slot| slot.copy_to(&mut bytes)),
        None => return Ok(()),
    }
    let mut answer = read_one(ring, length);
    let refused = answer.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EINVAL));
    if refused && registered && ring.unregistered().is_none() {
        ring.unregister_buffer(
            "this kernel does not accept NVMe commands on a registered buffer of this size".into(),
        );
        answer = read_one(ring, length);
    }
    // This area may contain data to be written.
    if let Some(mut slot) = ring.memory_mut().part(0, size) {
        slot.copy_from(&bytes);
    }
    answer
}

fn read_one(ring: &mut Ring<Commands>, length: u32) -> io::Result<()> {
    let priority = IoPriority::Unstated;
    let read = Transfer { op: Operation::Read, file: 0, offset: 0, start: 0, length, tag: 0, priority };
    if ring.push([read].into_iter()) == 0 {
        return Err(io::Error::other("a new ring is full"));
    }
    let deadline = monotonic().saturating_add(MAX_COMMAND_TIME);
    let mut answer = None;
    // It may return early: by a signal, without memory, and when it polls to let others have the processor.
    while answer.is_none() {
        if monotonic() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if ring.enter(1, POLL_INTERVAL)? == EnterOutcome::Busy {
            std::thread::sleep(POLL_INTERVAL);
        }
        ring.reap(|_, result| answer = Some(result));
    }
    match answer.unwrap_or_default() {
        error @ ..0 => Err(io_error::error(-error)),
        _ => Ok(()),
    }
}

#[cold]
fn explain_error(source: io::Error, polled: bool) -> EngineError {
    let hint = match source.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            "the kernel does not permit this user to send NVMe commands: run as root (before Linux 6.2 \
             only root may send them)"
        }
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY) if polled => {
            "this kernel does not poll for NVMe commands: use Linux 6.1 or later, or leave out --poll"
        }
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY) => {
            "this kernel's io_uring does not support NVMe commands: use Linux 5.19 or later, or the block \
             device"
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
    use diskspd_sys::memory::Buffer;
    use std::os::fd::OwnedFd;

    #[test]
    fn other_files_than_namespaces_are_refused() {
        let null: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
        let files = vec![File::from(null)];
        let buffer = Buffer::new(4096).unwrap();
        let setup = Setup { files, buffer, depth: 1, clock: Clock::Monotonic, seed: 0 };
        let refusal = open(setup, RingOptions::default()).err().unwrap().to_string();
        assert!(refusal.contains("not an NVMe namespace"), "{refusal}");
    }

    #[test]
    fn kernel_refusals_have_a_remedy() {
        for (errno, polled, expected) in [
            (libc::EACCES, false, "run as root"),
            (libc::EOPNOTSUPP, false, "Linux 5.19"),
            (libc::EOPNOTSUPP, true, "leave out --poll"),
            (libc::EIO, true, "a first read"),
        ] {
            let told = explain_error(io::Error::from_raw_os_error(errno), polled).to_string();
            assert!(told.contains(expected), "{told}");
        }
    }
}
