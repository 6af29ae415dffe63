//! Privileges of this process beyond its user's rights (capabilities, limits, access), and dropping of
//! unnecessary ones.

use super::limits::{self, Resource};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};
use std::io;
use std::path::Path;

/// Remaining work of the process, which decides its privileges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remaining {
    /// Reading and writing files: reports, pages, comparisons, the history.
    Files,
    /// A run: devices, tracing, locked memory, other users' processes.
    Run,
}

/// A capability that a feature needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    IpcLock,
    Perfmon,
    SysAdmin,
}

/// Capabilities behind root's file access. The last one is for reserved space of file systems, and quotas.
const FILES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SYS_RESOURCE);

/// Further capabilities for runs: priorities, locked memory, events and open files of other processes,
/// mounts, devices, and reading with the rights of another user.
const RUN: CapabilitySet = FILES
    .union(CapabilitySet::IPC_LOCK)
    .union(CapabilitySet::IPC_OWNER)
    .union(CapabilitySet::PERFMON)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SYS_ADMIN)
    .union(CapabilitySet::SYS_NICE)
    .union(CapabilitySet::SYS_PTRACE);

/// Permanently drops unnecessary capabilities, including acquisition by starting a program. Call it while
/// the process has only one thread. A process without capabilities, or on a kernel that refuses, stays
/// unchanged.
pub fn keep(remaining: Remaining) {
    let needed = match remaining {
        Remaining::Files => FILES,
        Remaining::Run => RUN,
    };
    let _ = set_no_new_privs(true);
    if let Ok(held) = capabilities(None) {
        let left = CapabilitySets {
            effective: held.effective & needed,
            permitted: held.permitted & needed,
            inheritable: CapabilitySet::empty(),
        };
        let _ = set_capabilities(None, left);
    }
}

/// Whether this program was started with rights beyond its user's: set-uid, set-gid, or file capabilities.
/// The kernel reports it to every program (`AT_SECURE`), and the dynamic linker then only uses the
/// system's library folders.
#[allow(unsafe_code)]
pub fn are_above_users() -> bool {
    // SAFETY: it takes a number and gives one.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

pub fn has_capability(capability: Capability) -> bool {
    let wanted = match capability {
        Capability::IpcLock => CapabilitySet::IPC_LOCK,
        Capability::Perfmon => CapabilitySet::PERFMON,
        Capability::SysAdmin => CapabilitySet::SYS_ADMIN,
    };
    capabilities(None).is_ok_and(|held| held.effective.contains(wanted))
}

/// Whether this process may read (and with `write` also write) a file. Does not open it.
pub fn may_use(path: &Path, write: bool) -> bool {
    let access = if write { Access::READ_OK | Access::WRITE_OK } else { Access::READ_OK };
    accessat(CWD, path, access, AtFlags::EACCESS).is_ok()
}

pub fn may_write(path: &Path) -> bool {
    accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Returns the limit of locked memory (`ulimit -l`) in bytes; `None` = unlimited.
pub fn lockable() -> io::Result<Option<u64>> {
    limits::current(Resource::LockedMemory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_unprivileged<T: Send>(look: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(look).join().unwrap())
    }

    #[test]
    fn dropped_privileges_stay_dropped_and_files_stay_root() {
        for (remaining, admin) in [(Remaining::Files, false), (Remaining::Run, true)] {
            let (before, after, regained) = run_unprivileged(|| {
                let before = capabilities(None).unwrap();
                keep(remaining);
                let after = capabilities(None).unwrap();
                (before, after, set_capabilities(None, before).is_ok())
            });
            let gone = before.effective - after.effective;
            assert!(!gone.intersects(FILES), "{gone:?}");
            assert!(!after.permitted.intersects(CapabilitySet::SYS_MODULE | CapabilitySet::NET_ADMIN));
            assert_eq!(
                after.effective.contains(CapabilitySet::SYS_ADMIN),
                admin && has_capability(Capability::SysAdmin)
            );
            assert_eq!(regained, before.permitted == after.permitted && before.inheritable.is_empty());
        }
    }

    #[test]
    fn access_is_checked_without_opening() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        assert!(!may_use(&file, false) && !may_write(&file));
        std::fs::write(&file, "").unwrap();
        assert!(may_use(&file, true) && may_write(&file));
    }
}
