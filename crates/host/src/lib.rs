//! Access to the machine: processors, devices and their users, storage stacks, and kernel counters.
//!
//! The results are plain data of [`diskspd_machine`], the same on Linux and Windows. `windows`
//! contains the Windows implementation.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

#[cfg(target_os = "linux")]
pub mod arrays;
#[cfg_attr(windows, path = "windows/blocked_calls.rs")]
pub mod blocked_calls;
#[cfg(target_os = "linux")]
pub mod caches;
#[cfg(target_os = "linux")]
pub mod cgroup;
#[cfg(target_os = "linux")]
pub mod claims;
#[cfg(target_os = "linux")]
pub mod completion_probe;
#[cfg(target_os = "linux")]
pub mod content;
#[cfg(target_os = "linux")]
pub mod cpu_sleeps;
pub mod cpu_times;
#[cfg(target_os = "linux")]
mod device;
#[cfg(target_os = "linux")]
pub mod device_log;
#[cfg(target_os = "linux")]
mod device_number;
#[cfg(target_os = "linux")]
pub mod devices;
#[cfg(target_os = "linux")]
pub mod discards;
mod disks;
#[cfg(target_os = "linux")]
pub mod environment;
#[cfg(target_os = "linux")]
mod file_place;
#[cfg(target_os = "linux")]
pub mod file_state;
#[cfg(target_os = "linux")]
pub mod interrupts;
pub mod io_counters;
#[cfg(target_os = "linux")]
pub mod io_features;
#[cfg(target_os = "linux")]
pub mod launched;
#[cfg(target_os = "linux")]
pub mod located;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod mapping;
#[cfg(target_os = "linux")]
pub mod memory_backed;
#[cfg(target_os = "linux")]
mod mountinfo;
#[cfg(target_os = "linux")]
mod nvme;
#[cfg(target_os = "linux")]
pub mod path_states;
pub mod permission;
mod platform;
#[cfg(target_os = "linux")]
mod process_stat;
#[cfg(target_os = "linux")]
pub mod process_tree;
#[cfg(target_os = "linux")]
pub mod queue_settings;
mod reading;
#[cfg(target_os = "linux")]
pub mod refusal;
#[cfg(target_os = "linux")]
pub mod remote_counters;
#[cfg(target_os = "linux")]
pub mod root;
#[cfg(target_os = "linux")]
mod share;
pub mod signatures;
#[cfg(target_os = "linux")]
pub mod stack;
#[cfg(target_os = "linux")]
mod stacked;
#[cfg(target_os = "linux")]
pub mod storage;
#[cfg(target_os = "linux")]
pub mod target;
#[cfg(target_os = "linux")]
pub mod tasks;
#[cfg(target_os = "linux")]
pub mod thermal;
#[cfg(target_os = "linux")]
pub mod threads;
#[cfg(target_os = "linux")]
mod topology;
#[cfg(target_os = "linux")]
pub mod tracer;
#[cfg(target_os = "linux")]
pub mod tracing;
#[cfg(target_os = "linux")]
mod unclaimed_users;
#[cfg(target_os = "linux")]
pub mod unread_facts;
#[cfg(target_os = "linux")]
mod usage;
#[cfg(target_os = "linux")]
pub mod window_counters;
mod write_refused;
#[cfg(target_os = "linux")]
pub mod zones;
#[cfg(target_os = "linux")]
pub mod zram_pages;

// Its answers are read by the same code in tests on every system.
#[cfg(any(windows, test))]
mod windows;

#[cfg(target_os = "linux")]
pub use arrays::find_arrays as arrays_beneath;
#[cfg(target_os = "linux")]
pub use device::{Details, details, name_of_world};
#[cfg(target_os = "linux")]
pub use machine::{boot, look_around_at, name, read, read_environment, snapshot};
#[cfg(target_os = "linux")]
pub use mountinfo::mounted;
#[cfg(windows)]
pub use windows::fetched::{
    arrays_beneath, boot, caches, claims, content, devices, name, read_environment, refusal, root, snapshot,
    stack, storage, target,
};
