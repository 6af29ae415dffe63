//! I/Os without operation, to measure the overhead of io_uring.

use io_uring::{IoUring, opcode};
use std::io;

pub const BATCH_SIZE: u32 = 32;

pub struct Noops(IoUring);

impl Noops {
    /// Creates the ring.
    ///
    /// # Errors
    /// Fails with the error of `io_uring_setup(2)`.
    pub fn new() -> io::Result<Noops> {
        Ok(Noops(IoUring::new(BATCH_SIZE)?))
    }

    /// Submits [`BATCH_SIZE`] of them in one system call, and reaps them.
    ///
    /// # Errors
    /// Fails with the error of `io_uring_enter(2)`.
    pub fn round(&mut self) -> io::Result<()> {
        for _ in 0..BATCH_SIZE {
            let entry = opcode::Nop::new().build();
            // SAFETY: it names no memory and no file. The queue has room: a round is reaped before the next
            // one.
            let _ = unsafe { self.0.submission().push(&entry) };
        }
        self.0.submit_and_wait(BATCH_SIZE as usize)?;
        self.0.completion().for_each(drop);
        Ok(())
    }
}
