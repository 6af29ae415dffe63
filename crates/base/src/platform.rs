//! Words for the system of this build.

const IS_WINDOWS: bool = cfg!(windows);

/// Name of the program at the beginning of its version, help and pages.
pub const PRODUCT: &str = if IS_WINDOWS { "DiskSpd lab for Windows" } else { "DiskSpd for Linux" };

pub const SYSTEM_LOG: &str = if IS_WINDOWS { "Event Viewer: System" } else { "dmesg" };

/// Name of I/O that bypasses the system's cache.
pub const UNBUFFERED: &str = if IS_WINDOWS { "FILE_FLAG_NO_BUFFERING" } else { "O_DIRECT" };

/// Name of a disk in examples.
pub const EXAMPLE_DISK: &str = if IS_WINDOWS { "#1" } else { "/dev/nvme1n1" };
