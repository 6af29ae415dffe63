//! Threads: the CPU they run on, and how exactly they wake up.

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

/// Lets the sleeps of the calling thread end when they are due: the kernel may otherwise delay them by 50 us to end
/// several together.
pub fn wake_exactly() {
    // Where it isn't allowed the sleeps are as they are; the rate is kept all the same.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
