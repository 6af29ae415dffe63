//! The kernel's counters of devices, of this process, and of what waits in memory to be written.

#[cfg(target_os = "linux")]
mod files;

pub use super::reading::Reading;
#[cfg(windows)]
pub use super::windows::fetched::Counters;
#[cfg(target_os = "linux")]
pub use files::Counters;
