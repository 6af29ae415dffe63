//! Reads files with the rights of other users. Root could otherwise be made to read a secret by a file of a
//! user without access to it.

use super::files;
use rustix::process::{Gid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_thread_groups};
use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Opens a file for reading that another file names. Root opens it with the rights of each of these users, so
/// that modes, access lists and folders apply as for that user.
///
/// # Errors
/// Fails if it cannot be opened, an owner may not read it, or it is a file of the kernel, which may block
/// forever.
pub fn open(path: &Path, owners: &[u32]) -> io::Result<File> {
    let own = geteuid();
    let mut opened: Option<File> = None;
    for owner in owners.iter().copied().filter(|_| own.is_root()).filter(|owner| *owner != 0) {
        let forbidden = |why: io::Error| {
            let message = format!(
                "user {owner} named this file and may not read it ({why}); to allow it, run your own copy of \
                 the file of that user"
            );
            io::Error::new(why.kind(), message)
        };
        let file = open_as(path, owner).map_err(forbidden)?;
        if let Some(before) = &opened
            && file_identity(before)? != file_identity(&file)?
        {
            return Err(forbidden(io::Error::other("the path leads elsewhere by now")));
        }
        opened = Some(file);
    }
    let file = opened.map_or_else(|| File::open(path), Ok)?;
    files::refuse_kernel_file(&file)?;
    Ok(file)
}

fn file_identity(file: &File) -> io::Result<(u64, u64)> {
    let found = file.metadata()?;
    Ok((found.dev(), found.ino()))
}

/// Opens a file in a thread that has the rights of this user alone: rights are a thread's (credentials(7)).
fn open_as(path: &Path, owner: u32) -> io::Result<File> {
    let (group, groups) = groups_of(owner);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("owner".into()).spawn_scoped(scope, || {
            become_user(owner, group, &groups)?;
            File::open(path)
        })?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that opens it failed")))
    })
}

/// Drops all privileges of this thread that the user does not have.
fn become_user(user: u32, group: u32, groups: &[u32]) -> io::Result<()> {
    let groups: Vec<Gid> = groups.iter().copied().map(Gid::from_raw).collect();
    set_thread_groups(&groups)?;
    // SAFETY: both take numbers, change this thread alone, and return the number before.
    let (group_now, user_now) = unsafe {
        libc::setfsgid(group);
        libc::setfsuid(user);
        (libc::setfsgid(u32::MAX), libc::setfsuid(u32::MAX))
    };
    // They report no errors (setfsuid(2)).
    if (group_now as u32, user_now as u32) != (group, user) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// Group of a user without an entry.
const UNKNOWN_GROUP: u32 = u32::MAX - 1;

fn groups_of(user: u32) -> (u32, Vec<u32>) {
    let mut text: Vec<libc::c_char> = vec![0; 1 << 16];
    // SAFETY: an entry of numbers and pointers may be all zeros.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: the entry points into `text`, which is as long as is told here and outlives it.
    let error = unsafe { libc::getpwuid_r(user, &mut entry, text.as_mut_ptr(), text.len(), &mut found) };
    if error != 0 || found.is_null() {
        return (UNKNOWN_GROUP, Vec::new());
    }
    // SAFETY: a found entry has a name that ends with a zero, in `text`.
    let name = unsafe { CStr::from_ptr(entry.pw_name) };
    let mut groups: Vec<u32> = vec![0; 1 << 12];
    let mut count = groups.len() as libc::c_int;
    // SAFETY: the name ends with a zero, and `groups` has room for `count` numbers.
    let all = unsafe { libc::getgrouplist(name.as_ptr(), entry.pw_gid, groups.as_mut_ptr(), &mut count) };
    groups.truncate(usize::try_from(all).unwrap_or(0));
    (entry.pw_gid, groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    const USER: u32 = 54_321;

    #[test]
    fn opens_only_what_owners_may_read() {
        if !geteuid().is_root() {
            return eprintln!("skipped: needs root");
        }
        let folder = tempfile::tempdir().unwrap();
        let (open_folder, closed) = (folder.path().join("open"), folder.path().join("closed"));
        for (path, mode) in [(&open_folder, 0o755), (&closed, 0o700)] {
            fs::create_dir(path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        for (place, owner, mode, allowed) in [
            (&open_folder, 0, 0o644, true),
            (&open_folder, 0, 0o640, false),
            (&open_folder, 0, 0o600, false),
            (&open_folder, USER, 0o400, true),
            (&open_folder, USER, 0o200, false),
            (&closed, 0, 0o644, false),
            (&closed, USER, 0o644, false),
        ] {
            let file = place.join("a");
            fs::write(&file, "secret").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            chown(&file, Some(owner), None).unwrap();
            for (owners, allowed) in
                [(&[USER][..], allowed), (&[0, USER], allowed), (&[0], true), (&[], true)]
            {
                let opened = super::open(&file, owners);
                assert_eq!(opened.is_ok(), allowed, "{owner} {mode:o} {owners:?}");
                if !allowed {
                    let refusal = opened.unwrap_err().to_string();
                    assert!(refusal.starts_with(&format!("user {USER} named this file")), "{refusal}");
                }
            }
            fs::remove_file(&file).unwrap();
        }
        for file in ["/proc/self/status", "/sys/kernel/uevent_seqnum"] {
            let refused = super::open(Path::new(file), &[]).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{file}");
        }
        super::open(Path::new("/dev/zero"), &[]).unwrap();
        // Only the thread that opened them has given up rights.
        fs::write(closed.join("own"), "").unwrap();
        let missing = super::open(&closed.join("none"), &[]).unwrap_err();
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
    }
}
