//! The kernel's own events, counted on one CPU each: perf_event_open(2).

mod attributes;
mod event;

use attributes::Attributes;
pub use event::{Event, Tracepoint};
use rustix::io::read;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Whether the error means that the CPU does not exist (any more).
pub fn is_absent(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENODEV)
}

/// Counters of several kinds of events on one CPU, of all that runs there; they start and stop together.
#[derive(Debug)]
pub struct CounterGroup {
    /// Counters; the first one leads the group.
    events: Vec<OwnedFd>,
}

impl CounterGroup {
    /// Opens the counters at 0, not yet counting.
    ///
    /// # Errors
    /// Fails with the error of perf_event_open(2): `EACCES` and `EPERM` without the privilege, `ENODEV`
    /// for an offline CPU.
    pub fn open(cpu: u32, kinds: &[Event]) -> io::Result<CounterGroup> {
        let mut group = CounterGroup { events: Vec::new() };
        for kind in kinds {
            let leader = group.events.first();
            let attributes = Attributes::counter(kind, leader.is_none());
            let cpu = libc::c_int::try_from(cpu).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
            let event = open(attributes, (ALL_PROCESSES, cpu), leader)?;
            if let Event::Tracepoint(point) = kind {
                set_filter(&event, &point.filter)?;
            }
            group.events.push(event);
        }
        Ok(group)
    }

    pub fn start(&self) -> io::Result<()> {
        self.events.first().map_or(Ok(()), |leader| switch_counter(leader, CounterSwitch::Enable))
    }

    pub fn stop(&self) -> io::Result<()> {
        self.events.first().map_or(Ok(()), |leader| switch_counter(leader, CounterSwitch::Disable))
    }

    pub fn counts(&self) -> io::Result<Vec<u64>> {
        let Some(leader) = self.events.first() else { return Ok(Vec::new()) };
        // Of a group: how many, then one number each.
        let mut bytes = vec![0; 8 * (1 + self.events.len())];
        let length = read(leader, &mut bytes)?;
        let numbers = bytes[..length].chunks_exact(8);
        Ok(numbers.skip(1).filter_map(|bytes| Some(u64::from_ne_bytes(bytes.try_into().ok()?))).collect())
    }
}

/// Counter of an event of the calling thread and its future threads and processes.
#[derive(Debug)]
pub struct InheritedCounter(OwnedFd);

impl InheritedCounter {
    /// Opens a stopped counter at 0.
    ///
    /// # Errors
    /// Fails with `EACCES` or `EPERM` without the privilege, `ENOENT` for an unknown tracepoint.
    pub fn open(event: &Event) -> io::Result<InheritedCounter> {
        let (this_thread, any_cpu) = (0, -1);
        let counter = open(Attributes::for_children(event), (this_thread, any_cpu), None)?;
        if let Event::Tracepoint(point) = event {
            set_filter(&counter, &point.filter)?;
        }
        Ok(InheritedCounter(counter))
    }

    /// Starts or stops counting in all of these processes.
    pub fn switch(&self, on: bool) -> io::Result<()> {
        switch_counter(&self.0, if on { CounterSwitch::Enable } else { CounterSwitch::Disable })
    }

    /// Returns the total count of these processes, including ended ones.
    pub fn count(&self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        read(&self.0, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CounterSwitch {
    Enable,
    Disable,
}

const ENABLE: libc::Ioctl = rustix::ioctl::opcode::none(b'$', 0) as libc::Ioctl;
const DISABLE: libc::Ioctl = rustix::ioctl::opcode::none(b'$', 1) as libc::Ioctl;
const SET_FILTER: libc::Ioctl = rustix::ioctl::opcode::write::<*const libc::c_char>(b'$', 6) as libc::Ioctl;

const ALL_PROCESSES: libc::pid_t = -1;

/// Opens an event for a thread and CPU.
fn open(
    mut attributes: Attributes,
    (thread, cpu): (libc::pid_t, libc::c_int),
    leader: Option<&OwnedFd>,
) -> io::Result<OwnedFd> {
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    let leader = leader.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: `attributes` is ours, says its own size, and consists of plain integers: the kernel reads it
    // during the call, and may write the size it would like into it.
    let answer = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw mut attributes, thread, cpu, leader, CLOSE_ON_EXEC)
    };
    let descriptor = libc::c_int::try_from(answer).map_err(|_| io::Error::from_raw_os_error(libc::EBADF))?;
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just made it for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn switch_counter(event: &OwnedFd, what: CounterSwitch) -> io::Result<()> {
    let request = match what {
        CounterSwitch::Enable => ENABLE,
        CounterSwitch::Disable => DISABLE,
    };
    // SAFETY: takes a number only, no memory.
    check_code(unsafe { libc::ioctl(event.as_raw_fd(), request, 0) })
}

/// Restricts counting to events that meet the condition.
fn set_filter(event: &OwnedFd, filter: &str) -> io::Result<()> {
    if filter.is_empty() {
        return Ok(());
    }
    let text = CString::new(filter)?;
    // SAFETY: the kernel reads the text up to its zero, during the call.
    check_code(unsafe { libc::ioctl(event.as_raw_fd(), SET_FILTER, text.as_ptr()) })
}

fn check_code(code: libc::c_int) -> io::Result<()> {
    if code < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Touches newly mapped memory; heap memory may already be touched by another test.
    fn touch_fresh_memory() {
        const LENGTH: usize = 1 << 20;
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a mapping of its own, where the kernel likes it.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), LENGTH, protection, flags, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED, "{}", io::Error::last_os_error());
        // SAFETY: so long, writable, and nobody else's; not used after it is unmapped.
        unsafe {
            memory.write_bytes(1, LENGTH);
            libc::munmap(memory, LENGTH);
        }
    }

    #[test]
    fn requests_are_numbered_as_in_the_kernels_header() {
        assert_eq!([ENABLE, DISABLE], [0x2400, 0x2401]);
        #[cfg(target_pointer_width = "64")]
        assert_eq!(SET_FILTER, 0x4008_2406);
        assert_eq!(size_of::<Attributes>(), 112);
    }

    #[test]
    fn inherited_counter_includes_ended_children() {
        let counter = match InheritedCounter::open(&Event::MinorFaults) {
            Ok(counter) => counter,
            Err(error) => return eprintln!("SKIPPED: counting needs privilege: {error}"),
        };
        let run = || std::process::Command::new("true").status().expect("a child");
        run();
        assert_eq!(counter.count().expect("read"), 0, "not yet started");
        counter.switch(true).expect("start");
        std::thread::spawn(touch_fresh_memory).join().expect("a thread");
        let of_thread = counter.count().expect("read");
        run();
        let of_both = counter.count().expect("read");
        assert!(of_thread > 0 && of_both > of_thread, "{of_thread} {of_both}");
        counter.switch(false).expect("stop");
        let stopped = counter.count().expect("read");
        run();
        assert_eq!(counter.count().expect("read"), stopped);
    }

    #[test]
    fn page_faults_are_counted_between_start_and_stop() {
        let fault = touch_fresh_memory;
        let cpu = rustix::thread::sched_getcpu() as u32;
        let group = match CounterGroup::open(cpu, &[Event::MinorFaults, Event::MajorFaults]) {
            Ok(group) => group,
            Err(error) => return eprintln!("SKIPPED: counting on a whole CPU needs privilege: {error}"),
        };
        fault();
        assert_eq!(group.counts().expect("read"), [0, 0], "not yet started");
        crate::cpu::bind_to(cpu).expect("the CPU that it runs on");
        group.start().expect("start");
        fault();
        group.stop().expect("stop");
        let counts = group.counts().expect("read");
        assert!(counts[0] > 0, "{counts:?}");
        fault();
        assert_eq!(group.counts().expect("read"), counts, "stopped");
    }
}
