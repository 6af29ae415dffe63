//! Real-time priorities (`SCHED_FIFO`, `SCHED_RR`). A thread with such a policy that never sleeps keeps
//! its CPU from every thread without a higher priority, including the threads that must end its work.
//! Threads that lead workers or handle signals therefore run one priority above the I/O threads.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

/// Priority of the leading threads, once set, so that a thread that inherited it does not rise again; 0 =
/// unset.
static LEADING: AtomicI32 = AtomicI32::new(0);

/// Real-time policy and priority of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RealTime {
    /// `SCHED_FIFO` or `SCHED_RR`, without flags.
    policy: libc::c_int,
    /// `SCHED_RESET_ON_FORK` or 0.
    flags: libc::c_int,
    priority: libc::c_int,
}

impl RealTime {
    /// Returns the policy of the calling thread; `None` = not a real-time policy.
    fn current_policy() -> Option<RealTime> {
        // The kernel's own calls: those of musl only say that they don't exist.
        // SAFETY: takes a number only; 0 is the calling thread.
        let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
        let policy = libc::c_int::try_from(policy).ok().filter(|policy| *policy >= 0)?;
        let flags = policy & libc::SCHED_RESET_ON_FORK;
        let policy = policy & !libc::SCHED_RESET_ON_FORK;
        if policy != libc::SCHED_FIFO && policy != libc::SCHED_RR {
            return None;
        }
        // The kernel's sched_param is this number.
        let mut priority: libc::c_int = 0;
        // SAFETY: the kernel writes one int, which lives on this stack.
        let answer = unsafe { libc::syscall(libc::SYS_sched_getparam, 0, &raw mut priority) };
        (answer == 0).then_some(RealTime { policy, flags, priority })
    }

    /// Applies the policy to the calling thread.
    fn set(self) -> io::Result<()> {
        let policy = self.policy | self.flags;
        // SAFETY: the kernel reads one int, which lives on this stack; 0 is the calling thread.
        let answer =
            unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const self.priority) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Guard that restores the calling thread's priority on drop.
#[derive(Debug)]
#[must_use = "dropping it restores the former priority"]
pub struct Priority {
    former: Option<RealTime>,
}

impl Drop for Priority {
    fn drop(&mut self) {
        if let Some(former) = self.former {
            // Back up may not be permitted: lower is where it stays.
            let _ = former.set();
        }
    }
}

/// Gives the calling thread, and threads that it starts later, one priority above workers, if permitted.
/// Otherwise they are unchanged, and [`give_way`] makes the difference.
pub fn take_precedence() -> Priority {
    let leads = |own: &RealTime| own.priority == LEADING.load(Ordering::Relaxed);
    let Some(own) = RealTime::current_policy().filter(|own| !leads(own)) else {
        return Priority { former: None };
    };
    let raised = RealTime { priority: own.priority + 1, ..own };
    let is_raised = raised.set().is_ok();
    LEADING.store(if is_raised { raised.priority } else { own.priority }, Ordering::Relaxed);
    Priority { former: is_raised.then_some(own) }
}

/// Gives the calling thread one priority below the leading thread that started it.
///
/// # Errors
/// Fails if there is no lower priority, or with the kernel's error.
pub fn give_way() -> io::Result<Priority> {
    let Some(own) = RealTime::current_policy() else { return Ok(Priority { former: None }) };
    // Threads of one priority take turns under this policy.
    if own.priority <= 1 && own.policy == libc::SCHED_RR {
        return Ok(Priority { former: None });
    }
    if own.priority <= 1 {
        return Err(io::Error::other(
            "it has real-time priority 1, and no thread that could stop it may have a higher priority",
        ));
    }
    RealTime { priority: own.priority - 1, ..own }.set()?;
    Ok(Priority { former: Some(own) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usable_priority() -> Option<libc::c_int> {
        RealTime::current_policy().map(|own| own.priority)
    }

    fn run_at_priority(priority: libc::c_int, test: impl FnOnce() + Send) -> Option<()> {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let wanted = RealTime { policy: libc::SCHED_FIFO, flags: 0, priority };
                wanted.set().ok().map(|()| test())
            });
            thread.join().expect("no panic")
        })
    }

    #[test]
    fn leading_threads_have_higher_priority() {
        let permitted = run_at_priority(20, || {
            let leads = take_precedence();
            assert_eq!(usable_priority(), Some(21));
            drop(take_precedence());
            assert_eq!(usable_priority(), Some(21));
            let worker = std::thread::spawn(|| {
                let gave_way = give_way().expect("a lower priority");
                assert_eq!(usable_priority(), Some(20));
                drop(gave_way);
                usable_priority()
            });
            assert_eq!(worker.join().expect("no panic"), Some(21));
            drop(leads);
            assert_eq!(usable_priority(), Some(20));
        });
        if permitted.is_none() {
            eprintln!("skipped: no real-time priority is permitted");
        }
    }

    #[test]
    fn highest_priority_makes_workers_yield() {
        run_at_priority(99, || {
            let leads = take_precedence();
            assert_eq!(usable_priority(), Some(99));
            let gave_way = give_way().expect("a lower priority");
            assert_eq!(usable_priority(), Some(98));
            drop((gave_way, leads));
        });
    }

    #[test]
    fn lowest_priority_has_no_lower_one() {
        run_at_priority(1, || assert!(give_way().is_err() && usable_priority() == Some(1)));
    }

    #[test]
    fn ordinary_policy_keeps_its_priority() {
        let (leads, gave_way) = (take_precedence(), give_way().expect("nothing to do"));
        assert!(leads.former.is_none() && gave_way.former.is_none() && usable_priority().is_none());
    }
}
