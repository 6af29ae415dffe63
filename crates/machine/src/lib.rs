//! The machine as records, plans and judgements know it: plain data, there on every system. The crate
//! `diskspd-host` reads it from a running machine.
//!
//! Invariant: facts only. Conclusions from them are in `diskspd-checks`.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod affinity_order;
pub mod arrays;
pub mod caches;
pub mod completion;
pub mod content;
mod cpu_list;
pub mod cpu_sleeps;
pub mod cpu_times;
pub mod device_log;
pub mod discards;
pub mod environment;
pub mod file_systems;
pub mod fingerprint;
mod fingerprint_parts;
pub mod interrupts;
pub mod io_counters;
pub mod io_features;
pub mod io_limit;
mod memory;
pub mod memory_backed;
pub mod numbers;
pub mod nvme;
pub mod process_io;
pub mod quota;
pub mod remote;
mod rows;
pub mod stack;
pub mod storage;
mod system;
pub mod target;
pub mod tasks;
pub mod thermal;
pub mod threads;
pub mod tracer;
pub mod tracing;
pub mod unread_facts;
pub mod zones;

pub use cpu_list::cpu_list;
pub use rows::{CpuLocation, kernel_cpu};
pub use system::{Core, CpuNode, Group, PowerScheme, System, Topology};
