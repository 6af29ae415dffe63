//! The kernel made safe: the only place where `unsafe` is allowed.
//!
//! What plans and records speak of (a path's bytes, a time, how a file is opened) is plain data and there
//! on every system.

#![allow(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

#[cfg(target_arch = "x86_64")]
mod cpuid;
pub mod crc32c;
pub mod file_systems;
pub mod io_priority;
pub mod kernel_clock;
pub mod multiples;
pub mod mutex;
pub mod time_stamp;

// Linux itself.
pub mod aio;
pub mod anchor;
pub mod blkid;
pub mod block;
pub mod child;
pub mod clock;
pub mod cpu;
pub mod cpu_latency;
pub mod event;
pub mod extents;
pub mod files;
pub mod folder;
pub mod inode;
pub mod lent;
mod lifetimes;
pub mod locks;
pub mod loops;
pub mod mapping;
pub mod memory;
pub mod mpi;
pub mod noop;
pub mod nvme;
pub mod operation;
pub mod own_wait;
pub mod page_cache;
pub mod perf;
pub mod place;
pub mod positioned;
pub mod privileges;
pub mod problem;
pub mod process;
pub mod real_time;
pub mod ring;
pub mod room;
pub mod signals;
pub mod standard_error;
pub mod standard_output;
pub mod terminal;
mod told_block;
pub mod transfer;
pub mod usage;
pub mod ways;
pub mod writeback;
