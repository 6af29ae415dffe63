//! Leases of files (`F_SETLEASE` of fcntl(2)): the kernel notifies the holder before another process opens
//! the file, and makes that process wait.

use super::anchor::Location;
use super::files;
use rustix::fs::{AtFlags, StatxFlags};
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// A lease that its holder does not release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Process; `None` = in another PID namespace.
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

/// Time limit for a holder to release its lease. File servers do so within milliseconds, or within a second
/// over a network.
const MAX_LEASE_WAIT: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(20);

/// The lease that keeps a regular file from being opened for reading, or for writing too; `None` = nothing
/// does. A holder that obeys the kernel's signal gets the time for that.
pub fn unreleased<L: Location + ?Sized>(location: &L, written: bool) -> Option<Lease> {
    let inode = rustix::fs::stat(location.access_path()).ok()?.st_ino;
    Leases::read().unreleased(location, inode, written)
}

/// The lease on a file, by attributes in memory: the call does not wait for a server.
pub fn of_file(file: &Path) -> Option<Lease> {
    let flags = AtFlags::STATX_DONT_SYNC;
    let found = rustix::fs::statx(rustix::fs::CWD, file, flags, StatxFlags::INO).ok()?;
    Leases::read().holder(found.stx_ino)
}

/// Leases at one time, from one read of /proc/locks.
#[derive(Debug, Default)]
pub struct Leases {
    /// First holder by inode; `None` = in another PID namespace.
    holders: HashMap<u64, Option<u32>>,
}

impl Leases {
    /// Reads the current leases; empty = unknown.
    pub fn read() -> Leases {
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        let mut holders = HashMap::new();
        for (inode, process) in locks.lines().filter_map(parse_lease) {
            holders.entry(inode).or_insert(process);
        }
        Leases { holders }
    }

    /// As [`unreleased`], for a file with this inode.
    pub fn unreleased<L: Location + ?Sized>(&self, location: &L, inode: u64, written: bool) -> Option<Lease> {
        // Opening for writing has effects: it is not tried without need.
        let mut lease = self.holder(inode)?;
        for _ in 0..MAX_LEASE_WAIT.as_millis() / TICK.as_millis() {
            match files::open_to_locate(location, written) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(TICK),
                _ => return None,
            }
            lease = Leases::read().holder(inode).unwrap_or(lease);
        }
        Some(lease)
    }

    fn holder(&self, inode: u64) -> Option<Lease> {
        let process = *self.holders.get(&inode)?;
        let program = process.and_then(|process| fs::read_to_string(format!("/proc/{process}/comm")).ok());
        Some(Lease { process, program: program.map(|name| name.trim().to_owned()) })
    }
}

/// Returns the inode and the process of a lease. A line of /proc/locks is `1: LEASE  ACTIVE  WRITE <process>
/// <major>:<minor>:<inode> 0 EOF`; the NFS server has `DELEG`.
fn parse_lease(line: &str) -> Option<(u64, Option<u32>)> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let is_lease = matches!(words.next()?, "LEASE" | "DELEG");
    let (process, place) = (words.nth(2)?, words.next()?);
    let inode = place.rsplit(':').next()?.parse().ok()?;
    is_lease.then(|| (inode, process.parse().ok().filter(|process| *process > 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_locks_name_the_holder_of_a_lease() {
        for (line, expected) in [
            ("1: LEASE  ACTIVE    WRITE 1234 fe:00:77 0 EOF", Some((77, Some(1234)))),
            ("2: LEASE  BREAKING  READ  1234 fe:00:78 0 EOF", Some((78, Some(1234)))),
            ("3: DELEG  ACTIVE    READ  0 fe:00:77 0 EOF", Some((77, None))),
            ("5: FLOCK  ADVISORY  WRITE 1234 fe:00:77 0 EOF", None),
            ("", None),
        ] {
            assert_eq!(parse_lease(line), expected, "{line}");
        }
    }

    #[test]
    fn a_file_without_lease_is_not_opened() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(unreleased(file.path(), true), None);
    }
}
