//! An io_uring that owns the memory and the files of its I/Os.
//!
//! Ownership makes it safe. The kernel accesses the memory at any time between [`Ring::push`] and the
//! completion, so memory and files stay until no I/O is in flight. See [`Ring::drop`]. For the same reason
//! the memory is never exposed as a slice; a [`Slot`] is copied from and to by address.

mod call;
mod commands;
mod end;
mod form;
mod name;
mod setup;

pub use commands::{Blocks, Commands, MAX_BLOCKS};
pub use form::{EntryForm, FileTransfers};
pub use setup::RingOptions;

use super::clock::{Nanos, monotonic};
use super::memory::{Buffer, Slot, SlotMut};
use super::pin_error::PinError;
use super::transfer::Transfer;
use call::{NO_TIMEOUT, RingCall};
use diskspd_base::access::{IoFeatures, IoPriority};
use diskspd_base::operation::Operation;
use io_uring::{IoUring, Submitter, cqueue, opcode, squeue};
use name::{DataForm, Name};
use setup::{NewRing, Registration, register, set_up};
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// A polled ring ignores timeouts in the kernel: shorter ones are kept here, longer ones are only there to
/// notice a device that answers nothing any more, to which its driver puts an end.
const POLLS_IN_KERNEL: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnterOutcome {
    /// All I/Os were submitted. The timeout or a signal may have ended the wait.
    Complete,
    /// The kernel temporarily lacks memory for more; the call did not wait.
    Busy,
}

/// Note of a registered buffer.
const REGISTERED: &str = "registered buffer";

const WORKERS: &str = "workers of the kernel";

/// Maximum number of kernel workers requested by a ring, threads that may all wait at the same time.
const MAX_WORKERS: u32 = 512;

pub struct Ring<F: EntryForm = FileTransfers> {
    ring: ManuallyDrop<IoUring<F::Submission, F::Completion>>,
    form: ManuallyDrop<F>,
    memory: ManuallyDrop<Buffer>,
    files: ManuallyDrop<Vec<OwnedFd>>,
    names: Vec<Name>,
    registration: Option<Registration>,
    unregistered: Option<PinError>,
    call: RingCall,
    depth: u32,
    /// In-flight flag of each tag. A byte each, so that one instruction reads, sets or clears it; the
    /// bounds check also validates the tag.
    busy: Box<[bool]>,
    /// Number of I/Os pushed and not yet submitted.
    queued: u32,
    /// Number of I/Os pushed and not yet reaped, including queued ones.
    in_flight: u32,
    options: RingOptions,
    notes: Vec<String>,
    /// The kernel accepts only calls by the creating thread.
    thread: PhantomData<*const ()>,
}

impl Ring {
    /// Creates a ring for `depth` (1 to 32,768) I/Os in flight, for the calling thread.
    ///
    /// # Errors
    /// Fails with the error of `io_uring_setup(2)`, or `Unsupported` from a kernel before 5.11. A missing
    /// or refused feature is not an error, see [`Ring::notes`].
    pub fn new(depth: u32, files: Vec<OwnedFd>, memory: Buffer, options: RingOptions) -> io::Result<Ring> {
        Ring::set_up(FileTransfers, depth, files, memory, options)
    }
}

impl<F: EntryForm> Ring<F> {
    /// Creates a ring with another form of entries.
    ///
    /// # Errors
    /// As [`Ring::new`]; `EINVAL` from a kernel that does not support the form.
    pub fn set_up(
        form: F,
        depth: u32,
        files: Vec<OwnedFd>,
        memory: Buffer,
        options: RingOptions,
    ) -> io::Result<Ring<F>> {
        let NewRing { ring, wait_memory, mut notes } = set_up(depth, &options)?;
        if !(ring.params().is_feature_ext_arg() && ring.params().is_feature_nodrop()) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "Linux 5.15 or later is needed"));
        }
        let mut names: Vec<Name> = files.iter().map(Name::from_file).collect();
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
        let mut call = RingCall::new(ring.as_raw_fd(), wait_memory);
        if options.registered_ring && call.register_ring() {
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
            call,
            depth,
            busy: vec![false; depth as usize].into(),
            queued: 0,
            in_flight: 0,
            options,
            notes,
            thread: PhantomData,
        })
    }

    /// Makes kernel workers execute the I/Os on a file, each by a separate worker within the limit. The
    /// kernel then does not try first whether the file accepts them without blocking, because some files
    /// block the submitting call regardless.
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

    /// Sets the flags of I/Os on a file.
    pub fn set_ways(&mut self, file: u32, ways: IoFeatures) {
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

    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns why the requested buffer registration failed; `None` if it is registered.
    pub fn unregistered(&self) -> Option<&PinError> {
        self.unregistered.as_ref()
    }

    /// Cancels the buffer's registration, because the kernel fails I/Os with this `answer`. No I/O may be
    /// in flight.
    pub fn unregister_buffer(&mut self, answer: String) {
        assert!(self.in_flight == 0, "{} I/Os use the registered buffer", self.in_flight);
        if self.registration.is_some() {
            let _ = self.ring.submitter().unregister_buffers();
            self.registration = None;
        }
        self.notes.retain(|note| note != REGISTERED);
        self.notes.push(format!("buffer not registered ({answer})"));
        self.unregistered = Some(PinError::Refused(answer));
    }

    /// Returns `length` bytes of the memory from `start` on, for reading; `None` if out of range.
    pub fn slot(&self, start: usize, length: usize) -> Option<Slot<'_>> {
        self.memory.slot(start, length)
    }

    pub fn memory_mut(&mut self) -> SlotMut<'_> {
        self.memory.private_mut()
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of I/Os pushed and not yet reaped.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    pub fn queued(&self) -> u32 {
        self.queued
    }

    /// Queues transfers for the next [`Ring::enter`]; returns their number. Stops when the ring is full,
    /// and before an invalid transfer: unknown file, memory range or tag, tag in flight, or not accepted
    /// unchanged by the kernel.
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

    /// Queues no-operation entries until the ring is full; returns their number. They measure the cost of
    /// the ring itself.
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

    /// Adds a text to [`Ring::notes`].
    pub fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }

    /// Returns the number of completions that can be reaped now.
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

    /// Submits the queued entries and waits until `min` completions are visible or `timeout` has passed,
    /// in one system call.
    ///
    /// # Errors
    /// Fails with errors of `io_uring_enter(2)` other than timeouts or lack of memory.
    #[inline]
    pub fn enter(&mut self, min: usize, timeout: Duration) -> io::Result<EnterOutcome> {
        if self.options.polled && min > 0 && timeout < POLLS_IN_KERNEL {
            return self.poll(min, timeout);
        }
        self.submit_and_wait(self.queued, min, timeout)
    }

    /// [`Ring::enter`] for polled rings, which the kernel polls without a timeout.
    #[cold]
    fn poll(&mut self, min: usize, timeout: Duration) -> io::Result<EnterOutcome> {
        let deadline = monotonic().saturating_add(timeout.as_nanos() as Nanos);
        loop {
            let entered = self.submit_and_wait(self.queued, 0, Duration::ZERO)?;
            if entered == EnterOutcome::Busy || self.visible() >= min || monotonic() >= deadline {
                return Ok(entered);
            }
        }
    }

    /// Waits like [`Ring::enter`], without submitting.
    pub fn await_completions(&mut self, min: usize, timeout: Duration) -> io::Result<EnterOutcome> {
        self.submit_and_wait(0, min, timeout)
    }

    fn submit_and_wait(&mut self, count: u32, min: usize, timeout: Duration) -> io::Result<EnterOutcome> {
        let mut left = count;
        loop {
            match self.call.enter(left, min as u32, timeout) {
                Ok(taken) => {
                    // Limited to the actual number, regardless of the kernel's answer.
                    let taken = taken.min(left).min(self.queued);
                    self.queued -= taken;
                    left -= taken;
                    if left == 0 {
                        return Ok(EnterOutcome::Complete);
                    }
                    // The kernel stops after an I/O that fails while it is submitted, and then doesn't
                    // wait.
                    if taken == 0 {
                        return Ok(EnterOutcome::Busy);
                    }
                }
                Err(error) => {
                    return match error.raw_os_error() {
                        Some(libc::EINTR | libc::ETIME) => Ok(EnterOutcome::Complete),
                        Some(libc::EAGAIN | libc::EBUSY) => Ok(EnterOutcome::Busy),
                        _ => Err(error),
                    };
                }
            }
        }
    }

    /// Reaps the visible completions: tag, and bytes transferred or the negated `errno`.
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
}

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

/// Checks whether io_uring accepts a discard of this block device as a command (Linux 6.12), by an empty
/// one, which no device executes.
///
/// # Errors
/// Fails with `EOPNOTSUPP` if unsupported by io_uring or the device, or if there is no io_uring.
pub fn takes_discards(device: OwnedFd) -> io::Result<()> {
    let mut ring = Ring::new(1, vec![device], Buffer::new(0)?, RingOptions::default())?;
    let priority = IoPriority::Unstated;
    let nothing =
        Transfer { op: Operation::Discard, file: 0, offset: 0, start: 0, length: 0, tag: 0, priority };
    if ring.push([nothing].into_iter()) == 0 {
        return Err(io::Error::other("a new ring is full"));
    }
    ring.enter(1, NO_TIMEOUT)?;
    let mut answer = 0;
    ring.reap(|_, result| answer = result);
    match -answer {
        // An empty range is valid; a device opened for reading alone is not checked this far.
        0 | libc::EINVAL | libc::EBADF | libc::EPERM => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}

#[cfg(test)]
mod tests;
