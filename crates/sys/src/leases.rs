//! Leases of files (`F_SETLEASE` of fcntl(2)): the kernel notifies the holder before another process opens
//! the file, and makes that process wait.

use super::anchor::Location;
use super::files;
use rustix::fs::{AtFlags, StatxFlags};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// A lease that its holder does not release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The process; `None` if it is in another namespace of processes.
    pub process: Option<u32>,
    pub program: Option<String>,
}

impl fmt::Display for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.program, self.process) {
            (Some(program), Some(process)) => write!(f, "{program} (process {process})"),
            (_, Some(process)) => write!(f, "process {process}"),
            _ => f.write_str("another process"),
        }
    }
}

/// How long a holder gets to release its lease: file servers do so within milliseconds, over a network
/// within a second.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(20);

/// The lease that keeps a regular file from being opened for reading, or for writing too; `None` = nothing
/// does. A holder that obeys the kernel's signal gets the time for that.
pub fn unreleased<L: Location + ?Sized>(location: &L, written: bool) -> Option<Lease> {
    let inode = rustix::fs::stat(location.way()).ok()?.st_ino;
    // Opening for writing has effects: it is not tried without need.
    let mut lease = lease_holder(inode)?;
    for _ in 0..PATIENCE.as_millis() / TICK.as_millis() {
        match files::open_to_locate(location, written) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(TICK),
            _ => return None,
        }
        lease = lease_holder(inode).unwrap_or(lease);
    }
    Some(lease)
}

/// The lease on a file, by attributes in memory: the call does not wait for a server.
pub fn of_file(file: &Path) -> Option<Lease> {
    let flags = AtFlags::STATX_DONT_SYNC;
    lease_holder(rustix::fs::statx(rustix::fs::CWD, file, flags, StatxFlags::INO).ok()?.stx_ino)
}

/// Returns the holder of a lease on a file with this inode. A line of /proc/locks is `1: LEASE  ACTIVE
/// WRITE <process> <major>:<minor>:<inode> 0 EOF`; the NFS server has `DELEG`.
fn lease_holder(inode: u64) -> Option<Lease> {
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let process = locks.lines().find_map(|line| parse_lease(line, inode))?;
    let program = process.and_then(|process| fs::read_to_string(format!("/proc/{process}/comm")).ok());
    Some(Lease { process, program: program.map(|name| name.trim().to_owned()) })
}

/// The process of a line of /proc/locks, where that is a lease on the inode.
fn parse_lease(line: &str, inode: u64) -> Option<Option<u32>> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let is_lease = matches!(words.next()?, "LEASE" | "DELEG");
    let (process, place) = (words.nth(2)?, words.next()?);
    let is_here = place.rsplit(':').next()?.parse() == Ok(inode);
    (is_lease && is_here).then(|| process.parse().ok().filter(|process| *process > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_locks_name_the_holder_of_a_lease() {
        for (line, expected) in [
            ("1: LEASE  ACTIVE    WRITE 1234 fe:00:77 0 EOF", Some(Some(1234))),
            ("2: LEASE  BREAKING  READ  1234 fe:00:77 0 EOF", Some(Some(1234))),
            ("3: DELEG  ACTIVE    READ  0 fe:00:77 0 EOF", Some(None)),
            ("4: LEASE  ACTIVE    WRITE 1234 fe:00:78 0 EOF", None),
            ("5: FLOCK  ADVISORY  WRITE 1234 fe:00:77 0 EOF", None),
            ("", None),
        ] {
            assert_eq!(parse_lease(line, 77), expected, "{line}");
        }
    }

    #[test]
    fn a_file_without_lease_is_not_opened() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(unreleased(file.path(), true), None);
    }
}
