//! Linux AIO, the interface behind libaio: the elder way to have many I/Os in flight from one thread.
//!
//! The kernel does I/O through the page cache within `io_submit`, one after the other: only with `O_DIRECT`
//! there is more than one in flight.

use crate::errno;
use crate::{AvailabilityError, CompletedIo, Engine, EngineError, EngineInfo, EngineKind, Io, Limits, Setup};
use diskspd_base::access::IoPriority;
use diskspd_sys::aio::Queue;
use diskspd_sys::memory::{Buffer, Slot, SlotMut};
use std::io;
use std::time::Duration;

/// How long dropping an engine waits for I/Os in flight: longer than the 30 s after which the kernel's
/// drivers give up on a command.
const DRAIN_LIMIT: Duration = Duration::from_secs(40);

pub struct Aio {
    queue: Queue,
    priorities: Vec<IoPriority>,
    limits: Limits,
}

impl Aio {
    /// A queue for the calling thread; dropping it waits for `drain_limit` at most.
    ///
    /// # Errors
    /// Fails with the kernel's error and a remedy.
    pub fn new(setup: Setup, drain_limit: Duration) -> Result<Aio, EngineError> {
        let limits = Limits::for_setup(&setup, EngineKind::Aio);
        let depth = setup.depth;
        let ways = setup.files.iter().map(|file| file.ways).collect();
        let (priorities, files) = errno::split_files(setup.files);
        let mut queue = Queue::new(depth, files, setup.buffer, drain_limit).map_err(|error| EngineError {
            what: format!("cannot set up Linux AIO with queue depth {depth}: {}", explain_here(&error)),
            source: None,
        })?;
        queue.set_ways(ways);
        Ok(Aio { queue, priorities, limits })
    }

    pub(super) fn open(setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(Aio::new(setup, DRAIN_LIMIT)?))
    }
}

impl Engine for Aio {
    fn submit(&mut self, batch: &[Io]) -> Result<usize, EngineError> {
        let room = (self.limits.depth - self.queue.in_flight()) as usize;
        let batch = &batch[..batch.len().min(room)];
        let priorities = &self.priorities;
        let taken = self.queue.push(batch.iter().map(|io| io.transfer(priorities)));
        debug_assert!(self.queue.in_flight() <= self.limits.depth);
        match batch.get(taken) {
            Some(io) => Err(self.limits.refuse(io)),
            None => Ok(taken),
        }
    }

    fn wait(
        &mut self,
        min: usize,
        timeout: Duration,
        done: &mut Vec<CompletedIo>,
    ) -> Result<(), EngineError> {
        let depth = self.limits.depth;
        let ended = |request, result| {
            debug_assert!(request < depth, "request {request} of {depth} has ended");
            done.push(CompletedIo { request, result });
        };
        self.queue.wait(min, timeout, ended).map_err(aio_error)
    }

    fn slot(&self, io: &Io) -> Option<Slot<'_>> {
        self.queue.slot(io.buffer_offset, io.length as usize)
    }

    fn memory_mut(&mut self) -> SlotMut<'_> {
        self.queue.memory_mut()
    }

    fn info(&self) -> EngineInfo<'_> {
        let completions = match self.queue.reads_ring() {
            true => "completions read in user space",
            false => "completions by io_getevents",
        };
        EngineInfo::features(format!("Linux AIO: {completions}"))
    }
}

/// Converts a failure of `io_submit` or `io_getevents`, which never fail in normal operation.
#[cold]
fn aio_error(source: io::Error) -> EngineError {
    let hint = match source.raw_os_error() {
        Some(libc::EAGAIN) => "the kernel accepts no more I/Os: use a smaller queue depth",
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => "a seccomp filter does not allow io_getevents",
        _ => "submitting and reaping I/Os failed",
    };
    EngineError { what: format!("Linux AIO: {hint}"), source: Some(source) }
}

/// Creates a small queue as a test.
///
/// # Errors
/// Fails with the kernel's error and a remedy.
pub fn probe() -> Result<(), AvailabilityError> {
    let attempt = Buffer::new(0).and_then(|memory| Queue::new(1, vec![], memory, DRAIN_LIMIT));
    attempt.map(drop).map_err(|error| explain_here(&error))
}

fn explain_here(error: &io::Error) -> AvailabilityError {
    let number = |path| std::fs::read_to_string(path).ok()?.trim().parse().ok();
    explain_limit(error, number("/proc/sys/fs/aio-nr"), number("/proc/sys/fs/aio-max-nr"))
}

/// Explains the limit: queues of the whole machine reserve `used` of `limit` I/Os.
fn explain_limit(error: &io::Error, used: Option<u64>, limit: Option<u64>) -> AvailabilityError {
    let known = |number: Option<u64>| number.map_or("?".to_string(), |number| number.to_string());
    let (reason, remedy) = match error.raw_os_error() {
        Some(libc::EAGAIN) => (
            format!(
                "the machine's limit of asynchronous I/Os is reached: {} of {} (fs.aio-nr, fs.aio-max-nr)",
                known(used),
                known(limit)
            ),
            format!(
                "as root: sysctl fs.aio-max-nr={}, or use a smaller queue depth (-o), fewer threads (-t), or \
                 --engine uring",
                limit.unwrap_or(65_536).saturating_mul(16).max(1 << 20)
            ),
        ),
        Some(libc::ENOMEM) => (
            "there is not enough memory for the queue".to_string(),
            "use a smaller queue depth (-o) or fewer threads (-t)".to_string(),
        ),
        Some(libc::ENOSYS) => (
            "the kernel has no AIO (CONFIG_AIO), or a seccomp filter hides it".to_string(),
            "use --engine uring, or --engine sync with -o1".to_string(),
        ),
        Some(libc::EPERM | libc::EACCES) => (
            "a seccomp filter forbids AIO".to_string(),
            "allow io_setup, io_submit, io_getevents, io_cancel and io_destroy, or use --engine uring"
                .to_string(),
        ),
        _ => (format!("AIO failed: {error}"), "use --engine uring, or --engine sync with -o1".to_string()),
    };
    let lacking = matches!(error.raw_os_error(), Some(libc::ENOMEM | libc::EAGAIN));
    AvailabilityError { reason, remedy, lacking }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_limit_names_sysctl_to_raise() {
        let told =
            |errno, used, limit| explain_limit(&io::Error::from_raw_os_error(errno), used, limit).to_string();
        let text = told(libc::EAGAIN, Some(65_000), Some(65_536));
        assert!(text.contains("65000 of 65536") && text.contains("sysctl fs.aio-max-nr=1048576"), "{text}");
        assert!(told(libc::EAGAIN, None, Some(1 << 20)).contains("fs.aio-max-nr=16777216"));
        assert!(told(libc::EAGAIN, None, None).contains("? of ?"));
        assert!(told(libc::ENOMEM, None, None).contains("-o"));
        assert!(told(libc::ENOSYS, None, None).contains("CONFIG_AIO"));
        assert!(told(libc::EPERM, None, None).contains("seccomp"));
        assert!(told(libc::EIO, None, None).contains("--engine"));
        let lacking = |errno| explain_limit(&io::Error::from_raw_os_error(errno), None, None).lacking;
        assert_eq!(
            [libc::EAGAIN, libc::ENOMEM, libc::ENOSYS, libc::EPERM].map(lacking),
            [true, true, false, false]
        );
    }
}
