//! Privileges that a process may hold and has to ask for.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::{ERROR_NOT_ALL_ASSIGNED, HANDLE};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_MANAGE_VOLUME_NAME, SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privilege {
    /// `SeManageVolumePrivilege`: allows to mark the content of a file as valid.
    ManageVolumes,
    LockMemory,
}

pub(crate) fn has_privilege(privilege: Privilege) -> bool {
    let mut token: HANDLE = std::ptr::null_mut();
    let wanted = TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY;
    // SAFETY: the handle stands for this process; one handle is written, which lives on this stack.
    if unsafe { OpenProcessToken(GetCurrentProcess(), wanted, &raw mut token) } == 0 {
        return false;
    }
    // SAFETY: it was opened for this caller, and nobody else knows it.
    let token = unsafe { OwnedHandle::from_raw_handle(token.cast()) };
    let mut privileges = TOKEN_PRIVILEGES {
        PrivilegeCount: 1,
        Privileges: [LUID_AND_ATTRIBUTES { Attributes: SE_PRIVILEGE_ENABLED, ..Default::default() }],
    };
    let luid = &raw mut privileges.Privileges[0].Luid;
    let name = match privilege {
        Privilege::ManageVolumes => SE_MANAGE_VOLUME_NAME,
        Privilege::LockMemory => SE_LOCK_MEMORY_NAME,
    };
    // SAFETY: the name ends with 0; one number is written, which lives on this stack.
    if unsafe { LookupPrivilegeValueW(std::ptr::null(), name, luid) } == 0 {
        return false;
    }
    let (handle, none) = (token.as_raw_handle().cast(), std::ptr::null_mut());
    // SAFETY: the token is open; the system reads one structure, and writes nothing.
    let answer =
        unsafe { AdjustTokenPrivileges(handle, 0, &raw const privileges, 0, none, std::ptr::null_mut()) };
    let lacks = io::Error::last_os_error().raw_os_error() == i32::try_from(ERROR_NOT_ALL_ASSIGNED).ok();
    answer != 0 && !lacks
}
