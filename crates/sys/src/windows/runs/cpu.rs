//! Threads: the processor they run on, and keeping one out of the others' way.

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
/// There is none of this number, or the process may not use it.
pub fn bind_to(cpu: u32) -> io::Result<()> {
    let group = u16::try_from(cpu / GROUP).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    set_affinity(&group_affinity(group, 1 << (cpu % GROUP)))
}

/// The calling thread, by the system's number.
pub fn thread_number() -> i32 {
    // SAFETY: takes nothing, and always answers.
    unsafe { GetCurrentThreadId() }.cast_signed()
}

/// Whether a thread of this process is on a processor or ready for one; Windows isn't asked: never known.
pub fn is_ready(_thread: i32) -> bool {
    false
}

/// The finest tick of the timer that may be asked for, ms.
const FINEST_MS: u32 = 1;

/// Lets waits of this process end when they are due. The standard library's sleeps do, by timers of high
/// resolution (`CREATE_WAITABLE_TIMER_HIGH_RESOLUTION`) where there are such: since Windows 10 1803. What
/// waits for the end of an I/O or for a time, or sleeps on an older system, ends with a tick of the timer,
/// which comes every 15.6 ms unless the process asks for it each millisecond. Asked for once, and
/// until the process ends; where it isn't granted, all is as it was.
pub fn wake_exactly() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        // SAFETY: takes a number. Its answer says whether there is such a tick: without it nothing changes.
        let _ = unsafe { timeBeginPeriod(FINEST_MS) };
    });
}

/// The calling thread is as it was before when this is dropped.
#[derive(Debug)]
pub struct OutOfTheWay {
    priority: Option<i32>,
    /// Group, and mask of its processors.
    allowed: Option<(u16, usize)>,
}

/// Lets the calling thread, which sleeps most of the time, wake up on time and on processors of its group
/// other than these, when there are any. What isn't permitted stays as it is.
pub fn keep_off(cpus: impl IntoIterator<Item = u32>) -> OutOfTheWay {
    // SAFETY: the handle stands for the calling thread, always.
    let priority = unsafe { GetThreadPriority(GetCurrentThread()) };
    // SAFETY: as above.
    let is_raised = priority != NO_PRIORITY
        && unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST) } != 0;
    OutOfTheWay { priority: is_raised.then_some(priority), allowed: leave_cpus(cpus) }
}

/// Leaves these processors, when there are others; what was allowed before.
fn leave_cpus(cpus: impl IntoIterator<Item = u32>) -> Option<(u16, usize)> {
    let (group, allowed) = own_affinity()?;
    let of_group = cpus.into_iter().filter(|cpu| cpu / GROUP == u32::from(group));
    let others = of_group.fold(allowed, |left, cpu| left & !(1 << (cpu % GROUP)));
    (others != 0 && set_affinity(&group_affinity(group, others)).is_ok()).then_some((group, allowed))
}

/// Group and processors that the calling thread may use.
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

impl Drop for OutOfTheWay {
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
    fn a_thread_is_bound_to_the_processors_that_are_there() {
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
