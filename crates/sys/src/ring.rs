//! An io_uring that owns the memory and the files its I/Os use.
//!
//! Ownership is what makes it safe: the kernel reads and writes the memory at any time between
//! [`Ring::push`] and the completion, so memory and files stay until nothing is in flight any more. See
//! [`Ring::drop`]. For the same reason no part of the memory is ever handed out as a slice: a [`Slot`] is
//! copied from and to by address.

mod commands;
mod form;
mod name;
mod setup;

pub use commands::{Blocks, Commands, MOST_BLOCKS};
pub use form::{EntryForm, FileTransfers};
pub use setup::{Options, Unregistered};

use super::clock::{Nanos, monotonic};
use super::memory::{Buffer, Slot, SlotMut};
use super::transfer::Transfer;
use diskspd_model::access::{IoPriority, IoWays};
use diskspd_model::operation::Operation;
use io_uring::{EnterFlags, IoUring, Submitter, cqueue, opcode, squeue, types};
use name::{DataForm, Name};
use setup::{Registration, register, register_self, set_up, unregister_self};
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Timeouts from this one on are taken as none. The kernel adds the present time, which must not overflow.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A polled ring ignores timeouts in the kernel: shorter ones are kept here, longer ones are only there to
/// notice a device that answers nothing any more, to which its driver puts an end.
const POLLS_IN_KERNEL: Duration = Duration::from_millis(100);

/// Marks the completion of a cancellation; tags are 32 bits wide.
const CANCEL: u64 = u64::MAX;

/// How a system call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// Everything was submitted. Waiting may have ended early, by the timeout or a signal.
    Complete,
    /// The kernel lacks the memory to take more at the moment; nothing was waited for.
    Busy,
}

/// Among the notes when the buffer is registered.
const REGISTERED: &str = "registered buffer";

/// Among the notes when workers of the kernel are asked for.
const WORKERS: &str = "workers of the kernel";

/// The most workers of the kernel that a ring asks for: threads that may all wait at a time.
const MAX_WORKERS: u32 = 512;

/// See the module.
pub struct Ring<F: EntryForm = FileTransfers> {
    ring: ManuallyDrop<IoUring<F::Submission, F::Completion>>,
    form: ManuallyDrop<F>,
    memory: ManuallyDrop<Buffer>,
    files: ManuallyDrop<Vec<OwnedFd>>,
    /// What the entries of each file say.
    names: Vec<Name>,
    registration: Option<Registration>,
    unregistered: Option<Unregistered>,
    /// The ring as `io_uring_enter` names it, and the flags to go with it.
    enter_name: RawFd,
    enter_flags: EnterFlags,
    depth: u32,
    /// By tag, as many as the depth: whether it is in flight. A byte each: looked at, set and cleared by one
    /// instruction, and the look for one in bounds is that for a tag that exists.
    busy: Box<[bool]>,
    /// Pushed, and not yet handed to the kernel.
    queued: u32,
    /// Pushed and not yet reaped, queued ones included.
    in_flight: u32,
    options: Options,
    notes: Vec<String>,
    /// The kernel accepts the ring from the creating thread alone.
    thread: PhantomData<*const ()>,
}

impl Ring {
    /// A ring for `depth` (1 to 32,768) I/Os in flight, for the calling thread.
    ///
    /// # Errors
    /// What `io_uring_setup(2)` answers, or `Unsupported` from a kernel before 5.11. A feature that the
    /// kernel lacks or refuses is no error, see [`Ring::notes`].
    pub fn new(depth: u32, files: Vec<OwnedFd>, memory: Buffer, options: Options) -> io::Result<Ring> {
        Ring::of(FileTransfers, depth, files, memory, options)
    }
}

impl<F: EntryForm> Ring<F> {
    /// The same with entries of another form.
    ///
    /// # Errors
    /// As [`Ring::new`]; `EINVAL` from a kernel that doesn't know the form.
    pub fn of(
        form: F,
        depth: u32,
        files: Vec<OwnedFd>,
        memory: Buffer,
        options: Options,
    ) -> io::Result<Ring<F>> {
        let (ring, mut notes) = set_up(depth, &options)?;
        if !(ring.params().is_feature_ext_arg() && ring.params().is_feature_nodrop()) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "Linux 5.11 or later is needed"));
        }
        let mut names: Vec<Name> = files.iter().map(Name::of).collect();
        if options.registered_files && !files.is_empty() {
            notes.push(register_files(&ring.submitter(), &mut names));
        }
        let (mut registration, mut unregistered) = (None, None);
        if options.registered_buffer && !memory.is_empty() {
            match register(&ring.submitter(), &memory) {
                Ok(registered) => {
                    registration = Some(registered);
                    names.iter_mut().for_each(|name| name.data = DataForm::Registered);
                    notes.push(REGISTERED.into());
                }
                Err(reason) => {
                    notes.push(format!("buffer not registered ({reason})"));
                    unregistered = Some(reason);
                }
            }
        }
        let mut enter_name = ring.as_raw_fd();
        let mut enter_flags = EnterFlags::GETEVENTS | EnterFlags::EXT_ARG;
        if options.registered_ring
            && let Ok(index) = register_self(ring.as_raw_fd())
        {
            enter_name = index;
            enter_flags |= EnterFlags::REGISTERED_RING;
            notes.push("registered ring".into());
        }
        Ok(Ring {
            ring: ManuallyDrop::new(ring),
            form: ManuallyDrop::new(form),
            memory: ManuallyDrop::new(memory),
            files: ManuallyDrop::new(files),
            names,
            registration,
            unregistered,
            enter_name,
            enter_flags,
            depth,
            busy: vec![false; depth as usize].into(),
            queued: 0,
            in_flight: 0,
            options,
            notes,
            thread: PhantomData,
        })
    }

    /// Has the I/Os on a file done by workers of the kernel, each by one of its own as far as there may be
    /// so many, instead of trying first whether the file takes them without blocking: some block all the
    /// same, in the call that submits.
    pub fn use_workers(&mut self, file: u32) {
        let Some(name) = self.names.get_mut(file as usize) else { return };
        name.flags |= squeue::Flags::ASYNC;
        // By default it's four for each CPU. A kernel before 5.15 can't be told; 0 leaves the others as
        // they are.
        let _ = self.ring.submitter().register_iowq_max_workers(&mut [self.depth.min(MAX_WORKERS), 0]);
        if !self.notes.iter().any(|note| note == WORKERS) {
            self.notes.push(WORKERS.into());
        }
    }

    /// Has the I/Os on a file ask this of the kernel from now on.
    pub fn set_ways(&mut self, file: u32, ways: IoWays) {
        let registered = self.registration.is_some();
        let Some(name) = self.names.get_mut(file as usize) else { return };
        if ways.are_plain() {
            return;
        }
        name.data = DataForm::With(ways, registered);
        let note = "atomic writes, their memory not registered";
        if ways.atomic && registered && !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.into());
        }
    }

    /// Which features are in use, and why some are not.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Why the buffer isn't registered although it was asked for; `None` = it is.
    pub fn unregistered(&self) -> Option<&Unregistered> {
        self.unregistered.as_ref()
    }

    /// Takes the registration of the buffer back: the kernel doesn't serve I/Os with it, and that is its
    /// `answer`. Nothing is in flight.
    pub fn unregister_buffer(&mut self, answer: String) {
        assert!(self.in_flight == 0, "{} I/Os use the registered buffer", self.in_flight);
        if self.registration.is_some() {
            let _ = self.ring.submitter().unregister_buffers();
            self.registration = None;
        }
        self.notes.retain(|note| note != REGISTERED);
        self.notes.push(format!("buffer not registered ({answer})"));
        self.unregistered = Some(Unregistered::Refused(answer));
    }

    /// Part of the memory, to look at: so many bytes from `start` on; `None` = there is no such part.
    pub fn slot(&self, start: usize, length: usize) -> Option<Slot<'_>> {
        self.memory.slot(start, length)
    }

    /// What isn't shared of the memory, to fill.
    pub fn memory_mut(&mut self) -> SlotMut<'_> {
        self.memory.private_mut()
    }

    /// Number of files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// I/Os pushed and not yet reaped.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Those of them that wait for [`Ring::enter`].
    pub fn queued(&self) -> u32 {
        self.queued
    }

    /// Queues transfers for the next [`Ring::enter`]; returns how many. Stops when the ring is full, and
    /// before a transfer whose file, memory range or tag does not exist, whose tag is in flight, or that the
    /// kernel wouldn't take as it is.
    #[inline]
    pub fn push(&mut self, transfers: impl Iterator<Item = Transfer>) -> usize {
        let room = (self.depth - self.in_flight) as usize;
        let mut queue = self.ring.submission();
        let mut pushed = 0;
        for transfer in transfers.take(room) {
            let Some(name) = self.names.get(transfer.file as usize) else { break };
            let Some(busy) = self.busy.get_mut(transfer.tag as usize).filter(|busy| !**busy) else { break };
            let registered = self.registration.is_some();
            let Some(entry) = self.form.make(&self.memory, registered, name, &transfer) else { break };
            // SAFETY: the range is within the memory, if it refers to any, and memory, form and files are
            // ours until nothing is in flight.
            if unsafe { queue.push(&entry) }.is_err() {
                break;
            }
            *busy = true;
            pushed += 1;
        }
        self.queued += pushed;
        self.in_flight += pushed;
        pushed as usize
    }

    /// Queues operations that do nothing, as many as there is room for; returns how many. What they take is
    /// the cost of the ring itself.
    pub fn push_nops(&mut self, count: u32) -> u32 {
        let mut queue = self.ring.submission();
        let room = count.min(self.depth - self.in_flight);
        // SAFETY: they refer to no memory.
        let mut push = |tag| unsafe { queue.push(&opcode::Nop::new().build().user_data(tag).into()) }.is_ok();
        let mut pushed = 0;
        let free = (0u64..).zip(&mut self.busy).filter(|(_, busy)| !**busy).take(room as usize);
        for (tag, busy) in free {
            *busy = push(tag);
            if !*busy {
                break;
            }
            pushed += 1;
        }
        self.queued += pushed;
        self.in_flight += pushed;
        pushed
    }

    /// Completions that can be reaped now.
    #[inline]
    pub fn visible(&mut self) -> usize {
        self.ring.completion().len()
    }

    /// Whether the kernel holds completions back until [`Ring::enter`].
    #[inline]
    pub fn needs_enter(&mut self) -> bool {
        if self.options.polled {
            return self.in_flight > 0;
        }
        let queue = self.ring.submission();
        queue.taskrun() || queue.cq_overflow()
    }

    /// Submits what is queued and waits until `min` completions are visible or `timeout` has passed, in
    /// one system call.
    ///
    /// # Errors
    /// What `io_uring_enter(2)` answers, if it isn't a matter of time or memory.
    #[inline]
    pub fn enter(&mut self, min: usize, timeout: Duration) -> io::Result<Entered> {
        if self.options.polled && min > 0 && timeout < POLLS_IN_KERNEL {
            return self.poll(min, timeout);
        }
        self.hand_over(self.queued, min, timeout)
    }

    /// [`Ring::enter`] where the kernel would poll without looking at the clock.
    #[cold]
    fn poll(&mut self, min: usize, timeout: Duration) -> io::Result<Entered> {
        let deadline = monotonic().saturating_add(timeout.as_nanos() as Nanos);
        loop {
            let entered = self.hand_over(self.queued, 0, Duration::ZERO)?;
            if entered == Entered::Busy || self.visible() >= min || monotonic() >= deadline {
                return Ok(entered);
            }
        }
    }

    /// Waits like [`Ring::enter`], but hands nothing over.
    ///
    /// # Errors
    /// As [`Ring::enter`].
    pub fn await_completions(&mut self, min: usize, timeout: Duration) -> io::Result<Entered> {
        self.hand_over(0, min, timeout)
    }

    fn hand_over(&mut self, count: u32, min: usize, timeout: Duration) -> io::Result<Entered> {
        let mut left = count;
        loop {
            match self.call(left, min as u32, timeout) {
                Ok(taken) => {
                    // No more than there are, whatever the kernel says.
                    let taken = taken.min(left).min(self.queued);
                    self.queued -= taken;
                    left -= taken;
                    if left == 0 {
                        return Ok(Entered::Complete);
                    }
                    // The kernel stops after an I/O that fails while it is submitted, and then doesn't
                    // wait.
                    if taken == 0 {
                        return Ok(Entered::Busy);
                    }
                }
                Err(error) => {
                    return match error.raw_os_error() {
                        Some(libc::EINTR | libc::ETIME) => Ok(Entered::Complete),
                        Some(libc::EAGAIN | libc::EBUSY) => Ok(Entered::Busy),
                        _ => Err(error),
                    };
                }
            }
        }
    }

    /// `io_uring_enter(2)`. Returns how many entries it took.
    fn call(&self, submit: u32, min: u32, timeout: Duration) -> io::Result<u32> {
        let time = types::Timespec::from(timeout.min(FOREVER));
        let time: *const types::Timespec = if timeout < FOREVER { &time } else { std::ptr::null() };
        let argument = WaitArgument { sigmask: 0, sigmask_size: 0, min_wait: 0, time: time as u64 };
        // SAFETY: the argument and the time live until the call returns; the entries were made by `push`
        // and `cancel`.
        let taken = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.enter_name,
                submit,
                min,
                self.enter_flags.bits(),
                &raw const argument,
                size_of::<WaitArgument>(),
            )
        };
        u32::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    /// Takes the visible completions: tag, and bytes transferred or the negated `errno`.
    #[inline]
    pub fn reap(&mut self, mut each: impl FnMut(u32, i32)) -> usize {
        let mut count = 0;
        for completion in self.ring.completion() {
            let completion: cqueue::Entry = completion.into();
            let tag = completion.user_data() as u32;
            if let Some(busy) = self.busy.get_mut(tag as usize) {
                *busy = false;
            }
            each(tag, self.form.result(tag, completion.result()));
            count += 1;
        }
        // Were more taken off than there are, memory would be given back that the kernel is still at.
        assert!(count <= self.in_flight, "{count} of {} in flight have ended", self.in_flight);
        self.in_flight -= count;
        count as usize
    }

    /// Cancels what is in flight and waits until it has ended; `false` when the limit has passed before.
    fn drain(&mut self) -> bool {
        let limit = Nanos::try_from(self.options.drain_limit.as_nanos()).unwrap_or(Nanos::MAX);
        let deadline = monotonic().saturating_add(limit);
        let mut cancel_any = self.options.cancel_any;
        while self.in_flight > 0 {
            if monotonic() >= deadline {
                return false;
            }
            // Submits what is still queued; makes room for the cancellations.
            let entered = self.enter(0, Duration::ZERO);
            // What is polled is with the device, which ends it soon; such a ring knows no cancellation.
            if !self.options.polled {
                self.cancel(cancel_any);
            }
            let everything = self.in_flight + self.queued;
            let waited = self.enter(everything as usize, Duration::from_millis(100));
            if !matches!((entered, waited), (Ok(Entered::Complete), Ok(Entered::Complete))) {
                std::thread::sleep(Duration::from_millis(1));
            }
            for completion in self.ring.completion() {
                let completion: cqueue::Entry = completion.into();
                match (completion.user_data(), completion.result()) {
                    (CANCEL, error) => cancel_any &= error != -libc::EINVAL,
                    (tag, _) => {
                        let busy = self.busy.get_mut(tag as usize);
                        // One that nobody waits for doesn't let go of memory.
                        self.in_flight -= u32::from(busy.is_some_and(std::mem::take));
                    }
                }
            }
        }
        true
    }

    /// Queues the cancellation of everything. Repeated by [`Ring::drain`]: an I/O on its way from one of
    /// the kernel's lists to another is missed.
    fn cancel(&mut self, any: bool) {
        let mut queue = self.ring.submission();
        let mut push = |entry: squeue::Entry| {
            // SAFETY: a cancellation refers to no memory.
            let pushed = unsafe { queue.push(&entry.user_data(CANCEL).into()) }.is_ok();
            self.queued += u32::from(pushed);
        };
        if any {
            push(opcode::AsyncCancel2::new(types::CancelBuilder::any()).build());
        } else {
            (0..self.depth).for_each(|tag| push(opcode::AsyncCancel::new(u64::from(tag)).build()));
        }
    }
}

/// Has entries say their files by index, if the kernel looks them up once; returns what became of it.
fn register_files(ring: &Submitter<'_>, names: &mut [Name]) -> String {
    let descriptors: Vec<RawFd> = names.iter().map(|name| name.file).collect();
    if let Err(error) = ring.register_files(&descriptors) {
        return format!("files not registered ({error})");
    }
    for (index, name) in (0..).zip(names) {
        (name.file, name.flags) = (index, squeue::Flags::FIXED_FILE);
    }
    "registered files".into()
}

/// Whether io_uring takes a discard of this block device as a command (Linux 6.12): asks for one of no
/// bytes, which none ever does.
///
/// # Errors
/// `EOPNOTSUPP`: it doesn't, or the device can't discard; or there is no io_uring.
pub fn takes_discards(device: OwnedFd) -> io::Result<()> {
    let mut ring = Ring::new(1, vec![device], Buffer::new(0)?, Options::default())?;
    let priority = IoPriority::Unstated;
    let nothing =
        Transfer { op: Operation::Discard, file: 0, offset: 0, start: 0, length: 0, tag: 0, priority };
    if ring.push([nothing].into_iter()) == 0 {
        return Err(io::Error::other("a new ring is full"));
    }
    ring.enter(1, FOREVER)?;
    let mut answer = 0;
    ring.reap(|_, result| answer = result);
    match -answer {
        // No bytes are no range; a device that is open for reading alone isn't asked that far.
        0 | libc::EINVAL | libc::EBADF | libc::EPERM => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}

impl<F: EntryForm> Drop for Ring<F> {
    /// Cancels and drains what is in flight, then releases ring, files and memory.
    ///
    /// When a dead device answers nothing within the limit, all three are leaked on purpose: the kernel may
    /// still write into the memory, and the program is about to report an error and end.
    fn drop(&mut self) {
        if !self.drain() {
            std::mem::forget(self.registration.take());
            return;
        }
        if self.enter_flags.contains(EnterFlags::REGISTERED_RING) {
            unregister_self(self.ring.as_raw_fd(), self.enter_name);
        }
        // Closing the ring would do these too, but some time later: files stayed busy and memory locked
        // meanwhile. They fail when nothing was registered.
        let _ = self.ring.submitter().unregister_buffers();
        let _ = self.ring.submitter().unregister_files();
        // SAFETY: each is dropped once, here, and not used afterwards. Nothing is in flight.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            ManuallyDrop::drop(&mut self.form);
            ManuallyDrop::drop(&mut self.files);
            ManuallyDrop::drop(&mut self.memory);
        }
    }
}

/// `struct io_uring_getevents_arg` of the kernel.
#[repr(C)]
struct WaitArgument {
    sigmask: u64,
    sigmask_size: u32,
    min_wait: u32,
    time: u64,
}

#[cfg(test)]
mod tests;
