//! Reads the machine: its processors and devices, who uses them, what lies beneath a file, the kernel's
//! counters.
//!
//! What is read is plain data of [`diskspd_model::machine`].

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod caches;
pub mod cgroup;
pub mod claims;
pub mod completion_probe;
pub mod content;
pub mod cpu_sleeps;
pub mod cpu_times;
mod device;
pub mod device_log;
pub mod devices;
pub mod discards;
pub mod environment;
mod holdings;
pub mod io_counters;
pub mod located;
mod machine;
pub mod memory_backed;
mod mountinfo;
mod nvme;
pub mod path_states;
pub mod refusal;
pub mod remote_counters;
pub mod root;
mod share;
pub mod signatures;
pub mod stack;
pub mod storage;
pub mod target;
pub mod tasks;
pub mod thermal;
pub mod threads;
mod topology;
pub mod tracer;
pub mod tracing;
mod usage;
pub mod ways;

pub use device::{Details, details, name_of_world};
pub use machine::{boot, look_around, look_around_at, name, read, snapshot};
pub use mountinfo::mounted;
