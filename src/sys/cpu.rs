//! Binding threads to CPUs.

use rustix::thread::{CpuSet, sched_setaffinity};
use std::io;

/// Binds the calling thread to one CPU, by the kernel's number.
///
/// # Errors
/// The CPU is offline or not allowed for this process (`EINVAL`), or beyond what a CPU set can hold.
pub fn bind_to(cpu: u32) -> io::Result<()> {
    let cpu = cpu as usize;
    if cpu >= CpuSet::MAX_CPU {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    Ok(sched_setaffinity(None, &set)?)
}
