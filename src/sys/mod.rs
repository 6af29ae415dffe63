//! The kernel made safe: the only place where `unsafe` is allowed.
#![allow(unsafe_code)]

pub mod aio;
pub mod block;
pub mod cpu;
pub mod cpu_latency;
pub mod event;
pub mod extents;
pub mod file_systems;
pub mod files;
pub mod io_priority;
pub mod mapping;
pub mod memory;
pub mod noop;
pub mod page_cache;
pub mod perf;
pub mod problem;
pub mod ring;
pub mod standard_error;
pub mod transfer;
pub mod usage;
pub mod writeback;
