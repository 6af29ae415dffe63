//! `io_uring_enter(2)`: the identification of a ring, and the timeout for the kernel.

use io_uring::{EnterFlags, types};
use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::time::Duration;

/// Timeouts from this one on are taken as none. The kernel adds the present time, which must not overflow.
pub(super) const NO_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

/// `IORING_ENTER_EXT_ARG_REG`: the argument is an offset in the registered memory (Linux 6.13).
const ARGUMENT_IS_REGISTERED: u32 = 1 << 6;

/// `io_uring_register(2)`: `IORING_REGISTER_MEM_REGION` (Linux 6.13).
const REGISTER_MEMORY: u32 = 34;

/// `IORING_MEM_REGION_TYPE_USER`: memory of the caller.
const OWN_MEMORY: u32 = 1;

const FOR_WAITS: u64 = 1;

/// `IORING_REG_WAIT_TS`: the timeout is valid.
const TIME_IS_SET: u32 = 1;

/// Page, the minimum size of registered memory.
const PAGE: usize = 4096;

#[derive(Debug)]
pub(super) struct RingCall {
    /// Descriptor of the ring, or its index if it is registered with the thread.
    name: RawFd,
    descriptor: RawFd,
    flags: u32,
    /// Memory of the timeout, which the kernel reads; `None` = the timeout is copied at each call.
    wait_memory: Option<WaitMemory>,
}

impl RingCall {
    pub(super) fn new(descriptor: RawFd, wait_memory: Option<WaitMemory>) -> RingCall {
        RingCall { name: descriptor, descriptor, flags: 0, wait_memory }
    }

    /// Registers the ring with the thread, so that no call looks its descriptor up; `false` = unsupported
    /// (before 5.18).
    pub(super) fn register_ring(&mut self) -> bool {
        let Ok(index) = register_self(self.descriptor) else { return false };
        self.name = index;
        self.flags |= EnterFlags::REGISTERED_RING.bits();
        true
    }

    /// Reverts the registration, if there is one.
    pub(super) fn unregister_ring(&self) {
        if self.flags & EnterFlags::REGISTERED_RING.bits() != 0 {
            unregister_self(self.descriptor, self.name);
        }
    }

    /// Submits this number of entries and waits until `min` completions are visible or `timeout` has
    /// passed. Returns the number of accepted entries.
    #[inline]
    pub(super) fn enter(&self, submit: u32, min: u32, timeout: Duration) -> io::Result<u32> {
        let flags = self.flags | EnterFlags::GETEVENTS.bits();
        // Who waits for nothing needs no timeout, and the kernel doesn't read one.
        if min == 0 {
            return self.enter_ring(submit, 0, flags, 0, 0);
        }
        let extended = flags | EnterFlags::EXT_ARG.bits();
        if let Some(memory) = &self.wait_memory {
            memory.set(timeout);
            // Offset 0 of the memory.
            return self.enter_ring(
                submit,
                min,
                extended | ARGUMENT_IS_REGISTERED,
                0,
                size_of::<RegisteredWait>(),
            );
        }
        let time = types::Timespec::from(timeout.min(NO_TIMEOUT));
        let time: *const types::Timespec = if timeout < NO_TIMEOUT { &time } else { std::ptr::null() };
        let argument = WaitArgument { sigmask: 0, sigmask_size: 0, min_wait: 0, time: time as u64 };
        self.enter_ring(submit, min, extended, (&raw const argument) as usize, size_of::<WaitArgument>())
    }

    #[inline]
    fn enter_ring(&self, submit: u32, min: u32, flags: u32, argument: usize, size: usize) -> io::Result<u32> {
        // SAFETY: `enter` keeps the argument and its time until the call returns; the entries were made by
        // `Ring::push` and `Ring::cancel`.
        let taken =
            unsafe { libc::syscall(libc::SYS_io_uring_enter, self.name, submit, min, flags, argument, size) };
        u32::try_from(taken).map_err(|_| io::Error::last_os_error())
    }
}

/// A page from which the kernel reads the timeout of waits, without copying it at each call.
#[derive(Debug)]
pub(super) struct WaitMemory(NonNull<RegisteredWait>);

impl WaitMemory {
    /// Registers a region with a ring that is not yet enabled.
    ///
    /// # Errors
    /// Fails with `EINVAL` before Linux 6.13, or `ENOMEM` without a page that may be locked.
    pub(super) fn register(ring: RawFd) -> io::Result<WaitMemory> {
        let memory = WaitMemory::new()?;
        let description = MemoryDescription {
            address: memory.0.as_ptr() as u64,
            size: PAGE as u64,
            flags: OWN_MEMORY,
            ..MemoryDescription::default()
        };
        let registration = MemoryRegistration {
            description: &raw const description as u64,
            flags: FOR_WAITS,
            ..MemoryRegistration::default()
        };
        // SAFETY: both structures are the kernel's and live until the call returns. It pins the page, which
        // outlives the mapping.
        let answer = unsafe {
            libc::syscall(libc::SYS_io_uring_register, ring, REGISTER_MEMORY, &raw const registration, 1)
        };
        if answer == 0 { Ok(memory) } else { Err(io::Error::last_os_error()) }
    }

    fn new() -> io::Result<WaitMemory> {
        // SAFETY: a new mapping touches no other memory.
        let page = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(page.cast()).map(WaitMemory).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    #[inline]
    fn set(&self, timeout: Duration) {
        let wait = RegisteredWait {
            seconds: timeout.as_secs().min(NO_TIMEOUT.as_secs()) as i64,
            nanoseconds: i64::from(timeout.subsec_nanos()),
            flags: if timeout < NO_TIMEOUT { TIME_IS_SET } else { 0 },
            ..RegisteredWait::default()
        };
        // SAFETY: the page is ours and large enough; the kernel reads it within a call of this thread alone.
        unsafe { self.0.write_volatile(wait) };
    }
}

impl Drop for WaitMemory {
    fn drop(&mut self) {
        // SAFETY: nobody refers to the mapping any more; the kernel has a hold of the page itself.
        unsafe { libc::munmap(self.0.as_ptr().cast(), PAGE) };
    }
}

/// Registers the ring with the thread; returns its index.
fn register_self(ring: RawFd) -> io::Result<RawFd> {
    let mut name = RingName { index: u32::MAX, reserved: 0, descriptor: ring as u64 };
    // SAFETY: the structure is the kernel's and lives until the call returns; it writes the index.
    let answer = unsafe {
        libc::syscall(libc::SYS_io_uring_register, ring, IORING_REGISTER_RING_FDS, &raw mut name, 1)
    };
    if answer == 1 { Ok(name.index as RawFd) } else { Err(io::Error::last_os_error()) }
}

/// Takes it back. Otherwise the thread would keep the ring open for the rest of its life.
fn unregister_self(ring: RawFd, index: RawFd) {
    let name = RingName { index: index as u32, reserved: 0, descriptor: 0 };
    // SAFETY: the structure is the kernel's and lives until the call returns.
    unsafe {
        libc::syscall(libc::SYS_io_uring_register, ring, IORING_UNREGISTER_RING_FDS, &raw const name, 1)
    };
}

/// `struct io_uring_rsrc_update` of the kernel.
#[repr(C)]
struct RingName {
    index: u32,
    reserved: u32,
    descriptor: u64,
}

const IORING_REGISTER_RING_FDS: u32 = 20;
const IORING_UNREGISTER_RING_FDS: u32 = 21;

/// `struct io_uring_getevents_arg` of the kernel.
#[repr(C)]
struct WaitArgument {
    sigmask: u64,
    sigmask_size: u32,
    min_wait: u32,
    time: u64,
}

/// `struct io_uring_reg_wait` of the kernel.
#[repr(C)]
#[derive(Debug, Default)]
struct RegisteredWait {
    seconds: i64,
    nanoseconds: i64,
    min_wait: u32,
    flags: u32,
    sigmask: u64,
    sigmask_size: u32,
    reserved: [u32; 3],
    reserved_too: [u64; 2],
}

/// `struct io_uring_region_desc` of the kernel.
#[repr(C)]
#[derive(Default)]
struct MemoryDescription {
    address: u64,
    size: u64,
    flags: u32,
    id: u32,
    mmap_offset: u64,
    reserved: [u64; 4],
}

/// `struct io_uring_mem_region_reg` of the kernel.
#[repr(C)]
#[derive(Default)]
struct MemoryRegistration {
    description: u64,
    flags: u64,
    reserved: [u64; 2],
}

const _: () = assert!(size_of::<RegisteredWait>() == 64 && size_of::<MemoryDescription>() == 64);
