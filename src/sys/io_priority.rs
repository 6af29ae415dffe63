//! I/O priorities (`-I`), as the kernel encodes them: three bits of class, thirteen of level (linux/ioprio.h).
//!
//! Queues state the priority of every I/O; for I/O that a thread waits for, it is the thread that has one.
//! Not every I/O scheduler heeds them: bfq and mq-deadline do, none and kyber don't.

use std::io;

/// Priority of an I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum IoPriority {
    /// Nothing is said: the thread's nice value decides, as for any program.
    #[default]
    Unstated,
    /// The lowest level (7) of the best-effort class.
    Low,
    /// The idle class: served when nobody else wants anything.
    Idle,
}

const CLASS_SHIFT: u16 = 13;
const CLASS_BEST_EFFORT: u16 = 2;
const CLASS_IDLE: u16 = 3;
const LOWEST_LEVEL: u16 = 7;

/// `IOPRIO_WHO_PROCESS`, which with the number 0 means the calling thread.
const WHO_PROCESS: libc::c_int = 1;

impl IoPriority {
    /// The kernel's number; 0 = unstated.
    #[inline]
    pub fn encoded(self) -> u16 {
        match self {
            IoPriority::Unstated => 0,
            IoPriority::Low => CLASS_BEST_EFFORT << CLASS_SHIFT | LOWEST_LEVEL,
            IoPriority::Idle => CLASS_IDLE << CLASS_SHIFT,
        }
    }
}

/// The calling thread's priority, for I/O that says nothing about its own. Set only when it changes.
#[derive(Debug, Default)]
pub struct ThreadIoPriority(IoPriority);

impl ThreadIoPriority {
    /// Gives the calling thread this priority from now on.
    ///
    /// # Errors
    /// What `ioprio_set(2)` answers.
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

    /// What the kernel says of the calling thread.
    fn of_thread() -> libc::c_long {
        // SAFETY: takes numbers only, no memory.
        unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, 0) }
    }

    #[test]
    fn the_encoding_is_that_of_the_kernel() {
        for (priority, class, level) in
            [(IoPriority::Unstated, 0, 0), (IoPriority::Low, 2, 7), (IoPriority::Idle, 3, 0)]
        {
            assert_eq!(priority.encoded() >> 13, class, "{priority:?}");
            assert_eq!(priority.encoded() & 0x1fff, level, "{priority:?}");
        }
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
