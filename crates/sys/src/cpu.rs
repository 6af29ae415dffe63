//! Threads: the CPU they run on, low scheduling priority, and the precision of their wake-ups.

use rustix::process::{Pid, getpriority_process, setpriority_process};
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};
use std::io;

/// Nice value of time-critical threads, whose delays extend the measurement.
const PUNCTUAL: i32 = -10;

/// Binds the calling thread to one CPU, by the kernel's number.
///
/// # Errors
/// Fails if the CPU is offline or not allowed for this process, which may have changed since the check, or
/// with another kernel error.
pub fn bind_to(cpu: u32) -> io::Result<()> {
    let gone = || {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is offline, or the process is no longer allowed to use it (cpuset of its cgroup or \
             container)",
        )
    };
    let cpu = cpu as usize;
    if cpu >= CpuSet::MAX_CPU {
        return Err(gone());
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(|error| match error {
        rustix::io::Errno::INVAL => gone(),
        other => other.into(),
    })
}

/// Returns the CPUs allowed for the calling thread in ascending order; empty = unknown.
pub fn allowed() -> Vec<u32> {
    allowed_to(0)
}

/// CPUs permitted for a thread of this process, by the kernel's number; 0 = the calling thread.
pub fn allowed_to(thread: i32) -> Vec<u32> {
    let set = sched_getaffinity(Pid::from_raw(thread)).ok();
    let is_allowed = |cpu: &usize| set.as_ref().is_some_and(|set| set.is_set(*cpu));
    (0..CpuSet::MAX_CPU).filter(is_allowed).map(|cpu| cpu as u32).collect()
}

/// Restricts the calling thread and its future threads to these CPUs.
pub fn use_only(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().filter(|cpu| (**cpu as usize) < CpuSet::MAX_CPU).for_each(|cpu| set.set(*cpu as usize));
    Ok(sched_setaffinity(None, &set)?)
}

/// Whether a thread of this process is running or ready, so it is not waiting for anything else.
pub fn is_ready(thread: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    // The name, which comes before, may hold anything.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
}

/// Returns the kernel number of the calling thread: its directory in `/proc/self/task`.
pub fn thread_number() -> i32 {
    gettid().as_raw_nonzero().get()
}

/// Guard that restores the calling thread's previous state on drop.
#[derive(Debug)]
pub struct AffinityGuard {
    nice: Option<i32>,
    allowed: Option<CpuSet>,
}

/// Gives the calling thread, which mostly sleeps, punctual wake-ups on CPUs other than these, if there are
/// any. Parts without permission stay unchanged. Threads that it starts later inherit both.
pub fn keep_off(cpus: impl IntoIterator<Item = u32>) -> AffinityGuard {
    let nice = getpriority_process(Some(gettid())).ok();
    let nice = nice.filter(|_| setpriority_process(Some(gettid()), PUNCTUAL).is_ok());
    AffinityGuard { nice, allowed: leave_cpus(cpus) }
}

/// Keeps the calling thread off these CPUs, without a higher priority.
pub fn keep_away(cpus: impl IntoIterator<Item = u32>) -> AffinityGuard {
    AffinityGuard { nice: None, allowed: leave_cpus(cpus) }
}

fn leave_cpus(cpus: impl IntoIterator<Item = u32>) -> Option<CpuSet> {
    sched_getaffinity(None).ok().filter(|allowed| {
        let mut others = *allowed;
        cpus.into_iter()
            .filter(|cpu| (*cpu as usize) < CpuSet::MAX_CPU)
            .for_each(|cpu| others.unset(cpu as usize));
        others.count() > 0 && sched_setaffinity(None, &others).is_ok()
    })
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        if let Some(nice) = self.nice {
            let _ = setpriority_process(Some(gettid()), nice);
        }
        if let Some(allowed) = &self.allowed {
            let _ = sched_setaffinity(None, allowed);
        }
    }
}

/// Lets the sleeps of the calling thread end when they are due: the kernel may otherwise delay them by 50
/// us to end several together.
pub fn wake_exactly() {
    // Where it isn't allowed the sleeps are as they are; the rate is kept all the same.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current_state() -> (CpuSet, i32) {
        let allowed = sched_getaffinity(None).expect("the thread's CPUs");
        (allowed, getpriority_process(Some(gettid())).expect("its nice value"))
    }

    #[test]
    fn missing_cpu_is_explained() {
        for cpu in [CpuSet::MAX_CPU as u32 - 1, u32::MAX] {
            let told = bind_to(cpu).expect_err("no such CPU").to_string();
            assert!(told.contains("offline") && told.contains("cpuset"), "{told}");
        }
    }

    #[test]
    fn thread_leaves_its_cpus_and_returns() {
        std::thread::spawn(|| {
            let (before, nice) = current_state();
            let cpus: Vec<u32> =
                (0..CpuSet::MAX_CPU).filter(|cpu| before.is_set(*cpu)).map(|c| c as u32).collect();
            let away = keep_off(cpus[..1].iter().copied());
            let (others, raised) = current_state();
            assert_eq!(others.is_set(cpus[0] as usize), cpus.len() == 1);
            assert!(others.count() > 0 && raised <= nice);
            drop(away);
            assert_eq!(current_state(), (before, nice));
            // Nowhere else to go.
            let away = keep_off(cpus);
            assert_eq!(current_state().0, before);
            drop(away);
            assert_eq!(current_state(), (before, nice));
        })
        .join()
        .expect("the thread");
    }
}
