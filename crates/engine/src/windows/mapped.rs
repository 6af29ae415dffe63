//! Windows functions for mapped files, and the meaning of their errors.

use crate::EngineError;
pub(super) use crate::errno::negated;
use diskspd_base::access::IoPriority;
use diskspd_base::io_error::of_windows;
pub(super) use diskspd_sys::mapping::name_of;
use std::io;

/// The error number of an I/O whose data is not in the private memory: an invalid parameter.
pub(super) const NO_MEMORY: i32 = of_windows(87);

/// Stands in the place of the priority of a thread: here files have theirs since they were opened.
#[derive(Debug, Default)]
pub(crate) struct ThreadPriority;

impl ThreadPriority {
    /// Does nothing on Windows.
    #[inline]
    pub(super) fn set(&mut self, _: IoPriority) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Returns the reason and the remedy for a failed mapping.
pub(super) fn explain(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(50) => {
            "-Nn and -Ni need directly mapped persistent memory: a file on a volume that was formatted for \
             direct access (format /dax); use -Nv here"
        }
        None if error.kind() == io::ErrorKind::Unsupported => {
            "-Nn and -Ni are not possible on processors of this architecture; use -Nv"
        }
        Some(1) => "its file system does not support mapped files; leave out -Sm",
        Some(5) => "it must be open for reading and writing",
        Some(8 | 1455) => "there is not enough memory or address space: use fewer threads or targets",
        _ => "Windows refused",
    }
}
