//! Creation of a ring: the kernel's features, tested separately.

use super::call::WaitMemory;
use super::{Buffer, PinError};
use crate::limits::{self, Resource};
use io_uring::{IoUring, Submitter, cqueue, squeue};
use rustix::thread::{CapabilitySet, capabilities};
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Maximum size of a region that the kernel registers as one buffer.
const MAX_REGISTERED: usize = 1 << 30;

/// Features to use if the kernel supports them. The default is all. Without a feature the ring works the
/// same, but slower; tests disable features to get the behaviour of older kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingOptions {
    /// Whether only the creating thread uses the ring, so that the kernel skips locks (6.0).
    pub single_issuer: bool,
    /// The kernel takes entries in the order in which they lie, without a list of their numbers (6.6).
    pub no_queue_array: bool,
    /// Whether completions are processed on request instead of on arrival (6.1). Needs `single_issuer`.
    pub defer_taskrun: bool,
    /// Whether completions are processed at the next system call, without interrupting the thread (5.19).
    pub coop_taskrun: bool,
    /// Whether submission continues after an I/O that fails at once (5.18).
    pub submit_all: bool,
    /// An I/O names its file by index; the kernel looks it up once and not per I/O.
    pub registered_files: bool,
    /// The memory is pinned and mapped once and not per I/O. It counts as locked memory (`ulimit -l`).
    pub registered_buffer: bool,
    /// Whether the ring is registered with the thread, which saves a lookup per system call (5.18).
    pub registered_ring: bool,
    /// The kernel reads the timeout of a wait from registered memory, instead of copying it at each call
    /// (6.13). Not available for polled rings, which have no timeouts.
    pub registered_wait: bool,
    /// Whether one request cancels all I/Os in flight at the end (5.19).
    pub cancel_any: bool,
    /// Completions are polled for instead of interrupting. Every file is open with `O_DIRECT`, on a device
    /// with poll queues. Unlike the features above this is never left out.
    pub polled: bool,
    /// How long dropping the ring waits for I/Os that cannot be cancelled. Longer than the 30 s after which
    /// the kernel's drivers give up on a command.
    pub drain_limit: Duration,
}

impl Default for RingOptions {
    fn default() -> RingOptions {
        RingOptions {
            single_issuer: true,
            no_queue_array: true,
            defer_taskrun: true,
            coop_taskrun: true,
            submit_all: true,
            registered_files: true,
            registered_buffer: true,
            registered_ring: true,
            registered_wait: true,
            cancel_any: true,
            polled: false,
            drain_limit: Duration::from_secs(40),
        }
    }
}

pub(super) struct NewRing<S: squeue::EntryMarker, C: cqueue::EntryMarker> {
    pub(super) ring: IoUring<S, C>,
    /// Memory of timeouts, which the kernel reads; `None` = they are copied.
    pub(super) wait_memory: Option<WaitMemory>,
    pub(super) notes: Vec<String>,
}

/// Creates the ring with the most features of the kernel, and returns them. Kernels reject unknown flags
/// with `EINVAL`, so flags are dropped by age, newest first.
pub(super) fn set_up<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    depth: u32,
    options: &RingOptions,
) -> io::Result<NewRing<S, C>> {
    let mut wanted = *options;
    wanted.registered_wait &= !wanted.polled;
    wanted.defer_taskrun &= wanted.single_issuer;
    loop {
        // The completion queue is twice as long as the submission queue: it can't overflow.
        let mut builder = IoUring::<S, C>::builder();
        let mut notes = vec![];
        if wanted.polled {
            builder.setup_iopoll();
            notes.push("polled completion".to_string());
        }
        if wanted.submit_all {
            builder.setup_submit_all();
        }
        if wanted.coop_taskrun {
            builder.setup_coop_taskrun();
            notes.push("cooperative task work".to_string());
        }
        if wanted.single_issuer {
            builder.setup_single_issuer();
            notes.push("single issuer".to_string());
        }
        if wanted.defer_taskrun {
            builder.setup_defer_taskrun();
            notes.push("deferred task work".to_string());
        }
        if wanted.no_queue_array {
            builder.setup_no_sqarray();
            notes.push("no queue array".to_string());
        }
        if wanted.coop_taskrun || wanted.defer_taskrun {
            // Tells `needs_enter` that completions wait for a system call.
            builder.setup_taskrun_flag();
        }
        if wanted.registered_wait {
            // Memory for waits is registered before the ring is enabled (5.10).
            builder.setup_r_disabled();
        }
        let built = build(&builder, depth);
        let flag = [
            &mut wanted.no_queue_array,
            &mut wanted.defer_taskrun,
            &mut wanted.single_issuer,
            &mut wanted.coop_taskrun,
            &mut wanted.submit_all,
        ]
        .into_iter()
        .find(|flag| **flag);
        match (built, flag) {
            (Err(error), Some(flag)) if error.raw_os_error() == Some(libc::EINVAL) => *flag = false,
            (built, _) if wanted.registered_wait => return enable_ring(built?, notes),
            (built, _) => return Ok(NewRing { ring: built?, wait_memory: None, notes }),
        }
    }
}

fn enable_ring<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    ring: IoUring<S, C>,
    mut notes: Vec<String>,
) -> io::Result<NewRing<S, C>> {
    let wait_memory = WaitMemory::register(ring.as_raw_fd()).ok();
    if wait_memory.is_some() {
        notes.push("registered wait".to_string());
    }
    ring.submitter().register_enable_rings()?;
    Ok(NewRing { ring, wait_memory, notes })
}

/// Rings count as locked memory, and the kernel takes its time to release those just closed, as at the end
/// of a time span: lack of memory may be over soon.
fn build<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    builder: &io_uring::Builder<S, C>,
    depth: u32,
) -> io::Result<IoUring<S, C>> {
    for _ in 0..100 {
        match builder.build(depth) {
            Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            built => return built,
        }
    }
    builder.build(depth)
}

/// Bytes of all registered buffers of this process.
static REGISTERED: AtomicU64 = AtomicU64::new(0);

/// Registration of a buffer, as a share of the lockable memory. It must be dropped after the kernel's
/// registration.
#[derive(Debug)]
pub(super) struct Registration(u64);

impl Registration {
    /// Limits buffers to half of the lockable memory (unlimited with `CAP_IPC_LOCK`). Rings need some too
    /// and, in contrast to buffers, cannot work without it. Early threads must not exhaust it.
    fn reserve(length: u64) -> Option<Registration> {
        let privileged =
            capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::IPC_LOCK));
        let limit = match limits::current(Resource::LockedMemory) {
            Ok(Some(limit)) if !privileged => limit / 2,
            _ => u64::MAX,
        };
        Registration::reserve_within(limit, length)
    }

    fn reserve_within(limit: u64, length: u64) -> Option<Registration> {
        let before = REGISTERED.fetch_add(length, Ordering::Relaxed);
        let reserved = Registration(length);
        (before.saturating_add(length) <= limit).then_some(reserved)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        REGISTERED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Registers the memory as buffer 0, or returns the reason against it.
pub(super) fn register(ring: &Submitter<'_>, memory: &Buffer) -> Result<Registration, PinError> {
    if memory.len() > MAX_REGISTERED {
        return Err(PinError::TooLarge);
    }
    let registration = Registration::reserve(memory.len() as u64).ok_or(PinError::Limit)?;
    let region = libc::iovec { iov_base: memory.as_ptr().cast(), iov_len: memory.len() };
    // SAFETY: the ring's owner keeps the memory for as long as the ring.
    match unsafe { ring.register_buffers(&[region]) } {
        Ok(()) => Ok(registration),
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => Err(PinError::Limit),
        Err(error) => Err(PinError::Refused(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Other tests register buffers at the same time, so the test allows for their share.
    #[test]
    fn registered_bytes_count_until_drop() {
        const HUGE: u64 = 1 << 60;
        let first = Registration::reserve_within(2 * HUGE, HUGE).expect("half of the limit");
        assert!(Registration::reserve_within(2 * HUGE, HUGE + 1).is_none());
        drop(first);
        assert!(Registration::reserve_within(2 * HUGE, HUGE + 1).is_some());
        assert!(Registration::reserve_within(0, 1).is_none());
        assert!(Registration::reserve_within(u64::MAX, HUGE).is_some());
    }
}
