//! The kernel made safe: the only place where `unsafe` is allowed.
//!
//! What plans and records speak of (a path's bytes, a time, how a file is opened) is plain data and there
//! on every system.
#![allow(unsafe_code)]

pub mod clock;
#[cfg(target_arch = "x86_64")]
mod cpuid;
pub mod crc32c;
pub mod file_systems;
pub mod io_priority;
pub mod map_options;
pub mod multiples;
pub mod mutex;
pub mod open_mode;
pub mod path;
pub mod time_stamp;
pub mod trim;

// Linux itself.
#[cfg(target_os = "linux")]
pub mod aio;
#[cfg(target_os = "linux")]
pub mod blkid;
#[cfg(target_os = "linux")]
pub mod block;
#[cfg(target_os = "linux")]
pub mod cpu;
#[cfg(target_os = "linux")]
pub mod cpu_latency;
#[cfg(target_os = "linux")]
pub mod event;
#[cfg(target_os = "linux")]
pub mod extents;
#[cfg(target_os = "linux")]
pub mod files;
#[cfg(target_os = "linux")]
pub mod folder;
#[cfg(target_os = "linux")]
pub mod inode;
#[cfg(target_os = "linux")]
pub mod lent;
#[cfg(target_os = "linux")]
pub mod locks;
#[cfg(target_os = "linux")]
pub mod loops;
#[cfg(target_os = "linux")]
pub mod mapping;
#[cfg(target_os = "linux")]
pub mod memory;
#[cfg(target_os = "linux")]
pub mod mpi;
#[cfg(target_os = "linux")]
pub mod noop;
#[cfg(target_os = "linux")]
pub mod own_wait;
#[cfg(target_os = "linux")]
pub mod page_cache;
#[cfg(target_os = "linux")]
pub mod perf;
#[cfg(target_os = "linux")]
pub mod place;
#[cfg(target_os = "linux")]
pub mod positioned;
#[cfg(target_os = "linux")]
pub mod privileges;
#[cfg(target_os = "linux")]
pub mod problem;
#[cfg(target_os = "linux")]
pub mod process;
#[cfg(target_os = "linux")]
pub mod real_time;
#[cfg(target_os = "linux")]
pub mod ring;
#[cfg(target_os = "linux")]
pub mod room;
#[cfg(target_os = "linux")]
pub mod signals;
#[cfg(target_os = "linux")]
pub mod standard_error;
#[cfg(target_os = "linux")]
pub mod standard_output;
#[cfg(target_os = "linux")]
pub mod terminal;
#[cfg(target_os = "linux")]
mod told_block;
#[cfg(target_os = "linux")]
pub mod transfer;
#[cfg(target_os = "linux")]
pub mod usage;
#[cfg(target_os = "linux")]
pub mod writeback;

/// Tests that start programs share it, those that count on closed files and locks take it alone: a program
/// that is just being started has copies of all descriptors until it runs.
#[cfg(test)]
pub(crate) static STARTING: std::sync::RwLock<()> = std::sync::RwLock::new(());
