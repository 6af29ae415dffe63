//! The kernel's I/O counters of devices and of this process, and the amount of dirty memory.

#[cfg(target_os = "linux")]
mod files;

pub use super::reading::Reading;
#[cfg(windows)]
pub use super::windows::fetched::Counters;
#[cfg(target_os = "linux")]
pub use files::Counters;
