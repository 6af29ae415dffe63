//! The kernel made safe: the only place where `unsafe` is allowed.
#![allow(unsafe_code)]

pub mod aio;
pub mod blkid;
pub mod block;
pub mod clock;
pub mod cpu;
pub mod cpu_latency;
pub mod event;
pub mod extents;
pub mod file_systems;
pub mod files;
pub mod inode;
pub mod io_priority;
pub mod lent;
pub mod locks;
pub mod loops;
pub mod mapping;
pub mod memory;
pub mod noop;
pub mod page_cache;
pub mod path;
pub mod perf;
pub mod place;
pub mod positioned;
pub mod problem;
pub mod process;
pub mod ring;
pub mod room;
pub mod signals;
pub mod standard_error;
pub mod standard_output;
pub mod terminal;
pub mod time_stamp;
pub mod transfer;
pub mod usage;
pub mod writeback;

/// Tests that start programs share it, those that count on closed files and locks take it alone: a program that is just being
/// started has copies of all descriptors until it runs.
#[cfg(test)]
pub(crate) static STARTING: std::sync::RwLock<()> = std::sync::RwLock::new(());
