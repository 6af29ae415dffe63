//! System calls on storage in which threads of this process are blocked now.
//!
//! `/proc/self/task/<thread>/syscall` has the number and the arguments of the call in which a thread sleeps.
//! So this module sees every call, including calls of libraries, and needs no code around them. It does not
//! access the storage itself.

mod call_location;

use super::mapping::mapped_files;
use super::mountinfo;
use super::root::Root;
use diskspd_machine::file_systems::{DataHome, FileSystemType};
use diskspd_machine::io_counters::Activity;
use diskspd_sys::leases;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use call_location::CallLocation;
use call_location::open_file;

/// Call on storage that has not returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedCall {
    /// Kernel number of the thread.
    pub thread: i32,
    pub name: &'static str,
    /// Whether it writes data back, or waits for written data, which may take long.
    pub writes_back: bool,
    pub file: CallLocation,
    pub waits_for: WaitCause,
    /// Number, arguments and stack of the call; equal until the call returns.
    place: String,
    /// Number of the thread's sleeps since its start.
    sleeps: u64,
    /// Kernel function in which the call waits.
    waits_in: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitCause {
    Storage,
    /// Another process, which holds a lease on the file.
    Lease,
    /// Another process that opens a named pipe for reading.
    PipeReader,
    /// Another process that opens a named pipe for writing.
    PipeWriter,
    /// Another process at the other end of a named pipe.
    PipeUse,
}

#[derive(Debug, Clone, Copy)]
enum CallTarget {
    Path,
    At,
    Handle,
    /// Address in a mapping of the file.
    Memory,
    /// No file name, because the call no longer has one when it blocks.
    Nameless,
}

use CallTarget::{At, Handle, Memory, Nameless, Path as ByPath};

/// Number, name, form of the file, and whether the call writes data back.
type Row = (libc::c_long, &'static str, CallTarget, bool);

/// Calls on all architectures, without calls that wait for other processes.
const CALLS: &[Row] = &[
    (libc::SYS_openat, "open", At, false),
    (libc::SYS_openat2, "open", At, false),
    (libc::SYS_statx, "stat", At, false),
    (libc::SYS_newfstatat, "stat", At, false),
    (libc::SYS_fstat, "stat", Handle, false),
    (libc::SYS_statfs, "statfs", ByPath, false),
    (libc::SYS_fstatfs, "statfs", Handle, false),
    (libc::SYS_faccessat, "access", At, false),
    (libc::SYS_faccessat2, "access", At, false),
    (libc::SYS_readlinkat, "readlink", At, false),
    (libc::SYS_mkdirat, "mkdir", At, false),
    (libc::SYS_unlinkat, "unlink", At, false),
    (libc::SYS_renameat2, "rename", At, false),
    (libc::SYS_linkat, "link", At, false),
    (libc::SYS_symlinkat, "symlink", At, false),
    (libc::SYS_fchmod, "chmod", Handle, false),
    (libc::SYS_fchmodat, "chmod", At, false),
    (libc::SYS_fchown, "chown", Handle, false),
    (libc::SYS_getxattr, "getxattr", ByPath, false),
    (libc::SYS_fgetxattr, "getxattr", Handle, false),
    (libc::SYS_getdents64, "readdir", Handle, false),
    (libc::SYS_lseek, "lseek", Handle, false),
    (libc::SYS_read, "read", Handle, false),
    (libc::SYS_pread64, "read", Handle, false),
    (libc::SYS_readv, "read", Handle, false),
    (libc::SYS_preadv, "read", Handle, false),
    (libc::SYS_preadv2, "read", Handle, false),
    (libc::SYS_fadvise64, "fadvise", Handle, false),
    (libc::SYS_copy_file_range, "copy", Handle, false),
    (libc::SYS_sendfile, "copy", Handle, false),
    (libc::SYS_write, "write", Handle, false),
    (libc::SYS_pwrite64, "write", Handle, false),
    (libc::SYS_writev, "write", Handle, false),
    (libc::SYS_pwritev, "write", Handle, false),
    (libc::SYS_pwritev2, "write", Handle, false),
    (libc::SYS_fsync, "fsync", Handle, true),
    (libc::SYS_fdatasync, "fdatasync", Handle, true),
    (libc::SYS_syncfs, "syncfs", Handle, true),
    (libc::SYS_sync_file_range, "sync_file_range", Handle, true),
    (libc::SYS_fallocate, "fallocate", Handle, true),
    (libc::SYS_ftruncate, "truncate", Handle, true),
    (libc::SYS_truncate, "truncate", ByPath, true),
    (libc::SYS_ioctl, "ioctl", Handle, true),
    (libc::SYS_fcntl, "lock", Handle, false),
    (libc::SYS_flock, "lock", Handle, false),
    (libc::SYS_msync, "msync", Memory, true),
    (libc::SYS_munmap, "munmap", Nameless, true),
    (libc::SYS_close, "close", Nameless, true),
];

/// Wait for a page of memory outside of calls.
const PAGE_FAULT: &Row = &(-1, "page fault", Nameless, false);

/// Calls on older architectures only.
#[cfg(target_arch = "x86_64")]
const EARLIER_CALLS: &[Row] = &[
    (libc::SYS_open, "open", ByPath, false),
    (libc::SYS_stat, "stat", ByPath, false),
    (libc::SYS_lstat, "stat", ByPath, false),
    (libc::SYS_access, "access", ByPath, false),
    (libc::SYS_readlink, "readlink", ByPath, false),
    (libc::SYS_mkdir, "mkdir", ByPath, false),
    (libc::SYS_rmdir, "rmdir", ByPath, false),
    (libc::SYS_unlink, "unlink", ByPath, false),
    (libc::SYS_rename, "rename", ByPath, false),
    (libc::SYS_renameat, "rename", At, false),
    (libc::SYS_link, "link", ByPath, false),
    (libc::SYS_symlink, "symlink", ByPath, false),
    (libc::SYS_chmod, "chmod", ByPath, false),
    (libc::SYS_chown, "chown", ByPath, false),
];
#[cfg(not(target_arch = "x86_64"))]
const EARLIER_CALLS: &[Row] = &[];

/// Kernel functions that wait for another process or a person, not for storage.
const UNRELATED_WAITS: &[&str] = &["tty", "flock", "lock_inode", "posix_lock"];
const PIPES: &[&str] = &["pipe", "fifo", "partner"];
const LEASES: &[&str] = &["lease"];

/// Kernel functions that wait for a page of a file.
const PAGES: &[&str] = &["folio", "page"];

/// Kernel functions that wait for a server.
const SERVERS: &[&str] = &["request_wait_answer", "fuse", "rpc", "nfs", "cifs", "smb", "ceph", "p9"];

const KERNEL_FOLDERS: &[&str] = &["/proc", "/sys", "/dev/pts", "/dev/shm"];

/// The kernel's maximum length of a path in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// Calls in which threads are blocked, except the threads in `left_out`; empty if the kernel does not show
/// calls.
pub fn blocked_calls(left_out: impl Fn(i32) -> bool) -> Vec<BlockedCall> {
    let root = Root::live_system();
    let threads = root.names("/proc/self/task").into_iter().filter_map(|name| name.parse().ok());
    threads
        .filter(|thread| !left_out(*thread))
        .filter_map(|thread| BlockedCall::read(&root, thread))
        .collect()
}

impl BlockedCall {
    fn read(root: &Root, thread: i32) -> Option<BlockedCall> {
        let file_of = |name: &str| root.text(format!("/proc/self/task/{thread}/{name}"));
        let place = file_of("syscall")?;
        let waits_in = file_of("wchan").unwrap_or_default();
        let waits_in_one = |parts: &[&str]| parts.iter().any(|part| waits_in.contains(part));
        let (row, arguments) = match parse(&place) {
            Some(call) => call,
            None if !is_no_call(&place) || !(waits_in_one(PAGES) || waits_in_one(SERVERS)) => return None,
            None => (PAGE_FAULT, Vec::new()),
        };
        let waits_for = match () {
            () if waits_in_one(UNRELATED_WAITS) => return None,
            () if waits_in_one(LEASES) => WaitCause::Lease,
            () if waits_in_one(PIPES) => other_end(root, row.0, &arguments)?,
            () => WaitCause::Storage,
        };
        let file = match row.2 {
            Nameless => call_location::nameless(root, row.0 == PAGE_FAULT.0, waits_in_one(SERVERS)),
            named => {
                let file = file_named(root, named, &arguments).filter(|file| file.is_absolute())?;
                // A pipe with a name, or a file with a lease, can be anywhere.
                let counts = waits_for != WaitCause::Storage || may_be_storage(root, &file);
                counts.then_some(file)?.into()
            }
        };
        let sleeps = parse_sleeps(&file_of("status")?)?;
        let place = place.trim().to_owned();
        Some(BlockedCall {
            thread,
            name: row.1,
            writes_back: row.3,
            file,
            waits_for,
            place,
            sleeps,
            waits_in,
        })
    }

    /// Whether `earlier`, found `seconds` ago, is the same call. A waiting call may wake up a few times;
    /// calls in a loop sleep more often.
    pub fn is_the_same_as(&self, earlier: &BlockedCall, seconds: u64) -> bool {
        let woke_up = self.sleeps.saturating_sub(earlier.sleeps);
        // The kernel checks a lease at each tick of its clock.
        self.place == earlier.place && (self.waits_for == WaitCause::Lease || woke_up <= 2 + seconds / 5)
    }

    /// Returns the completed I/O of the file's devices; `None` = the kernel does not count it.
    pub fn progress(&self) -> Option<Progress> {
        let has_server = SERVERS.iter().any(|part| self.waits_in.contains(part));
        match &self.file {
            _ if self.waits_for != WaitCause::Storage => None,
            CallLocation::Unknown if has_server => None,
            CallLocation::Unknown => Progress::read(&Root::live_system(), Path::new("")),
            CallLocation::File(file) | CallLocation::In(file) => Progress::read(&Root::live_system(), file),
        }
    }
}

impl BlockedCall {
    /// Returns the awaited event, if it is not storage.
    pub fn awaited(&self) -> Option<String> {
        let awaited = match (self.waits_for, &self.file) {
            (WaitCause::Storage, _) => return None,
            (WaitCause::Lease, CallLocation::File(file)) => {
                let holder =
                    leases::of_file(file).map_or("another process".into(), |lease| lease.to_string());
                format!("{holder} holds a lease on it")
            }
            (WaitCause::PipeReader, _) => "no program has opened this pipe for reading".into(),
            (WaitCause::PipeWriter, _) => "no program has opened this pipe for writing".into(),
            _ => "another program does not use the other end".into(),
        };
        Some(awaited)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress(Vec<(u64, u64, u64, u64)>);

impl Progress {
    fn read(root: &Root, file: &Path) -> Option<Progress> {
        let devices = counted_devices(root, file)?;
        let activity = |device: &String| {
            let activity = Activity::parse(&root.text(format!("/sys/class/block/{device}/stat"))?)?;
            let ios = (activity.read.ios, activity.write.ios, activity.discard.ios);
            Some((ios.0, ios.1, ios.2, activity.flushes.unwrap_or(0)))
        };
        let read: Vec<_> = devices.iter().filter_map(activity).collect();
        (!read.is_empty()).then_some(Progress(read))
    }
}

/// Returns the devices that I/O on a file can reach; `None` = the kernel does not count it.
fn counted_devices(root: &Root, file: &Path) -> Option<Vec<String>> {
    let of_node = file.strip_prefix("/dev").ok().and_then(Path::to_str).map(|name| name.replace('/', "!"));
    if let Some(device) = of_node.filter(|name| root.path(format!("/sys/class/block/{name}")).exists()) {
        return Some(vec![device]);
    }
    let mounts = root.mounts();
    let Some(mount) = mountinfo::holding(&mounts, file) else {
        return Some(root.names("/sys/class/block"));
    };
    let (major, minor) = mount.number;
    match FileSystemType::from_name(&mount.file_system).home {
        DataHome::Network | DataHome::Program | DataHome::Host | DataHome::Memory => None,
        _ if major > 0 => {
            let device = root.path(format!("/sys/dev/block/{major}:{minor}")).canonicalize().ok()?;
            Some(vec![device.file_name()?.to_string_lossy().into_owned()])
        }
        // Several devices, or a device that only the file system knows.
        _ => Some(root.names("/sys/class/block")),
    }
}

/// Number and arguments: `3 0x5 0x0 0x0 0x0 0x0 0x0 0x7ffd.. 0x7f8c..`. `running` and -1 are not calls.
fn parse(text: &str) -> Option<(&'static Row, Vec<u64>)> {
    let mut words = text.split_ascii_whitespace();
    let number: libc::c_long = words.next()?.parse().ok()?;
    let row = CALLS.iter().chain(EARLIER_CALLS).find(|row| row.0 == number)?;
    let hexadecimal = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let arguments: Vec<u64> = words.filter_map(hexadecimal).collect();
    (arguments.len() == 8).then_some((row, arguments))
}

/// Returns the awaited process of a call on a pipe; `None` if the mode of an open is unknown.
fn other_end(root: &Root, call: libc::c_long, arguments: &[u64]) -> Option<WaitCause> {
    let flags = match call {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => arguments[1],
        libc::SYS_openat => arguments[2],
        libc::SYS_openat2 => u64::from_ne_bytes(memory_at(root, arguments[2], 8)?.try_into().ok()?),
        _ => return Some(WaitCause::PipeUse),
    };
    let writes = flags & libc::O_ACCMODE as u64 != libc::O_RDONLY as u64;
    Some(if writes { WaitCause::PipeReader } else { WaitCause::PipeWriter })
}

/// Whether a thread waits outside of calls: `-1 0x7ffd.. 0x7f8c..`.
fn is_no_call(text: &str) -> bool {
    text.split_ascii_whitespace().next() == Some("-1")
}

/// Parses the voluntary context switches in the `status` of a thread.
fn parse_sleeps(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}

fn file_named(root: &Root, named: CallTarget, arguments: &[u64]) -> Option<PathBuf> {
    // Of the argument only 32 bits are the number.
    let handle = arguments[0] as i32;
    match named {
        Handle => open_file(root, handle),
        ByPath => absolute_path(root, libc::AT_FDCWD, text_at(root, arguments[0])?),
        At => absolute_path(root, handle, text_at(root, arguments[1])?),
        Memory => {
            mapped_files(root, "self").find_map(|mapping| mapping.holds(arguments[0]).then_some(mapping.file))
        }
        Nameless => None,
    }
}

/// A path as the kernel would begin to follow it, links of `/proc` to open files resolved.
fn absolute_path(root: &Root, folder: i32, path: PathBuf) -> Option<PathBuf> {
    if path.as_os_str().is_empty() {
        return open_file(root, folder);
    }
    if let Ok(handle) = path.strip_prefix("/proc/self/fd") {
        let mut parts = handle.components();
        let number = parts.next()?.as_os_str().to_str()?.parse().ok()?;
        let (opened, rest) = (open_file(root, number)?, parts.as_path());
        return Some(if rest.as_os_str().is_empty() { opened } else { opened.join(rest) });
    }
    if path.is_absolute() { Some(path) } else { Some(open_file(root, folder)?.join(path)) }
}

/// Reads a text in the memory of this process that ends with a zero.
fn text_at(root: &Root, address: u64) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = memory_at(root, address, MAX_PATH_BYTES)?;
    bytes.truncate(bytes.iter().position(|byte| *byte == 0)?);
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// Reads at most `length` bytes of the memory of this process.
fn memory_at(root: &Root, address: u64, length: usize) -> Option<Vec<u8>> {
    let memory = File::open(root.path("/proc/self/mem")).ok()?;
    let mut bytes = vec![0; length];
    let read = memory.read_at(&mut bytes, address).ok()?;
    bytes.truncate(read);
    Some(bytes)
}

/// Whether a file can be on storage: pipes, sockets, terminals and files of the kernel are not.
fn may_be_storage(root: &Root, file: &Path) -> bool {
    let is_node = file.parent().is_some_and(|folder| folder == Path::new("/dev"));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_disk = name.starts_with("ng") || root.path(format!("/sys/class/block/{name}")).exists();
    !KERNEL_FOLDERS.iter().any(|folder| file.starts_with(folder)) && (!is_node || is_disk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn reads_calls_on_files_only() {
        let fsync = format!("{} 0x5 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f8c\n", libc::SYS_fsync);
        let futex = format!("{} 0x5 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f8c\n", libc::SYS_futex);
        let (row, arguments) = parse(&fsync).unwrap();
        assert_eq!((row.1, row.3, arguments[0]), ("fsync", true, 5));
        for other in [&*futex, "running\n", "-1 0x7ffd 0x7f8c\n", "", "74 0x5"] {
            assert!(parse(other).is_none(), "{other}");
            assert_eq!(is_no_call(other), other.starts_with('-'), "{other}");
        }
    }

    #[test]
    fn mode_of_open_decides_missing_end_of_pipe() {
        let root = Root::live_system();
        let how = [u64::from(libc::O_WRONLY as u32), 0, 0];
        let address = how.as_ptr() as u64;
        let at = |flags: libc::c_int| [0, 0, flags as u64, 0, 0, 0, 0, 0];
        for (call, arguments, expected) in [
            (libc::SYS_openat, at(libc::O_RDONLY | libc::O_CLOEXEC), WaitCause::PipeWriter),
            (libc::SYS_openat, at(libc::O_WRONLY | libc::O_CLOEXEC), WaitCause::PipeReader),
            (libc::SYS_read, at(libc::O_RDONLY), WaitCause::PipeUse),
            (libc::SYS_write, at(libc::O_WRONLY), WaitCause::PipeUse),
        ] {
            assert_eq!(other_end(&root, call, &arguments), Some(expected), "{call} {arguments:?}");
        }
        // Without /proc nothing is found, and nothing is watched.
        let found = other_end(&root, libc::SYS_openat2, &[0, 0, address, 24, 0, 0, 0, 0]);
        assert!(found.is_none_or(|found| found == WaitCause::PipeReader), "{found:?} {how:?}");
        assert_eq!(other_end(&root, libc::SYS_openat2, &[0; 8]), None);
    }

    #[test]
    fn long_call_differs_from_repeated_calls() {
        let call = |sleeps: u64, place: &str| BlockedCall {
            thread: 1,
            name: "read",
            writes_back: false,
            file: PathBuf::from("/f").into(),
            waits_for: WaitCause::Storage,
            place: place.into(),
            sleeps,
            waits_in: String::new(),
        };
        for (now, seconds, same) in [
            (call(10, "0 0x3"), 10, true),
            (call(12, "0 0x3"), 10, true),
            (call(40, "0 0x3"), 10, false),
            (call(10, "0 0x4"), 10, false),
        ] {
            assert_eq!(now.is_the_same_as(&call(10, "0 0x3"), seconds), same, "{now:?}");
        }
    }

    #[test]
    fn files_without_storage_are_ignored() {
        let root = Root::at(Path::new("/nowhere"));
        for (file, may_be) in [
            ("/mnt/f", true),
            ("/dev/ng0n1", true),
            ("/dev/tty", false),
            ("/dev/pts/3", false),
            ("/proc/self/stat", false),
            ("/sys/block/sda/stat", false),
        ] {
            assert_eq!(may_be_storage(&root, Path::new(file)), may_be, "{file}");
        }
    }

    #[test]
    fn counts_completed_io_as_progress() {
        let machine = tempfile::tempdir().unwrap();
        let (at, root) = (machine.path(), Root::at(machine.path()));
        fs::create_dir_all(at.join("proc/self")).unwrap();
        let mounts = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 0:50 / /fuse rw - fuse.x x rw\n\
                      22 20 0:51 / /pool rw - btrfs /dev/sdb rw\n";
        fs::write(at.join("proc/self/mountinfo"), mounts).unwrap();
        for device in ["sda", "sdb"] {
            fs::create_dir_all(at.join("sys/class/block").join(device)).unwrap();
        }
        let stat = |device: &str, reads: u64, busy: u64| {
            let text = format!("{reads} 0 8 0 0 0 0 0 1 {busy} {busy} 0 0 0 0 0 0\n");
            fs::write(at.join(format!("sys/class/block/{device}/stat")), text).unwrap();
        };
        stat("sda", 1, 1);
        stat("sdb", 1, 1);
        let progress = |file: &str| Progress::read(&root, Path::new(file));
        let (node, pool) = (progress("/dev/sda"), progress("/pool/f"));
        assert!(node.is_some() && pool.is_some() && progress("/fuse/f").is_none());
        // An I/O in flight makes a device busy; it completes nothing.
        stat("sda", 1, 900);
        assert_eq!((progress("/dev/sda"), progress("/pool/f")), (node.clone(), pool.clone()));
        stat("sda", 2, 900);
        assert!(progress("/dev/sda") != node && progress("/pool/f") != pool);
    }

    #[test]
    fn text_at_own_address_is_read() {
        use std::os::unix::ffi::OsStrExt;
        let text = b"/some/where\0".to_vec();
        let found = text_at(&Root::live_system(), text.as_ptr() as u64);
        // Without /proc nothing is found, and nothing is watched.
        assert!(found.is_none_or(|path| path.as_os_str().as_bytes() == b"/some/where"));
        assert!(text_at(&Root::live_system(), 0).is_none());
        drop(text);
    }
}
