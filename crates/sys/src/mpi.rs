//! MPI, loaded at run time from the launcher's location: non-blocking messages of bytes between the
//! processes of a job.
//!
//! Three ABIs are supported: the standard one of MPI 5.0, MPICH's (shared by Intel, Cray and MVAPICH), and
//! Open MPI's. They differ in handles (an address or an `int`) and in the values of constants. Functions,
//! their names and their argument order are the same. Only the creating thread of a [`MpiWorld`] may use it
//! (`MPI_THREAD_FUNNELED`), so it is not `Send`.

mod calls;
mod error;

pub use calls::Abi;
use calls::{AbiNumbers, Calls, LibraryMarks, MessageBuffer, MessageTransfer, MpiTable, peer_number};
pub use error::MpiError;

use super::privileges;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;

pub(crate) type FromProcess = (usize, Vec<u8>);

/// Processes of a launcher, as MPI presents them to this one.
#[derive(Debug)]
pub struct MpiWorld {
    calls: Box<dyn Calls>,
    rank: usize,
    size: usize,
    /// Messages whose transmission is not complete.
    sending: Vec<MessageTransfer>,
    receiving: Vec<VecDeque<MessageTransfer>>,
    /// Communication partners: rank 0 receives from all ranks, the other ranks only from rank 0.
    partners: Range<usize>,
    broken: Vec<bool>,
    /// Whether MPI is queried for messages from any rank. Each unsuccessful call may yield the CPU (Open
    /// MPI's `mpi_yield_when_idle`), which costs a time slice on busy CPUs. A single call for all ranks
    /// avoids that.
    asks_for_any: bool,
    _of_this_thread: PhantomData<*const ()>,
}

/// Whether this program can load libraries; a statically linked one cannot.
pub const CAN_LOAD: bool = !cfg!(target_feature = "crt-static");

impl MpiWorld {
    /// Loads a library, by a path or by its name for the dynamic linker, and joins the world. Once per
    /// process. The library stays loaded. Only if [`CAN_LOAD`].
    ///
    /// # Errors
    /// Fails with the reason why it is unusable.
    pub fn join(library: &Path, abi: Abi) -> Result<MpiWorld, MpiError> {
        if privileges::are_above_users() {
            return Err(MpiError::Privileged);
        }
        // SAFETY: loading runs the constructors of a library that the user's launcher or command line names,
        // as for any program that is linked with it; it gets no rights by that which the user hasn't.
        let open = |flags| unsafe { Library::open(Some(library), RTLD_NOW | flags) };
        let open = |flags| open(flags).map_err(MpiError::from);
        // Its symbols stay private until it is identified.
        let local = open(RTLD_LOCAL)?;
        abi.check_marks(&LibraryMarks::find_marks(&local)?)?;
        // Global, because plug-ins of Open MPI need its symbols.
        let loaded = open(RTLD_GLOBAL)?;
        drop(local);
        // SAFETY: the library says of itself that it has this ABI, and is never unloaded.
        let calls: Result<Box<dyn Calls>, libloading::Error> = unsafe {
            match abi {
                Abi::Standard => {
                    let address = |value: usize| value as *mut c_void;
                    let (world, byte, errors_return) = (address(0x101), address(0x247), address(0x143));
                    let numbers = AbiNumbers { funneled: 1024, any_source: -1, source_at: 0 };
                    MpiTable::load(&loaded, world, byte, errors_return, numbers)
                }
                Abi::Mpich => {
                    let numbers = AbiNumbers { funneled: 1, any_source: -2, source_at: 2 };
                    MpiTable::load(&loaded, 0x4400_0000, 0x4c00_010d, 0x5400_0001, numbers)
                }
                Abi::OpenMpi => (|| {
                    let of = |name: &[u8]| loaded.get::<*mut c_void>(name).map(|symbol| symbol.into_raw());
                    let (world, byte) = (of(b"ompi_mpi_comm_world\0")?, of(b"ompi_mpi_byte\0")?);
                    let numbers = AbiNumbers { funneled: 1, any_source: -1, source_at: 0 };
                    MpiTable::load(&loaded, world, byte, of(b"ompi_mpi_errors_return\0")?, numbers)
                })(),
            }
        };
        // MPI can't be unloaded once it has begun, and has threads and handlers of its own.
        std::mem::forget(loaded);
        let calls = calls.map_err(MpiError::from)?;
        let (rank, size) = calls.join()?;
        let partners = if rank == 0 { 1..size } else { 0..1 };
        Ok(MpiWorld {
            calls,
            rank,
            size,
            sending: Vec::new(),
            receiving: (0..size).map(|_| VecDeque::new()).collect(),
            asks_for_any: partners.len() > 1,
            partners,
            broken: vec![false; size],
            _of_this_thread: PhantomData,
        })
    }

    pub fn rank(&self) -> usize {
        self.rank
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn library(&self) -> String {
        self.calls.version().lines().next().unwrap_or_default().trim().to_owned()
    }

    /// Starts sending a message; each [`MpiWorld::receive`] continues it.
    ///
    /// # Errors
    /// Fails with MPI's error.
    pub fn send(&mut self, to: usize, bytes: &[u8]) -> Result<(), MpiError> {
        let transfer = MessageBuffer::new(bytes.to_vec());
        let begun = self.calls.send(&transfer, peer_number(to)?);
        // Also after an error: MPI may have kept the address.
        self.sending.push(transfer);
        begun
    }

    /// Returns the next complete message with its sender; messages of one process arrive in order.
    ///
    /// # Errors
    /// Fails with a rank that sends no more messages, and MPI's error. Reported once.
    pub fn receive(&mut self) -> Result<Option<FromProcess>, (usize, MpiError)> {
        loop {
            let arrived = self.arrived()?;
            if arrived.is_some() {
                return Ok(arrived);
            }
            if !self.begin_to_receive()? {
                let _ = self.continue_sends();
                return Ok(None);
            }
        }
    }

    /// Returns a message that has arrived.
    fn arrived(&mut self) -> Result<Option<FromProcess>, (usize, MpiError)> {
        for from in self.partners.clone().filter(|from| !self.broken[*from]) {
            let Some(first) = self.receiving[from].front() else { continue };
            match self.calls.is_done(first) {
                Ok(true) => {
                    let first = self.receiving[from].pop_front();
                    return Ok(first.map(|transfer| (from, transfer.into_bytes())));
                }
                Ok(false) => {}
                Err(why) => return Err(self.break_link(from, why)),
            }
        }
        Ok(None)
    }

    /// Starts receiving an available message; returns whether there was one.
    fn begin_to_receive(&mut self) -> Result<bool, (usize, MpiError)> {
        if self.asks_for_any {
            match self.calls.begin_to_receive(None) {
                Ok(begun) => return Ok(self.keep_transfer(begun)),
                // A process has ended; which one is only told to who asks for it alone.
                Err(_) => self.asks_for_any = false,
            }
        }
        let mut found = false;
        for from in self.partners.clone().filter(|from| !self.broken[*from]).collect::<Vec<_>>() {
            let begun = peer_number(from).and_then(|from| self.calls.begin_to_receive(Some(from)));
            match begun {
                Ok(begun) => found |= self.keep_transfer(begun),
                Err(why) => return Err(self.break_link(from, why)),
            }
        }
        Ok(found)
    }

    fn keep_transfer(&mut self, begun: Option<(usize, MessageTransfer)>) -> bool {
        let found = begun.is_some();
        if let Some((from, transfer)) = begun {
            match self.receiving.get_mut(from) {
                Some(queue) => queue.push_back(transfer),
                // Of a rank that there isn't. MPI writes into it all the same.
                None => std::mem::forget(transfer),
            }
        }
        found
    }

    fn break_link(&mut self, from: usize, why: MpiError) -> (usize, MpiError) {
        self.broken[from] = true;
        (from, why)
    }

    /// Whether all messages have left the memory of this process.
    pub fn is_sent(&mut self) -> bool {
        let _ = self.continue_sends();
        self.sending.is_empty()
    }

    fn continue_sends(&mut self) -> Result<(), MpiError> {
        let mut first = Ok(());
        let calls = &*self.calls;
        self.sending.retain(|transfer| match calls.is_done(transfer) {
            Ok(done) => !done,
            Err(why) => {
                first = Err(why);
                true
            }
        });
        first
    }

    /// Makes the launcher end all ranks, including unresponsive ones and this rank.
    pub fn abort(&self, exit_code: u8) {
        self.calls.abort(c_int::from(exit_code));
    }

    /// Leaves the world in order, waiting for all ranks to leave. Without it a launcher classifies the end
    /// of this process as a failure.
    ///
    /// # Errors
    /// Fails with MPI's error.
    pub fn finalize(mut self) -> Result<(), MpiError> {
        let _ = self.continue_sends();
        self.calls.finalize()
    }
}

impl Drop for MpiWorld {
    fn drop(&mut self) {
        // MPI may still read and write them.
        self.sending.drain(..).for_each(std::mem::forget);
        self.receiving.iter_mut().flat_map(|queue| queue.drain(..)).for_each(std::mem::forget);
    }
}

#[cfg(test)]
mod tests {
    use super::calls::checked_length;
    use super::*;
    use diskspd_base::limits::MESSAGE;
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    /// Library that accesses its addresses late, as a library with a network does.
    #[derive(Debug, Default)]
    struct LateMpi {
        /// Number of messages whose receipt has not begun.
        waiting: Cell<u8>,
        delivered: Rc<Cell<bool>>,
        /// Addresses of transfers: bytes, their number, request.
        begun: RefCell<Vec<(*mut u8, usize, *mut u64)>>,
        sent: Rc<RefCell<Vec<Vec<u8>>>>,
    }

    impl LateMpi {
        fn remember(&self, transfer: &MessageTransfer) {
            let (bytes, request) = transfer.as_ref().addresses();
            self.begun.borrow_mut().push((bytes.cast(), transfer.message_length(), request.cast()));
        }

        /// Returns the addresses of a transfer, as `MPI_Test` finds them by the request.
        fn addresses(&self, transfer: &MessageTransfer) -> (*mut u8, usize, *mut u64) {
            let request = transfer.as_ref().addresses().1.cast::<u64>();
            *self.begun.borrow().iter().find(|begun| begun.2 == request).expect("the transfer stays in place")
        }
    }

    impl Calls for LateMpi {
        fn join(&self) -> Result<(usize, usize), MpiError> {
            Ok((0, 2))
        }

        fn version(&self) -> String {
            String::new()
        }

        fn send(&self, transfer: &MessageTransfer, _: c_int) -> Result<(), MpiError> {
            self.remember(transfer);
            Ok(())
        }

        fn begin_to_receive(&self, _: Option<c_int>) -> Result<Option<(usize, MessageTransfer)>, MpiError> {
            let Some(left) = self.waiting.get().checked_sub(1) else { return Ok(None) };
            self.waiting.set(left);
            let transfer = MessageBuffer::new(vec![0; usize::from(left)]);
            self.remember(&transfer);
            Ok(Some((1, transfer)))
        }

        fn is_done(&self, transfer: &MessageTransfer) -> Result<bool, MpiError> {
            if !self.delivered.get() {
                return Ok(false);
            }
            let (bytes, length, request) = self.addresses(transfer);
            // SAFETY: the addresses of a transfer that is not done.
            unsafe {
                self.sent.borrow_mut().push(std::slice::from_raw_parts(bytes, length).to_vec());
                bytes.write_bytes(length as u8, length);
                request.write(u64::MAX);
            }
            Ok(true)
        }

        fn finalize(&self) -> Result<(), MpiError> {
            Ok(())
        }

        fn abort(&self, _: c_int) {}
    }

    /// Messages move between collections of the program, but the addresses of the library stay valid, also
    /// under Miri.
    #[test]
    fn message_addresses_stay_valid_until_completion() {
        let calls = LateMpi { waiting: Cell::new(20), ..LateMpi::default() };
        let (delivered, sent) = (calls.delivered.clone(), calls.sent.clone());
        let mut world = MpiWorld {
            calls: Box::new(calls),
            rank: 0,
            size: 2,
            sending: Vec::new(),
            receiving: vec![VecDeque::new(), VecDeque::new()],
            partners: 1..2,
            broken: vec![false; 2],
            asks_for_any: false,
            _of_this_thread: PhantomData,
        };
        for number in 0..20u8 {
            world.send(1, &vec![number; usize::from(number)]).unwrap();
        }
        assert_eq!(world.receive().unwrap(), None);
        assert!(!world.is_sent());
        delivered.set(true);
        for length in (0..20u8).rev() {
            assert_eq!(world.receive().unwrap(), Some((1, vec![length; usize::from(length)])));
        }
        sent.borrow_mut().clear();
        assert!(world.is_sent());
        let expected: Vec<Vec<u8>> = (0..20u8).map(|number| vec![number; usize::from(number)]).collect();
        assert_eq!(*sent.borrow(), expected);
    }

    #[test]
    fn length_of_message_is_checked() {
        let most = MESSAGE.bytes as c_int;
        for (count, expected) in [
            (0, Ok(0)),
            (1, Ok(1)),
            (most, Ok(MESSAGE.bytes as usize)),
            (most + 1, Err(MpiError::LongMessage)),
            (c_int::MAX, Err(MpiError::LongMessage)),
            (-1, Err(MpiError::NoLength(-1))),
            (-32766, Err(MpiError::NoLength(-32766))),
            (c_int::MIN, Err(MpiError::NoLength(c_int::MIN))),
        ] {
            assert_eq!(checked_length(count), expected, "{count}");
        }
    }

    #[test]
    fn mpi_library_is_identified_before_calls() {
        let marks = |version: &str, has_objects, is_standard| LibraryMarks {
            version: version.into(),
            has_objects,
            is_standard,
        };
        let open = marks("Open MPI v4.1.4, package: Debian", true, false);
        let mpich = marks("MPICH Version:\t4.0.2\nMPICH Release date: Thu", false, false);
        let intel = marks("Intel(R) MPI Library 2021.9 for Linux* OS\n", false, false);
        let standard = marks("MPICH Version:      5.0.0", false, true);
        let unknown = marks("My \u{1b}[2J MPI", false, false);
        for (abi, fits) in [
            (Abi::OpenMpi, [true, false, false, false, false]),
            (Abi::Mpich, [false, true, true, false, false]),
            (Abi::Standard, [false, false, false, true, false]),
        ] {
            for (marks, fits) in [&open, &mpich, &intel, &standard, &unknown].into_iter().zip(fits) {
                let answer = abi.check_marks(marks);
                assert_eq!(answer.is_ok(), fits, "{abi:?} {marks:?}");
                assert!(
                    answer
                        .err()
                        .map(|why| why.to_string())
                        .is_none_or(|why| why.contains("by its name it is") && !why.contains('\u{1b}'))
                );
            }
        }
    }
}
