//! Calls of a loaded MPI library: the functions of mpi.h with the handles and constants of its ABI.

use super::MpiError;
use diskspd_base::limits::MESSAGE;
use diskspd_figures::units::visible::line;
use libloading::os::unix::Library;
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::ptr::null;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abi {
    Standard,
    Mpich,
    OpenMpi,
}

/// Tag of all messages of a world, which has no other senders.
const TAG: c_int = 77;
/// Buffer larger than any ABI's `MPI_Status` (32 bytes), with the same alignment.
type MpiStatus = [u64; 16];
/// More than `MPI_MAX_LIBRARY_VERSION_STRING` (8192) and `MPI_MAX_ERROR_STRING` of any ABI.
const MAX_TEXT_BYTES: usize = 16384;

/// Message that MPI accesses until [`Calls::is_done`]; pinned, because MPI stores its addresses.
pub(super) type MessageTransfer = Pin<Box<MessageBuffer>>;

/// The memory of a message and its request. Only addresses lead to it while MPI has them: no reference to the
/// content exists that a write of MPI's could contradict.
#[derive(Debug)]
pub(super) struct MessageBuffer {
    bytes: UnsafeCell<Vec<u8>>,
    /// MPI's storage of a handle, as large as the largest handle of all ABIs.
    request: UnsafeCell<u64>,
    _pinned: PhantomPinned,
}

impl MessageBuffer {
    pub(super) fn new(bytes: Vec<u8>) -> MessageTransfer {
        let (bytes, request) = (UnsafeCell::new(bytes), UnsafeCell::new(0));
        Box::pin(MessageBuffer { bytes, request, _pinned: PhantomPinned })
    }

    pub(super) fn message_length(&self) -> usize {
        // SAFETY: MPI writes to the bytes, never to the vector that owns them.
        unsafe { (*self.bytes.get()).len() }
    }

    /// Returns the addresses of the bytes and of the request for MPI.
    pub(super) fn addresses(self: Pin<&Self>) -> (*mut c_void, *mut c_void) {
        // SAFETY: as in `length`; the reference to the vector ends with this statement.
        let bytes = unsafe { (*self.bytes.get()).as_mut_ptr() };
        (bytes.cast(), self.request.get().cast())
    }

    /// Returns the bytes, after MPI has reported the end of the transfer.
    pub(super) fn into_bytes(self: Pin<Box<Self>>) -> Vec<u8> {
        // SAFETY: as in `length`; the value is dropped at the end of this function.
        std::mem::take(unsafe { &mut *self.bytes.get() })
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct LibraryMarks {
    pub(super) version: String,
    pub(super) has_objects: bool,
    /// Whether the library reports the standard ABI.
    pub(super) is_standard: bool,
}

impl LibraryMarks {
    pub(super) fn find_marks(library: &Library) -> Result<LibraryMarks, MpiError> {
        // SAFETY: both functions may be called before MPI begins, and have these types in every ABI: texts
        // and numbers, no handles.
        unsafe {
            let version = library.get::<TextCall>(b"MPI_Get_library_version\0");
            let version = version.map_err(|_| MpiError::NotMpi)?;
            let standard = library.get::<NumbersCall>(b"MPI_Abi_get_version\0");
            let is_standard = standard.is_ok_and(|ask| {
                let (mut major, mut minor) = (-1, -1);
                ask(&mut major, &mut minor) == 0 && major >= 1
            });
            Ok(LibraryMarks {
                version: text(|buffer, length| version(buffer, length)),
                has_objects: library.get::<*mut c_void>(b"ompi_mpi_comm_world\0").is_ok(),
                is_standard,
            })
        }
    }
}

impl Abi {
    /// Checks that a library has this ABI, if it identifies itself; calls to another ABI would crash this
    /// process.
    pub(super) fn check_marks(self, marks: &LibraryMarks) -> Result<(), MpiError> {
        let known = ["MPICH", "Intel(R) MPI", "MVAPICH", "CRAY"];
        let (wanted, agrees) = match self {
            Abi::Standard => ("the standard ABI of MPI 5.0", marks.is_standard),
            Abi::OpenMpi => ("Open MPI", marks.has_objects && !marks.is_standard),
            Abi::Mpich => {
                let is_known = known.iter().any(|name| marks.version.contains(name));
                ("MPICH or a compatible library", is_known && !marks.has_objects && !marks.is_standard)
            }
        };
        let found = marks.version.lines().next().unwrap_or_default().trim();
        agrees.then_some(()).ok_or_else(|| MpiError::OtherMpi { wanted, found: line(found).to_string() })
    }
}

pub(super) fn peer_number(rank: usize) -> Result<c_int, MpiError> {
    c_int::try_from(rank).map_err(|_| MpiError::NoRank(rank))
}

pub(super) trait Calls: std::fmt::Debug {
    fn join(&self) -> Result<(usize, usize), MpiError>;
    fn version(&self) -> String;
    fn send(&self, transfer: &MessageTransfer, to: c_int) -> Result<(), MpiError>;
    fn begin_to_receive(&self, from: Option<c_int>) -> Result<Option<(usize, MessageTransfer)>, MpiError>;
    fn is_done(&self, transfer: &MessageTransfer) -> Result<bool, MpiError>;
    fn finalize(&self) -> Result<(), MpiError>;
    fn abort(&self, exit_code: c_int);
}

type TextCall = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
/// `MPI_Abi_get_version`.
type NumbersCall = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
/// `MPI_Isend`, `MPI_Irecv`.
type TransferCall<H> = unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut c_void) -> c_int;

/// Constants that differ between ABIs.
#[derive(Clone, Copy)]
pub(super) struct AbiNumbers {
    /// `MPI_THREAD_FUNNELED`.
    pub(super) funneled: c_int,
    pub(super) any_source: c_int,
    pub(super) source_at: usize,
}

/// Functions of mpi.h, with handles of type `H`.
pub(super) struct MpiTable<H> {
    world: H,
    byte: H,
    errors_return: H,
    numbers: AbiNumbers,
    init_thread: unsafe extern "C" fn(*const c_void, *const c_void, c_int, *mut c_int) -> c_int,
    comm_rank: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    comm_size: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    set_errhandler: unsafe extern "C" fn(H, H) -> c_int,
    isend: TransferCall<H>,
    irecv: TransferCall<H>,
    iprobe: unsafe extern "C" fn(c_int, c_int, H, *mut c_int, *mut MpiStatus) -> c_int,
    get_count: unsafe extern "C" fn(*const MpiStatus, H, *mut c_int) -> c_int,
    test: unsafe extern "C" fn(*mut c_void, *mut c_int, *mut MpiStatus) -> c_int,
    error_string: unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int,
    library_version: TextCall,
    finalize: unsafe extern "C" fn() -> c_int,
    abort: unsafe extern "C" fn(H, c_int) -> c_int,
}

impl<H: Copy + 'static> MpiTable<H> {
    /// Finds the functions.
    ///
    /// # Safety
    /// The library is one of MPI in whose ABI handles are of type `H` and constants have these values, and
    /// is never unloaded.
    pub(super) unsafe fn load(
        library: &Library,
        world: H,
        byte: H,
        errors_return: H,
        numbers: AbiNumbers,
    ) -> Result<Box<dyn Calls>, libloading::Error> {
        // SAFETY: each name is a function that mpi.h declares with this type.
        unsafe {
            Ok(Box::new(MpiTable {
                world,
                byte,
                errors_return,
                numbers,
                init_thread: *library.get(b"MPI_Init_thread\0")?,
                comm_rank: *library.get(b"MPI_Comm_rank\0")?,
                comm_size: *library.get(b"MPI_Comm_size\0")?,
                set_errhandler: *library.get(b"MPI_Comm_set_errhandler\0")?,
                isend: *library.get(b"MPI_Isend\0")?,
                irecv: *library.get(b"MPI_Irecv\0")?,
                iprobe: *library.get(b"MPI_Iprobe\0")?,
                get_count: *library.get(b"MPI_Get_count\0")?,
                test: *library.get(b"MPI_Test\0")?,
                error_string: *library.get(b"MPI_Error_string\0")?,
                library_version: *library.get(b"MPI_Get_library_version\0")?,
                finalize: *library.get(b"MPI_Finalize\0")?,
                abort: *library.get(b"MPI_Abort\0")?,
            }))
        }
    }

    fn check_code(&self, call: &'static str, code: c_int) -> Result<(), MpiError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: as `text`.
        let why = text(|buffer, length| unsafe { (self.error_string)(code, buffer, length) });
        Err(MpiError::Call { call, why })
    }
}

impl<H> std::fmt::Debug for MpiTable<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MpiTable").finish_non_exhaustive()
    }
}

/// Converts MPI's count to a length in bytes; a negative number is invalid (`MPI_UNDEFINED`).
pub(super) fn checked_length(count: c_int) -> Result<usize, MpiError> {
    let length = usize::try_from(count).map_err(|_| MpiError::NoLength(count))?;
    MESSAGE.check(length).map(|()| length).map_err(|_| MpiError::LongMessage)
}

/// Returns a text that MPI writes into a buffer.
fn text(write: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let mut buffer = vec![0 as c_char; MAX_TEXT_BYTES];
    let mut length = 0;
    write(buffer.as_mut_ptr(), &mut length);
    buffer[MAX_TEXT_BYTES - 1] = 0;
    // SAFETY: the buffer ends with a zero byte.
    unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_string_lossy().into_owned()
}

// SAFETY (of all calls below): the functions are those of the loaded library, with the types that mpi.h
// declares; handles are the ABI's own values or were written by it; pointers are to live memory that is large
// enough, and what MPI keeps (bytes and request of a transfer) lies on the heap until MPI says that it is
// done with it, or for ever.
impl<H: Copy + 'static> Calls for MpiTable<H> {
    fn join(&self) -> Result<(usize, usize), MpiError> {
        let (mut provided, mut rank, mut size) = (0, 0, 0);
        // SAFETY: see above. Both arguments of `main` may be null.
        unsafe {
            let begun = (self.init_thread)(null(), null(), self.numbers.funneled, &mut provided);
            self.check_code("MPI_Init_thread", begun)?;
            if provided < self.numbers.funneled {
                return Err(MpiError::NoThreads);
            }
            self.check_code(
                "MPI_Comm_set_errhandler",
                (self.set_errhandler)(self.world, self.errors_return),
            )?;
            self.check_code("MPI_Comm_rank", (self.comm_rank)(self.world, &mut rank))?;
            self.check_code("MPI_Comm_size", (self.comm_size)(self.world, &mut size))?;
        }
        let number = |number: c_int| usize::try_from(number).map_err(|_| MpiError::NoNumber(number));
        Ok((number(rank)?, number(size)?))
    }

    fn version(&self) -> String {
        // SAFETY: see above.
        text(|buffer, length| unsafe { (self.library_version)(buffer, length) })
    }

    fn send(&self, transfer: &MessageTransfer, to: c_int) -> Result<(), MpiError> {
        let length = c_int::try_from(transfer.message_length()).map_err(|_| MpiError::LongMessage)?;
        checked_length(length)?;
        let (bytes, request) = transfer.as_ref().addresses();
        // SAFETY: see above.
        let code = unsafe { (self.isend)(bytes, length, self.byte, to, TAG, self.world, request) };
        self.check_code("MPI_Isend", code)
    }

    fn begin_to_receive(&self, from: Option<c_int>) -> Result<Option<(usize, MessageTransfer)>, MpiError> {
        let (mut there, mut length): (c_int, c_int) = (0, 0);
        let mut status: MpiStatus = [0; 16];
        let from = from.unwrap_or(self.numbers.any_source);
        // SAFETY: see above.
        unsafe {
            let code = (self.iprobe)(from, TAG, self.world, &mut there, &mut status);
            self.check_code("MPI_Iprobe", code)?;
            if there == 0 {
                return Ok(None);
            }
            self.check_code("MPI_Get_count", (self.get_count)(&status, self.byte, &mut length))?;
        }
        // SAFETY: `MPI_SOURCE` is one of the first three `int`s of 128 bytes.
        let source = unsafe { status.as_ptr().cast::<c_int>().add(self.numbers.source_at).read() };
        let sender = usize::try_from(source).map_err(|_| MpiError::NoSender(source))?;
        let bytes = vec![0; checked_length(length)?];
        let transfer = MessageBuffer::new(bytes);
        let (bytes, request) = transfer.as_ref().addresses();
        // SAFETY: see above.
        let code = unsafe { (self.irecv)(bytes, length, self.byte, source, TAG, self.world, request) };
        if let Err(why) = self.check_code("MPI_Irecv", code) {
            // MPI may have kept the addresses.
            std::mem::forget(transfer);
            return Err(why);
        }
        Ok(Some((sender, transfer)))
    }

    fn is_done(&self, transfer: &MessageTransfer) -> Result<bool, MpiError> {
        let mut done = 0;
        let mut status: MpiStatus = [0; 16];
        // SAFETY: see above.
        let code = unsafe { (self.test)(transfer.as_ref().addresses().1, &mut done, &mut status) };
        self.check_code("MPI_Test", code)?;
        Ok(done != 0)
    }

    fn finalize(&self) -> Result<(), MpiError> {
        // SAFETY: see above.
        let code = unsafe { (self.finalize)() };
        self.check_code("MPI_Finalize", code)
    }

    fn abort(&self, exit_code: c_int) {
        // SAFETY: see above. It doesn't return, or says why it did, which no longer matters.
        unsafe { (self.abort)(self.world, exit_code) };
    }
}
