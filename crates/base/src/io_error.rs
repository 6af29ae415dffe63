//! Errors of I/Os: an error number of the kernel, or the status of an NVMe command.

use std::fmt;
use std::io;

/// First error number of NVMe statuses; the kernel's own numbers end at 4095.
const NVME: i32 = 1 << 16;

const WINDOWS: i32 = 1 << 20;

/// I/O errors of Windows with their probable causes (winerror.h).
const OF_WINDOWS: &[(u32, &str)] = &[
    (5, "Access is denied"),
    (8, "Not enough memory resources are available"),
    (19, "The media is write protected; only -w0 can work here"),
    (21, "The device is not ready"),
    (23, "Data error (cyclic redundancy check); the medium failed"),
    (27, "The drive cannot find the sector requested; the medium failed"),
    (29, "The system cannot write to the specified device"),
    (30, "The system cannot read from the specified device"),
    (33, "Another process has locked a portion of the file"),
    (55, "The specified network resource or device is no longer available"),
    (59, "An unexpected network error occurred"),
    (64, "The specified network name is no longer available"),
    (
        87,
        "The parameter is incorrect; offset, length or memory may not be aligned to the sectors of the disk",
    ),
    (112, "There is not enough space on the disk"),
    (121, "The semaphore timeout period has expired; the device did not respond in time"),
    (995, "The I/O operation has been aborted"),
    (998, "Invalid access to memory location; a page of the mapped file was not available"),
    (1117, "The request could not be performed because of an I/O device error"),
    (1167, "The device is not connected"),
    (1450, "Insufficient system resources exist to complete the requested service"),
];

/// Returns the stored number of an error of Windows.
pub const fn of_windows(error: u32) -> i32 {
    // Their numbers end below 65,536.
    WINDOWS + (error & 0xffff).cast_signed()
}

/// Returns the text of an error of Windows; `None` = an error of another system.
fn text_of_windows(number: i32) -> Option<String> {
    let error = number.checked_sub(WINDOWS).filter(|error| *error >= 0)?;
    let known = OF_WINDOWS.iter().find(|(known, _)| i64::from(*known) == i64::from(error));
    Some(known.map_or_else(
        || format!("error {error} of Windows"),
        |(_, text)| format!("{text} (error {error} of Windows)"),
    ))
}

/// Returns the meaning of an error number, either the kernel's, or from [`NvmeStatus::number`] or
/// [`of_windows`].
pub fn describe(number: i32) -> String {
    if let Some(text) = text_of_windows(number) {
        return text;
    }
    match NvmeStatus::of_number(number) {
        Some(status) => status.to_string(),
        None => io::Error::from_raw_os_error(number).to_string(),
    }
}

pub fn error(number: i32) -> io::Error {
    if let Some(text) = text_of_windows(number) {
        return io::Error::other(text);
    }
    match NvmeStatus::of_number(number) {
        Some(status) => io::Error::other(status.to_string()),
        None => io::Error::from_raw_os_error(number),
    }
}

/// Status of an NVMe command that failed: its type and its code (NVM Express Base Specification 2.0,
/// 3.3.3.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NvmeStatus(u16);

/// Type and code of a status, its name, and its probable cause.
type StatusRow = (u8, u8, &'static str, &'static str);

/// Status codes of reads, writes and similar commands, with their names in the specification.
const STATUSES: &[StatusRow] = &[
    (0, 0x01, "Invalid Command Opcode", "; the controller does not have this command"),
    (0, 0x02, "Invalid Field in Command", "; the controller refuses this size or option: try a smaller -b"),
    (0, 0x04, "Data Transfer Error", "; see dmesg"),
    (0, 0x05, "Commands Aborted due to Power Loss Notification", ""),
    (0, 0x06, "Internal Error", "; the controller failed: see dmesg and nvme smart-log"),
    (0, 0x07, "Command Abort Requested", "; the kernel's timeout ended it: see dmesg"),
    (0, 0x08, "Command Aborted due to SQ Deletion", "; the controller was reset: see dmesg"),
    (0, 0x0b, "Invalid Namespace or Format", "; the namespace was removed or formatted"),
    (0, 0x1c, "Sanitize Failed", ""),
    (0, 0x1d, "Sanitize In Progress", "; wait until it has ended: nvme sanitize-log"),
    (0, 0x20, "Namespace is Write Protected", "; only -w0 can work here"),
    (0, 0x21, "Command Interrupted", "; try again"),
    (0, 0x22, "Transient Transport Error", "; try again"),
    (0, 0x29, "FDP Disabled", "; data placement is off in the endurance group"),
    (0, 0x2a, "Invalid Placement Handle List", ""),
    (0, 0x80, "LBA Out of Range", "; the namespace has become smaller"),
    (0, 0x81, "Capacity Exceeded", "; the device has no room left: deallocate some (--trim)"),
    (0, 0x82, "Namespace Not Ready", "; see dmesg"),
    (0, 0x83, "Reservation Conflict", "; another host holds a reservation: nvme resv-report"),
    (0, 0x84, "Format In Progress", "; wait until it has ended"),
    (1, 0x80, "Conflicting Attributes", ""),
    (1, 0x81, "Invalid Protection Information", "; the namespace is formatted with protection information"),
    (1, 0x82, "Attempted Write to Read Only Range", "; only -w0 can work here"),
    (1, 0xb8, "Zone Boundary Error", "; choose a -b that divides the size of a zone"),
    (1, 0xb9, "Zone Is Full", "; a zone can be rewritten only after a reset"),
    (1, 0xba, "Zone Is Read Only", ""),
    (1, 0xbb, "Zone Is Offline", ""),
    (1, 0xbc, "Zone Invalid Write", "; zones can be written only at their write pointer"),
    (1, 0xbd, "Too Many Active Zones", ""),
    (1, 0xbe, "Too Many Open Zones", ""),
    (2, 0x80, "Write Fault", "; the medium failed: see nvme smart-log"),
    (2, 0x81, "Unrecovered Read Error", "; the medium failed: see nvme smart-log"),
    (2, 0x82, "End-to-end Guard Check Error", ""),
    (2, 0x83, "End-to-end Application Tag Check Error", ""),
    (2, 0x84, "End-to-end Reference Tag Check Error", ""),
    (2, 0x85, "Compare Failure", ""),
    (2, 0x86, "Access Denied", "; the range is locked: see nvme security and sedutil"),
    (2, 0x87, "Deallocated or Unwritten Logical Block", "; write the blocks first"),
    (3, 0x00, "Internal Path Error", "; see dmesg"),
    (3, 0x70, "Host Path Error", "; see dmesg"),
    (3, 0x71, "Command Aborted By Host", "; the kernel's timeout ended it: see dmesg"),
];

impl NvmeStatus {
    /// Creates a status from the kernel's form: code in the low eight bits, type in the next three. Higher
    /// bits do not describe the failure.
    pub fn new(status: u16) -> NvmeStatus {
        NvmeStatus(status & 0x7ff)
    }

    pub fn of_number(number: i32) -> Option<NvmeStatus> {
        (NVME..NVME + 0x800).contains(&number).then(|| NvmeStatus((number - NVME) as u16))
    }

    /// Returns the error number, outside the kernel's range: 65536 plus the status.
    pub fn number(self) -> i32 {
        NVME + i32::from(self.0)
    }

    pub fn code_type(self) -> u8 {
        (self.0 >> 8) as u8
    }

    pub fn code(self) -> u8 {
        self.0 as u8
    }

    fn status_row(self) -> Option<&'static StatusRow> {
        STATUSES.iter().find(|(kind, code, ..)| (*kind, *code) == (self.code_type(), self.code()))
    }

    /// Returns the likely cause and the remedy, separated by a semicolon; empty if unknown.
    pub fn usual_cause(self) -> &'static str {
        self.status_row().map_or("", |(_, _, _, cause)| cause)
    }
}

/// Formats `Unrecovered Read Error (NVMe status type 2h, code 81h)`.
impl fmt::Display for NvmeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.status_row().map_or("the device failed the command", |(_, _, name, _)| name);
        write!(f, "{name} (NVMe status type {:x}h, code {:02x}h)", self.code_type(), self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_errors_are_named_on_every_system() {
        assert_eq!(describe(of_windows(112)), "There is not enough space on the disk (error 112 of Windows)");
        assert_eq!(describe(of_windows(4390)), "error 4390 of Windows");
        assert_eq!(error(of_windows(5)).to_string(), "Access is denied (error 5 of Windows)");
        assert!(!describe(NVME + 0x281).contains("Windows") && !describe(5).contains("Windows"));
    }

    #[test]
    fn nvme_status_is_described_by_type_code_and_name() {
        let status = NvmeStatus::new(0x6281);
        assert_eq!(status.to_string(), "Unrecovered Read Error (NVMe status type 2h, code 81h)");
        assert_eq!(NvmeStatus::of_number(status.number()), Some(status));
        assert_eq!(describe(status.number()), status.to_string());
        let unknown = NvmeStatus::new(0x7c3);
        assert_eq!(unknown.to_string(), "the device failed the command (NVMe status type 7h, code c3h)");
        assert_eq!(unknown.usual_cause(), "");
    }

    #[test]
    fn kernel_error_numbers_are_not_nvme_statuses() {
        for number in [0, 5, 4095, NVME - 1, NVME + 0x800, -5, i32::MIN] {
            assert_eq!(NvmeStatus::of_number(number), None, "{number}");
        }
        assert_eq!(describe(5), io::Error::from_raw_os_error(5).to_string());
        assert_eq!(error(5).raw_os_error(), Some(5));
    }
}
