//! Operating system interfaces for tests, mostly `unsafe`: counting allocations, a signal to one thread, a
//! failing access, the memory map.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is left to the system's allocator; the counter is a plain thread-local cell without destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(start, layout, size) }
    }
}

/// Allocations of the calling thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// A thread, to send signals to.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
pub struct Thread(libc::pthread_t);

#[cfg(target_os = "linux")]
impl Thread {
    pub fn current() -> Thread {
        // SAFETY: no preconditions.
        Thread(unsafe { libc::pthread_self() })
    }

    /// Sends SIGUSR1 to it. It must not have been joined.
    pub fn interrupt(self) {
        // SAFETY: the thread has not been joined, so its name is valid.
        unsafe { libc::pthread_kill(self.0, libc::SIGUSR1) };
    }
}

#[cfg(target_os = "linux")]
pub fn bus_error() {
    let empty = tempfile::tempfile().expect("a file");
    // SAFETY: a new mapping touches no existing memory; reading it is what kills the process.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ,
            libc::MAP_SHARED,
            std::os::fd::AsRawFd::as_raw_fd(&empty),
            0,
        );
        assert_ne!(start, libc::MAP_FAILED);
        std::hint::black_box(start.cast::<u8>().read_volatile());
    }
}

/// Whether there is memory at this address of the process.
#[cfg(target_os = "linux")]
pub fn is_mapped(address: usize) -> bool {
    let map = std::fs::read_to_string("/proc/self/maps").expect("the memory map");
    let holds = |line: &str| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let range = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
        range.contains(&address).then_some(())
    };
    map.lines().any(|line| holds(line).is_some())
}
