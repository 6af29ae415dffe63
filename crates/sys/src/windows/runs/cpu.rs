//! Threads: the processor they run on, and low scheduling priority.

use std::io;
use std::sync::Once;
use windows_sys::Win32::Media::timeBeginPeriod;
use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
use windows_sys::Win32::System::Threading::{
    GetCurrentThread, GetCurrentThreadId, GetThreadGroupAffinity, GetThreadPriority, SetThreadGroupAffinity,
    SetThreadPriority, THREAD_PRIORITY_HIGHEST,
};

/// Processors of a group: the number of one is its group's times this, and its own within the group.
const GROUP: u32 = 64;

const NO_PRIORITY: i32 = i32::MAX;

/// Binds the calling thread to one processor.
///
/// # Errors
/// Fails if the number is unknown, or the process may not use it.
pub fn bind_to(cpu: u32) -> io::Result<()> {
    let group = u16::try_from(cpu / GROUP).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    set_affinity(&group_affinity(group, 1 << (cpu % GROUP)))
}

/// Returns the system's number of the calling thread.
pub fn thread_number() -> i32 {
    // SAFETY: takes nothing, and always answers.
    unsafe { GetCurrentThreadId() }.cast_signed()
}

/// Whether a thread of this process is running or ready; always unknown on Windows.
pub fn is_ready(_thread: i32) -> bool {
    false
}

/// Finest timer resolution that can be requested, in ms.
const FINEST_MS: u32 = 1;

/// Makes waits of this process end on time. The standard library's sleeps already do, with high-resolution
/// timers (`CREATE_WAITABLE_TIMER_HIGH_RESOLUTION`) since Windows 10 1803. Waits for I/O or a time, and
/// sleeps on older systems, end at a timer tick. Ticks come every 15.6 ms unless the process requests 1
/// ms. The request is made once and lasts until the process ends; a refusal has no effect.
pub fn wake_exactly() {
    static QUERY_ONCE: Once = Once::new();
    QUERY_ONCE.call_once(|| {
        // SAFETY: takes a number. Its answer says whether there is such a tick: without it nothing changes.
        let _ = unsafe { timeBeginPeriod(FINEST_MS) };
    });
}

/// Guard that restores the calling thread's previous state on drop.
#[derive(Debug)]
pub struct AffinityGuard {
    priority: Option<i32>,
    /// Group, and mask of its processors.
    allowed: Option<(u16, usize)>,
}

/// Gives the calling thread, which mostly sleeps, punctual wake-ups on processors of its group other than
/// these, if there are any. Parts without permission stay unchanged.
pub fn keep_off(cpus: impl IntoIterator<Item = u32>) -> AffinityGuard {
    // SAFETY: the handle stands for the calling thread, always.
    let priority = unsafe { GetThreadPriority(GetCurrentThread()) };
    // SAFETY: as above.
    let is_raised = priority != NO_PRIORITY
        && unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST) } != 0;
    AffinityGuard { priority: is_raised.then_some(priority), allowed: leave_cpus(cpus) }
}

fn leave_cpus(cpus: impl IntoIterator<Item = u32>) -> Option<(u16, usize)> {
    let (group, allowed) = own_affinity()?;
    let of_group = cpus.into_iter().filter(|cpu| cpu / GROUP == u32::from(group));
    let others = of_group.fold(allowed, |left, cpu| left & !(1 << (cpu % GROUP)));
    (others != 0 && set_affinity(&group_affinity(group, others)).is_ok()).then_some((group, allowed))
}

/// Returns the group and processors that the calling thread may use.
fn own_affinity() -> Option<(u16, usize)> {
    let mut own = group_affinity(0, 0);
    // SAFETY: the handle stands for the calling thread; the structure lives on this stack.
    let answer = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &raw mut own) };
    (answer != 0).then_some((own.Group, own.Mask))
}

fn group_affinity(group: u16, mask: usize) -> GROUP_AFFINITY {
    GROUP_AFFINITY { Mask: mask, Group: group, Reserved: [0; 3] }
}

fn set_affinity(wanted: &GROUP_AFFINITY) -> io::Result<()> {
    // SAFETY: the handle stands for the calling thread; the system reads one structure, and writes none.
    let answer = unsafe { SetThreadGroupAffinity(GetCurrentThread(), wanted, std::ptr::null_mut()) };
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        if let Some(priority) = self.priority {
            // SAFETY: the handle stands for the calling thread.
            let _ = unsafe { SetThreadPriority(GetCurrentThread(), priority) };
        }
        if let Some((group, mask)) = self.allowed {
            let _ = set_affinity(&group_affinity(group, mask));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_is_bound_to_existing_processors() {
        std::thread::spawn(|| {
            let (group, allowed) = own_affinity().unwrap();
            let first = u32::from(group) * GROUP + allowed.trailing_zeros();
            let away = keep_off([first]);
            let left = own_affinity().unwrap().1;
            assert_eq!(
                left,
                if allowed.count_ones() > 1 { allowed & !(1 << (first % GROUP)) } else { allowed }
            );
            drop(away);
            assert_eq!(own_affinity().unwrap(), (group, allowed));
            // Nowhere else to go.
            let away = keep_off((0..GROUP).map(|cpu| u32::from(group) * GROUP + cpu));
            assert_eq!(own_affinity().unwrap(), (group, allowed));
            drop(away);
            wake_exactly();
            wake_exactly();
            bind_to(first).unwrap();
            assert_eq!(own_affinity().unwrap(), (group, 1 << (first % GROUP)));
            assert!(bind_to(u32::MAX).is_err() && thread_number() != 0);
        })
        .join()
        .unwrap();
    }
}
