//! Two things that can't be had without `unsafe`: counting allocations, and a signal to one thread.
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
#[derive(Clone, Copy)]
pub struct Thread(libc::pthread_t);

impl Thread {
    /// The calling one.
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
