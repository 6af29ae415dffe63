//! libblkid, if installed: recognition of a device's content. It is loaded at run time, because the
//! program must work without it; statically linked programs never have it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// Signature with the names of libblkid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlkidSignature {
    /// Type such as `ext4` or `linux_raid_member`; empty = a partition table.
    pub kind: String,
    pub usage: String,
    pub version: String,
    /// Type such as `gpt` or `dos`; empty = not a partition table.
    pub table: String,
}

/// `BLKID_SUBLKS_TYPE`, `_USAGE`, `_VERSION`, `_MAGIC`, `_BADCSUM` of blkid/blkid.h, including damaged
/// signatures, which may be repairable.
const SUPERBLOCKS: c_int = 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10;

/// `BLKID_PARTS_FORCE_GPT`, `_MAGIC`: includes a GPT without a protective MBR.
const PARTITIONS: c_int = 1 << 1 | 1 << 3;

/// Maximum number of signatures on a device.
const MAX_SIGNATURES: usize = 64;

type Handle = *mut c_void;
type ProbeCall<T> = unsafe extern "C" fn(Handle, T) -> c_int;

/// Called functions of blkid/blkid.h.
struct Library {
    new_probe: unsafe extern "C" fn() -> Handle,
    free_probe: unsafe extern "C" fn(Handle),
    set_device: unsafe extern "C" fn(Handle, c_int, i64, i64) -> c_int,
    enable_superblocks: ProbeCall<c_int>,
    set_superblocks_flags: ProbeCall<c_int>,
    enable_partitions: ProbeCall<c_int>,
    set_partitions_flags: ProbeCall<c_int>,
    do_probe: unsafe extern "C" fn(Handle) -> c_int,
    lookup_value: unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char, *mut usize) -> c_int,
}

static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();

pub fn is_available() -> bool {
    LIBRARY.get_or_init(load).is_some()
}

/// Returns the signatures on an open device or in a regular file; empty if libblkid is not installed.
pub fn probe(device: BorrowedFd<'_>) -> Vec<BlkidSignature> {
    LIBRARY.get_or_init(load).as_ref().and_then(|library| library.probe(device)).unwrap_or_default()
}

/// Loads the library for the life of the process.
fn load() -> Option<Library> {
    if cfg!(target_feature = "crt-static") {
        return None;
    }
    // Where this program has rights that its user hasn't, the linker takes no notice of LD_LIBRARY_PATH: by a
    // name without a folder it finds the system's own library, or none.
    // SAFETY: the name ends with a zero byte. The library is one of the system, in the version whose
    // functions never change their types (`.so.1`), and is never unloaded: what is found in it stays valid.
    let library = unsafe { libc::dlopen(c"libblkid.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return None;
    }
    // SAFETY: every symbol is a function of the type that blkid/blkid.h declares it with; `blkid_probe` is
    // a pointer, `blkid_loff_t` an `int64_t`. A null pointer, for a function that isn't there, never gets
    // to `transmute`.
    unsafe {
        Some(Library {
            new_probe: std::mem::transmute::<Handle, unsafe extern "C" fn() -> Handle>(find_symbol(
                library,
                c"blkid_new_probe",
            )?),
            free_probe: std::mem::transmute::<Handle, unsafe extern "C" fn(Handle)>(find_symbol(
                library,
                c"blkid_free_probe",
            )?),
            set_device: std::mem::transmute::<Handle, unsafe extern "C" fn(Handle, c_int, i64, i64) -> c_int>(
                find_symbol(library, c"blkid_probe_set_device")?,
            ),
            enable_superblocks: std::mem::transmute::<Handle, ProbeCall<c_int>>(find_symbol(
                library,
                c"blkid_probe_enable_superblocks",
            )?),
            set_superblocks_flags: std::mem::transmute::<Handle, ProbeCall<c_int>>(find_symbol(
                library,
                c"blkid_probe_set_superblocks_flags",
            )?),
            enable_partitions: std::mem::transmute::<Handle, ProbeCall<c_int>>(find_symbol(
                library,
                c"blkid_probe_enable_partitions",
            )?),
            set_partitions_flags: std::mem::transmute::<Handle, ProbeCall<c_int>>(find_symbol(
                library,
                c"blkid_probe_set_partitions_flags",
            )?),
            do_probe: std::mem::transmute::<Handle, unsafe extern "C" fn(Handle) -> c_int>(find_symbol(
                library,
                c"blkid_do_probe",
            )?),
            lookup_value: std::mem::transmute::<
                Handle,
                unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char, *mut usize) -> c_int,
            >(find_symbol(library, c"blkid_probe_lookup_value")?),
        })
    }
}

fn find_symbol(library: Handle, name: &CStr) -> Option<Handle> {
    // SAFETY: the library is loaded, and the name ends with a zero byte.
    let symbol = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!symbol.is_null()).then_some(symbol)
}

impl Library {
    fn probe(&self, device: BorrowedFd<'_>) -> Option<Vec<BlkidSignature>> {
        // SAFETY: it takes nothing, and gives a new probe or null.
        let handle = unsafe { (self.new_probe)() };
        if handle.is_null() {
            return None;
        }
        let probe = Probe { library: self, handle };
        // SAFETY: the probe is new, and the descriptor is open for longer than the probe lives; (0, 0)
        // means all of it. The library reads and seeks, which nobody else does on this descriptor by its
        // position.
        let ready = unsafe {
            (self.set_device)(handle, device.as_raw_fd(), 0, 0) == 0
                && (self.enable_superblocks)(handle, 1) == 0
                && (self.set_superblocks_flags)(handle, SUPERBLOCKS) == 0
                && (self.enable_partitions)(handle, 1) == 0
                && (self.set_partitions_flags)(handle, PARTITIONS) == 0
        };
        if !ready {
            return None;
        }
        let mut all = Vec::new();
        // SAFETY: the probe is alive and has a device. 0 = it has found something, and goes on from there
        // next time.
        while all.len() < MAX_SIGNATURES && unsafe { (self.do_probe)(handle) } == 0 {
            all.push(BlkidSignature {
                kind: probe.value(c"TYPE"),
                usage: probe.value(c"USAGE"),
                version: probe.value(c"VERSION"),
                table: probe.value(c"PTTYPE"),
            });
        }
        Some(all)
    }
}

struct Probe<'a> {
    library: &'a Library,
    handle: Handle,
}

impl Probe<'_> {
    fn value(&self, name: &CStr) -> String {
        let (mut data, mut length): (*const c_char, usize) = (null_mut(), 0);
        // SAFETY: the probe is alive, the name ends with a zero byte, and the answers have places on this
        // stack.
        let answer =
            unsafe { (self.library.lookup_value)(self.handle, name.as_ptr(), &mut data, &mut length) };
        if answer != 0 || data.is_null() {
            return String::new();
        }
        // SAFETY: the library gave this many bytes, which stay until it is asked to probe on; they are
        // copied at once.
        let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
    }
}

impl Drop for Probe<'_> {
    fn drop(&mut self) {
        // SAFETY: the probe is alive, and nobody uses it any more.
        unsafe { (self.library.free_probe)(self.handle) };
    }
}
