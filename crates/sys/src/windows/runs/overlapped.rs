//! Overlapped I/O: many I/Os in flight from one thread, completed through a completion port or completion
//! routines.

use crate::kernel_clock::{self, Nanos};
use crate::memory::{Buffer, Slot, SlotMut};
use crate::transfer::{Transfer, fits};
use diskspd_base::io_error::of_windows;
use diskspd_base::operation::Operation;
use std::cell::UnsafeCell;
use std::io;
use std::mem::ManuallyDrop;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::NonNull;
use std::time::Duration;
use windows_sys::Win32::Foundation::{
    ERROR_HANDLE_EOF, ERROR_IO_PENDING, INVALID_HANDLE_VALUE, RtlNtStatusToDosError, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{
    FlushFileBuffers, ReadFile, ReadFileEx, WriteFile, WriteFileEx,
};
use windows_sys::Win32::System::IO::{
    CancelIoEx, CreateIoCompletionPort, GetQueuedCompletionStatusEx, OVERLAPPED, OVERLAPPED_ENTRY,
};
use windows_sys::Win32::System::Threading::SleepEx;

/// Maximum number of completions taken from a port at once.
const AT_ONCE: u32 = 256;
/// Maximum time of a single kernel wait in ms; longer waits are repeated.
const MAX_WAIT_MS: u64 = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionNotice {
    AtPort,
    /// The kernel calls a completion routine during a wait.
    ByRoutine,
}

/// Completed I/Os not yet returned: tag, and bytes or the negated error number.
type EndedList = UnsafeCell<Vec<(u32, i64)>>;

/// The kernel's part of one I/O, identified by the address of its first field.
#[repr(C)]
struct Request {
    overlapped: OVERLAPPED,
    ended: *const EndedList,
    tag: u32,
    in_flight: bool,
}

/// Queue of one thread: files, memory, and one request per possible I/O in flight.
pub struct Queue {
    port: Option<OwnedHandle>,
    files: ManuallyDrop<Vec<OwnedHandle>>,
    memory: ManuallyDrop<Buffer>,
    /// Raw pointer to a box that the queue frees, because the kernel keeps addresses in it, which excludes
    /// another owner. The same applies to the list.
    requests: NonNull<[UnsafeCell<Request>]>,
    ended: NonNull<EndedList>,
    entries: Box<[OVERLAPPED_ENTRY]>,
    in_flight: u32,
    drain_limit: Duration,
}

/// Returns the result of an I/O from the Windows error; the end of the file is not an error.
fn io_result(error: u32, bytes: u32) -> i64 {
    match error {
        0 => bytes.into(),
        ERROR_HANDLE_EOF => 0,
        error => -i64::from(of_windows(error)),
    }
}

fn last_error() -> u32 {
    io::Error::last_os_error().raw_os_error().map_or(0, i32::cast_unsigned)
}

/// Called by the kernel, in the waiting thread that submitted the I/O.
///
/// # Safety
/// `overlapped` must belong to a request of a live queue.
unsafe extern "system" fn routine(error: u32, bytes: u32, overlapped: *mut OVERLAPPED) {
    let request = overlapped.cast::<Request>();
    // SAFETY: it is the first part of a request, which nobody has borrowed while it is in flight; its list
    // lives as long as the queue, and the thread that has it waits in `Queue::collect`, without a borrow.
    unsafe {
        (*request).in_flight = false;
        let list = (*(*request).ended).get();
        // There is room for all: nothing is allocated, and nothing panics.
        (*list).push(((*request).tag, io_result(error, bytes)));
    }
}

impl Queue {
    /// Creates a queue of this number of I/Os on these files, which must be open for overlapped I/O.
    /// Dropping it waits for `drain_limit` at most.
    ///
    /// # Errors
    /// Fails if the system provides no port, or a file already has one.
    pub fn new(
        told: CompletionNotice,
        depth: u32,
        files: Vec<OwnedHandle>,
        memory: Buffer,
        drain_limit: Duration,
    ) -> io::Result<Queue> {
        let port = match told {
            CompletionNotice::AtPort => Some(port_of(&files)?),
            CompletionNotice::ByRoutine => None,
        };
        let ended: Box<EndedList> = Box::new(UnsafeCell::new(Vec::with_capacity(depth as usize)));
        let ended = NonNull::from(Box::leak(ended));
        let list: *const EndedList = ended.as_ptr();
        let request = |tag| {
            // SAFETY: the structure is made of integers and pointers, for which all bytes zero are a value.
            let overlapped = unsafe { std::mem::zeroed() };
            UnsafeCell::new(Request { overlapped, ended: list, tag, in_flight: false })
        };
        let requests: Box<[_]> = (0..depth).map(request).collect();
        let requests = NonNull::from(Box::leak(requests));
        let none = OVERLAPPED_ENTRY::default();
        Ok(Queue {
            port,
            files: ManuallyDrop::new(files),
            memory: ManuallyDrop::new(memory),
            requests,
            ended,
            entries: vec![none; depth.clamp(1, AT_ONCE) as usize].into_boxed_slice(),
            in_flight: 0,
            drain_limit,
        })
    }

    /// Returns the number of I/Os accepted and not yet returned.
    pub fn taken(&self) -> u32 {
        self.in_flight + self.ended_ios().len() as u32
    }

    fn ended_ios(&self) -> &[(u32, i64)] {
        // SAFETY: only this thread has the queue. The only other writer, `routine`, runs in this thread while
        // it waits in `collect`, which has the queue exclusively: no borrow of the list lives then.
        unsafe { &*self.ended.as_ref().get() }
    }

    fn ended_mut(&mut self) -> &mut Vec<(u32, i64)> {
        // SAFETY: as in `ended`, and the queue is borrowed exclusively.
        unsafe { &mut *self.ended.as_ref().get() }
    }

    /// Adds one I/O. False = invalid: a tag that is in flight or too large, an unknown file, data beyond the
    /// memory, or an unsupported operation.
    pub fn push(&mut self, transfer: &Transfer) -> bool {
        let Transfer { op, file, offset, start, length, tag, .. } = *transfer;
        let is_write = op == Operation::Write;
        // SAFETY: they live as long as the queue.
        let requests = unsafe { self.requests.as_ref() };
        let (Some(file), Some(request)) = (self.files.get(file as usize), requests.get(tag as usize)) else {
            return false;
        };
        let request = request.get();
        // SAFETY: nobody has borrowed it.
        let is_free = unsafe { !(*request).in_flight } && self.ended_ios().iter().all(|(one, _)| *one != tag);
        let handle = file.as_raw_handle().cast();
        if op == Operation::Flush && is_free {
            // SAFETY: the handle is open. It takes nothing else, and has ended when it returns.
            let error = if unsafe { FlushFileBuffers(handle) } == 0 { last_error() } else { 0 };
            self.ended_mut().push((tag, io_result(error, 0)));
            return true;
        }
        let moves = matches!(op, Operation::Read | Operation::Write);
        if !is_free || !moves || !fits(offset, length, start, self.memory.usable(is_write)) {
            return false;
        }
        // SAFETY: the place lies within the memory, which lives until nothing is in flight any more, as the
        // request does; of neither has anybody a borrow meanwhile. The handle is open.
        let answer = unsafe {
            let overlapped = &raw mut (*request).overlapped;
            *overlapped = std::mem::zeroed();
            (*overlapped).Anonymous.Anonymous.Offset = offset as u32;
            (*overlapped).Anonymous.Anonymous.OffsetHigh = (offset >> 32) as u32;
            (*request).in_flight = true;
            let data = self.memory.as_ptr().add(start);
            match (&self.port, is_write) {
                (Some(_), false) => ReadFile(handle, data, length, std::ptr::null_mut(), overlapped),
                (Some(_), true) => WriteFile(handle, data, length, std::ptr::null_mut(), overlapped),
                (None, false) => ReadFileEx(handle, data, length, overlapped, Some(routine)),
                (None, true) => WriteFileEx(handle, data, length, overlapped, Some(routine)),
            }
        };
        let error = if answer == 0 { last_error() } else { 0 };
        match error {
            // I/Os that complete at once are also reported.
            0 | ERROR_IO_PENDING => self.in_flight += 1,
            error => {
                // SAFETY: the kernel hasn't taken it.
                unsafe { (*request).in_flight = false };
                self.ended_mut().push((tag, io_result(error, 0)));
            }
        }
        true
    }

    /// Waits until at least `min` of the accepted I/Os have ended, or the time has passed. Returns the
    /// completed ones: tag, and bytes or the negated error number.
    pub fn wait(&mut self, min: usize, timeout: Duration, mut ended: impl FnMut(u32, i64)) -> io::Result<()> {
        let min = min.min(self.taken() as usize);
        let begin = kernel_clock::monotonic();
        let limit = Nanos::try_from(timeout.as_nanos()).unwrap_or(Nanos::MAX);
        loop {
            let left = limit.saturating_sub(kernel_clock::monotonic().saturating_sub(begin));
            let enough = self.ended_ios().len() >= min;
            if self.in_flight > 0 {
                self.collect_ended(if enough { 0 } else { left.div_ceil(1_000_000) })?;
            }
            if enough || left == 0 || self.ended_ios().len() >= min {
                break;
            }
        }
        self.ended_mut().drain(..).for_each(|(tag, result)| ended(tag, result));
        Ok(())
    }

    fn collect_ended(&mut self, wait_ms: u64) -> io::Result<()> {
        let wait_ms = wait_ms.min(MAX_WAIT_MS) as u32;
        let before = self.ended_ios().len();
        let Some(port) = &self.port else {
            // SAFETY: takes numbers. The routines that it calls find their requests and the list alive.
            unsafe { SleepEx(wait_ms, 1) };
            self.in_flight -= (self.ended_ios().len() - before) as u32;
            return Ok(());
        };
        let (handle, room, mut count) = (port.as_raw_handle().cast(), self.entries.len() as u32, 0);
        let entries = self.entries.as_mut_ptr();
        // SAFETY: the port is open; the kernel writes at most so many entries to the array, and one number.
        let answer =
            unsafe { GetQueuedCompletionStatusEx(handle, entries, room, &raw mut count, wait_ms, 0) };
        if answer == 0 {
            let error = io::Error::last_os_error();
            let is_over = error.raw_os_error() == i32::try_from(WAIT_TIMEOUT).ok();
            return if is_over { Ok(()) } else { Err(error) };
        }
        for n in 0..self.entries.len().min(count as usize) {
            let entry = self.entries[n];
            let request = entry.lpOverlapped.cast::<Request>();
            // SAFETY: the port tells of nothing else than requests of this queue, which the kernel is done
            // with.
            let (tag, status) = unsafe {
                (*request).in_flight = false;
                ((*request).tag, (*request).overlapped.Internal as u32 as i32)
            };
            // SAFETY: takes a number only.
            let error = if status >= 0 { 0 } else { unsafe { RtlNtStatusToDosError(status) } };
            self.ended_mut().push((tag, io_result(error, entry.dwNumberOfBytesTransferred)));
        }
        self.in_flight -= count;
        Ok(())
    }

    /// See [`Buffer::slot`].
    pub fn slot(&self, start: usize, length: usize) -> Option<Slot<'_>> {
        self.memory.slot(start, length)
    }

    /// See [`Buffer::private_mut`].
    pub fn memory_mut(&mut self) -> SlotMut<'_> {
        self.memory.private_mut()
    }

    /// Cancels the I/Os in flight and waits for them. Returns false if some do not complete.
    fn drain(&mut self) -> bool {
        if self.in_flight > 0 {
            for file in self.files.iter() {
                // SAFETY: the handle is open; without a structure it means all I/Os of this file.
                unsafe { CancelIoEx(file.as_raw_handle().cast(), std::ptr::null()) };
            }
        }
        let limit = Nanos::try_from(self.drain_limit.as_nanos()).unwrap_or(Nanos::MAX);
        let begin = kernel_clock::monotonic();
        while self.in_flight > 0 && kernel_clock::monotonic().saturating_sub(begin) < limit {
            self.ended_mut().clear();
            if self.collect_ended(100).is_err() {
                return false;
            }
        }
        self.in_flight == 0
    }
}

fn port_of(files: &[OwnedHandle]) -> io::Result<OwnedHandle> {
    // SAFETY: takes values only, and makes a port.
    let port = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, std::ptr::null_mut(), 0, 1) };
    if port.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was made for this caller, and nobody else knows it.
    let port = unsafe { OwnedHandle::from_raw_handle(port.cast()) };
    for file in files {
        let (file, port) = (file.as_raw_handle().cast(), port.as_raw_handle().cast());
        // SAFETY: both are open.
        if unsafe { CreateIoCompletionPort(file, port, 0, 0) }.is_null() {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(port)
}

impl Drop for Queue {
    /// Drains the I/Os in flight, then releases files and memory.
    ///
    /// If a device exceeds the limit, they are leaked intentionally, because the kernel may still write
    /// into the memory.
    fn drop(&mut self) {
        if !self.drain() {
            return;
        }
        // SAFETY: nothing is in flight. Each value is dropped once, and not used afterwards.
        unsafe {
            ManuallyDrop::drop(&mut self.files);
            drop(Box::from_raw(self.requests.as_ptr()));
            drop(Box::from_raw(self.ended.as_ptr()));
            ManuallyDrop::drop(&mut self.memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::access::IoPriority;
    use std::os::windows::fs::OpenOptionsExt;
    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OVERLAPPED;

    const LIMIT: Duration = Duration::from_secs(20);

    fn read(tag: u32, offset: u64) -> Transfer {
        let (op, priority) = (Operation::Read, IoPriority::Unstated);
        Transfer { op, file: 0, offset, start: tag as usize * 512, length: 512, tag, priority }
    }

    #[test]
    fn tags_complete_once_and_invalid_requests_are_rejected() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [5; 4096]).unwrap();
        for told in [CompletionNotice::AtPort, CompletionNotice::ByRoutine] {
            let open = || {
                let options = std::fs::File::options().read(true).custom_flags(FILE_FLAG_OVERLAPPED).clone();
                OwnedHandle::from(options.open(file.path()).unwrap())
            };
            let memory = Buffer::new(4 * 512).unwrap();
            let mut queue = Queue::new(told, 4, vec![open()], memory, LIMIT).unwrap();
            let write = Transfer { op: Operation::Write, ..read(2, 0) };
            // At the end of the file nothing is read; a file that is open for reading isn't written to.
            for transfer in [read(0, 0), read(1, 4096), write] {
                assert!(queue.push(&transfer), "{transfer:?}");
            }
            for bad in [
                read(0, 0),
                read(4, 0),
                Transfer { file: 1, ..read(3, 0) },
                Transfer { length: 513, ..read(3, 0) },
                Transfer { op: Operation::Discard, ..read(3, 0) },
            ] {
                assert!(!queue.push(&bad), "{bad:?}");
            }
            let mut ended = Vec::new();
            queue.wait(9, LIMIT, |tag, result| ended.push((tag, result))).unwrap();
            ended.sort_unstable();
            assert_eq!(ended, [(0, 512), (1, 0), (2, -i64::from(of_windows(5)))], "{told:?}");
            assert!(
                (0..4).all(|tag| queue.push(&read(tag, 512))) && queue.taken() == 4,
                "they are free again"
            );
            // Waits for the I/Os in flight.
            drop(queue);
        }
    }
}
