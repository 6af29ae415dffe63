//! System queries about the machine. Results of variable length are returned unparsed; the caller must
//! validate them.

use std::io;
use std::ptr::null_mut;
use windows_sys::Wdk::System::SystemInformation::NtQuerySystemInformation;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::{ERROR_INSUFFICIENT_BUFFER, ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::System::Power::{PowerGetActiveScheme, PowerReadFriendlyName};
use windows_sys::Win32::System::SystemInformation::{
    GROUP_AFFINITY, GetLogicalProcessorInformationEx, GetNativeSystemInfo, GlobalMemoryStatusEx,
    MEMORYSTATUSEX, OSVERSIONINFOW, RelationCache, RelationGroup, RelationNumaNode, RelationNumaNodeEx,
    RelationProcessorCore, RelationProcessorPackage, SYSTEM_INFO,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessAffinityMask};
use windows_sys::core::GUID;

// Who reads the answers takes masks to have 64 bits.
const _: () = assert!(size_of::<GROUP_AFFINITY>() == 16, "64-bit Windows only");

#[link(name = "ntdll.dll", kind = "raw-dylib", modifiers = "+verbatim")]
unsafe extern "system" {
    fn NtQuerySystemInformationEx(
        class: i32,
        input: *const core::ffi::c_void,
        input_length: u32,
        output: *mut core::ffi::c_void,
        output_length: u32,
        length: *mut u32,
    ) -> i32;
}

/// `SystemProcessorPerformanceInformation`
const PROCESSOR_TIMES: i32 = 8;

const TIMES_OF_ONE: usize = 48;

const GROUP: usize = 64;

const MAX_TRIES: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Groups with their active processors.
    Groups,
    /// NUMA nodes with all their groups (since Windows Server 2022).
    NodesOfAllGroups,
    /// NUMA nodes, each with one of its groups.
    Nodes,
    Sockets,
    Cores,
    Caches,
}

/// Returns consecutive structures `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX` of this relation.
///
/// # Errors
/// Fails with the system's error: older systems do not know all relations.
pub fn processors(relation: Relation) -> io::Result<Vec<u8>> {
    let relation = match relation {
        Relation::Groups => RelationGroup,
        Relation::NodesOfAllGroups => RelationNumaNodeEx,
        Relation::Nodes => RelationNumaNode,
        Relation::Sockets => RelationProcessorPackage,
        Relation::Cores => RelationProcessorCore,
        Relation::Caches => RelationCache,
    };
    // Of numbers of 64 bits, because the system wants its structures aligned like these.
    let mut answer: Vec<u64> = vec![0; 512];
    for _ in 0..MAX_TRIES {
        let mut length = u32::try_from(answer.len() * 8).unwrap_or(u32::MAX);
        // SAFETY: the buffer is aligned for the structures; the system writes at most `length` bytes, and
        // the length that it takes.
        let done = unsafe {
            GetLogicalProcessorInformationEx(relation, answer.as_mut_ptr().cast(), &raw mut length)
        };
        let length = usize::try_from(length).unwrap_or(0);
        if done != 0 {
            return Ok(answer_bytes(&answer, length));
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != i32::try_from(ERROR_INSUFFICIENT_BUFFER).ok() {
            return Err(error);
        }
        answer = vec![0; length.div_ceil(8).max(answer.len() * 2)];
    }
    Err(io::ErrorKind::InvalidData.into())
}

fn answer_bytes(answer: &[u64], length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = answer.iter().flat_map(|part| part.to_ne_bytes()).collect();
    bytes.truncate(length);
    bytes
}

/// Returns the structures `SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION` of a group's active processors.
/// `only` = the machine has no other group, which allows a query on systems without group support.
///
/// # Errors
/// Fails if the system does not report them.
pub fn processor_times(group: u16, only: bool) -> io::Result<Vec<u8>> {
    let mut answer = [0_u64; GROUP * TIMES_OF_ONE / 8];
    let (at, size) = (answer.as_mut_ptr().cast(), u32::try_from(size_of_val(&answer)).unwrap_or(0));
    let mut length = 0;
    let input = (&raw const group).cast();
    // SAFETY: the group's number and the buffer live on this stack, with the sizes that are told.
    let by_group =
        unsafe { NtQuerySystemInformationEx(PROCESSOR_TIMES, input, 2, at, size, &raw mut length) };
    if by_group >= 0 && length > 0 {
        return Ok(answer_bytes(&answer, usize::try_from(length).unwrap_or(0)));
    }
    if !only {
        return Err(io::Error::other(format!("times of group {group}: status {by_group:#x}")));
    }
    // SAFETY: as above.
    let status = unsafe { NtQuerySystemInformation(PROCESSOR_TIMES, at, size, &raw mut length) };
    match status >= 0 {
        true => Ok(answer_bytes(&answer, usize::try_from(length).unwrap_or(0))),
        false => Err(io::Error::other(format!("CPU times: status {status:#x}"))),
    }
}

/// Returns the total memory, and the memory available without paging, in bytes; `None` if unknown.
pub fn memory() -> Option<(u64, u64)> {
    // SAFETY: the structure is made of integers, for which all bytes zero are a value.
    let mut found: MEMORYSTATUSEX = unsafe { std::mem::zeroed() };
    found.dwLength = u32::try_from(size_of::<MEMORYSTATUSEX>()).unwrap_or(0);
    // SAFETY: the structure lives on this stack and says how long it is.
    let done = unsafe { GlobalMemoryStatusEx(&raw mut found) };
    (done != 0).then_some((found.ullTotalPhys, found.ullAvailPhys))
}

pub fn page_size() -> u32 {
    // SAFETY: the structure is made of integers and pointers, for which all bytes zero are a value.
    let mut found: SYSTEM_INFO = unsafe { std::mem::zeroed() };
    // SAFETY: the structure lives on this stack; the system always answers.
    unsafe { GetNativeSystemInfo(&raw mut found) };
    found.dwPageSize
}

/// Returns the actual version of the system, without compatibility substitution: major, minor, build.
pub fn version() -> Option<[u32; 3]> {
    // SAFETY: the structure is made of integers, for which all bytes zero are a value.
    let mut found: OSVERSIONINFOW = unsafe { std::mem::zeroed() };
    found.dwOSVersionInfoSize = u32::try_from(size_of::<OSVERSIONINFOW>()).unwrap_or(0);
    // SAFETY: the structure lives on this stack and says how long it is.
    let status = unsafe { RtlGetVersion(&raw mut found) };
    (status >= 0).then_some([found.dwMajorVersion, found.dwMinorVersion, found.dwBuildNumber])
}

/// Returns the GUID of the active power scheme, and its name if it has one.
pub fn power_scheme() -> Option<(String, Option<String>)> {
    let mut scheme: *mut GUID = null_mut();
    // SAFETY: the system writes one pointer, to memory that is ours to give back.
    let status = unsafe { PowerGetActiveScheme(null_mut(), &raw mut scheme) };
    if status != ERROR_SUCCESS || scheme.is_null() {
        return None;
    }
    // SAFETY: the system has just put a GUID there.
    let guid = unsafe { *scheme };
    // SAFETY: that memory is given back once, and not looked at afterwards.
    unsafe { LocalFree(scheme.cast()) };
    Some((text(&guid), scheme_name(&guid)))
}

fn scheme_name(guid: &GUID) -> Option<String> {
    let mut units = [0_u16; 256];
    let mut length = u32::try_from(size_of_val(&units)).unwrap_or(0);
    let (no_key, none) = (null_mut(), std::ptr::null());
    let at = units.as_mut_ptr().cast();
    // SAFETY: the GUID is borrowed; the system writes at most `length` bytes to the buffer on this stack.
    let status = unsafe { PowerReadFriendlyName(no_key, guid, none, none, at, &raw mut length) };
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    let name = String::from_utf16_lossy(&units[..end]);
    (status == ERROR_SUCCESS && !name.is_empty()).then_some(name)
}

/// Formats `381b4222-f694-41f0-9685-ff5bb260df2e`.
fn text(guid: &GUID) -> String {
    let tail: Vec<String> = guid.data4.iter().map(|byte| format!("{byte:02x}")).collect();
    let (first, last) = (tail[..2].concat(), tail[2..].concat());
    format!("{:08x}-{:04x}-{:04x}-{first}-{last}", guid.data1, guid.data2, guid.data3)
}

/// Returns the processor masks of this process and of its group; `None` if unknown, or if its threads are
/// in several groups.
pub fn affinity() -> Option<(u64, u64)> {
    let (mut own, mut all) = (0_usize, 0_usize);
    // SAFETY: the handle stands for this process, always; both numbers live on this stack.
    let done = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut own, &raw mut all) };
    (done != 0 && own != 0).then_some((own as u64, all as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_has_processors_memory_and_a_version() {
        for relation in [Relation::Groups, Relation::Nodes, Relation::Sockets, Relation::Cores] {
            let answer = processors(relation).unwrap();
            let size = u32::from_le_bytes(answer[4..8].try_into().unwrap());
            assert!(size >= 32 && usize::try_from(size).unwrap() <= answer.len(), "{relation:?} {size}");
        }
        let times = processor_times(0, true).unwrap();
        assert!(!times.is_empty() && times.len().is_multiple_of(TIMES_OF_ONE), "{}", times.len());
        assert!(memory().is_some_and(|(all, free)| all >= free && free > 0));
        assert!(page_size().is_power_of_two() && version().is_some_and(|version| version[0] >= 6));
        assert!(affinity().is_none_or(|(own, all)| own & !all == 0));
    }

    #[test]
    fn guid_has_diskspd_format() {
        let guid = GUID::from_u128(0x381b4222_f694_41f0_9685_ff5bb260df2e);
        assert_eq!(text(&guid), "381b4222-f694-41f0-9685-ff5bb260df2e");
        assert!(power_scheme().is_none_or(|(guid, _)| guid.len() == 36));
    }
}
