//! The priority of a thread for its synchronous I/O.

use super::IoPriority;
use std::io;

/// `IOPRIO_WHO_PROCESS`; number 0 is the calling thread.
const WHO_PROCESS: libc::c_int = 1;

/// The calling thread's priority, for I/O that says nothing about its own. Set only when it changes.
#[derive(Debug, Default)]
pub struct ThreadIoPriority(IoPriority);

impl ThreadIoPriority {
    /// Sets the priority of the calling thread.
    ///
    /// # Errors
    /// Fails with the error of `ioprio_set(2)`.
    #[inline]
    pub fn set(&mut self, priority: IoPriority) -> io::Result<()> {
        if priority != self.0 {
            set_for_thread(priority)?;
            self.0 = priority;
        }
        Ok(())
    }
}

fn set_for_thread(priority: IoPriority) -> io::Result<()> {
    let value = libc::c_int::from(priority.encoded());
    // SAFETY: takes numbers only, no memory.
    let answer = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, value) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_thread() -> libc::c_long {
        // SAFETY: takes numbers only, no memory.
        unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, 0) }
    }

    #[test]
    fn the_thread_has_the_priority_that_was_set() {
        std::thread::spawn(|| {
            let mut own = ThreadIoPriority::default();
            let before = of_thread();
            for priority in [IoPriority::Low, IoPriority::Idle, IoPriority::Low] {
                own.set(priority).expect("lowering needs no privilege");
                assert_eq!(of_thread(), libc::c_long::from(priority.encoded()));
            }
            own.set(IoPriority::Unstated).expect("nor does taking it back");
            assert_eq!(of_thread(), before);
        })
        .join()
        .expect("the thread");
    }
}
