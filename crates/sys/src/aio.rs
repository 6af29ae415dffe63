//! A queue of Linux AIO (`io_submit(2)`) that owns the memory and the files of its I/Os, for the reason of
//! [`super::ring`]: the kernel accesses the memory until an I/O has ended.
//!
//! Only `O_DIRECT` makes it asynchronous: I/O through the page cache is done within `io_submit`.

mod events;

use super::clock::{Nanos, monotonic};
use super::memory::{Buffer, Slot, SlotMut};
use super::transfer::{Transfer, fits};
use diskspd_base::access::IoFeatures;
use diskspd_base::operation::Operation;
use events::{Event, EventRing};
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

const COMMAND_READ: u16 = 0;
const COMMAND_WRITE: u16 = 1;
/// Flushes data, and the metadata necessary to read it.
const COMMAND_DATA_SYNC: u16 = 3;
/// Internal marker of a block whose tag is not in flight.
const FREE: u16 = u16::MAX;
/// `IOCB_FLAG_IOPRIO`: the block states a priority.
const FLAG_PRIORITY: u32 = 1 << 1;

/// Minimum timeout that counts as none.
const NO_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);
/// Pause before a retry if the kernel lacks resources, unless an I/O completes earlier.
const PAUSE: Duration = Duration::from_millis(2);
/// Maximum number of retries without I/O in flight that could free resources.
const MAX_RETRIES: u32 = 1000;

/// `struct iocb` of linux/aio_abi.h.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    tag: u64,
    #[cfg(target_endian = "big")]
    rw_flags: u32,
    key: u32,
    #[cfg(target_endian = "little")]
    rw_flags: u32,
    command: u16,
    priority: u16,
    file: u32,
    memory: u64,
    length: u64,
    offset: u64,
    reserved: u64,
    flags: u32,
    event_descriptor: u32,
}

const _: () = assert!(size_of::<Block>() == 64);

pub struct Queue {
    context: libc::c_ulong,
    ring: Option<EventRing>,
    memory: ManuallyDrop<Buffer>,
    files: ManuallyDrop<Vec<OwnedFd>>,
    /// Requested flags for the I/Os of each file; empty = none.
    ways: Vec<IoFeatures>,
    /// One for each tag. They must not move, because the kernel identifies an I/O by its block's address.
    blocks: ManuallyDrop<Box<[Block]>>,
    /// Tags of blocks not yet submitted to the kernel, in order.
    pending: Vec<u32>,
    addresses: Vec<*mut Block>,
    /// Tags that the kernel rejected, with the negated `errno`.
    refused: Vec<(u32, i64)>,
    events: Vec<Event>,
    /// Number of I/Os pushed and not yet returned.
    in_flight: u32,
    drain_limit: Duration,
    /// Prevents use by several threads at a time.
    thread: PhantomData<*const ()>,
}

impl Queue {
    /// Creates a queue for `depth` (at least 1) I/Os in flight; dropping it waits for `drain_limit` at
    /// most.
    ///
    /// # Errors
    /// Fails with the error of `io_setup(2)`: `EAGAIN` if the machine's limit (fs.aio-max-nr) is
    /// exhausted.
    pub fn new(depth: u32, files: Vec<OwnedFd>, memory: Buffer, drain_limit: Duration) -> io::Result<Queue> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one word to where the pointer leads.
        let answer = unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) };
        if answer != 0 {
            return Err(io::Error::last_os_error());
        }
        let room = depth as usize;
        Ok(Queue {
            context,
            // SAFETY: the context exists, and until `drop` nobody else destroys it.
            ring: unsafe { EventRing::from_context(context) },
            memory: ManuallyDrop::new(memory),
            files: ManuallyDrop::new(files),
            ways: Vec::new(),
            blocks: ManuallyDrop::new(vec![Block { command: FREE, ..Block::default() }; room].into()),
            pending: Vec::with_capacity(room),
            addresses: Vec::with_capacity(room),
            refused: Vec::with_capacity(room),
            events: vec![Event::default(); room],
            in_flight: 0,
            drain_limit,
            thread: PhantomData,
        })
    }

    /// Sets the flags of I/Os by file, in the order of the files.
    pub fn set_ways(&mut self, ways: Vec<IoFeatures>) {
        let all_plain = ways.iter().all(|ways| ways.are_plain());
        self.ways = if all_plain { Vec::new() } else { ways };
    }

    pub fn reads_ring(&self) -> bool {
        self.ring.is_some()
    }

    /// Returns `length` bytes of the memory from `start` on, for reading; `None` if out of range.
    pub fn slot(&self, start: usize, length: usize) -> Option<Slot<'_>> {
        self.memory.slot(start, length)
    }

    pub fn memory_mut(&mut self) -> SlotMut<'_> {
        self.memory.private_mut()
    }

    /// Returns the number of I/Os pushed and not yet returned.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Queues transfers for the next [`Queue::wait`]; returns their number. Stops when the queue is full,
    /// and before an invalid transfer: unknown file, memory range or tag, tag in flight, or not accepted
    /// unchanged by the kernel. Kernels before 4.18 fail flushes with `EINVAL`.
    #[inline]
    pub fn push(&mut self, transfers: impl Iterator<Item = Transfer>) -> usize {
        let room = self.blocks.len() - self.in_flight as usize;
        let mut pushed = 0;
        for transfer in transfers.take(room) {
            let Some(file) = self.files.get(transfer.file as usize) else { break };
            let Some(block) = free_block(&mut self.blocks, transfer.tag) else { break };
            let file = file.as_raw_fd() as u32;
            *block = match transfer.op {
                Operation::Read | Operation::Write | Operation::DurableWrite => {
                    let write = transfer.op != Operation::Read;
                    let usable = self.memory.usable(write);
                    if !fits(transfer.offset, transfer.length, transfer.start, usable) {
                        break;
                    }
                    let ways = self.ways.get(transfer.file as usize);
                    let single = IoFeatures::default().with_durable(transfer.op == Operation::DurableWrite);
                    let rw_flags = ways.map_or(0, |ways| ways.encoded(write)) | single.encoded(write);
                    Block { rw_flags, ..data_block(&transfer, file, self.memory.as_ptr() as u64) }
                }
                // The kernel wants everything else to be 0.
                Operation::Flush => {
                    Block { tag: transfer.tag.into(), command: COMMAND_DATA_SYNC, file, ..Block::default() }
                }
                _ => break,
            };
            self.pending.push(transfer.tag);
            pushed += 1;
        }
        self.in_flight += pushed;
        pushed as usize
    }

    /// Submits the pushed transfers and returns completed ones: tag, and bytes transferred or the negated
    /// `errno`. Waits until at least `min` have completed, `timeout` has passed, or a signal arrives.
    ///
    /// # Errors
    /// Fails with kernel errors that do not belong to a single I/O; `EAGAIN` after a long lack of
    /// resources.
    pub fn wait(&mut self, min: usize, timeout: Duration, mut each: impl FnMut(u32, i64)) -> io::Result<()> {
        let mut ended = 0;
        let mut deadline = None;
        let mut attempts = 0;
        loop {
            let has_room = self.hand_over()?;
            ended += self.give_refused(&mut each);
            if let Some(ring) = &mut self.ring {
                let blocks = &mut self.blocks;
                let visible = ring.take(|event| give_back(blocks, event.tag as u32, event.result, &mut each));
                self.in_flight = left_ios(self.in_flight, visible);
                ended += visible;
            }
            let min = min.min(ended + self.in_flight as usize);
            if has_room && ended >= min && (self.ring.is_some() || min > 0) {
                return Ok(());
            }
            let left = match (min, deadline) {
                (0, _) => Duration::ZERO,
                (_, None) => timeout,
                (_, Some(deadline)) => Duration::from_nanos(deadline - monotonic().min(deadline)),
            };
            // Without room some have to end first, however many are wanted.
            let (wanted, longest) = match has_room {
                true => (min.saturating_sub(ended), left),
                false => (1, left.min(PAUSE)),
            };
            if deadline.is_none() && !has_room {
                let timeout = Nanos::try_from(timeout.as_nanos()).unwrap_or(Nanos::MAX);
                deadline = Some(monotonic().saturating_add(timeout));
            }
            let known_to_kernel = self.in_flight as usize - self.pending.len();
            if known_to_kernel > 0 {
                ended += self.get_events(wanted.min(known_to_kernel), longest, &mut each)?;
            } else {
                // Nothing in flight will ever make room: somebody else has to.
                attempts += 1;
                if attempts > MAX_RETRIES {
                    return Err(io::Error::from_raw_os_error(libc::EAGAIN));
                }
                std::thread::sleep(longest);
            }
            if has_room || left.is_zero() {
                return Ok(());
            }
        }
    }

    /// Calls `io_submit(2)` until all blocks are submitted. Returns false if the kernel lacks resources at
    /// the moment.
    fn hand_over(&mut self) -> io::Result<bool> {
        let mut taken = 0;
        let mut has_room = true;
        while taken < self.pending.len() {
            self.addresses.clear();
            let blocks = self.blocks.as_mut_ptr();
            // SAFETY: `push` has checked that every tag is the index of a block.
            let address = |tag: &u32| unsafe { blocks.add(*tag as usize) };
            self.addresses.extend(self.pending[taken..].iter().map(address));
            // SAFETY: the addresses lead to blocks, which `push` has filled in with memory and files that
            // are ours until nothing is in flight.
            let answer = unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.context,
                    self.addresses.len(),
                    self.addresses.as_ptr(),
                )
            };
            match usize::try_from(answer) {
                Ok(0) => has_room = false,
                Ok(count) => taken += count,
                Err(_) => match io::Error::last_os_error().raw_os_error() {
                    Some(libc::EAGAIN) => has_room = false,
                    // The answer is about the first block alone; the others come behind it.
                    errno => {
                        let errno = errno.unwrap_or(libc::EIO);
                        self.refused.push((self.pending[taken], -i64::from(errno)));
                        taken += 1;
                    }
                },
            }
            if !has_room {
                break;
            }
        }
        self.pending.drain(..taken);
        Ok(has_room)
    }

    fn give_refused(&mut self, each: &mut impl FnMut(u32, i64)) -> usize {
        let count = self.refused.len();
        let blocks = &mut self.blocks;
        self.refused.drain(..).for_each(|(tag, result)| give_back(blocks, tag, result, each));
        self.in_flight -= count as u32;
        count
    }

    /// `io_getevents(2)`. Returns how many I/Os it gave back: fewer than `min` at the end of the time or by
    /// a signal.
    fn get_events(
        &mut self,
        min: usize,
        timeout: Duration,
        each: &mut impl FnMut(u32, i64),
    ) -> io::Result<usize> {
        let time = libc::timespec {
            tv_sec: timeout.min(NO_TIMEOUT).as_secs() as _,
            tv_nsec: timeout.subsec_nanos() as libc::c_long,
        };
        let time: *const libc::timespec = if timeout < NO_TIMEOUT { &time } else { std::ptr::null() };
        // SAFETY: there is room for as many events as are asked for; the time lives until the call returns.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                min,
                self.events.len(),
                self.events.as_mut_ptr(),
                time,
            )
        };
        let Ok(count) = usize::try_from(answer) else {
            let error = io::Error::last_os_error();
            return if error.raw_os_error() == Some(libc::EINTR) { Ok(0) } else { Err(error) };
        };
        let blocks = &mut self.blocks;
        let ended = self.events[..count].iter();
        ended.for_each(|event| give_back(blocks, event.tag as u32, event.result, each));
        self.in_flight = left_ios(self.in_flight, count);
        Ok(count)
    }

    /// Cancels I/Os if possible and waits for their end; returns false if the limit passed before.
    fn drain(&mut self) -> bool {
        self.in_flight -= (self.pending.len() + self.refused.len()) as u32;
        let unknown = self.pending.drain(..).chain(self.refused.drain(..).map(|(tag, _)| tag));
        unknown.for_each(|tag| give_back(&mut self.blocks, tag, 0, &mut |_, _| ()));
        // Hardly any driver can (storage never does); a block without an I/O in flight is answered with
        // EINVAL.
        for block in self.blocks.iter_mut().filter(|_| self.in_flight > 0) {
            let mut unused = Event::default();
            // SAFETY: block and event live until the call returns.
            unsafe {
                libc::syscall(libc::SYS_io_cancel, self.context, &raw mut *block, &raw mut unused);
            }
        }
        let limit = Nanos::try_from(self.drain_limit.as_nanos()).unwrap_or(Nanos::MAX);
        let deadline = monotonic().saturating_add(limit);
        while self.in_flight > 0 {
            let now = monotonic();
            if now >= deadline {
                return false;
            }
            let left = Duration::from_nanos(deadline - now);
            if self.wait(self.in_flight as usize, left, |_, _| ()).is_err() {
                return false;
            }
        }
        true
    }
}

/// Returns the block of a read or write.
#[inline]
fn data_block(transfer: &Transfer, file: u32, memory: u64) -> Block {
    let priority = transfer.priority.encoded();
    Block {
        tag: u64::from(transfer.tag),
        command: if transfer.op == Operation::Read { COMMAND_READ } else { COMMAND_WRITE },
        priority,
        flags: if priority == 0 { 0 } else { FLAG_PRIORITY },
        file,
        memory: memory + transfer.start as u64,
        length: u64::from(transfer.length),
        offset: transfer.offset,
        ..Block::default()
    }
}

/// Returns the block of an existing tag that is not in flight.
#[inline]
fn free_block(blocks: &mut [Block], tag: u32) -> Option<&mut Block> {
    blocks.get_mut(tag as usize).filter(|block| block.command == FREE)
}

/// An I/O has ended: its tag may be used again. The kernel has copied the block when it took it.
#[inline]
fn give_back(blocks: &mut [Block], tag: u32, result: i64, each: &mut impl FnMut(u32, i64)) {
    if let Some(block) = blocks.get_mut(tag as usize) {
        block.command = FREE;
    }
    each(tag, result);
}

/// Returns the number in flight after this number of completions. Subtracting too many would free memory
/// that the kernel still uses.
fn left_ios(in_flight: u32, ended: usize) -> u32 {
    assert!(ended <= in_flight as usize, "{ended} of {in_flight} in flight have ended");
    in_flight - ended as u32
}

impl Drop for Queue {
    /// Drains the I/Os in flight, then releases context, files and memory.
    ///
    /// If a dead device exceeds the limit, all of them are leaked intentionally. The kernel may still
    /// write into the memory, and destroying the context would wait without limit.
    fn drop(&mut self) {
        if !self.drain() {
            return;
        }
        // SAFETY: the context is ours and is not used afterwards; nothing is in flight. Each value is
        // dropped once.
        unsafe {
            libc::syscall(libc::SYS_io_destroy, self.context);
            ManuallyDrop::drop(&mut self.blocks);
            ManuallyDrop::drop(&mut self.files);
            ManuallyDrop::drop(&mut self.memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{HugePages, Shared};
    use diskspd_base::access::IoPriority;

    #[test]
    fn shared_buffers_are_read_only() {
        let shared = Shared::new(4096, |mut bytes| -> io::Result<()> {
            bytes.fill_with(|| [5]);
            Ok(())
        });
        let (memory, places) = Buffer::with_shared(4096, &[&shared.unwrap()], HugePages::AskedFor).unwrap();
        let file: OwnedFd = tempfile::tempfile().unwrap().into();
        let Ok(mut queue) = Queue::new(3, vec![file], memory, Duration::from_secs(1)) else {
            return eprintln!("skipped, no Linux AIO");
        };
        let priority = IoPriority::Unstated;
        for (tag, start, length, write, taken) in [
            (0, places[0], 4096, true, 1),
            (1, places[0], 1, false, 0),
            (1, 4095, 2, false, 0),
            (1, 4095, 1, false, 1),
        ] {
            let op = if write { Operation::Write } else { Operation::Read };
            let transfer = Transfer { op, file: 0, offset: 0, start, length, tag, priority };
            assert_eq!(queue.push([transfer].into_iter()), taken, "{transfer:?}");
        }
        let flush =
            Transfer { op: Operation::Flush, file: 0, offset: 0, start: 0, length: 0, tag: 2, priority };
        assert_eq!([queue.push([flush].into_iter()), queue.push([flush].into_iter())], [1, 0]);
    }

    #[test]
    fn tag_in_flight_is_rejected_until_completion() {
        let file: OwnedFd = tempfile::tempfile().unwrap().into();
        let memory = Buffer::new(8).unwrap();
        let Ok(mut queue) = Queue::new(4, vec![file], memory, Duration::from_secs(1)) else {
            return eprintln!("skipped, no Linux AIO");
        };
        let priority = IoPriority::Unstated;
        let read = |tag| Transfer {
            op: Operation::Read,
            file: 0,
            offset: 0,
            start: tag as usize,
            length: 1,
            tag,
            priority,
        };
        assert_eq!(queue.push([read(0), read(1), read(0)].into_iter()), 2);
        let flush = Transfer { op: Operation::Flush, length: 0, ..read(1) };
        assert_eq!((queue.push([flush].into_iter()), queue.in_flight()), (0, 2));
        let mut ended = Vec::new();
        while queue.in_flight() > 0 {
            queue.wait(1, NO_TIMEOUT, |tag, _| ended.push(tag)).unwrap();
        }
        ended.sort_unstable();
        assert_eq!(ended, [0, 1], "each came back once");
        assert_eq!(queue.push([read(0)].into_iter()), 1);
    }

    #[test]
    #[should_panic(expected = "2 of 1 in flight have ended")]
    fn surplus_completion_panics_in_release_builds_too() {
        left_ios(1, 2);
    }
}
